"""The study as one HTML page: what agrees, and the curves of every configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import tailback as tb
from studies import page
from studies.booksim.curves import STUDY, Curve, Load, Point, mean
from studies.booksim.text import COLUMNS, REASONS, summary
from studies.booksim.verdicts import judged
from studies.curve import Curve as Drawn
from studies.page import axis, line

if TYPE_CHECKING:
    from tailback.report.page import Figure, Section


def write(found: Sequence[Curve]) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section, Table

    rows = tuple(tuple(summary(curve, list(judged(curve)))) for curve in found)
    sections = (
        Section("In all", (Table(COLUMNS, rows),)),
        *(_section(curve) for curve in found if not curve.refused),
    )
    lead = (
        "What BookSim2 measured, and runs of the same configurations here. Latencies are compared "
        "up to nine tenths of saturation, accepted loads in overload; RESULTS.md has every number.",
    )
    runs = sum(len(load.theirs) for curve in found for load in curve.loads)
    facts = (("configurations", str(len(found))), ("runs", str(runs)))
    page.write(STUDY, "BookSim2's curves", lead, sections, facts)


def _section(curve: Curve) -> Section:
    from tailback.report.page import Section

    stable = [load for load in curve.loads if load.is_latency]
    latency = _figure(curve, "latency", "mean latency", "cycles", stable, lambda one: one.latency)
    accepted = _figure(
        curve,
        "accepted",
        "accepted load",
        "flits per node and cycle",
        curve.loads,
        lambda one: one.accepted,
    )
    reason = REASONS.get(curve.name)
    return Section(curve.name, (*([reason] if reason else []), latency, accepted))


def _figure(
    curve: Curve,
    name: str,
    label: str,
    unit: str,
    loads: Sequence[Load],
    measure: Callable[[Point], float],
) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    def drawn(points: Iterable[Sequence[Point]]) -> Drawn:
        y = [tb.Estimate.exact(mean(runs, measure)[0]) for runs in points]
        return Drawn(tuple(load.offered for load in loads), tuple(y))

    drawing = curves(
        [
            line("here", drawn(load.ours for load in loads)),
            line("BookSim2", drawn(load.theirs for load in loads), 1, "printed"),
        ],
        axis("offered load", "flits per node and cycle"),
        axis(label, unit),
    )
    return Figure(f"{curve.name}_{name}", f"{label.capitalize()} by offered load", drawing)
