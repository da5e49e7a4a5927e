"""Figures 6.3 to 6.5: what contention costs, theta_t and theta_r by compute period."""

from __future__ import annotations

from collections.abc import Callable

import tailback as tb
from studies.claims import Check, Claim, Statement
from studies.curve import Curve
from studies.estimates import in_percent
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    ASYNCHRONOUS,
    BLOCKING,
    LOOSE,
    SWEEPS,
    number,
    period_axis,
    plotted,
)
from studies.tweedie.experiment import NAMES, SATURATED_US, SYNCS, Sync
from studies.tweedie.published import QUOTIENT_PRECISION

THETA_T = "theta_t"
THETA_R = "theta_r"

_PERIOD_US = 100.0
_LIGHT_US = 30.0
"""Periods from here on are light loads; the thesis calls those below 20 us heavy."""
_HEAVY_US = 20.0

_PLATEAU = """\
The thesis contradicts itself: its routed lifetime of 4.1 µs (table 6.2) over the 2.49 µs
without contention gives 61 %, and section 6.2.3 has theta_t approach 63 % as c grows."""


def _thetas(sync: Sync) -> Callable[[Runs], tuple[Plot, ...]]:
    """Return what draws both ratios of a workload."""

    def plots(runs: Runs) -> tuple[Plot, ...]:
        from tailback.figures.curves import curves

        lines = [
            line("theta_t (lifetime)", plotted(runs, sync, THETA_T), 0),
            line("theta_r (rate)", plotted(runs, sync, THETA_R), 1),
        ]
        drawing = curves(lines, period_axis(), axis("of the ideal", percent=True))
        return (Plot("thetas", f"Cost of contention, {NAMES[sync]}", drawing),)

    return plots


def _at_100_us(sync: Sync, theta: str) -> Callable[[Runs], tb.Estimate]:
    return lambda runs: in_percent(plotted(runs, sync, theta).at(_PERIOD_US))


def _light(sync: Sync) -> Check[Runs]:
    """Return the check that at light load contention costs the workload less than its packets."""

    def check(runs: Runs) -> Statement:
        pair = [plotted(runs, sync, theta).between(low=_LIGHT_US) for theta in (THETA_T, THETA_R)]
        texts = [f"{100 * c.values.min():.0f} to {100 * c.values.max():.0f} %" for c in pair]
        less = all(t.high < r.low for t, r in zip(*(c.y for c in pair), strict=True))
        return Statement(f"theta_t {texts[0]}, theta_r {texts[1]} for c ≥ 30 µs", less)

    return check


def _overtakes(sync: Sync) -> Check[Runs]:
    """Return the check that at high load it costs the workload as much or more."""

    def check(runs: Runs) -> Statement:
        lifetimes, rates = (plotted(runs, sync, theta) for theta in (THETA_T, THETA_R))
        difference = _difference(rates, lifetimes)
        found = (
            f"theta_r {100 * rates.first.value:.0f} % and theta_t "
            f"{100 * lifetimes.first.value:.0f} % at c = 1 µs"
        )
        overtaken = rates.first.high < lifetimes.first.low
        if overtaken:
            found += f"; equal at {difference.crossing(0):.1f} µs"
        return Statement(found, overtaken)

    return check


def _difference(one: Curve, other: Curve) -> Curve:
    pairs = zip(one.values.tolist(), other.values.tolist(), strict=True)
    return Curve(one.x, tuple(tb.Estimate.exact(a - b) for a, b in pairs))


def _enormous(sync: Sync) -> Check[Runs]:
    """Return the check of how the loss grows below c = 20 us."""

    def check(runs: Runs) -> Statement:
        rates = plotted(runs, sync, THETA_R)
        light, heavy = 1 - rates.at(_HEAVY_US).value, 1 - rates.first.value
        at_100 = 1 - rates.at(_PERIOD_US).value
        found = (
            f"{100 * at_100:.1f} % of the work is lost at c = 100 µs, "
            f"{100 * light:.0f} % at 20 µs, {100 * heavy:.0f} % at 1 µs"
        )
        return Statement(found, light < 0.25 and heavy > 0.5)

    return check


def _unequal(runs: Runs) -> Statement:
    gaps = {
        sync: abs(_difference(plotted(runs, sync, THETA_R), plotted(runs, sync, THETA_T)).values)
        for sync in SYNCS
    }
    texts = ", ".join(f"{NAMES[sync]} {100 * gap.max():.0f}" for sync, gap in gaps.items())
    found = f"up to so many points apart: {texts}"
    return Statement(found, all(gap.max() > 0.1 for gap in gaps.values()))


