"""Figures 6.6 and 6.7: compute periods that vary."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studies.claims import Claim, Statement
from studies.curve import Curve, apart
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    BLOCKING,
    LONGEST_US,
    LOOSE,
    RATE,
    ROUTED_LIFETIME,
    period_axis,
)
from studies.tweedie.comparison import LIFETIME_BOUND, RATE_BOUND
from studies.tweedie.experiment import NAMES, Sync

SWEEPS = ("variance",)


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution of compute periods."""

    name: str
    condition: str


CONSTANT = Spread("sigma = 0", "compute_distribution == 'constant'")
TENTH = Spread("sigma = 10 %", "compute_distribution == 'normal' and compute_sigma == 0.1")
HALF = Spread("sigma = 50 %", "compute_distribution == 'normal' and compute_sigma == 0.5")
EXPONENTIAL = Spread("exponential", "compute_distribution == 'exponential'")
SPREADS = (CONSTANT, TENTH, HALF, EXPONENTIAL)
"""In order of their standard deviations."""
VARYING = SPREADS[1:]
_NAMES = ", ".join(spread.name for spread in SPREADS)

_LIGHT_US = 30.0
COMPARED_US = 100.0


def _curve(runs: Runs, sync: Sync, spread: Spread, measure: str, mode: str = "full") -> Curve:
    return runs.sweep("variance").curve(measure, f"sync == '{sync}'", spread.condition, mode=mode)


def loose(runs: Runs, spread: Spread, measure: str, mode: str = "full") -> Curve:
    """Return a measure of the loosely synchronous workload by compute period."""
    return _curve(runs, LOOSE, spread, measure, mode)


def _responses(sync: Sync) -> Callable[[Runs], tuple[Plot, ...]]:
    """Return what draws rates and routed lifetimes of a workload."""

    def plots(runs: Runs) -> tuple[Plot, ...]:
        return (
            _plot(runs, sync, ROUTED_LIFETIME, "mean routed lifetime", "µs"),
            _plot(runs, sync, RATE, "messages sent", "per node and ms"),
        )

    return plots


def _plot(runs: Runs, sync: Sync, measure: str, label: str, unit: str) -> Plot:
    from tailback.figures.curves import curves

    lines = [line(s.name, _curve(runs, sync, s, measure), i) for i, s in enumerate(SPREADS)]
    name = "lifetimes" if measure == ROUTED_LIFETIME else "rates"
    drawing = curves(lines, period_axis(), axis(label, unit))
    return Plot(name, f"{label}, {NAMES[sync]}", drawing)


# Figure 6.6.


def _degraded(runs: Runs) -> Statement:
    rates = [loose(runs, s, RATE).between(low=_LIGHT_US) for s in SPREADS]
    pairs = [
        (one, other)
        for less, more in itertools.pairwise(rates)
        for one, other in zip(less.y, more.y, strict=True)
    ]
    reversed_ = sum(apart(one, other) and one.value < other.value for one, other in pairs)
    texts = ", ".join(f"{c.at(COMPARED_US).value:.2f}" for c in rates)
    found = (
        f"{texts} messages per node and ms at c = 100 µs ({_NAMES}); "
        f"{reversed_} of {len(pairs)} pairs the other way round"
    )
    return Statement(found, reversed_ == 0 and apart(pairs[-1][0], pairs[-1][1]))


def _eliminated(runs: Runs) -> Statement:
    lifetimes = [loose(runs, s, ROUTED_LIFETIME).last.value for s in SPREADS]
    constant, *varying = lifetimes
    ideal = loose(runs, CONSTANT, ROUTED_LIFETIME, "throttled").last.value
    texts = ", ".join(f"{value:.2f}" for value in lifetimes)
    found = f"{texts} µs at c = 200 µs ({_NAMES}); {ideal:.2f} without contention"
    excess = [(value - ideal) / (constant - ideal) for value in varying]
    return Statement(found, max(excess) < 0.25)


