"""The section of a report on traffic classes: the measures of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailback.comparison import MODES
from tailback.figures.labels import parameter_label
from tailback.statistics import Estimate
from tailback.store.columns import TRAFFIC_TABLE
from tailback.wording import number

from .content import Cell, Content, Section, Table
from .listing import value_cell
from .variation import SEED, Variation

if TYPE_CHECKING:
    from tailback.store.points import PointStore

_KIND = "workload.kind"
_COLUMNS = ("class", "metric", "value", "low", "high")
_TAILS = {"p50": "median", "p95": "95 %", "p99": "99 %", "p99_9": "99.9 %"}
"""Labels of percentiles, by the suffix of their names."""

_TIMES = {
    "message_latency_us": "latency, µs",
    "round_trip_us": "round trip, µs",
    "message_alone_us": "alone, µs",
    "message_late_us": "late, µs",
    "message_slowdown": "slowdown",
}
_METRICS = {
    "offered_load": ("offered, %", 100.0),
    "accepted_load": ("accepted, %", 100.0),
    "messages_per_node_per_ms": ("messages per node and ms", 1.0),
    **{
        name + end: (f"{told}{tail}", 1.0)
        for name, told in _TIMES.items()
        for end, tail in {"": "", **{f"_{p}": f": {words}" for p, words in _TAILS.items()}}.items()
    },
}
"""Metrics of a class: label and scale factor."""
_DIGITS = 4

_LEAD = (
    "Loads are time on the injection channels of nodes; a round trip is from a request to its "
    "reply."
)


def section(store: PointStore, variation: Variation) -> Section | None:
    """Return the section; None if no point has several classes."""
    points = [row for row in variation.rows if row.get(_KIND) == "traffic"]
    if not points:
        return None
    several = len({row[SEED] for row in points}) > 1
    columns = [*variation.columns, *([SEED] if several else [])]
    headings = [parameter_label(column) for column in columns]
    told = [label for label, _ in _METRICS.values()]
    rows = [row for point in points for row in _rows(store, point, columns)]
    heads = (*headings, "mode", "class", *told)
    # Metrics unknown for all classes are left out: round trips without replies, for example.
    kept = [i for i in range(len(heads)) if any(row[i] is not None for row in rows)]
    table = Table(
        tuple(heads[i] for i in kept),
        tuple(tuple(row[i] for i in kept) for row in rows),
        "",
        searchable=True,
    )
    return Section("Traffic classes", (_LEAD, table))


def _rows(
    store: PointStore, point: Mapping[str, Any], columns: Sequence[str]
) -> Iterator[tuple[Content, ...]]:
    """Yield a row for each mode and class of a point."""
    of_mode = store.tables(point["identity"], {TRAFFIC_TABLE: _COLUMNS})
    for mode in (mode for mode in MODES if mode in of_mode):
        measured: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in of_mode[mode][TRAFFIC_TABLE].to_pylist():
            measured.setdefault(row["class"], {})[row["metric"]] = row
        for name, found in measured.items():
            cells = (_cell(found.get(m), scale) for m, (_, scale) in _METRICS.items())
            yield (*(value_cell(c, point[c]) for c in columns), mode, name, *cells)


def _cell(row: Mapping[str, Any] | None, scale: float) -> Content:
    if row is None or row["value"] is None:
        return None
    nan = float("nan")
    low, high = (nan if row[end] is None else float(row[end]) for end in ("low", "high"))
    if row["metric"].endswith(tuple(f"_{end}" for end in _TAILS)):
        # Percentiles have no interval.
        low = high = float(row["value"])
    estimate = Estimate(float(row["value"]), low, high).times(scale)
    return Cell(number(estimate, most=_DIGITS), float(estimate.value))
