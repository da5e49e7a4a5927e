"""What is compared: routings on a network under one kind of traffic, and their curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import tailback as tb
from studies.curve import Curve
from studies.runs import Runs
from studies.study import Study

STUDY = Study("adaptive")

GREEDY = "dimension_order"
ADAPTIVE = "minimal_adaptive"

ROUTINGS = {
    GREEDY: "greedy",
    "valiant": "two-phase",
    "negative_first": "negative first",
    "odd_even": "odd-even",
    ADAPTIVE: "minimal adaptive",
    "chaos": "chaos",
    "deflection": "deflection",
}
"""Every routing and what it is called."""

_ON_TORI = tuple(routing for routing in ROUTINGS if routing not in ("negative_first", "odd_even"))
"""The turn model and odd-even turns are for meshes."""

RATE = "messages_per_node_per_ms"
LIFETIME = "routed_lifetime_us"
THETA_T = "theta_t"
THETA_R = "theta_r"
FAILED = "failed_messages_per_node_per_ms"

REFUSED = 0.05
"""Share of the messages that a network past saturation refuses, or more."""
_TAKEN = 1 - REFUSED


@dataclass(frozen=True, slots=True)
class Setting:
    """One network under one kind of traffic."""

    name: str
    title: str
    sweep: str
    condition: str
    routings: tuple[str, ...] = tuple(ROUTINGS)
    greedy_sweep: str = ""
    """Where greedy is run, if not in `sweep`."""
    pattern: str = "uniform"
    is_open: bool = True
    """Whether messages come whatever becomes of those before them."""

    def curve(self, runs: Runs, routing: str, measure: str, mode: str = "full") -> Curve:
        """Return a measure of a routing by the compute period."""
        sweep = self.greedy_sweep if routing == GREEDY and self.greedy_sweep else self.sweep
        conditions = (f"routing.kind == '{routing}'", self.condition)
        return runs.sweep(sweep).curve(measure, *conditions, mode=mode)

    def against_load(self, runs: Runs, routing: str, measure: str) -> Curve:
        """Return a measure against the actual load, up to the highest there is.

        Beyond it, where more is offered and less gets through, one load would have two
        values.
        """
        return up_to_peak(*(self.curve(runs, routing, name) for name in (measure, RATE)))


def _open(machine: str, pattern: str, title: str) -> Setting:
    is_torus = machine == "torus"
    return Setting(
        f"{machine}_{pattern}",
        f"{title} on the {machine}",
        machine,
        f"pattern == '{pattern}'",
        _ON_TORI if is_torus else tuple(ROUTINGS),
        "torus_greedy" if is_torus else "",
        pattern,
    )


def _closed(machine: str, sync: str, title: str) -> Setting:
    is_torus = machine == "torus"
    return Setting(
        f"{machine}_{sync}",
        f"{title}, {machine}",
        f"synchronised_{machine}",
        f"sync == '{sync}'",
        _ON_TORI if is_torus else tuple(ROUTINGS),
        "synchronised_torus_greedy" if is_torus else "",
        is_open=False,
    )


OPEN = (
    _open("mesh", "uniform", "uniform"),
    _open("mesh", "transpose", "transpose"),
    _open("mesh", "bit_complement", "bit complement"),
    _open("mesh", "hot_spot", "hot spot"),
    _open("torus", "uniform", "uniform"),
    _open("torus", "transpose", "transpose"),
    _open("torus", "tornado", "tornado"),
)
"""Messages at random instants."""

WAITING = tuple(
    _closed(machine, sync, title)
    for machine in ("mesh", "torus")
    for sync, title in (
        ("loosely_synchronous", "loosely synchronous"),
        ("asynchronous_blocking", "blocking"),
    )
)
"""The workloads of the thesis that wait for something, to nodes anywhere."""

CLOSED = (
    *WAITING,
    *(_closed(machine, "asynchronous", "asynchronous") for machine in ("mesh", "torus")),
)
"""All three workloads of the thesis."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """The actual load at which a network begins to refuse `REFUSED` of what is offered."""

    load: float
    """NaN if that was not reached."""
    below: float
    """What it would take of the highest load simulated at which it does not."""
    above: float
    """The same of the lowest one at which it does."""

    def __str__(self) -> str:
        """Return the load, and between which simulated ones it was interpolated."""
        if math.isnan(self.load):
            return f"> {self.below:.0f}"
        return f"{self.load:.0f} ({self.below:.0f} to {self.above:.0f})"


def saturation(setting: Setting, runs: Runs, routing: str) -> Saturation:
    """Return the saturation load of a routing."""
    return saturation_of(*(setting.curve(runs, routing, name) for name in (RATE, FAILED)))


def saturation_of(sent_curve: Curve, failed_curve: Curve) -> Saturation:
    """Return where messages begin to be refused, on straight lines between simulated loads."""
    sent, failed = sent_curve.values, failed_curve.values
    points = sorted(zip((sent + failed).tolist(), sent.tolist(), strict=True))
    below = (0.0, 1.0)
    for offered, taken in points:
        share = taken / offered
        if share < _TAKEN:
            part = (below[1] - _TAKEN) / (below[1] - share)
            load = below[0] + part * (offered - below[0])
            return Saturation(_TAKEN * load, _TAKEN * below[0], _TAKEN * offered)
        below = (offered, share)
    return Saturation(math.nan, below[0] * below[1], math.nan)


def up_to_peak(by_period: Curve, loads: Curve) -> Curve:
    """Return a curve against the actual load, up to the highest there is."""
    peak = loads.x[max(range(len(loads.x)), key=lambda i: loads.y[i].value)]
    return by_period.between(low=peak).against(loads.between(low=peak))


def at_load(curve: Curve, load: float) -> tb.Estimate | None:
    """Return a curve at a load between its points, with its interval; None beyond its ends.

    Value, low and high end are each on the straight line between the two points
    around: the interval is at least as wide as if their errors were independent.
    """
    for (x0, y0), (x1, y1) in pairwise(zip(curve.x, curve.y, strict=True)):
        if x0 <= load <= x1:
            part = (load - x0) / (x1 - x0)
            ends = ((y0.value, y1.value), (y0.low, y1.low), (y0.high, y1.high))
            value, low, high = (a + part * (b - a) for a, b in ends)
            return tb.Estimate(value, low, high, min(y0.batches, y1.batches))
    return None
