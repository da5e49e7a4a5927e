"""Curves of the three workloads against the compute period."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import tailback as tb
from studies.comparison import Comparison
from studies.curve import Curve
from studies.estimates import in_percent
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.comparison import LOSS_BOUND, RATE_BOUND
from studies.tweedie.experiment import NAMES, SYNCS, Sync
from studies.tweedie.published import Table, text_number
from tailback.statistics import quotient

if TYPE_CHECKING:
    from tailback.figures.curves import Line
    from tailback.figures.drawing import Axis, Drawing

RATE = "messages_per_node_per_ms"
ROUTED_LIFETIME = "routed_lifetime_us"
SWEEPS = ("workloads", "asynchronous")

LOOSE: Sync = "loosely_synchronous"
BLOCKING: Sync = "asynchronous_blocking"
ASYNCHRONOUS: Sync = "asynchronous"

SHORTEST_US = 1.0
"""The thesis runs compute periods from here on [Tweedie, section 5.4]."""
LONGEST_US = 200.0

LOAD_REMARK = (
    "Load as in the thesis (sections 6.2.3.1 and 6.3): what a workload in fact puts on the network "
    "with contention, as the mean time from one message of a node to its next. Acknowledgements, "
    "one for every message, are not counted."
)

COLOURS: dict[Sync, int] = {sync: i for i, sync in enumerate(SYNCS)}


def curve(runs: Runs, sync: Sync, measure: str, mode: str = "full") -> Curve:
    """Return a measure of a workload at all compute periods."""
    if sync == ASYNCHRONOUS:
        return runs.sweep("asynchronous").curve(measure, mode=mode)
    return runs.sweep("workloads").curve(measure, f"sync == '{sync}'", mode=mode)


def plotted(runs: Runs, sync: Sync, measure: str, mode: str = "full") -> Curve:
    """Return the part of a curve that the thesis shows."""
    return curve(runs, sync, measure, mode).between(SHORTEST_US, LONGEST_US)


def printed_line(table: Table, sync: Sync) -> Line:
    """Return the printed numbers of a table as crosses."""
    from tailback.figures.curves import Line

    column = table.column(sync)
    values = [printed.value for printed in column.values()]
    name = f"{NAMES[sync]}, printed"
    return Line(name, tuple(column), values, colour=COLOURS[sync], look="printed")


def by_workload(runs: Runs, measure: str, y: Axis, table: Table | None = None) -> Drawing:
    """Return a measure of the three workloads against the compute period."""
    from tailback.figures.curves import curves

    drawn = [line(NAMES[s], plotted(runs, s, measure), COLOURS[s]) for s in SYNCS]
    crosses = [] if table is None else [printed_line(table, sync) for sync in SYNCS]
    return curves([*drawn, *crosses], period_axis(), y)


def period_axis() -> Axis:
    """Return the axis of the compute period, linear as in the thesis."""
    return axis("compute period", "µs")


def interval_axis() -> Axis:
    """Return the axis of the load: how long a node takes from one message to the next."""
    return axis("mean time between a node's injections", "µs")


def intervals_us(rates: Curve) -> Curve:
    """Return the mean times between injections of message rates per ms.

    The thesis normalises by the load that a workload in fact puts on the network
    in the full model: the average rate of packet injection [Tweedie, section
    6.2.3.1], also given as a time between injections (section 6.3).
    Acknowledgements, which follow from them, are not counted.
    """
    return rates.changed(lambda rate: 1000 / rate)


def number(
    claim_id: str,
    simulated: Callable[[Runs], tb.Estimate],
    bound: float | None = RATE_BOUND,
    relative_precision: float = 0.0,
) -> Callable[[Runs], Comparison]:
    """Return the check of a number of the running text."""

    def check(runs: Runs) -> Comparison:
        printed = text_number(claim_id, relative_precision)
        return Comparison("", printed, simulated(runs), bound)

    return check


def number_lost(claim_id: str, kept: Callable[[Runs], tb.Estimate]) -> Callable[[Runs], Comparison]:
    """Return the check of a printed loss (percent), from what is left of the whole (percent)."""

    def lost(runs: Runs) -> tb.Estimate:
        left = kept(runs)
        return tb.Estimate(100 - left.value, 100 - left.high, 100 - left.low, left.batches)

    return number(claim_id, lost, LOSS_BOUND)


def share(
    above: Callable[[Runs], tb.Estimate], below: Callable[[Runs], tb.Estimate]
) -> Callable[[Runs], tb.Estimate]:
    """Return the quotient of two estimates in percent."""
    return lambda runs: in_percent(quotient(above(runs), below(runs)))


def rate(sync: Sync, period_us: float, mode: str = "full") -> Callable[[Runs], tb.Estimate]:
    """Return the message rate of a workload at one compute period."""
    return lambda runs: curve(runs, sync, RATE, mode).at(period_us)
