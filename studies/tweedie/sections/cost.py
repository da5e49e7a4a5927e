"""What contention costs at c = 100 us: theta_t and theta_r, section 6.2.2.1."""

from __future__ import annotations

import tailback as tb
from studies.comparison import OPEN, Comparison
from studies.estimates import in_percent
from studies.markdown import Notes, comparison_table, paragraphs
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import NAMES, Sync, steady
from studies.tweedie.measure import RATE, ROUTED_LIFETIME, Measurements, over_seeds
from studies.tweedie.published import QUOTIENT_PRECISION, ROUTED_LIFETIMES, text_number
from tailback.statistics import quotient

PERIOD_US = 100.0
_PLATEAU_US = 200.0

_SYNCS: tuple[Sync, ...] = ("loosely_synchronous", "asynchronous_blocking")
_PRECISION = {"theta_t": 0.0, "theta_r": QUOTIENT_PRECISION}
"""Of the printed numbers: rates were run to ±1 %, of lifetimes nothing is known."""
CLAIMS = {
    "loosely_synchronous": ("004-108", "004-109"),
    "asynchronous_blocking": ("004-110", "004-111"),
}


def theta_t(measured: Measurements, sync: Sync, period_us: float) -> tb.Estimate:
    """Return mean routed lifetime, throttled over full [Tweedie, definition 6.1]."""
    return _ratio(measured, sync, period_us, ROUTED_LIFETIME, ("throttled", "full"))


def theta_r(measured: Measurements, sync: Sync, period_us: float) -> tb.Estimate:
    """Return message rate, full over throttled [Tweedie, definition 6.1]."""
    return _ratio(measured, sync, period_us, RATE, ("full", "throttled"))


def _ratio(
    measured: Measurements, sync: Sync, period_us: float, metric: str, modes: tuple[str, str]
) -> tb.Estimate:
    above, below = (over_seeds(measured, steady(sync, period_us, mode), metric) for mode in modes)
    return quotient(above, below)


def _report(measured: Measurements) -> Report:
    compared = []
    for sync in _SYNCS:
        for symbol, theta, claim in zip(
            ("theta_t", "theta_r"), (theta_t, theta_r), CLAIMS[sync], strict=True
        ):
            exception = sync == "loosely_synchronous" and symbol == "theta_t"
            compared.append(
                Comparison(
                    f"`{symbol}`, {NAMES[sync]} (%)",
                    text_number(claim, _PRECISION[symbol]),
                    in_percent(theta(measured, sync, PERIOD_US)),
                    note=_against_itself(measured) if exception else OPEN,
                    exception=exception,
                )
            )
    notes = Notes()
    text = paragraphs(
        f"c = {PERIOD_US:g} µs; modes `full` and `throttled`.",
        comparison_table(compared, notes),
        notes,
    )
    return Report(text, tuple(compared))


def _against_itself(measured: Measurements) -> str:
    """Return what else the thesis prints about theta_t of the loosely synchronous workload."""
    ideal = steady("loosely_synchronous", PERIOD_US, "throttled")
    ideal_us = over_seeds(measured, ideal, ROUTED_LIFETIME).value
    printed = ROUTED_LIFETIMES.column("loosely_synchronous")[PERIOD_US]
    plateau = 100 * theta_t(measured, "loosely_synchronous", _PLATEAU_US).value
    return (
        f"The thesis contradicts itself: its own routed lifetime of {printed.text} µs (table 6.2) "
        f"over the {ideal_us:.2f} µs without contention gives "
        f"{100 * ideal_us / printed.value:.0f} %, and section 6.2.3 has `theta_t` approach "
        f"{text_number('004-114').text} % as c grows. Simulated: {plateau:.1f} % at c = 200 µs."
    )


SECTION = Section(
    "Section 6.2.2: what contention costs",
    tuple(
        steady(sync, period_us, mode)
        for period_us in (PERIOD_US, _PLATEAU_US)
        for sync in _SYNCS
        for mode in ("full", "throttled")
    ),
    _report,
)
