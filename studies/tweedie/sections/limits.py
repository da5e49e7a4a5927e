"""Rates as the compute period goes to zero, without contention: section 5.5.3.1."""

from __future__ import annotations

import tailback as tb
from studies.comparison import OPEN, Comparison
from studies.markdown import Notes, comparison_table, paragraphs
from studies.tweedie.comparison import RATE_BOUND, Report, Section
from studies.tweedie.experiment import NAMES, Sync, steady
from studies.tweedie.measure import RATE, Measurements, over_seeds
from studies.tweedie.published import RATE_PRECISION, text_number
from studies.tweedie.sections.first_channels import capacity_per_ms

_BLOCKING_US = 0.01
_ASYNCHRONOUS_US = 0.2
"""A process cannot send 5000 messages per ms at a longer period."""
_LOOSE_US = 1.0

_ENTRIES: tuple[tuple[str, Sync, float, str], ...] = (
    ("004-082", "asynchronous_blocking", _BLOCKING_US, "throttled"),
    ("004-083", "asynchronous_blocking", _BLOCKING_US, "free"),
    ("004-086", "asynchronous", _ASYNCHRONOUS_US, "throttled"),
    ("004-087", "asynchronous", _ASYNCHRONOUS_US, "free"),
)
_LOOSE = tuple(steady("loosely_synchronous", _LOOSE_US, mode) for mode in ("throttled", "free"))


def _capacity() -> str:
    return (
        "Cannot be reached: where packets take turns on their first internal channel, "
        f"the channels are full at a mean of {capacity_per_ms():.0f} messages per node and ms, "
        "with the constants of the thesis (3.34 µs for a data packet, 0.14 µs for an "
        "acknowledgement)."
    )


def _round_trip(claim: str) -> str:
    prediction = tb.describe(steady("asynchronous_blocking", _BLOCKING_US, "free")[0])
    overlap_us = 3.24  # from the header's arrival to the last token's
    trip_us = prediction.zero_load_data_us - overlap_us + prediction.zero_load_ack_us
    return (
        f"An uncontended round trip takes {trip_us:.3f} µs with the constants of the thesis, so "
        f"that at most {1000 / trip_us:.0f} messages per ms are possible, even at c = 0; the "
        f"printed number needs {1000 / text_number(claim).value:.3f} µs. Open."
    )


def _notes() -> dict[tuple[str, str], str]:
    return {
        ("asynchronous_blocking", "throttled"): 'Open; the thesis says "about 290".',
        ("asynchronous_blocking", "free"): _round_trip("004-083"),
        ("asynchronous", "throttled"): _capacity(),
    }


def _report(measured: Measurements) -> Report:
    compared, notes_by_entry = [], _notes()
    for claim, sync, period_us, mode in _ENTRIES:
        exception = claim == "004-086"
        compared.append(
            Comparison(
                f"{NAMES[sync]}, {mode}, c = {1000 * period_us:g} ns",
                text_number(claim, RATE_PRECISION),
                over_seeds(measured, steady(sync, period_us, mode), RATE),
                RATE_BOUND,
                notes_by_entry.get((sync, mode), OPEN),
                exception,
            )
        )
    notes = Notes()
    text = paragraphs(
        "Messages per node and ms.", comparison_table(compared, notes), notes, _loose(measured)
    )
    return Report(text, tuple(compared))


def _loose(measured: Measurements) -> str:
    throttled, free = (over_seeds(measured, point, RATE).value for point in _LOOSE)
    return (
        f"Loosely synchronous, c = {_LOOSE_US:g} µs: {throttled:.1f} throttled, {free:.1f} free, "
        f"a difference of {100 * (free / throttled - 1):.1f} % "
        "(the thesis: none that could be observed, at any period)."
    )


SECTION = Section(
    "Section 5.5.3: rates without contention as c → 0",
    (*(steady(sync, period_us, mode) for _, sync, period_us, mode in _ENTRIES), *_LOOSE),
    _report,
)
