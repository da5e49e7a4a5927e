"""Message rates by compute period: tables 5.1, 5.2 and 6.1."""

from __future__ import annotations

from dataclasses import replace

from studies.comparison import OPEN, Comparison, Printed
from studies.estimates import in_percent
from studies.markdown import Notes, paragraphs
from studies.tweedie.comparison import RATE_BOUND, Report, Section
from studies.tweedie.experiment import NAMES, SYNCS, Sync, entry
from studies.tweedie.measure import RATE, Measurements, over_seeds
from studies.tweedie.published import PERCENTAGES, RATES, THROUGHPUT, Table
from studies.tweedie.sections.by_period import comparisons, points, saturated, wide_table
from studies.tweedie.sections.longer_packets import explanation
from tailback.statistics import quotient

_SCATTER = """\
Saturated: the printed column scatters by more than its ±1 %, here and
between tables 5.1 and 6.1; ranges are compared below."""

_DENOMINATOR = """\
The asynchronous rate it is divided by is one of the scattering ones at saturation
(see table 5.1); the rate itself is compared there."""

_MISPRINT = "Table 5.1 gives {} % for this entry, so one of the two tables is misprinted."

_MISPRINTED = {("asynchronous_blocking", 12.0): 78.7, ("asynchronous_blocking", 60.0): 94.6}
"""Entries of table 5.2 that contradict table 5.1, and what the latter gives."""


def _rates(printed: Table, title: str) -> Section:
    """Return the section of a table of rates."""

    def report(measured: Measurements) -> Report:
        columns = {sync: printed.column(sync) for sync in SYNCS}

        def compare(sync: Sync, period_us: float) -> Comparison:
            text, exception = columns[sync][period_us], saturated(sync, period_us)
            return Comparison(
                f"{title}: {NAMES[sync]}, c = {period_us:g} µs",
                text,
                over_seeds(measured, entry(sync, period_us), RATE),
                RATE_BOUND,
                _SCATTER if exception else explanation(measured, text, sync, period_us, RATE),
                exception,
            )

        compared = comparisons(printed, compare)
        notes = Notes()
        text = paragraphs(
            "Messages per node and ms.",
            wide_table(printed.periods_us, compared, notes),
            notes,
            _ranges(measured, columns["asynchronous"]),
        )
        return Report(text, tuple(compared.values()))

    return Section(title, points(printed), report)


def _ranges(measured: Measurements, printed: dict[float, Printed]) -> str:
    """Compare the ranges of the asynchronous column at saturation."""
    periods = [period for period in printed if saturated("asynchronous", period)]
    values = [printed[period].value for period in periods]
    runs = tuple(e for period in periods for e in entry("asynchronous", period))
    simulated = over_seeds(measured, runs, RATE)
    overlap = simulated.low <= max(values) and simulated.high >= min(values)
    inside = min(values) <= simulated.low and simulated.high <= max(values)
    place = "inside it" if inside else "which overlap" if overlap else "which do not overlap"
    return (
        f"Asynchronous at saturation (c ≤ 16 µs): printed {min(values)} to {max(values)}, "
        f"simulated {simulated.low:.1f} to {simulated.high:.1f} over all periods and seeds, "
        f"{place}; means {sum(values) / len(values):.1f} and {simulated.value:.1f}."
    )


def _percentages(measured: Measurements) -> Report:
    columns = {sync: PERCENTAGES.column(sync) for sync in PERCENTAGES.columns}

    def compare(sync: Sync, period_us: float) -> Comparison:
        rate = over_seeds(measured, entry(sync, period_us), RATE)
        of = over_seeds(measured, entry("asynchronous", period_us), RATE)
        exception = saturated("asynchronous", period_us)
        note = _DENOMINATOR if exception else OPEN
        if (sync, period_us) in _MISPRINTED:
            note = _MISPRINT.format(_MISPRINTED[sync, period_us])
            exception = True
        return Comparison(
            f"table 5.2: {NAMES[sync]}, c = {period_us:g} µs",
            columns[sync][period_us],
            in_percent(replace(quotient(rate, of), batches=rate.batches)),
            RATE_BOUND,
            note,
            exception,
        )

    compared = comparisons(PERCENTAGES, compare)
    notes = Notes()
    text = paragraphs(
        "Rates in percent of the asynchronous one.",
        wide_table(PERCENTAGES.periods_us, compared, notes),
        notes,
    )
    return Report(text, tuple(compared.values()))


TABLE_5_1 = _rates(RATES, "Table 5.1: message rates")
TABLE_5_2 = Section("Table 5.2: rates in percent", points(PERCENTAGES), _percentages)
TABLE_6_1 = _rates(THROUGHPUT, "Table 6.1: throughput")
