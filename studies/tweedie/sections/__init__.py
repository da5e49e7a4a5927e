"""One module per table or claim of the thesis; `SECTIONS` in the order of the report."""

from __future__ import annotations

from studies.tweedie.comparison import Section
from studies.tweedie.sections import (
    cost,
    hops,
    implied,
    limits,
    longer_packets,
    rates,
    routed_lifetimes,
    saturation,
    starvation,
)

SECTIONS: tuple[Section, ...] = (
    implied.SECTION,
    rates.TABLE_5_1,
    rates.TABLE_5_2,
    saturation.SECTION,
    rates.TABLE_6_1,
    routed_lifetimes.SECTION,
    limits.SECTION,
    cost.SECTION,
    hops.SECTION,
    *starvation.SECTIONS,
    longer_packets.SECTION,
)
