"""Figures 5.10 to 5.12: message rates with contention, throttled and free."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import tailback as tb
from studies.claims import Check, Claim, Statement
from studies.comparison import Comparison, Printed
from studies.curve import Curve
from studies.page import axis, line
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure, Plot
from studies.tweedie.chapters.workloads import (
    ASYNCHRONOUS,
    BLOCKING,
    COLOURS,
    LONGEST_US,
    LOOSE,
    RATE,
    SHORTEST_US,
    curve,
    number,
    period_axis,
    rate,
    share,
)
from studies.tweedie.comparison import RATE_BOUND
from studies.tweedie.experiment import NAMES, Sync
from studies.tweedie.published import QUOTIENT_PRECISION, RATE_PRECISION, text_number
from studies.tweedie.sections.first_channels import capacity_per_ms

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing

_MODES = ("full", "throttled", "free")

_NONE_US = 0.01
"""Where the thesis says c = 0."""
_FASTEST_US = 0.2
"""An asynchronous process cannot send 5000 messages per ms at a longer period."""
_RESTRICTED_US = 20.0
"""How far the right-hand graphs go; the thesis does not say."""

_DIVERGED = 0.05
"""Rates that differ by more are seen to be apart."""


def _rates(sync: Sync) -> Callable[[Runs], tuple[Plot, ...]]:
    """Return what draws the rates of a workload: all periods, and the short ones."""

    def plots(runs: Runs) -> tuple[Plot, ...]:
        shortest = _FASTEST_US if sync == ASYNCHRONOUS else _NONE_US
        return (
            Plot("all", "All compute periods", _drawn(runs, sync, SHORTEST_US, LONGEST_US)),
            Plot("short", "Short ones", _drawn(runs, sync, shortest, _RESTRICTED_US)),
        )

    return plots


def _drawn(runs: Runs, sync: Sync, shortest_us: float, longest_us: float) -> Drawing:
    from tailback.figures.curves import curves
    from tailback.figures.look import MODE_LOOKS

    lines = [
        line(
            mode,
            curve(runs, sync, RATE, mode).between(shortest_us, longest_us),
            COLOURS[sync],
            MODE_LOOKS[mode],
        )
        for mode in _MODES
    ]
    return curves(lines, period_axis(), axis("messages sent", "per node and ms"))


def _gain(runs: Runs, sync: Sync) -> Curve:
    """Return the free rate over the throttled one."""
    return curve(runs, sync, RATE, "free").over(curve(runs, sync, RATE, "throttled"))


def _gain_percent(runs: Runs, sync: Sync, period_us: float) -> float:
    return 100 * (_gain(runs, sync).at(period_us).value - 1)


# Figure 5.10.


def _no_difference(runs: Runs) -> Statement:
    gains = _gain(runs, LOOSE)
    shown = abs(gains.between(low=SHORTEST_US).values - 1).max()
    below = abs(gains.between(high=SHORTEST_US).values - 1).max()
    found = (
        f"at most {100 * shown:.1f} % for c ≥ 1 µs (where the thesis looks), "
        f"{100 * below:.1f} % below"
    )
    return Statement(found, bool(shown < QUOTIENT_PRECISION))


# Figure 5.11.


def _onset(runs: Runs) -> Statement:
    onset = _gain(runs, BLOCKING).crossing(1 + _DIVERGED)
    printed = text_number("004-085").value
    found = f"5 % apart at c = {onset:.1f} µs"
    return Statement(found, printed / 2 < onset < 2 * printed)


# Figure 5.12.


def _excess(runs: Runs) -> Statement:
    percent = _gain_percent(runs, ASYNCHRONOUS, _FASTEST_US)
    return Statement(f"{percent:.0f} %", percent > text_number("004-088").value)


def _largest_effect(runs: Runs) -> Statement:
    full, throttled, free = (rate(ASYNCHRONOUS, _FASTEST_US, mode)(runs).value for mode in _MODES)
    found = (
        f"{free - throttled:.0f} messages per node and ms are gained without throttling, "
        f"{throttled - full:.0f} without contention"
    )
    return Statement(found, free - throttled > 2 * (throttled - full))


def _apart_at_once(runs: Runs) -> Statement:
    gains = {
        sync: _gain_percent(runs, sync, SHORTEST_US) for sync in (LOOSE, BLOCKING, ASYNCHRONOUS)
    }
    texts = ", ".join(f"{NAMES[sync]} {gain:.0f} %" for sync, gain in gains.items())
    found = f"free above throttled at c = 1 µs: {texts}"
    return Statement(found, gains[ASYNCHRONOUS] > gains[BLOCKING] > 10 > gains[LOOSE])


def _throttled_rate() -> str:
    return (
        "Cannot be reached: where packets take turns on their first internal channel, the "
        f"channels are full at a mean of {capacity_per_ms():.0f} messages per node and ms, with "
        "the constants of the thesis."
    )


def _in_all(sync: Sync, period_us: float) -> Callable[[Runs], tb.Estimate]:
    """Return the free rate in percent of the throttled one."""
    return share(rate(sync, period_us, "free"), rate(sync, period_us, "throttled"))


def _printed_gain(claim_id: str, sync: Sync, period_us: float) -> Check[Runs]:
    def check(runs: Runs) -> Comparison:
        printed = Printed(f"{100 + text_number(claim_id).value:g}", QUOTIENT_PRECISION)
        return Comparison("", printed, _in_all(sync, period_us)(runs), RATE_BOUND)

    return check


FIGURES = (
    Figure(
        "5.10",
        "the loosely synchronous workload with contention, throttled and free",
        ("workloads",),
        _rates(LOOSE),
        (
            Claim(
                "there is in fact no difference at all between the performance of the fully "
                "contention-free and the throttled contention-free models",
                "5.5.3.1",
                _no_difference,
                "Less than the thesis can tell of two rates, each known to ±1 %.",
                published=("T29", "004-089"),
            ),
        ),
    ),
    Figure(
        "5.11",
        "the asynchronous workload with blocking sends, likewise",
        ("workloads",),
        _rates(BLOCKING),
        (
            Claim(
                "by the region c = 0 we are achieving about 290 communications per CPU per "
                "millisecond in the throttled contention-free model",
                "5.5.3.1",
                number(
                    "004-082", rate(BLOCKING, _NONE_US, "throttled"), RATE_BOUND, RATE_PRECISION
                ),
                "c = 10 ns.",
            ),
            Claim(
                "against 530 for the non-throttled model",
                "5.5.3.1",
                number("004-083", rate(BLOCKING, _NONE_US, "free"), RATE_BOUND, RATE_PRECISION),
                "c = 10 ns.",
            ),
            Claim(
                "an increase of 85%",
                "5.5.3.1",
                _printed_gain("004-084", BLOCKING, _NONE_US),
                "The free rate in percent of the throttled one, c = 10 ns (530 over 290 is 183 %).",
            ),
            Claim(
                "we start to see this divergence at around c < 5",
                "5.5.3.1",
                _onset,
                "Where the two are 5 % apart, within a factor of two.",
            ),
        ),
    ),
    Figure(
        "5.12",
        "the fully asynchronous workload, likewise",
        ("asynchronous",),
        _rates(ASYNCHRONOUS),
        (
            Claim(
                "For the fully asynchronous workload, the corresponding figures are 544",
                "5.5.3.1",
                number(
                    "004-086",
                    rate(ASYNCHRONOUS, _FASTEST_US, "throttled"),
                    RATE_BOUND,
                    RATE_PRECISION,
                ),
                "Throttled, c = 200 ns, the longest period at which 5000 can be sent.",
                _throttled_rate(),
                known=True,
            ),
            Claim(
                "against 5000",
                "5.5.3.1",
                number(
                    "004-087", rate(ASYNCHRONOUS, _FASTEST_US, "free"), RATE_BOUND, RATE_PRECISION
                ),
                "Free, c = 200 ns.",
            ),
            Claim("an increase of over 800%", "5.5.3.1", _excess, "c = 200 ns."),
            Claim(
                "at the highest levels of workload activity, throttling is by far the largest "
                "effect limiting performance",
                "5.5.3.1",
                _largest_effect,
                "c = 200 ns; more than twice what contention costs, in messages per node and ms.",
            ),
            Claim(
                "[in figures 5.11 and 5.12] a sharp distinction at the highest levels of applied "
                "load [...], particularly pronounced [...] under the fully asynchronous workload",
                "5.5.3.1",
                _apart_at_once,
                "More than 10 % apart at c = 1 µs, more with asynchronous than with blocking "
                "sends, and less than that with the loosely synchronous workload.",
            ),
        ),
    ),
)
