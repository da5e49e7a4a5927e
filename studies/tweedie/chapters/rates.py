"""Figures 5.1 to 5.3: how busy the machine is, and what it gets done."""

from __future__ import annotations

import tailback as tb
from studies.claims import Check, Claim, Statement
from studies.curve import Curve, apart
from studies.estimates import in_percent
from studies.page import axis
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    ASYNCHRONOUS,
    BLOCKING,
    LONGEST_US,
    LOOSE,
    RATE,
    SHORTEST_US,
    SWEEPS,
    by_workload,
    number,
    number_lost,
    plotted,
    rate,
    share,
)
from studies.tweedie.comparison import RATE_BOUND
from studies.tweedie.experiment import SATURATED_US, SYNCS, Sync
from studies.tweedie.published import QUOTIENT_PRECISION, RATES

_HELD = "internal_held"
_TRANSMITTING = "internal_utilisation"
_CPU = "cpu_utilisation"

_SCATTER = """\
The printed asynchronous rates at saturation scatter by 9 % (table 5.1), and this percentage
is of one of the highest; the rates of the two waiting workloads agree with table 5.1."""

_OWN_DIFFERENCE = """\
The printed rates differ by 39 % at most (33.0 and 54.1 at c = 18 µs, table 6.1), and the
asynchronous ones among them scatter by 9 %."""


# Figure 5.1.


def _utilisation(runs: Runs) -> tuple[Plot, ...]:
    held = by_workload(runs, _HELD, axis("internal channels held", percent=True))
    busy = by_workload(runs, _TRANSMITTING, axis("internal channels transmitting", percent=True))
    return (
        Plot("held", "Channels that transmit or are kept waiting", held),
        Plot("transmitting", "Channels that transmit", busy),
    )


def _highest_held(runs: Runs) -> tb.Estimate:
    highest = max(plotted(runs, ASYNCHRONOUS, _HELD).y, key=lambda estimate: estimate.value)
    return in_percent(highest)


def _lowest_held(runs: Runs) -> Statement:
    lowest = [plotted(runs, sync, _HELD).last.value for sync in SYNCS]
    found = f"{100 * min(lowest):.1f} % to {100 * max(lowest):.1f} % at c = {LONGEST_US:g} µs"
    return Statement(found, max(lowest) < 0.1)


def _divergence(runs: Runs) -> Statement:
    loose, blocking, free = (plotted(runs, s, _HELD).at(SHORTEST_US) for s in SYNCS)
    texts = " / ".join(f"{100 * e.value:.1f} %" for e in (loose, blocking, free))
    higher = free.low > max(loose.high, blocking.high)
    return Statement(f"{texts} (loosely synchronous / blocking / asynchronous)", higher)


# Figure 5.2.


def _processors(runs: Runs) -> tuple[Plot, ...]:
    y = axis("processor utilisation", percent=True)
    return (Plot("processors", "Processor utilisation", by_workload(runs, _CPU, y)),)


def _least_busy(runs: Runs) -> tb.Estimate:
    least = min(plotted(runs, ASYNCHRONOUS, _CPU).y, key=lambda estimate: estimate.value)
    return in_percent(least)


def _drop(runs: Runs) -> Statement:
    drawn = [plotted(runs, sync, _CPU) for sync in (LOOSE, BLOCKING)]
    texts = (f"{100 * c.last.value:.0f} % to {100 * c.first.value:.1f} %" for c in drawn)
    found = f"from {' and from '.join(texts)} (loosely synchronous, blocking)"
    return Statement(found, all(c.first.value < c.last.value / 10 for c in drawn))


def _two_responses(runs: Runs) -> Statement:
    loose, blocking = (plotted(runs, sync, _CPU) for sync in (LOOSE, BLOCKING))
    pairs = list(zip(loose.y, blocking.y, strict=True))
    lower = sum(one.high < other.low for one, other in pairs)
    widest = max(other.value - one.value for one, other in pairs)
    found = (
        f"loosely synchronous below blocking at {lower} of {len(pairs)} periods, "
        f"by up to {100 * widest:.0f} percentage points"
    )
    return Statement(found, lower > 0.9 * len(pairs))


# Figure 5.3.


def _rates(runs: Runs) -> tuple[Plot, ...]:
    y = axis("messages sent", "per node and ms")
    return (Plot("rates", "Message rates", by_workload(runs, RATE, y, RATES)),)


def _of_asynchronous(runs: Runs) -> Curve:
    return plotted(runs, LOOSE, RATE).over(plotted(runs, ASYNCHRONOUS, RATE))


def _insensitive(runs: Runs) -> Statement:
    rates = [plotted(runs, sync, RATE).last.value for sync in SYNCS]
    spread = 1 - min(rates) / max(rates)
    return Statement(f"{100 * spread:.1f} % apart at c = {LONGEST_US:g} µs", spread < 0.1)


def _divergence_point(runs: Runs) -> Statement:
    shares = _of_asynchronous(runs)
    lowest = min(zip(shares.values, shares.x, strict=True))[1]
    neighbours = shares.x.index(lowest), shares.x.index(SATURATED_US)
    return Statement(f"at c = {lowest:g} µs", abs(neighbours[0] - neighbours[1]) <= 1)


