"""The table of the runs of a store: chosen, merged, sorted, and written in several ways."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from tailback.errors import UserError, shown
from tailback.metrics import ALL_METRICS, THETAS
from tailback.store.columns import MERGED, PERCENTILE_COLUMNS, RATIO_PARTS

from .conditions import Condition, condition
from .groups import SEEDS, over_columns
from .merging import COUNTED, merged
from .names import PARAMETERS, column_named, ordered, with_intervals

if TYPE_CHECKING:
    from tailback.store.points import PointStore

_MAIN = ("messages_per_node_per_ms", "routed_lifetime_us", *THETAS)
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
) -> pl.DataFrame:
    """Return the runs of a store, those that differ only in `over` merged into one row.

    Without `fields`: what the sweeps varied, and what else tells rows apart; mode,
    counts, the main metrics with their intervals. `conditions` must all hold; one that
    asks for a parameter in `over` is asked of single runs, others of what was merged.
    Rows are in the order of the sweeps unless they are to be sorted (`-field`: from high to
    low). At most `limit` rows. Raises `UserError` for a name or a condition that is not clear.
    """
    sweeps = store.sweeps()
    runs = in_sweep_order(store.runs(), sweeps)
    schema = runs.collect_schema()
    over = over_columns(over, schema.names())
    early, late = _sorted_out([condition(text, _with_counts(schema)) for text in conditions], over)
    chosen = None if fields is None else _chosen(fields, schema, over)
    order = [_merged_name(field.removeprefix("-"), schema, over, "sort") for field in sort]
    known = [name for name in _DEFAULT_VALUES if name in schema.names()]
    wanted = [*(known if chosen is None else chosen), *order]
    wanted += [name for each in late for name in each.columns]
    rows = runs.filter([each.expression for each in early]) if early else runs
    result = merged(
        rows, over, _values(wanted), lambda points: store.nested("histograms", points)
    ).lazy()
    if late:
        result = result.filter([each.expression for each in late])
    found = ordered(result, sort).collect()
    if chosen is None:
        chosen = _default_fields(found, sweeps)
    shown_columns = with_intervals(chosen, found.columns)
    return found.head(len(found) if limit is None else limit).select(shown_columns)


_OPEN_LOOP = ("offered_load", "accepted_load", "message_latency_us")
"""Shown first where a load is offered."""

_DEFAULT_VALUES = (*_OPEN_LOOP, *_MAIN, _OTHERWISE)


def in_sweep_order(runs: pl.LazyFrame, sweeps: Iterable[Mapping[str, Any]]) -> pl.LazyFrame:
    """Return runs in the order in which the sweeps name their points; others come last."""
    identities = dict.fromkeys(point[0] for sweep in sweeps for point in sweep["points"])
    if not identities:
        return runs
    places = pl.LazyFrame({"identity": list(identities)}).with_row_index("_place")
    placed = runs.join(places, on="identity", how="left", maintain_order="left")
    return placed.sort("_place", nulls_last=True, maintain_order=True).drop("_place")


def _with_counts(schema: pl.Schema) -> pl.Schema:
    return pl.Schema({**schema, **dict.fromkeys(COUNTED, pl.Int64())})


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


def _chosen(fields: Sequence[str], schema: pl.Schema, over: Sequence[str]) -> list[str]:
    return [_merged_name(field, schema, over, "fields") for field in fields]


def _merged_name(field: str, schema: pl.Schema, over: Sequence[str], place: str) -> str:
    """Return the column that is meant; raise `UserError` if merging leaves nothing of it."""
    name = column_named(field, [*schema.names(), *COUNTED], place)
    if name in over:
        raise UserError(place, shown(field), f"runs that differ in {name} are merged")
    if isinstance(schema.get(name), pl.List):
        raise UserError(place, shown(field), "holds a table in every row; see docs/store.md")
    return name


def _values(names: Iterable[str]) -> list[str]:
    """Return the metrics, ratios and percentiles that columns belong to."""
    owners = {name + part: name for name in ALL_METRICS for part in MERGED}
    owners |= {name + part: name for name in THETAS for part in RATIO_PARTS}
    owners |= {column.name: column.name for column in PERCENTILE_COLUMNS}
    return list(dict.fromkeys(owners[name] for name in names if name in owners))


def _default_fields(rows: pl.DataFrame, sweeps: Iterable[Mapping[str, Any]]) -> list[str]:
    varied = [name for sweep in sweeps for name in sweep["columns"] if name in rows.columns]
    fields = _telling(rows, list(dict.fromkeys(varied)))
    counts = [*COUNTED] if _says_something(rows["unsettled"]) else ["runs"]
    if "offered_load" in rows.columns and _says_something(rows["offered_load"]):
        # Messages sent are the accepted load; theta_r says what the network leaves of it.
        main = [*_OPEN_LOOP, *(name for name in THETAS if _says_something(rows[name]))]
        marks = ["saturated"] if _says_something(rows["saturated"]) else []
        return [*fields, "mode", *counts, *marks, *main]
    main = [name for name in _MAIN if _says_something(rows[name])]
    return [*fields, "mode", *counts, *(main or [_OTHERWISE])]


def _telling(rows: pl.DataFrame, fields: list[str]) -> list[str]:
    """Return `fields` and the parameters that are needed to tell all rows apart."""
    candidates = [name for name in rows.columns if name.startswith(PARAMETERS)]
    candidates += [name for name in ("version", "results_version") if name in rows.columns]
    candidates.sort(key=lambda name: name in _SELDOM)
    different = _combinations(rows, fields)
    for name in candidates:
        if different == len(rows):
            break
        if name in fields or rows[name].n_unique() == 1:
            continue
        more = _combinations(rows, [*fields, name])
        if more > different:
            fields, different = [*fields, name], more
    return fields


def _combinations(rows: pl.DataFrame, fields: Sequence[str]) -> int:
    return rows.select("mode", *fields).unique().height


def _says_something(column: pl.Series) -> bool:
    if column.dtype == pl.Boolean:
        return bool(column.any())
    return bool((column.fill_null(0.0) != 0).any())


def csv_text(rows: pl.DataFrame) -> str:
    """Return rows as CSV with a head; what is not known is empty."""
    return rows.write_csv()


def json_text(rows: pl.DataFrame) -> str:
    """Return rows as a JSON list of objects, one per line; what is not known is null."""
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in rows.iter_rows(named=True))
    return f"[\n{lines}\n]\n" if lines else "[]\n"
