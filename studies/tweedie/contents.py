"""The sections of the report, in their order, with everything that is run for them."""

from __future__ import annotations

from studies.tweedie.comparison import Section
from studies.tweedie.sections import (
    bandwidth,
    buffers,
    cost,
    fidelities,
    hops,
    implied,
    limits,
    link_width,
    longer_packets,
    one_switch,
    performance,
    policies,
    processor,
    rates,
    routed_lifetimes,
    saturation,
    starvation,
    two_phase,
)

SECTIONS: tuple[Section, ...] = (
    performance.SECTION,
    processor.SECTION,
    bandwidth.SECTION,
    one_switch.SECTION,
    link_width.SECTION,
    buffers.SECTION,
    two_phase.SECTION,
    policies.SECTION,
    fidelities.SECTION,
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