def _catch_up(runs: Runs) -> Statement:
    shares = _of_asynchronous(runs)
    least = min(shares.y, key=lambda estimate: estimate.value)
    found = f"from {100 * least.value:.0f} % to {100 * shares.first.value:.0f} % at c = 1 µs"
    return Statement(found, apart(least, shares.first) and shares.first.value > least.value)


def _saturated(runs: Runs) -> Statement:
    values = plotted(runs, ASYNCHRONOUS, RATE).between(high=SATURATED_US).values
    spread = max(abs(values / values.mean() - 1))
    found = f"{values.min():.1f} to {values.max():.1f} per ms for c ≤ {SATURATED_US:g} µs"
    return Statement(found, spread < RATE_BOUND)


def _printed_share(claim_id: str, sync: Sync, period_us: float) -> Check[Runs]:
    """Return the check of a rate in percent of the asynchronous one."""
    of_asynchronous = share(rate(sync, period_us), rate(ASYNCHRONOUS, period_us))
    return number(claim_id, of_asynchronous, RATE_BOUND, QUOTIENT_PRECISION)


def _least_share(runs: Runs) -> tb.Estimate:
    return in_percent(min(_of_asynchronous(runs).y, key=lambda estimate: estimate.value))


FIGURES = (
    Figure(
        "5.1",
        "how busy the network is",
        SWEEPS,
        _utilisation,
        (
            Claim(
                "a wide range of network load levels, starting from a utilisation of only a few "
                "percent",
                "5.4.2",
                _lowest_held,
                "Below 10 % at the lightest load.",
            ),
            Claim(
                "up to a maximum saturation of 50% of total network bandwidth",
                "5.4.2",
                number("004-064", _highest_held),
                "The highest share of time for which channels are held; they transmit for less.",
            ),
            Claim(
                "a divergence in the network utilisation between the fully asynchronous workload "
                "and the other[s] which persisted right up to the maximum load levels",
                "5.4.3",
                _divergence,
                "Channels held at c = 1 µs, beyond the intervals.",
            ),
        ),
    ),
    Figure(
        "5.2",
        "how busy the processors are",
        SWEEPS,
        _processors,
        (
            Claim(
                "the asynchronous, non-blocking workload has 100% CPU utilisation throughout",
                "5.4.2",
                number("004-065", _least_busy),
                "The least at any load.",
            ),
            Claim(
                "a dramatic drop in CPU utilisation as we move into the region where we are "
                "dominated by communication costs",
                "5.4.2",
                _drop,
                "From c = 200 µs to 1 µs, to less than a tenth.",
            ),
            Claim(
                "an obvious difference in the responses of the loosely and [locally] synchronous "
                "workloads",
                "5.4.2",
                _two_responses,
                "Beyond the intervals at nine periods of ten.",
            ),
        ),
    ),
    Figure(
        "5.3",
        "message rates",
        SWEEPS,
        _rates,
        (
            Claim(
                "at low levels of load [...] the number of messages we can generate is relatively "
                "insensitive to the synchronisation characteristics of the workload",
                "5.4.3",
                _insensitive,
                "Less than 10 % apart.",
                published=("T25",),
            ),
            Claim(
                "at the point of greatest divergence [...] only 62% of the data throughput of the "
                "fully asynchronous workload",
                "5.4.3",
                _printed_share("004-066", LOOSE, SATURATED_US),
                "Loosely synchronous, c = 16 µs.",
                _SCATTER,
                known=True,
            ),
            Claim(
                "at that same level of applied load, the asynchronous workload with blocking sends "
                "itself achieves only 73%",
                "5.4.3",
                _printed_share("004-067", BLOCKING, SATURATED_US),
                "c = 16 µs.",
                _SCATTER,
                known=True,
            ),
            Claim(
                "the point of greatest divergence [is at c = 16 µs]",
                "5.4.3",
                _divergence_point,
                "Where the loosely synchronous rate is least of the asynchronous one; at most one "
                "period simulated from there.",
                published=("T26",),
            ),
            Claim(
                "the performance achieved by the fully asynchronous workload became saturated at "
                "load levels corresponding to CPU periods c < 16",
                "5.4.3",
                _saturated,
                "There its rate stays within 3.5 % of its mean.",
                published=("004-068",),
            ),
            Claim(
                "it is at this point that the locally and globally synchronous workloads begin to "
                "catch up again",
                "5.4.3",
                _catch_up,
                "The loosely synchronous rate in percent of the asynchronous one, beyond the "
                "intervals.",
                published=("T26",),
            ),
            Claim(
                "At the very highest levels of applied load [...] fully 98% of the throughput of "
                "the asynchronous workload",
                "5.4.3",
                _printed_share("004-069", BLOCKING, SHORTEST_US),
                "Blocking, c = 1 µs.",
            ),
            Claim(
                "the loosely-synchronous workload achieves 87% itself",
                "5.4.3",
                _printed_share("004-070", LOOSE, SHORTEST_US),
                "c = 1 µs.",
            ),
            Claim(
                "a difference of up to 40% in the throughput achieved by the three workloads",
                "5.6.1",
                number_lost("004-096", _least_share),
                "Loosely synchronous below asynchronous, where it is most.",
                _OWN_DIFFERENCE,
            ),
        ),
    ),
)
