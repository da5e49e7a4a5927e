"""What contention costs each transport: theta_t and theta_r at every load.

The paper compares transports with each other; none is compared with itself without contention.
`theta_t` is the mean time of packets from their first channel to their destination without
contention in the network, over that with it; `theta_r` would say what contention takes of the
message rate, but nodes send whatever becomes of their messages: all transports send the same, in
a run that lasts longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tailback as tb
from studies.buzzard_mudge.paired import Measured, ratio
from studies.buzzard_mudge.settings import SPACINGS, Setting
from studies.estimates import in_percent
from studies.markdown import table
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
    return _table("theta_t", theta_t, measured, settings, length)


def rate_table(measured: Measured, settings: Sequence[Setting], length: int) -> str:
    """Return theta_r, in percent, of transports at all loads."""
    return _table("theta_r", theta_r, measured, settings, length)


def _table(
    name: str,
    theta: Callable[[Measured, Setting, int, float], tb.Estimate],
    measured: Measured,
    settings: Sequence[Setting],
    length: int,
) -> str:
    lines = []
    for setting in settings:
        found = (theta(measured, setting, length, spacing) for spacing in SPACINGS)
        lines.append([setting.title, *(number(in_percent(estimate)) for estimate in found)])
    return table([f"{name}, %; spacing", *(f"{spacing:g}" for spacing in SPACINGS)], lines)
