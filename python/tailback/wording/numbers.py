"""Numbers, intervals and warnings as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from tailback.units import counted

from .saturated import NETWORK

if TYPE_CHECKING:
    from tailback.statistics import Estimate

UNKNOWN = "-"
DIGITS = 5
"""Default number of significant digits."""


class Ended(Protocol):
    """How a run ended."""

    @property
    def complete(self) -> bool:
        """Whether it ended by itself."""

    @property
    def cut_off(self) -> str:
        """The limit that ended it early; empty: none."""

    @property
    def lost(self) -> bool:
        """Whether it lost messages without which it never ends."""

    @property
    def converged(self) -> bool | None:
        """Whether it reached the requested precision; None if none was requested."""

    @property
    def steady(self) -> bool:
        """Whether the start-up transient was over."""

    @property
    def saturated(self) -> bool | None:
        """Whether the network accepted less than the offered load; None without one."""

    @property
    def stop_reason(self) -> str:
        """Why it ended."""


def number(estimate: Estimate, scale: float = 1.0, most: int = DIGITS) -> str:
    """Return `6.943 ±0.012`: one or two digits of the half-width, at most `most` in all.

    A half-width too small to show is left out: all digits shown are certain. A value that was cut
    off is shown as a lower bound: `> 1.0000 (cut off)`.
    """
    if estimate.is_cut_off:
        return f"> {plain(estimate.low * scale, most)} (cut off)"
    value, half = estimate.value * scale, estimate.half_width * scale
    if math.isnan(value):
        return UNKNOWN
    if not 0 <= half < math.inf:  # not known, or from a folder that somebody has made up
        return f"{plain(value, most)} ±?"
    if half == 0 or value == 0:
        return plain(value, most)
    # Two digits of a half-width that begins with 1 or 2, else one.
    wanted = -math.floor(math.log10(half / 3))
    size = _magnitude(value)
    digits = max(0, min(wanted, most - 1 - (0 if size == -1 else size)))
    shown = f"{half:.{digits}f}"
    return f"{value:.{digits}f}" if float(shown) == 0 else f"{value:.{digits}f} ±{shown}"


def plain(value: float, digits: int = DIGITS) -> str:
    """Return a number with `digits` significant digits; with an exponent if very small or large."""
    if math.isnan(value):
        return UNKNOWN
    if value == 0:
        return "0"
    size = _magnitude(value)
    return f"{value:,.{max(0, digits - 1 - size)}f}" if -4 < size < 9 else f"{value:.{digits}g}"


def share_text(share: float) -> str:
    """Return `7.8 %`."""
    return UNKNOWN if math.isnan(share) else f"{100 * share:.1f} %"


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def events_text(events: int, wall_seconds: float) -> str:
    """Return the number of events, and their rate if there were many."""
    if events < 100_000:
        return counted(events, "event")
    return f"{plain(events / 1e6, 3)} M events, {plain(events / 1e6 / wall_seconds, 3)} M/s"


def warnings(ending: Ended) -> list[str]:
    """Return warnings about the numbers of a run."""
    found = []
    if ending.cut_off:
        found.append(f"CUT OFF by {ending.cut_off} before it was complete; raise that")
    elif not ending.complete and not ending.lost:
        found.append("INCOMPLETE, interrupted; what was measured so far")
    elif ending.converged is False and ending.stop_reason != "saturated":
        found.append(f"not as precise as asked for: stopped by {ending.stop_reason}")
    if ending.saturated:
        found.append(f"SATURATED: {NETWORK}")
    if not ending.steady and not ending.cut_off:
        found.append("NOT SETTLED: values still drift; run longer")
    return found
