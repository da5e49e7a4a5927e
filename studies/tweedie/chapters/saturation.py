"""Figures 5.4 and 5.5: two throttles at saturation, and how unevenly nodes get to send."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import tailback as tb
from studies.claims import Claim, Statement
from studies.curve import Curve
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    ASYNCHRONOUS,
    RATE,
    SHORTEST_US,
    number_lost,
    period_axis,
    plotted,
    share,
)
from studies.tweedie.comparison import RATE_BOUND
from studies.tweedie.experiment import SATURATED_US

if TYPE_CHECKING:
    from tailback.figures.curves import Line

_FAR_FROM_CONSTANT = 0.5
"""Of the mean rate: nodes that differ by more are far from all sending the same."""


def _outstanding(runs: Runs) -> Curve:
    return plotted(runs, ASYNCHRONOUS, RATE)


def _queue(runs: Runs) -> Curve:
    return runs.sweep("saturation").curve(RATE)


# Figure 5.4.


def _two_throttles(runs: Runs) -> tuple[Plot, ...]:
    from tailback.figures.curves import curves

    lines = [
        line("16 messages unacknowledged", _outstanding(runs), 0),
        line("16 data packets waiting", _queue(runs), 1),
    ]
    y = axis("messages sent", "per node and ms")
    return (
        Plot("throttles", "Performance at and beyond saturation", curves(lines, period_axis(), y)),
    )


def _at(curve: Callable[[Runs], Curve], period_us: float) -> Callable[[Runs], tb.Estimate]:
    return lambda runs: curve(runs).at(period_us)


def _sudden(runs: Runs) -> Statement:
    kept = _queue(runs).over(_outstanding(runs))
    before = kept.between(low=20).values
    below = [x for x, e in zip(kept.x, kept.y, strict=True) if e.value < 1 - RATE_BOUND]
    found = (
        f"{100 * (1 - before.min()):.1f} % lower at most for c ≥ 20 µs; "
        f"beyond 3.5 % at c = {', '.join(f'{x:g}' for x in below)} µs"
    )
    sudden = before.min() > 1 - RATE_BOUND and bool(below) and max(below) <= SATURATED_US
    return Statement(found, sudden)


def _levels_off(runs: Runs) -> Statement:
    curve = _outstanding(runs)
    fall = 1 - curve.first.value / curve.values.max()
    return Statement(f"{100 * fall:.1f} % below its highest rate at c = 1 µs", fall < RATE_BOUND)


def _drops(runs: Runs) -> Statement:
    curve = _queue(runs)
    fall = 1 - curve.first.value / curve.values.max()
    return Statement(f"{100 * fall:.0f} % below its highest rate at c = 1 µs", fall > 0.1)


# Figure 5.5.


def _spreads(runs: Runs) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Return compute periods (longest first), mean rates and standard deviations over nodes."""
    sweep = runs.sweep("saturation")
    periods = sorted(sweep.curve(RATE).x, reverse=True)
    loads = [sweep.loads(f"compute_period == {period:g} us") for period in periods]
    return periods, np.array([x.mean for x in loads]), np.array([x.spread for x in loads])


def _error_bars(runs: Runs) -> tuple[Plot, ...]:
    from tailback.figures.curves import Line, curves

    periods, means, spreads = _spreads(runs)
    # Longest first: intervals of a line that does not rise are drawn as bars.
    bars: Line = Line(
        "", periods, means.tolist(), (means - spreads).tolist(), (means + spreads).tolist()
    )
    y = axis("messages sent", "per node and ms")
    title = "Mean over nodes; bars: standard deviation over nodes"
    return (Plot("spread", title, curves([bars], period_axis(), y)),)


def _far_from_constant(runs: Runs) -> Statement:
    periods, means, spreads = _spreads(runs)
    ratio = spreads / means
    shortest, longest = ratio[periods.index(SHORTEST_US)], ratio[0]
    found = (
        f"standard deviation {100 * shortest:.0f} % of the mean at c = 1 µs, "
        f"{100 * longest:.1f} % at {periods[0]:g} µs"
    )
    return Statement(found, bool(shortest > _FAR_FROM_CONSTANT))


def _increasing(runs: Runs) -> Statement:
    periods, _, spreads = _spreads(runs)
    falls = np.maximum.accumulate(spreads) - spreads
    texts = (f"{spreads[periods.index(c)]:.1f}" for c in (20, 16, 12, 8, 4, 1))
    found = f"{', '.join(texts)} per ms at c = 20, 16, 12, 8, 4, 1 µs"
    return Statement(found, bool(falls.max() < 0.1 * spreads.max()))


FIGURES = (
    Figure(
        "5.4",
        "performance at and beyond saturation",
        ("asynchronous", "saturation"),
        _two_throttles,
        (
            Claim(
                "at the very highest [load] performance drops to a level around 20% lower when "
                "using the queue length limiting",
                "5.4.4",
                number_lost(
                    "004-073", share(_at(_queue, SHORTEST_US), _at(_outstanding, SHORTEST_US))
                ),
                "The rate at c = 1 µs.",
            ),
            Claim(
                "At the same applied load level, c < 16, [...] we find a sudden change in "
                "behaviour",
                "5.4.4",
                _sudden,
                "Both rates within 3.5 % of each other for c ≥ 20 µs, and further apart only from "
                "16 µs on.",
            ),
            Claim(
                "When we only limited the total number of outstanding messages per process, "
                "performance did level off but did not actually drop with increased load",
                "5.4.4.2",
                _levels_off,
                "At most 3.5 % below its highest.",
            ),
            Claim(
                "the odd effect of aggregate performance dropping with increased load [...] when "
                "we implemented per-node throttling by limiting the size of the T9000 send buffer",
                "5.4.4.2",
                _drops,
                "At least 10 % below its highest.",
            ),
        ),
    ),
    Figure(
        "5.5",
        "how unevenly nodes get to send (16 data packets waiting)",
        ("saturation",),
        _error_bars,
        (
            Claim(
                "at very high load levels, the amount of work being achieved is far from constant "
                "over the network",
                "5.4.4",
                _far_from_constant,
                "Standard deviation over the nodes of a run above half of their mean.",
            ),
            Claim(
                "the increasing error bars indicate an increasing disparity between the amount of "
                "work being achieved by the fastest and the slowest node",
                "5.4.4",
                _increasing,
                "It never falls by more than a tenth of its largest as c gets shorter.",
            ),
        ),
    ),
)
