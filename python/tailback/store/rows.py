"""One point of a sweep as rows of a table, and as the bytes of a file.

One row per contention mode. The same point gives the same bytes: there is no
clock, path, host or number of processors in it. Columns and their types depend
on topology and kind of workload, never on values, so that files of many points
can be put below each other; what is not known is null, never NaN.
`schema.columns` lists what there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

import pyarrow as pa
import pyarrow.parquet as pq

from tailback.charging import Totals, empty_table
from tailback.comparison import MODES, Cost
from tailback.critical_path import PART_WORDS, CriticalPath
from tailback.metrics import ALL_METRICS, OF_FINITE, THETAS, class_of
from tailback.results import CLASS_VARIABLES, Result
from tailback.results.names import kind_of_classes
from tailback.statistics import Estimate, finite
from tailback.store import columns as known
from tailback.store.columns import (
    BLAME_PAIRS,
    BLAME_TABLES,
    MESSAGE_TABLE,
    NESTED,
    PATH_ROWS,
    PATH_TABLES,
    PERCENTILES,
    TRAFFIC_TABLE,
    Column,
)
from tailback.store.parameters import Value, parameters, stored_text

_ARROW = {
    "text": pa.string(),
    "float64": pa.float64(),
    "int64": pa.int64(),
    "bool": pa.bool_(),
}


def table_of(cost: Cost, identity: str) -> pa.Table:
    """Return a simulated point: one row for each of its modes, in the order of `MODES`.

    `identity` is that of the point.
    """
    results = [cost.modes[mode] for mode in MODES if mode in cost.modes]
    rows = len(results)
    parts: list[tuple[Column, Sequence[Value]]] = [
        *_identifying(identity, results),
        *((column, [value] * rows) for column, value in parameters(cost.experiment)),
        *_endings(results),
        *_metrics(results),
        *_ratios(cost, results),
        *_percentiles(results),
        *_of_jobs(results),
        *_of_paths(cost, results),
    ]
    nested = {name: _nested([getattr(r, name) for r in results], name) for name in NESTED}
    nested |= _of_classes(results) | _on_paths(cost, results) | _messages(results)
    return pa.table(_arrays(parts) | nested | _blamed(cost, results))


def to_bytes(table: pa.Table) -> bytes:
    """Return a point as the content of a Parquet file; columns that hold tables are compressed.

    Compressing the others, of a few rows, would take longer than all the rest.
    """
    large = (*NESTED, TRAFFIC_TABLE, MESSAGE_TABLE, *PATH_TABLES, *BLAME_TABLES)
    compressed = {path: "zstd" for name in large for path in _leaves(table.schema, name)}
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression=compressed or "none",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
    )
    return bytes(sink.getvalue())


def _arrays(parts: Iterable[tuple[Column, Sequence[Value]]]) -> dict[str, pa.Array]:
    """Return columns as Arrow arrays: slices of one array for each type, which is faster."""
    flat: dict[str, list[Value]] = {kind: [] for kind in _ARROW}
    places: dict[str, tuple[str, int, int]] = {}
    for column, values in parts:
        places[column.name] = (column.type, len(flat[column.type]), len(values))
        flat[column.type] += values
    arrays = {kind: pa.array(values, _ARROW[kind]) for kind, values in flat.items()}
    return {name: arrays[kind].slice(start, rows) for name, (kind, start, rows) in places.items()}


def _identifying(identity: str, results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    for column in known.IDENTIFYING:
        if column.name == "identity":
            yield column, [identity] * len(results)
        else:
            yield column, [getattr(result, column.name) for result in results]


def _endings(results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    for column in known.ENDING:
        # A limit that cut nothing off is not known: null.
        told = (getattr(result.ending, column.name) for result in results)
        yield column, [None if value == "" else value for value in told]


def _metrics(results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    columns = iter(known.METRIC_COLUMNS)
    for name in ALL_METRICS:
        own = [next(columns) for _ in known.MERGED]
        # What is measured depends on machine and workload only: it is the same in all modes.
        if name in results[0].estimates:
            parts = zip(*(_parts(result[name]) for result in results), strict=True)
            yield from zip(own, map(list, parts), strict=True)


def _parts(e: Estimate) -> tuple[Value, ...]:
    """Return what is stored of an estimate, in the order of `MERGED`."""
    numbers = (e.value, e.low, e.high, e.standard_error, e.weight)
    return (*map(finite, numbers), None if math.isnan(e.value) else e.batches)


def _ratios(cost: Cost, results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    columns = iter(known.RATIO_COLUMNS)
    for name, compared in THETAS.items():
        own = [next(columns) for _ in known.RATIO_PARTS]
        if compared.metric in OF_FINITE and compared.metric not in results[0].estimates:
            continue
        theta = cost.thetas[name]
        values = map(finite, (theta.value, theta.low, theta.high, cost.covariances[name]))
        for column, value in zip(own, values, strict=True):
            yield column, [value if result.mode == "full" else None for result in results]


def _percentiles(results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    columns = iter(known.PERCENTILE_COLUMNS)
    for variable in known.PERCENTILE_VARIABLES:
        own = [next(columns) for _ in PERCENTILES]
        if variable in results[0].estimates:
            name, percents = variable.removesuffix("_us"), [*PERCENTILES.values()]
            values = [result.percentiles(name, percents) for result in results]
            yield from zip(own, map(list, zip(*values, strict=True)), strict=True)


def _of_classes(results: Sequence[Result]) -> dict[str, pa.Array]:
    """Return what was measured of traffic classes, where there are several: `TRAFFIC_COLUMNS`."""
    if not results[0].populations.of_classes:
        return {}
    tables = [_classes_of(result) for result in results]
    return {TRAFFIC_TABLE: _nested(tables, TRAFFIC_TABLE)}


def _classes_of(result: Result) -> pa.Table:
    """Return the metrics of every traffic class of a run, then its percentiles."""
    rows: list[tuple[Value, ...]] = []
    for name in result.populations.of_classes:
        class_, stem = class_of(name)
        rows.append((class_, stem, *_parts(result[name])))
    nothing = (None,) * (len(known.MERGED) - 1)
    for variable, told in CLASS_VARIABLES.items():
        for class_ in result.classes_with(variable):
            found = result.percentiles(variable, [*PERCENTILES.values()], class_)
            for suffix, value in zip(PERCENTILES, found, strict=True):
                rows.append((class_, f"{told}_us_{suffix}", value, *nothing))
    for class_, own in result.fared.items():
        rows += [(class_, metric, *_parts(mean)) for metric, mean in own.means.items()]
        for metric, values in own.percentiles.items():
            for suffix, value in zip(PERCENTILES, values, strict=True):
                rows.append((class_, f"{metric}_{suffix}", value, *nothing))
    columns = known.INNER[TRAFFIC_TABLE]
    types = {"text": pa.string(), "float64": pa.float64(), "integer": pa.int64()}
    return pa.table(
        {
            column.name: pa.array([row[place] for row in rows], types[column.type])
            for place, column in enumerate(columns)
        }
    )


def _messages(results: Sequence[Result]) -> dict[str, pa.Array]:
    """Return the messages that have a row, if the experiment asks for them: `MESSAGE_COLUMNS`."""
    if results[0].messages is None:
        return {}
    inner = [column.name for column in known.INNER[MESSAGE_TABLE]]
    tables = [
        None
        if r.messages is None
        else r.messages.select([n for n in inner if n in r.messages.column_names])
        for r in results
    ]
    return {MESSAGE_TABLE: _nested(tables, MESSAGE_TABLE)}


def _of_jobs(results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    """Yield what is stored of every job: the metrics that it has, and percentiles."""
    for name in results[0].jobs:
        jobs = [result.jobs[name] for result in results]
        for metric in known.METRICS_OF_JOBS:
            # Lateness is known in some modes only.
            if any(metric in job.estimates for job in jobs):
                parts = zip(*(_parts(job[metric]) for job in jobs), strict=True)
                own = known.columns_of_job(name, metric, known.MERGED)
                yield from zip(own, map(list, parts), strict=True)
        percentiles = [job.percentiles() for job in jobs]
        for variable in known.PERCENTILES_OF_JOBS:
            if any(variable in one for one in percentiles):
                nothing = [None] * len(PERCENTILES)
                told = zip(*(one.get(variable, nothing) for one in percentiles), strict=True)
                own = known.percentiles_of_job(name, variable)
                yield from zip(own, map(list, told), strict=True)


def _of_paths(cost: Cost, results: Sequence[Result]) -> Iterator[tuple[Column, list[Value]]]:
    """Yield what the end waited for, if the experiment asks for it: `PATH_COLUMNS`."""
    if not cost.experiment.run.critical_path:
        return
    sums = [_path_sums(result) for result in results]
    columns = iter(known.PATH_COLUMNS)
    for part in PART_WORDS:
        own = [next(columns) for _ in known.MERGED]
        parts = zip(*(_parts(each[part]) for each in sums), strict=True)
        yield from zip(own, map(list, parts), strict=True)


def _path_sums(result: Result) -> Mapping[str, Estimate]:
    """Return the time on the critical path by what it is put down to, in microseconds."""
    path = result.critical_path
    if path is None:
        return dict.fromkeys(PART_WORDS, Estimate.unknown())
    found = {part: time_ps for (part,), time_ps in path.by("part")}
    return {part: Estimate.exact(found.get(part, 0) / 1e6, 1.0) for part in PART_WORDS}


def _on_paths(cost: Cost, results: Sequence[Result]) -> dict[str, pa.Array]:
    """Return what was on critical paths, longest first: `PATH_TABLES`."""
    if not cost.experiment.run.critical_path:
        return {}
    found = [result.critical_path or CriticalPath.unknown() for result in results]
    tables = zip(*((path.waits(PATH_ROWS), path.calls(PATH_ROWS)) for path in found), strict=True)
    return {name: _nested(each, name) for name, each in zip(PATH_TABLES, tables, strict=True)}


def _blamed(cost: Cost, results: Sequence[Result]) -> dict[str, pa.Array]:
    """Return who made whom late, if the experiment asks for it: `BLAME_COLUMNS`."""
    found = [result.blame for result in results if result.blame is not None]
    if not found:
        return {}
    classes = "job" if cost.experiment.jobs else cost.experiment.resolved()["workload"]["classes"]
    said: list[list[Value]] = [
        [True] * len(results),
        [blame.share for blame in found],
        [cost.experiment.run.blame_memory.bytes] * len(results),
        [cost.experiment.run.packet_waits] * len(results),
        [stored_text(classes)] * len(results),
        [kind_of_classes(cost.experiment)] * len(results),
        [blame.batch_begin_ps for blame in found],
        [blame.batch_length_ps for blame in found],
        [blame.exact for blame in found],
        *([getattr(blame.totals, field.name) for blame in found] for field in fields(Totals)),
    ]
    tables = [blame.shortened(BLAME_PAIRS).tables() for blame in found]
    nested = {
        name: _nested([each.get(name) for each in tables], name, empty_table(name))
        for name in BLAME_TABLES
    }
    return _arrays(zip(known.BLAMING, said, strict=True)) | nested


def _nested(
    tables: Sequence[pa.Table | None], name: str, empty: pa.Table | None = None
) -> pa.ListArray:
    """Return tables, one for each row, as one column; null for a row that has none.

    `empty`: one without rows, where all rows may have none.
    """
    there = [table for table in tables if table is not None]
    if name == "moments":
        inner = [column.name for column in known.INNER[name]]
        there = [table.select(inner) for table in there]
    ends = [0]
    for table in tables:
        ends.append(ends[-1] + (0 if table is None else table.num_rows))
    if empty is not None:
        there.append(empty)
    together = pa.concat_tables([_plain(table) for table in there]).combine_chunks()
    values = pa.array([], pa.struct(together.schema))
    if together.num_rows:
        [values] = together.to_struct_array().chunks
    missing = pa.array([table is None for table in tables])
    mask = missing if len(there) < len(tables) + (empty is not None) else None
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, mask=mask)


def _plain(table: pa.Table) -> pa.Table:
    """Return a table without dictionaries, which need not have the same words in all files."""
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(field.type.value_type))
    return table


def _leaves(schema: pa.Schema, name: str) -> Iterator[str]:
    """Yield the paths of the columns that a column of tables becomes in a Parquet file."""
    if name in schema.names:
        for field in schema.field(name).type.value_type:
            within = ".list.element" if pa.types.is_nested(field.type) else ""
            yield f"{name}.list.element.{field.name}{within}"
