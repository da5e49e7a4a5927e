"""Mean path length at all loads: section 5.6."""

from __future__ import annotations

import statistics

import tailback as tb
from studies.comparison import Comparison
from studies.markdown import Notes, comparison_table, paragraphs, percent
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import SYNCS, entry
from studies.tweedie.measure import Measurements, over_seeds
from studies.tweedie.published import RATES, THROUGHPUT, text_number, text_range
from studies.tweedie.sections.by_period import points

_PERIODS_US = sorted({*RATES.periods_us, *THROUGHPUT.periods_us})


def _report(measured: Measurements) -> Report:
    means = [
        over_seeds(measured, entry(sync, period_us), "hops").value
        for period_us in _PERIODS_US
        for sync in SYNCS
    ]
    mean, deviation = statistics.fmean(means), statistics.stdev(means)
    low, high = min(means), max(means)
    printed_low, printed_high = text_range("004-092")
    compared = Comparison(
        f"mean of {len(means)} points", text_number("004-090"), tb.Estimate(mean, low, high, 5)
    )
    notes = Notes()
    text = paragraphs(
        f"All compute periods of tables 5.1 and 6.1, {len(SYNCS)} synchronisations.",
        comparison_table([compared], notes),
        notes,
        f"Standard deviation over the points: printed {text_number('004-091').text} %, "
        f"simulated {100 * deviation / mean:.2f} %. Range about the mean: printed "
        f"{percent(printed_low / 100)} to {percent(printed_high / 100)}, simulated "
        f"{percent(low / mean - 1)} to {percent(high / mean - 1)}.",
    )
    return Report(text, (compared,))


SECTION = Section("Section 5.6: mean hops", (*points(RATES), *points(THROUGHPUT)), _report)