def _converge(runs: Runs) -> Statement:
    curves = [loose(runs, s, ROUTED_LIFETIME) for s in VARYING]
    apart_at = {
        c: float(np.ptp([curve.at(c).value for curve in curves])) for c in (_LIGHT_US, LONGEST_US)
    }
    found = ", ".join(f"{gap:.2f} µs apart at c = {c:g} µs" for c, gap in apart_at.items())
    return Statement(found, apart_at[LONGEST_US] < apart_at[_LIGHT_US] / 2)


def _no_difference(runs: Runs) -> Statement:
    ratio = loose(runs, TENTH, RATE).over(loose(runs, CONSTANT, RATE))
    differences = abs(ratio.values - 1)
    worst = int(differences.argmax())
    lost = loose(runs, CONSTANT, RATE).values[worst] - loose(runs, TENTH, RATE).values[worst]
    within = [x for x, d in zip(ratio.x, differences, strict=True) if d < RATE_BOUND]
    found = (
        f"within 3.5 % for c ≤ {max(within):g} µs; {100 * (ratio.values[worst] - 1):+.1f} % at "
        f"c = {ratio.x[worst]:g} µs, {lost:.2f} messages per node and ms"
    )
    return Statement(found, bool(differences.max() < RATE_BOUND))


# Figure 6.7.


def _irrelevant(runs: Runs) -> Statement:
    furthest = {}
    for measure in (RATE, ROUTED_LIFETIME):
        values = np.array([_curve(runs, BLOCKING, s, measure).values for s in SPREADS])
        furthest[measure] = float((values.max(axis=0) / values.min(axis=0) - 1).max())
    found = (
        f"rates at most {100 * furthest[RATE]:.1f} % apart, routed lifetimes "
        f"{100 * furthest[ROUTED_LIFETIME]:.1f} %"
    )
    return Statement(
        found, furthest[RATE] < RATE_BOUND and furthest[ROUTED_LIFETIME] < LIFETIME_BOUND
    )


_INVISIBLE = """\
The thesis read it off curves whose axis goes up to 50 messages per node and ms. A process
that waits for others waits for the slowest: the more so, the longer they compute."""

FIGURES = (
    Figure(
        "6.6",
        "compute periods that vary, loosely synchronous",
        SWEEPS,
        _responses(LOOSE),
        (
            Claim(
                "as sigma increases, [...] communication exchange events force the slower process "
                "to block for longer and longer, so overall performance is degraded",
                "6.2.3",
                _degraded,
                "For c ≥ 30 µs no larger sigma has a rate that is higher beyond the intervals.",
                published=("T34",),
            ),
            Claim(
                "the substantial plateau in packet delivery times [...] is entirely eliminated if "
                "we allow adjacent processes to drift apart",
                "6.2.3",
                _eliminated,
                "At c = 200 µs less than a quarter is left of what contention adds for sigma = 0.",
                published=("T34",),
            ),
            Claim(
                "As we allow sigma to increase, packet delivery times at light load levels do "
                "start to converge to a lower value",
                "6.2.3",
                _converge,
                "Those that vary: less than half as far apart at c = 200 µs as at 30 µs.",
            ),
            Claim(
                "although at low loads there is a great deal of difference in the packet delivery "
                "times between the workloads sigma = 0 and 10%, there is absolutely no difference "
                "at all in their achieved workload performance",
                "6.2.3",
                _no_difference,
                "Rates within 3.5 % at all periods.",
                _INVISIBLE,
                published=("004-116",),
            ),
        ),
    ),
    Figure(
        "6.7",
        "compute periods that vary, blocking",
        SWEEPS,
        _responses(BLOCKING),
        (
            Claim(
                "for the asynchronous workload, the exact distribution of the compute period is "
                "completely irrelevant",
                "6.2.3",
                _irrelevant,
                "Rates within 3.5 %, routed lifetimes within 6.5 % of each other at all periods.",
                published=("T33",),
            ),
        ),
    ),
)
