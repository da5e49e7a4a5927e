"""Routed lifetimes by compute period: table 6.2."""

from __future__ import annotations

from studies.comparison import Comparison
from studies.markdown import Notes, paragraphs
from studies.tweedie.comparison import LIFETIME_BOUND, Report, Section
from studies.tweedie.experiment import NAMES, SYNCS, Sync, entry
from studies.tweedie.measure import ROUTED_LIFETIME, Measurements, over_seeds
from studies.tweedie.published import ROUTED_LIFETIMES
from studies.tweedie.sections.by_period import comparisons, points, wide_table
from studies.tweedie.sections.longer_packets import explanation


def _report(measured: Measurements) -> Report:
    columns = {sync: ROUTED_LIFETIMES.column(sync) for sync in SYNCS}

    def compare(sync: Sync, period_us: float) -> Comparison:
        printed = columns[sync][period_us]
        return Comparison(
            f"table 6.2: {NAMES[sync]}, c = {period_us:g} µs",
            printed,
            over_seeds(measured, entry(sync, period_us), ROUTED_LIFETIME),
            LIFETIME_BOUND,
            explanation(measured, printed, sync, period_us, ROUTED_LIFETIME),
        )

    compared = comparisons(ROUTED_LIFETIMES, compare)
    notes = Notes()
    text = paragraphs(
        "µs, from the start on the first internal channel to delivery; "
        "data packets and acknowledgements.",
        wide_table(ROUTED_LIFETIMES.periods_us, compared, notes),
        notes,
    )
    return Report(text, tuple(compared.values()))


SECTION = Section("Table 6.2: routed lifetimes", points(ROUTED_LIFETIMES), _report)
