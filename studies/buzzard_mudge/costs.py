"""What contention costs each transport: theta_t and theta_r at every load.

The paper compares transports with each other; none is compared with itself without contention.
`theta_t` is the mean time of packets from their first channel to their destination without
contention in the network, over that with it; `theta_r` would say what contention takes of the
message rate, but nodes send whatever becomes of their messages: all transports send the same, in
a run that lasts longer.
"""

from __future__ import annotations

from collections.abc import Sequence

import tailback as tb
from studies.buzzard_mudge.paired import Measured, ratio
from studies.buzzard_mudge.settings import SPACINGS, Setting
from studies.tweedie.markdown import table
from tailback.wording import number

ROUTED = "routed_lifetime_us"
RATE = "messages_per_node_per_ms"


def theta_t(measured: Measured, setting: Setting, length: int, spacing: float) -> tb.Estimate:
    """Return the mean routed lifetime, throttled over full."""
    modes = (
        measured.seeds(setting, length, spacing, ROUTED, mode) for mode in ("throttled", "full")
    )
    return ratio(*modes)


def theta_r(measured: Measured, setting: Setting, length: int, spacing: float) -> tb.Estimate:
    """Return messages sent per time until the last was there, full over throttled."""
    modes = (measured.seeds(setting, length, spacing, RATE, mode) for mode in ("full", "throttled"))
    return ratio(*modes)


def theta_table(measured: Measured, settings: Sequence[Setting], length: int) -> str:
    """Return theta_t, in percent, of transports at all loads."""
    lines = []
    for setting in settings:
        found = (theta_t(measured, setting, length, spacing) for spacing in SPACINGS)
        lines.append([setting.title, *(number(percent(estimate)) for estimate in found)])
    return table(["theta_t, %; spacing", *(f"{spacing:g}" for spacing in SPACINGS)], lines)


def rate_table(measured: Measured, settings: Sequence[Setting], length: int) -> str:
    """Return theta_r, in percent, of transports at all loads."""
    lines = []
    for setting in settings:
        found = (theta_r(measured, setting, length, spacing) for spacing in SPACINGS)
        lines.append([setting.title, *(number(percent(estimate)) for estimate in found)])
    return table(["theta_r, %; spacing", *(f"{spacing:g}" for spacing in SPACINGS)], lines)


def percent(estimate: tb.Estimate) -> tb.Estimate:
    """Return a share in percent."""
    value, low, high = (100 * x for x in (estimate.value, estimate.low, estimate.high))
    return tb.Estimate(value, low, high, estimate.batches)
