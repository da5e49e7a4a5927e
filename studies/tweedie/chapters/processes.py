"""Figures 6.10 and 6.11: four messages of every node, sent by one, two or four processes."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

import tailback as tb
from studies.claims import Claim, Statement
from studies.curve import Curve
from studies.estimates import in_percent
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    LOAD_REMARK,
    RATE,
    ROUTED_LIFETIME,
    interval_axis,
    intervals_us,
    number,
    number_lost,
    period_axis,
)
from studies.tweedie.comparison import RATE_BOUND
from studies.tweedie.published import text_number

_SWEEPS = ("processes",)
_PER_NODE = 4
"""Messages of a node in each compute period."""
_MESSAGES = (4, 2, 1)
"""Of one process; 1, 2 and 4 processes of a node send so many."""
_MOST, _FEWEST = 4, 1
_PERIOD = "sweep.c_us"
_HEAVY_US = 30.0
"""Shorter periods are heavy loads."""


def _curve(runs: Runs, messages: int, measure: str, mode: str = "full") -> Curve:
    """Return a measure by the compute period of a node."""
    condition = f"sweep.n == {_PER_NODE // messages}"
    return runs.sweep("processes").curve(measure, condition, mode=mode, along=_PERIOD)


def _by_load(runs: Runs, messages: int, measure: str) -> Curve:
    """Return a measure against the mean time between injections of a node."""
    return _curve(runs, messages, measure).against(intervals_us(_curve(runs, messages, RATE)))


def _name(messages: int) -> str:
    return f"m = {messages}, n = {_PER_NODE // messages}"


def _responses(runs: Runs) -> tuple[Plot, ...]:
    from tailback.figures.curves import curves

    plots = []
    for name, measure, label, unit in (
        ("rates", RATE, "messages sent", "per node and ms"),
        ("lifetimes", ROUTED_LIFETIME, "mean routed lifetime", "µs"),
    ):
        lines = [line(_name(m), _curve(runs, m, measure), i) for i, m in enumerate(_MESSAGES)]
        plots.append(Plot(name, label, curves(lines, period_axis(), axis(label, unit))))
    return tuple(plots)


def _thetas(runs: Runs) -> tuple[Plot, ...]:
    from tailback.figures.curves import curves

    plots = []
    for theta in ("theta_t", "theta_r"):
        lines = [line(_name(m), _by_load(runs, m, theta), i) for i, m in enumerate(_MESSAGES)]
        drawing = curves(lines, interval_axis(), axis(theta, percent=True))
        plots.append(Plot(theta, theta, drawing))
    return tuple(plots)


# Figure 6.10.


def _deficit(runs: Runs) -> Curve:
    """Return the rate of m = 4 over that of m = 1."""
    return _curve(runs, _MOST, RATE).over(_curve(runs, _FEWEST, RATE))


def _least_share(runs: Runs) -> tb.Estimate:
    return in_percent(min(_deficit(runs).y, key=lambda estimate: estimate.value))


def _reduced(runs: Runs) -> Statement:
    deficit = _deficit(runs)
    heaviest = deficit.between(high=_HEAVY_US)
    i = int(deficit.values.argmin())
    found = (
        f"{100 * (1 - heaviest.first.value):.0f} % at c = {heaviest.x[0]:g} µs, "
        f"{100 * (1 - heaviest.last.value):.0f} % at {heaviest.x[-1]:g} µs; "
        f"the most at {deficit.x[i]:g} µs"
    )
    return Statement(found, deficit.x[i] <= _HEAVY_US and _all_below(heaviest))


def _all_below(deficit: Curve) -> bool:
    """Whether m = 4 is below m = 1 at every period, beyond the intervals."""
    return all(e.high < 1 for e in deficit.y)


def _below_at_heavy_load(runs: Runs) -> str:
    heaviest = _deficit(runs).between(high=_HEAVY_US)
    below = "" if _all_below(heaviest) else "not "
    return f"m = 4 is {below}below m = 1 at every c ≤ 30 µs, beyond the intervals."


def _longer_at_light_load(runs: Runs) -> Statement:
    lifetimes = [_curve(runs, m, ROUTED_LIFETIME).last for m in _MESSAGES]
    texts = ", ".join(
        f"{e.value:.1f} µs ({_name(m)})" for e, m in zip(lifetimes, _MESSAGES, strict=True)
    )
    longer = all(a.low > b.high for a, b in itertools.pairwise(lifetimes))
    return Statement(f"{texts} at c = 200 µs", longer)


def _growth(runs: Runs, messages: int) -> float:
    """Return the routed lifetime at the highest load over that at the lightest."""
    lifetimes = _curve(runs, messages, ROUTED_LIFETIME)
    return lifetimes.first.value / lifetimes.last.value


def _rises_fastest(runs: Runs) -> Statement:
    growths = [_growth(runs, messages) for messages in _MESSAGES]
    texts = ", ".join(
        f"{g:.2f} times ({_name(m)})" for g, m in zip(growths, _MESSAGES, strict=True)
    )
    return Statement(f"from c = 200 to 1 µs {texts}", growths == sorted(growths))


def _sharp_below(runs: Runs) -> Statement:
    lifetimes = _curve(runs, _FEWEST, ROUTED_LIFETIME)
    # Half-way between the lightest and the heaviest load.
    middle = (lifetimes.first.value + lifetimes.last.value) / 2
    onset = lifetimes.crossing(middle)
    printed = text_number("004-122").value
    found = f"half-way up at c = {onset:.0f} µs, {onset / _PER_NODE:.0f} µs for each message"
    return Statement(found, onset < 1.5 * printed)


def _more_slowly(runs: Runs) -> Statement:
    growths = {m: _growth(runs, m) - 1 for m in _MESSAGES}
    fewest = growths.pop(_FEWEST)
    texts = ", ".join(f"{100 * growth:.0f} % ({_name(m)})" for m, growth in growths.items())
    found = f"from c = 200 to 1 µs by {texts}, by {100 * fewest:.0f} % ({_name(_FEWEST)})"
    return Statement(found, max(growths.values()) < fewest / 2)


# Figure 6.11.


def _kept(messages: int) -> Callable[[Runs], tb.Estimate]:
    """Return theta_r (percent) at the load that is compared."""

    def percent(runs: Runs) -> tb.Estimate:
        interval = text_number("004-123").value
        return tb.Estimate.exact(100 * _by_load(runs, messages, "theta_r").interpolated(interval))

    return percent


def _unaffected(runs: Runs) -> Statement:
    kept = _kept(_FEWEST)(runs).value
    return Statement(f"theta_r {kept:.1f} %", kept > 100 * (1 - RATE_BOUND))


def _more_synchronised(runs: Runs) -> Statement:
    curves = [_by_load(runs, m, "theta_r") for m in _MESSAGES]
    low, high = max(c.x[0] for c in curves), min(c.x[-1] for c in curves)
    loads = np.linspace(low, high, 20)
    values = np.array([[c.interpolated(load) for load in loads] for c in curves])
    gaps = np.diff(values, axis=0)
    most, fewer = (f"{100 * gap.min():.0f} to {100 * gap.max():.0f}" for gap in gaps)
    found = (
        f"from {low:.0f} to {high:.0f} µs between injections, m = 4 keeps {most} points less "
        f"than m = 2, which keeps {fewer} less than m = 1"
    )
    return Statement(found, bool((gaps > 0).all()))


_CONSISTENT = """\
It is greatest where m = 1 just fills the network; there m = 4 has about the 70 % of its
ideal that the thesis prints for figure 6.11."""

FIGURES = (
    Figure(
        "6.10",
        "n processes on a node that send 4/n messages each, loosely synchronous",
        _SWEEPS,
        _responses,
        (
            Claim(
                "there is up to a 30% deficit in performance for the same c compared to the "
                "workload m = 1",
                "6.3",
                number_lost("004-121", _least_share),
                "m = 4 below m = 1, where it is most.",
                _CONSISTENT,
            ),
            Claim(
                "reduced performance under the heaviest loads for the m = 4 workload",
                "6.3",
                _reduced,
                "The deficit of the claim above, largest at c ≤ 30 µs, and there beyond the "
                "intervals at every period.",
                instead=_below_at_heavy_load,
            ),
            Claim(
                "Under light loads, the more synchronised workloads show longer packet routed "
                "lifetimes as expected",
                "6.3",
                _longer_at_light_load,
                "Beyond the intervals.",
                published=("T35",),
            ),
            Claim(
                "contention in fact increases sharply for the workload m = 1 as we increase the "
                "load",
                "6.3",
                _rises_fastest,
                "The fewer messages of a process, the more lifetimes rise.",
                published=("T35",),
            ),
            Claim(
                "especially as we reduce c below about 30 µs",
                "6.3",
                _sharp_below,
                "Half of the rise comes below 1.5 times that period.",
                "It comes out if c is counted for each of the four messages of a node, as in the "
                "figure after this one, where 30 µs are a time between injections.",
            ),
            Claim(
                "packet lifetimes for the other workloads increase much more slowly as load "
                "increases",
                "6.3",
                _more_slowly,
                "By less than half as much in all.",
                "So it is for m = 4; those of m = 2 reach the same at the highest load.",
            ),
        ),
    ),
    Figure(
        "6.11",
        "cost of contention against the load of the network",
        _SWEEPS,
        _thetas,
        (
            Claim(
                "at a load corresponding to an average of 30 µs between packet injections, we can "
                "see that the m = 1 workload is almost completely unaffected",
                "6.3",
                _unaffected,
                "theta_r above 96.5 %.",
            ),
            Claim(
                "but the m = 4 workload, while generating the same amount of network traffic, is "
                "achieving only about 70% of its potential performance",
                "6.3",
                number("004-124", _kept(_MOST)),
                "theta_r in percent.",
            ),
            Claim(
                "for any given level of overall load on the network, the more tightly synchronised "
                "workloads suffer much more from the impact of contention",
                "6.3",
                _more_synchronised,
                "theta_r of m = 4 below m = 2 below m = 1 at all loads that all three reach.",
                published=("T36",),
            ),
        ),
        LOAD_REMARK,
    ),
)
