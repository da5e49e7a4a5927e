"""Axes in files: positions of values, from 0 to 1, and ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tailback.wording.scaling import trimmed

from .description import Axis

_TICKS = 6
_MANY_DECADES = 3.2
_ROOM = 0.04
"""Margin beyond the outermost points, as a part of the axis."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: numbers, linear or logarithmic, or categories."""

    title: str
    low: float
    high: float
    is_log: bool
    ticks: tuple[tuple[float, str], ...]
    """Positions and texts."""
    categories: tuple[str, ...] = ()
    """Texts of an axis of categories, at positions 0, 1, 2, …."""
    is_nines: bool = False
    """Whether values are shares, and `low` and `high` 1 / (1 - share)."""

    def number(self, value: float | str) -> float:
        """Return a value as a number on this axis."""
        return float(self.categories.index(value)) if isinstance(value, str) else float(value)

    def place(self, value: float | str) -> float:
        """Return the position of a value, from 0 to 1 on the axis."""
        number = self.number(value)
        if self.is_nines:
            number = _odds(number)
        if not self.is_log:
            return (number - self.low) / (self.high - self.low)
        if number <= 0:
            return -1.0
        return math.log(number / self.low) / math.log(self.high / self.low)


def scale_of(axis: Axis, values: Iterable[float | str | None]) -> Scale:
    """Return a scale for `values`: logarithmic if they span more than a decade."""
    known = [v for v in values if v is not None]
    texts = tuple(dict.fromkeys(v for v in known if isinstance(v, str)))
    if texts:
        ticks = tuple((float(i), text) for i, text in enumerate(texts))
        return Scale(axis.title, -0.5, len(texts) - 0.5, False, ticks, texts)
    numbers = [float(v) for v in known if not isinstance(v, str) and math.isfinite(v)]
    numbers = numbers or [0.0, 1.0]
    if axis.nines:
        return _nines(axis, numbers)
    is_log = axis.is_log(numbers)
    ends = tuple(end for end in axis.limits if end is not None and not (is_log and end <= 0))
    kept = [n for n in numbers if _is_within(n, axis.limits)] or numbers
    found = (_log if is_log else _linear)(axis, [*kept, *ends])
    return _limited(found, axis) if ends or axis.ticks else found


def _is_within(number: float, limits: tuple[float | None, float | None]) -> bool:
    low, high = limits
    return (low is None or number >= low) and (high is None or number <= high)


def _nines(axis: Axis, numbers: Sequence[float]) -> Scale:
    """Return a scale of shares on which 0, 90, 99 and 99.9 % are equally far apart."""
    low, high = axis.limits
    most = max((share for share in numbers if share < 1), default=0.9)
    ends = _odds(0.0 if low is None else low), _odds(most if high is None else high)
    at = (0.0, 0.5, *(1 - 10.0**-digits for digits in range(1, 10)))
    inside = [share for share in at if ends[0] * 0.999 <= _odds(share) <= ends[1] * 1.001]
    ticks = tuple((share, f"{100 * share:.8g}") for share in inside)
    return Scale(axis.title, ends[0], max(ends[1], 2 * ends[0]), True, ticks, is_nines=True)


def _odds(share: float) -> float:
    """Return one out of how many is above a share; without limit for 1."""
    return 1 / (1 - share) if share < 1 else math.inf


def _limited(scale: Scale, axis: Axis) -> Scale:
    """Return a scale that ends at the limits of its axis, with the axis' own ticks if any."""
    low, high = axis.limits
    if low is None or (scale.is_log and low <= 0):
        low = scale.low
    high = scale.high if high is None else high
    slack = 1e-9 * (high - low)
    kept = axis.ticks or scale.ticks
    ticks = tuple((at, text) for at, text in kept if low - slack <= at <= high + slack)
    return replace(scale, low=low, high=high, ticks=ticks)


def _linear(axis: Axis, numbers: Sequence[float]) -> Scale:
    low = 0.0 if axis.from_zero and min(numbers) >= 0 else min(numbers)
    high = max(*numbers, low)
    width = high - low or abs(high) or 1.0
    below = 0.0 if low == 0 else _ROOM * width
    low, high = low - below, high + _ROOM * width
    step = _nice((high - low) / _TICKS)
    first = math.ceil(low / step - 1e-9)
    marks = [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]
    shown = 100.0 if axis.percent else 1.0
    digits = max(0, -math.floor(math.log10(step * shown) + 1e-9))
    ticks = tuple((mark, f"{mark * shown:,.{digits}f}") for mark in marks)
    return Scale(axis.title, low, high, False, ticks)


def _nice(step: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below `step`."""
    decade = 10.0 ** math.floor(math.log10(step))
    return next(times * decade for times in (1, 2, 5, 10) if times * decade >= step * (1 - 1e-9))


def _log(axis: Axis, numbers: Sequence[float]) -> Scale:
    positive = [number for number in numbers if number > 0] or [1.0, 10.0]
    room = (max(positive) / min(positive)) ** _ROOM if len(set(positive)) > 1 else 2.0
    low, high = min(positive) / room, max(positive) * room
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if math.log10(high / low) > _MANY_DECADES else (1, 2, 5)
    marks = [float(f"{step}e{decade}") for decade in decades for step in steps]
    shown = 100.0 if axis.percent else 1.0
    inside = [mark for mark in marks if low <= mark <= high]
    ticks = tuple((mark, _log_text(mark * shown)) for mark in inside)
    return Scale(axis.title, low, high, True, ticks)


def _log_text(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else trimmed(f"{value:.9f}")
