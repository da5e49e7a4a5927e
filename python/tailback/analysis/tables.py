"""The table of the runs of a store: chosen, merged, sorted, and written in several ways."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback import csv_files
from tailback.errors import UserError, shown
from tailback.metrics import (
    ALL_METRICS,
    MAIN_THETAS,
    OF_CLASSES,
    OF_FINITE,
    OF_JOBS,
    THETAS,
    class_of,
)
from tailback.store.columns import (
    LIGHT,
    MERGED,
    PATH_METRICS,
    PERCENTILE_COLUMNS,
    RATIO_PARTS,
)
from tailback.tables.frames import (
    Columns,
    Ints,
    combinations,
    dictionaries,
    differs,
    floats,
    values,
)

from .cells import COUNTED
from .conditions import Condition, condition
from .distributions import of_rows
from .groups import SEEDS, over_columns
from .merging import merged, needed
from .names import PARAMETERS, column_named, metric_of, ordered, with_intervals

if TYPE_CHECKING:
    from tailback.store.points import PointStore

_MAIN = ("messages_per_node_per_ms", "routed_lifetime_us", *OF_FINITE, *MAIN_THETAS)
_OTHERWISE = "iterations_per_node_per_ms"

#: The columns from which others follow, or that say nothing of what was simulated.
_SELDOM = {"run.sample_interval_us", "version", "results_version"}


def table(
    store: PointStore,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    over: Sequence[str] = SEEDS,
    sort: Sequence[str] = (),
    limit: int | None = None,
) -> pa.Table:
    """Return the runs of a store, those that differ only in `over` merged into one row.

    Without `fields`: what the sweeps varied, and what else tells rows apart; mode,
    counts, the main metrics with their intervals. `conditions` must all hold; one that
    asks for a parameter in `over` is asked of single runs, others of what was merged.
    Rows are in the order of the sweeps unless they are to be sorted (`-field`: from high to
    low). At most `limit` rows. Raises `UserError` for a name or a condition that is not clear.
    """
    sweeps = store.sweeps()
    unread = store.unread_runs(without=LIGHT)
    schema = unread.schema
    names = schema.names
    over = over_columns(over, names)
    conditions_ = [condition(text, _with_counts(schema)) for text in conditions]
    early, late = _sorted_out(conditions_, over)
    chosen = None if fields is None else [_merged_name(f, names, over, "fields") for f in fields]
    order = [_merged_name(field.removeprefix("-"), names, over, "sort") for field in sort]
    usual = [name for name in (*_DEFAULT_VALUES, *_of_classes(names)) if name in names]
    wanted = [*(usual if chosen is None else chosen), *order]
    wanted += [name for each in late for name in each.columns]
    asked = {*wanted, *over, *(name for each in early for name in each.columns)}
    asked |= {name for sweep in sweeps for name in sweep["columns"]}
    read = needed(names, _values(wanted), {*names} - unread.constant() | asked)
    runs = in_sweep_order(unread.columns(read), sweeps)
    for each in early:
        runs = runs.take(_rows_of(runs, each))
    result = merged(
        runs,
        over,
        _values(wanted),
        lambda points: store.nested("histograms", points),
        lambda rows, metric: of_rows(store, rows, metric),
    )
    for each in late:
        result = result.filter(each.expression)
    found = ordered(result, sort, limit)
    if chosen is None:
        chosen = _default_fields(found, sweeps)
    shown_columns = with_intervals(chosen, found.column_names)
    return found.select(shown_columns)


LATENCY = "message_latency_us"
_MOST_CLASSES = 4
_OPEN_LOOP = ("offered_load", "accepted_load", LATENCY)
"""Shown first where a load is offered, instead of others."""
_INSTEAD = ("messages_per_node_per_ms", "routed_lifetime_us")

_DEFAULT_VALUES = (*_OPEN_LOOP, *_MAIN, _OTHERWISE)


def in_sweep_order(runs: Any, sweeps: Sequence[Mapping[str, Any]]) -> Any:
    """Return runs in the order in which the sweeps name their points; others come last."""
    return runs.take(sweep_order(runs["identity"], sweeps))


def sweep_order(identities: pa.ChunkedArray, sweeps: Iterable[Mapping[str, Any]]) -> Ints:
    """Return the rows of points in the order in which the sweeps name them; others come last."""
    own = [sweep["points"]["identity"].combine_chunks() for sweep in sweeps]
    named = pa.concat_arrays([pa.nulls(0, pa.string()), *own])
    places = pc.fill_null(pc.index_in(identities, named), len(named)).to_numpy()
    order: Ints = np.argsort(places, kind="stable")
    return order


def _rows_of(runs: Columns, condition: Condition) -> Ints:
    """Return the rows for which a condition holds."""
    asked = {name: runs[name] for name in condition.columns}
    numbered = pa.table({**asked, "": np.arange(runs.num_rows)})
    rows: Ints = numbered.filter(condition.expression)[""].to_numpy()
    return rows


def _with_counts(schema: pa.Schema) -> pa.Schema:
    for name in COUNTED:
        schema = schema.append(pa.field(name, pa.int64()))
    return schema


def _sorted_out(
    conditions: Iterable[Condition], over: Iterable[str]
) -> tuple[list[Condition], list[Condition]]:
    """Return the conditions on single runs, and those on what was merged."""
    lost = set(over)
    conditions = list(conditions)
    early = [each for each in conditions if each.columns & lost]
    for each in early:
        if each.columns & set(COUNTED):
            problem = "asks for single runs and how many were merged; write two conditions"
            raise UserError("where", shown(each.text), problem)
    return early, [each for each in conditions if not each.columns & lost]


def _merged_name(field: str, columns: Sequence[str], over: Sequence[str], place: str) -> str:
    """Return the column that is meant; raise `UserError` if merging leaves nothing of it."""
    name = column_named(field, [*columns, *COUNTED, *LIGHT], place)
    if name in over:
        raise UserError(place, shown(field), f"runs that differ in {name} are merged")
    if name in LIGHT:
        raise UserError(place, shown(field), "holds a table in every row; see docs/store.md")
    return name


def _values(names: Iterable[str]) -> list[str]:
    """Return the metrics, ratios and percentiles that columns belong to."""
    owners = {name + part: name for name in (*ALL_METRICS, *PATH_METRICS) for part in MERGED}
    owners |= {name + part: name for name in THETAS for part in RATIO_PARTS}
    owners |= {column.name: column.name for column in PERCENTILE_COLUMNS}
    names = list(names)
    single = [name for name in names if name.startswith((OF_JOBS, OF_CLASSES))]
    owners |= {name: metric_of(name) for name in single}
    return list(dict.fromkeys(owners[name] for name in names if name in owners))


def _default_fields(rows: pa.Table, sweeps: Iterable[Mapping[str, Any]]) -> list[str]:
    varied = [name for sweep in sweeps for name in sweep["columns"] if name in rows.column_names]
    fields = telling(rows, list(dict.fromkeys(varied)))
    counts = [*COUNTED] if _says_something(rows["unsettled"]) else ["runs"]
    if "cut_off" in rows.column_names and rows["cut_off"].null_count < rows.num_rows:
        counts.append("cut_off")
    if "lost" in rows.column_names and _says_something(rows["lost"]):
        counts.append("lost")
    there = [name for name in (*_OPEN_LOOP, *_MAIN) if name in rows.column_names]
    main = [name for name in there if _says_something(rows[name]) or _is_cut_off(rows, name)]
    main += _of_classes(rows.column_names)
    if "offered_load" in main:
        # Messages sent are the accepted load; theta_r says what the network leaves of it.
        marks = ["saturated"] if _says_something(rows["saturated"]) else []
        return [*fields, "mode", *counts, *marks, *(n for n in main if n not in _INSTEAD)]
    main = [name for name in main if name not in _OPEN_LOOP]
    return [*fields, "mode", *counts, *(main or [_OTHERWISE])]


def _of_classes(names: Iterable[str]) -> list[str]:
    """Return the latencies of traffic classes, where there are few."""
    found = [name for name in names if class_of(name)[1] == LATENCY and class_of(name)[0]]
    return found if len(found) <= _MOST_CLASSES else []


def telling(rows: pa.Table, fields: Sequence[str]) -> list[str]:
    """Return `fields` and the parameters that are needed to tell all rows apart."""
    fields = list(fields)
    candidates = [name for name in rows.column_names if name.startswith(PARAMETERS)]
    candidates += [name for name in ("version", "results_version") if name in rows.column_names]
    candidates.sort(key=lambda name: name in _SELDOM)
    different = combinations(rows, ["mode", *fields])
    for name in candidates:
        if different == rows.num_rows:
            break
        if name in fields or not differs(rows[name]):
            continue
        more = combinations(rows, ["mode", *fields, name])
        if more > different:
            fields, different = [*fields, name], more
    return fields


def _says_something(column: pa.ChunkedArray) -> bool:
    return bool(np.nan_to_num(floats(column)).any())


def _is_cut_off(rows: pa.Table, name: str) -> bool:
    """Whether it is said of what was cut off what it is more than."""
    return f"{name}_low" in rows.column_names and _says_something(rows[f"{name}_low"])


def csv_text(rows: pa.Table) -> str:
    """Return rows as CSV with a head; what is not known is empty."""
    columns = [values(rows[name]) for name in rows.column_names]
    return csv_files.csv_text(rows.column_names, zip(*columns, strict=True))


def json_text(rows: pa.Table) -> str:
    """Return rows as a JSON list of objects, one per line; what is not known is null."""
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in dictionaries(rows))
    return f"[\n{lines}\n]\n" if lines else "[]\n"
