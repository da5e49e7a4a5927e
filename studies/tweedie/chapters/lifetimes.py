"""Figures 5.13 to 5.16: how long packets are under way, and where they wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import tailback as tb
from studies.claims import Check, Claim, Statement
from studies.comparison import Comparison
from studies.estimates import in_percent
from studies.page import axis, line
from studies.runs import FIRST_SWITCH, LIFETIME_ACK, QUEUED, Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    ASYNCHRONOUS,
    BLOCKING,
    LOOSE,
    SHORTEST_US,
    SWEEPS,
    by_workload,
    number,
    period_axis,
    plotted,
)
from studies.tweedie.comparison import LIFETIME_BOUND
from studies.tweedie.experiment import WINDOW_MS
from studies.tweedie.published import saturation_lifetimes_us, text_number
from tailback.statistics import quotient

_DATA = "lifetime_data_us"
_ROUTED = "routed_lifetime_us"

_STAGES = {
    "Creation": "lifetime_us",
    "First T9 output": "network_lifetime_us",
    "First C104 output": _ROUTED,
}
"""Measures by the instants of table 5.3 that they begin at."""
_STAGE_NAMES = ("creation", "first transmission", "first internal channel")

_SHORT_RUN = f"""\
In a steady state the lifetimes from creation would be longer than printed, by Little's law
(see "Table 5.3" in RESULTS.md): the printed ones are of a short run. Ours are from
{WINDOW_MS[0]:g} to {WINDOW_MS[1]:g} ms; the thesis gives neither length nor compute period."""

_OWN_SHARES = """\
The percentages printed are not those of the lifetimes printed beside them (22 %, 49 % and
29 %), and our lifetimes from the first two instants are longer (table 5.3)."""


def _lifetimes(measure: str, label: str) -> Callable[[Runs], tuple[Plot, ...]]:
    def plots(runs: Runs) -> tuple[Plot, ...]:
        return (Plot("lifetimes", label, by_workload(runs, measure, axis(label, "µs"))),)

    return plots


def _excess(runs: Runs, measure: str, period_us: float) -> float:
    """Return by how much asynchronous packets take longer than the longer of the others."""
    asynchronous = plotted(runs, ASYNCHRONOUS, measure).at(period_us).value
    others = (plotted(runs, sync, measure).at(period_us).value for sync in (LOOSE, BLOCKING))
    return asynchronous / max(others) - 1


# Figures 5.13 and 5.14.

_RISE_US = (30.0, 25.0, 20.0, 18.0, 16.0)
_BELOW_15_US = 14.0
"""The longest period simulated that is below 15 us."""


def _rise(measure: str) -> Check[Runs]:
    """Return the check of where long transport times begin."""

    def check(runs: Runs) -> Statement:
        excesses = [_excess(runs, measure, period_us) for period_us in _RISE_US]
        texts = ", ".join(f"{100 * excess:.0f} %" for excess in excesses)
        periods = ", ".join(f"{period_us:g}" for period_us in _RISE_US)
        found = f"{texts} longer than the others at c = {periods} µs"
        rising = all(a < b for a, b in itertools.pairwise(excesses))
        return Statement(found, rising and excesses[0] < 0.2 and excesses[-1] > 1)

    return check


def _over_700(measure: str) -> Check[Runs]:
    """Return the check of how much longer asynchronous packets take at saturation."""

    def check(runs: Runs) -> Statement:
        percent = 100 * _excess(runs, measure, _BELOW_15_US)
        shortest = 100 * _excess(runs, measure, SHORTEST_US)
        found = f"{percent:.0f} % longer at c = {_BELOW_15_US:g} µs, {shortest:.0f} % at 1 µs"
        return Statement(found, percent > text_number("004-095").value)

    return check


# Figure 5.15.


def _queues(runs: Runs) -> tuple[Plot, ...]:
    label = "mean time in the node's output queues"
    return (Plot("queues", label, by_workload(runs, QUEUED, axis(label, "µs"))),)


def _absent(runs: Runs) -> Statement:
    longest = max(plotted(runs, sync, QUEUED).values.max() for sync in (LOOSE, BLOCKING))
    return Statement(f"at most {longest:.3f} µs", bool(longest < 0.01))


def _queue_onset(runs: Runs) -> Statement:
    curve = plotted(runs, ASYNCHRONOUS, QUEUED)
    periods = (30.0, 20.0, 18.0, 16.0, 1.0)
    texts = ", ".join(f"{curve.at(c).value:.1f}" for c in periods)
    found = f"{texts} µs at c = {', '.join(f'{c:g}' for c in periods)} µs"
    light, heavy = curve.between(low=20).values.max(), curve.between(high=16).values.min()
    return Statement(found, bool(light < heavy / 10))


# Figure 5.16.


def _stages(runs: Runs) -> tuple[Plot, ...]:
    from tailback.figures.curves import Line, curves

    lines = [
        line(f"from {name}", plotted(runs, ASYNCHRONOUS, measure), i)
        for i, (name, measure) in enumerate(zip(_STAGE_NAMES, _STAGES.values(), strict=True))
    ]
    printed = saturation_lifetimes_us()
    crosses = [
        Line(
            "" if i else "printed (table 5.3)",
            (SHORTEST_US,),
            (printed[stage].value,),
            colour=i,
            look="printed",
        )
        for i, stage in enumerate(_STAGES)
    ]
    y = axis("mean time until delivery", "µs")
    drawing = curves([*lines, *crosses], period_axis(), y)
    return (Plot("stages", "Mean transmission time, asynchronous", drawing),)


def _stage(runs: Runs, stage: str) -> tb.Estimate:
    return plotted(runs, ASYNCHRONOUS, _STAGES[stage]).at(SHORTEST_US)


def _lifetime(stage: str) -> Check[Runs]:
    def check(runs: Runs) -> Comparison:
        printed = saturation_lifetimes_us()[stage]
        return Comparison("", printed, _stage(runs, stage), LIFETIME_BOUND)

    return check


def _part(measure: str) -> Callable[[Runs], tb.Estimate]:
    """Return a part of the lifetime from creation, in percent of it."""

    def percent(runs: Runs) -> tb.Estimate:
        part = plotted(runs, ASYNCHRONOUS, measure).at(SHORTEST_US)
        return in_percent(quotient(part, _stage(runs, "Creation")))

    return percent


def _largest_part(runs: Runs) -> Statement:
    first, queue, inside = (_part(m)(runs).value for m in (FIRST_SWITCH, QUEUED, _ROUTED))
    found = (
        f"{first:.0f} % in the first switch, {queue:.0f} % in the node, "
        f"{inside:.0f} % in the network"
    )
    return Statement(found, first > queue + inside)


def _throttled(runs: Runs) -> Statement:
    share = 100 - _part(_ROUTED)(runs).value
    return Statement(f"{share:.0f} %", share > text_number("004-125").value)


FIGURES = (
    Figure(
        "5.13",
        "transport times of data packets",
        SWEEPS,
        _lifetimes(_DATA, "mean lifetime of data packets"),
        (
            Claim(
                "The rise [of the fully asynchronous workload] starts at c < 30",
                "5.6.1",
                _rise(_DATA),
                "Within 20 % of the others at c = 30 µs, more than twice as long at 16 µs.",
                published=("004-094",),
            ),
            Claim(
                "by the region c < 15 we are seeing over 700% longer transport times in the fully "
                "asynchronous workload than in the other workloads",
                "5.6.1",
                _over_700(_DATA),
                "Than the longer of the others, at the longest period below 15 µs.",
                "In our runs, data packets of starved nodes wait long, but there are few of them.",
            ),
        ),
    ),
    Figure(
        "5.14",
        "transport times of acknowledgements",
        SWEEPS,
        _lifetimes(LIFETIME_ACK, "mean lifetime of acknowledgements"),
        (
            Claim(
                "The rise [of the fully asynchronous workload] starts at c < 30",
                "5.6.1",
                _rise(LIFETIME_ACK),
                "Within 20 % of the others at c = 30 µs, more than twice as long at 16 µs.",
                published=("004-094",),
            ),
            Claim(
                "by the region c < 15 we are seeing over 700% longer transport times",
                "5.6.1",
                _over_700(LIFETIME_ACK),
                "Than the longer of the others, at the longest period below 15 µs.",
            ),
        ),
    ),
    Figure(
        "5.15",
        "mean time per packet in the output queues of nodes",
        SWEEPS,
        _queues,
        (
            Claim(
                "this T9000 queueing time is simply absent in the self-throttled workloads",
                "5.6.1",
                _absent,
                "Loosely synchronous and blocking, less than 10 ns.",
            ),
            Claim(
                "At precisely the load levels where we saw the peak in transport times [...] "
                "figure 5.15 displays the onset of long queueing delays",
                "5.6.1",
                _queue_onset,
                "At every c ≤ 16 µs ten times as long as at any c ≥ 20 µs.",
            ),
        ),
    ),
    Figure(
        "5.16",
        "mean time until delivery from three starting instants, asynchronous",
        ("asynchronous",),
        _stages,
        (
            Claim(
                "Measured from creation: 111.6 [µs]",
                "5.6.1, table 5.3",
                _lifetime("Creation"),
                "c = 1 µs.",
                _SHORT_RUN,
                known=True,
            ),
            Claim(
                "Measured from first T9 output: 87.0",
                "5.6.1, table 5.3",
                _lifetime("First T9 output"),
                "c = 1 µs.",
                _SHORT_RUN,
                known=True,
            ),
            Claim(
                "Measured from first C104 output: 32.2",
                "5.6.1, table 5.3",
                _lifetime("First C104 output"),
                "c = 1 µs.",
            ),
            Claim(
                "only 32% of a packet's lifetime remains once it has begun to be forwarded within "
                "the routing network",
                "5.6.1",
                number("004-098", _part(_ROUTED), LIFETIME_BOUND),
                "c = 1 µs.",
                _OWN_SHARES,
            ),
            Claim(
                "only 13% of the packet's lifespan is accounted for in the T9000's output queues",
                "5.6.1",
                number("004-100", _part(QUEUED), LIFETIME_BOUND),
                "c = 1 µs.",
                _OWN_SHARES,
            ),
            Claim(
                "fully 55% of its lifetime elapses between the packet's injection [...] and its "
                "first forwarding within the network",
                "5.6.1",
                number("004-101", _part(FIRST_SWITCH), LIFETIME_BOUND),
                "c = 1 µs.",
                _OWN_SHARES,
            ),
            Claim(
                "By far the largest part of the packet's lifetime is spent blocked in one of the "
                "injection links in the first router it encounters",
                "5.6.1",
                _largest_part,
                "More than all the rest, c = 1 µs.",
                published=("T30",),
            ),
            Claim(
                "well over 50% of a packet's lifetime could be accounted for in throttling",
                "7",
                _throttled,
                "Before the first internal channel, c = 1 µs.",
            ),
        ),
    ),
)
