"""Numbers in suitable units for people: `40 ns`, `3.34 µs`, `64 kB`.

Files for programs (JSON, Parquet, CSV) use fixed units, which are part of the column names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .numbers import DIGITS, UNKNOWN, number, plain

if TYPE_CHECKING:
    from tailback.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and its size in fixed units."""

    name: str
    size: float


_TIMES = (Unit("ps", 1e-6), Unit("ns", 1e-3), Unit("µs", 1.0), Unit("ms", 1e3), Unit("s", 1e6))
_SIZES = (Unit("B", 1.0), Unit("kB", 1e3), Unit("MB", 1e6), Unit("GB", 1e9))
_RATES = (
    Unit("bit/s", 1e-6),
    Unit("kbit/s", 1e-3),
    Unit("Mbit/s", 1.0),
    Unit("Gbit/s", 1e3),
    Unit("Tbit/s", 1e6),
)
_FAMILIES = {units[at].name: units for units, at in ((_TIMES, 2), (_SIZES, 0), (_RATES, 2))}

MICROSECONDS, BYTES, MEGABITS = "µs", "B", "Mbit/s"
"""The fixed units of numbers."""


def unit_for(values: Iterable[float | None], fixed: str) -> Unit:
    """Return the unit in which the largest of `values`, given in `fixed`, is 1 to 1000.

    Units other than those of times, sizes and rates do not change.
    """
    units = _FAMILIES.get(fixed)
    if units is None:
        return Unit(fixed, 1.0)
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(known, default=0.0)
    if largest == 0:
        return Unit(fixed, 1.0)
    # 1000, but for rounding, is 1 of the next unit.
    fitting = [unit for unit in units if largest * (1 + 1e-9) >= unit.size]
    return fitting[-1] if fitting else units[0]


def scaled(value: float | None, fixed: str, digits: int = 5) -> str:
    """Return a number given in `fixed` in a suitable unit, without trailing zeros."""
    if value is None or math.isnan(value):
        return UNKNOWN
    unit = unit_for([value], fixed)
    return f"{trimmed(plain(value / unit.size, digits))} {unit.name}"


def measured(estimate: Estimate, fixed: str, most: int = DIGITS) -> str:
    """Return an estimate given in `fixed` with its interval in a suitable unit: `145 ±8 ns`."""
    unit = unit_for([estimate.low if math.isnan(estimate.value) else estimate.value], fixed)
    told, cut, _ = number(estimate, 1 / unit.size, most).partition(" (cut off)")
    return f"{told} {unit.name}{cut}"


def trimmed(text: str) -> str:
    """Return a number without trailing zeros in its fraction."""
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
