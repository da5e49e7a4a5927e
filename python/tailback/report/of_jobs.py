"""The section of a report on jobs: the speed of each, and its cost of contention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tailback.figures.labels import parameter_label
from tailback.metrics import OF_JOBS
from tailback.statistics import Estimate
from tailback.store.columns import METRICS_OF_JOBS
from tailback.wording import number

from .content import Cell, Content, Section, Table
from .listing import estimate_in, value_cell
from .variation import SEED, Variation

#: Measures of a job, of which the first known one is shown: label, and whether more is better.
_MEASURES = {
    "completion_us": ("completion, µs", False),
    "message_latency_us": ("latency, µs", False),
    "messages_per_node_per_ms": ("messages per node and ms", True),
    "iterations_per_node_per_ms": ("iterations per node and ms", True),
}
_DIGITS = 4

_LEAD = (
    "Slowdown: how much longer a job takes than in the baseline, where packets are not in each "
    "other's way: its own are not, either. What each of the others costs it, tailback "
    "interference finds by running it alone."
)

Row = Mapping[str, Any]


def section(rows: Sequence[Row], variation: Variation) -> Section | None:
    """Return the section; None if no point has jobs. `rows`: all runs of the store."""
    jobs = _jobs(rows)
    if not jobs:
        return None
    columns = [*variation.columns, *([SEED] if variation.several_seeds else [])]
    of_points: dict[str, dict[str, Row]] = {}
    for row in rows:
        of_points.setdefault(row["identity"], {})[row["mode"]] = row
    found = tuple(
        (*(value_cell(column, point[column]) for column in columns), *cells)
        for point in variation.rows
        for cells in _cells(of_points[point["identity"]], jobs)
    )
    headings = (*map(parameter_label, columns), "job", "measured by")
    heads = (*headings, "full", "baseline", "slowdown", "latency, µs")
    return Section("Jobs", (_LEAD, Table(heads, found, "", searchable=True)))


def _jobs(rows: Iterable[Row]) -> list[str]:
    """Return the names of all jobs, in order."""
    known = (
        column.removeprefix(OF_JOBS).rpartition(".")
        for row in rows
        for column in row
        if column.startswith(OF_JOBS)
    )
    return list(dict.fromkeys(name for name, _, metric in known if metric in METRICS_OF_JOBS))


def _cells(of_mode: Mapping[str, Row], jobs: Iterable[str]) -> Iterable[tuple[Content, ...]]:
    """Yield a row for each job of a point."""
    full = of_mode.get("full")
    if full is None:
        return
    free = of_mode.get(str(full["run.baseline"]))
    for job in jobs:
        measured = (name for name in _MEASURES if _known(full, job, name) is not None)
        metric = next(measured, None)
        if metric is None:
            continue
        word, more_is_better = _MEASURES[metric]
        with_, without = (_known(run, job, metric) for run in (full, free))
        longer: float | None = None
        if with_ is not None and without is not None and with_.value and without.value:
            longer = with_.value / without.value
            longer = 1 / longer if more_is_better else longer
        told = (_cell(with_), _cell(without), longer)
        yield (job, word, *told, _cell(_known(full, job, "message_latency_us")))


def _known(run: Row | None, job: str, metric: str) -> Estimate | None:
    name = f"{OF_JOBS}{job}.{metric}"
    return None if run is None or run.get(name) is None else estimate_in(run, name)


def _cell(estimate: Estimate | None) -> Content:
    return None if estimate is None else Cell(number(estimate, most=_DIGITS), estimate.value)