def _in_range(runs: Runs) -> Statement:
    drawn = [plotted(runs, sync, theta) for sync in SYNCS for theta in (THETA_T, THETA_R)]
    above = [e for curve in drawn for e in curve.y if e.low > 1]
    largest = max(float(curve.values.max()) for curve in drawn)
    count = sum(len(curve.y) for curve in drawn)
    found = (
        f"{len(above)} of {count} beyond 100 % by more than their interval; "
        f"largest {100 * largest:.2f} %"
    )
    return Statement(found, not above)


def _insensitive(runs: Runs) -> Statement:
    rates = plotted(runs, ASYNCHRONOUS, THETA_R)
    light, heavy = rates.between(low=_HEAVY_US).values.min(), rates.at(SATURATED_US).value
    found = f"theta_r at least {100 * light:.1f} % for c ≥ 20 µs, {100 * heavy:.0f} % at 16 µs"
    return Statement(found, bool(light > 0.99 and heavy < 0.9))


def _claims(sync: Sync, theta_t: Claim[Runs], theta_r: Claim[Runs]) -> tuple[Claim[Runs], ...]:
    """Return what is said about both figures 6.3 and 6.4."""
    return (
        theta_t,
        theta_r,
        Claim(
            "at low load levels, significant levels of contention may have little impact on "
            "achieved workload performance",
            "6.2.2.1",
            _light(sync),
            "theta_t below theta_r for c ≥ 30 µs, beyond the intervals.",
            published=("T32",),
        ),
        Claim(
            "under high load, the impact of contention on workload performance may catch up with "
            "and overtake its impact on the delivery of individual packets",
            "6.2.2.1",
            _overtakes(sync),
            "theta_r below theta_t at c = 1 µs, beyond the intervals.",
            published=("T32",),
        ),
        Claim(
            "[contention] starts off growing only slowly [...], but which by the time we are "
            "running under heavy load (c < 20), grows to have an enormous impact on performance",
            "6.2.2.1",
            _enormous(sync),
            "Less than a quarter of the work is lost at c = 20 µs, more than half at 1 µs.",
            published=("004-112",),
        ),
    )


FIGURES = (
    Figure(
        "6.3",
        "cost of contention, loosely synchronous",
        ("workloads",),
        _thetas(LOOSE),
        _claims(
            LOOSE,
            Claim(
                "at c = 100 µs contention is still capping packet delivery speed to 58% of its "
                "contention-free ideal time",
                "6.2.2.1",
                number("004-108", _at_100_us(LOOSE, THETA_T)),
                "",
                _PLATEAU,
                known=True,
            ),
            Claim(
                "but the workload is still achieving 94% of ideal throughput",
                "6.2.2.1",
                number(
                    "004-109", _at_100_us(LOOSE, THETA_R), relative_precision=QUOTIENT_PRECISION
                ),
                "c = 100 µs.",
            ),
        ),
    ),
    Figure(
        "6.4",
        "cost of contention, blocking",
        ("workloads",),
        _thetas(BLOCKING),
        _claims(
            BLOCKING,
            Claim(
                "For the locally synchronous workload the values are 91% of delivery speed",
                "6.2.2.1",
                number("004-110", _at_100_us(BLOCKING, THETA_T)),
                "c = 100 µs.",
            ),
            Claim(
                "but 99% of workload throughput achieved",
                "6.2.2.1",
                number(
                    "004-111", _at_100_us(BLOCKING, THETA_R), relative_precision=QUOTIENT_PRECISION
                ),
                "c = 100 µs.",
            ),
        ),
    ),
    Figure(
        "6.5",
        "cost of contention, asynchronous",
        SWEEPS,
        _thetas(ASYNCHRONOUS),
        (
            Claim(
                "the throughput of the fully asynchronous workload displays little or no "
                "sensitivity to contention up until the point at which the network saturates",
                "6.4",
                _insensitive,
                "At least 99 % for c ≥ 20 µs, less than 90 % at 16 µs.",
            ),
            Claim(
                "both of these variables are defined to be in the range 0 < theta < 100%",
                "6.2.2",
                _in_range,
                "All three workloads; none above by more than its interval.",
            ),
            Claim(
                "[if] improved communications time translates linearly into higher throughput, "
                "then [...] we ought to find theta_t = theta_r. Any differences [...] tell us that "
                "there is more going on",
                "6.2.2",
                _unequal,
                "More than ten points apart somewhere, with each workload.",
            ),
        ),
    ),
)
