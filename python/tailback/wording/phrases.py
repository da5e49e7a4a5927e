"""Phrases of answers: shares, how much longer, intervals, lists."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailback.statistics import Estimate

from .numbers import plain
from .scaling import trimmed

DOUBLE = 2.0
"""Ratios from here on are told as `2.31 times as long`, lower ones as `57 % longer`."""

NEARLY_ALL = 0.995
"""A share from here on is told as all."""

NEXT_TO_NONE = 0.005
"""By how much something may be longer and still be next to no longer."""


def percent(share: float) -> str:
    """Return `57 %`, `2.5 %`, `0.31 %`: two digits, and whole percents from ten on."""
    value = 100 * share
    return f"{value:.0f} %" if abs(value) >= 9.95 else f"{trimmed(plain(value, 2))} %"


def all_or_percent(share: float) -> str:
    """Return the same, or `all` of what is next to all."""
    return "all" if share >= NEARLY_ALL else percent(share)


def longer(times: Estimate, confidence: float) -> str:
    """Return `57 % longer (95 % interval 55 to 59 %)`, or `2.31 times as long (…)`."""
    if times.value < DOUBLE:
        more = times.value - 1
        if more < NEXT_TO_NONE:
            return f"less than {percent(NEXT_TO_NONE)} longer"
        ends = [percent(end - 1) for end in (times.low, times.high)]
        return f"{percent(more)} longer{interval(times, ends, confidence)}"
    ends = [plain(end, 3) for end in (times.low, times.high)]
    return f"{plain(times.value, 3)} times as long{interval(times, ends, confidence)}"


def compared(times: Estimate, confidence: float, other: str) -> str:
    """Return `57 % longer than in free`, `2.31 times as long as in free`, with the interval."""
    told, bracket, rest = longer(times, confidence).partition(" (")
    than = "as" if times.value >= DOUBLE else "than"
    return f"{told} {than} {other}{bracket}{rest}"


def interval(estimate: Estimate, ends: Sequence[str], confidence: float) -> str:
    """Return ` (95 % interval 22 to 28 %)` from the texts of its ends; nothing without one."""
    low, high = ends
    if math.isnan(estimate.low) or low == high:
        return ""
    unit = " %"
    if low.endswith(unit) and high.endswith(unit):
        low = low.removesuffix(unit)
    return f" ({100 * confidence:g} % interval {low} to {high})"


def listed(words: Sequence[str]) -> str:
    """Return `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    ended = text if text.endswith((".", ":")) else f"{text}."
    return f"{ended[:1].upper()}{ended[1:]}"
