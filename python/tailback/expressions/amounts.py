"""Values of expressions: numbers with a dimension, texts, truths, lists, columns of a table.

`known` turns a value of an experiment into one of expressions, and `written` turns a result back.
Both raise `UserError` with an empty field: the caller knows the place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..errors import UserError, shown
from ..units import Frequency, Quantity, Rate, Size, Time, TimePerByte, quantity

#: A `Fraction`, a `float`, or what behaves like one: the numbers of a column.
Number = Any

#: Quantities by their powers of time and size, and their smallest units in one per picosecond
#: and bit.
_QUANTITIES: dict[tuple[int, int], tuple[type[Quantity], Fraction]] = {
    (1, 0): (Time, Fraction(1)),
    (0, 1): (Size, Fraction(1, 8)),
    (-1, 1): (Rate, Fraction(10**12)),
    (-1, 0): (Frequency, Fraction(10**12)),
    (1, -1): (TimePerByte, Fraction(8000)),
}

TOO_LARGE = "gives a number that is too large"
#: Far above the largest value of any parameter.
_LARGEST = 10**30


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of picoseconds to the power of `time` times bits to the power of `size`."""

    value: Number
    time: int = 0
    size: int = 0
    unit: Fraction | None = None
    """The unit of the column it comes from: a number without a unit beside it is in this unit."""

    @property
    def plain(self) -> bool:
        """Whether it is a number without a dimension."""
        return not (self.time or self.size)

    def with_value(self, value: Number) -> Amount:
        """Return another number of the same dimension."""
        return Amount(value, self.time, self.size, self.unit)

    def beside(self, other: Amount) -> Amount:
        """Return this amount as one of the dimension of `other`, if it can be taken as that.

        A zero has any dimension, as in an experiment file; a plain number beside a column is in
        the column's unit.
        """
        if self.plain and is_constant(self.value) and not self.value:
            return replace(other, value=Fraction(0))
        if self.plain and other.unit is not None:
            return replace(other, value=self.value * other.unit)
        return self


def is_constant(value: object) -> bool:
    """Whether a number is one number, not those of a column."""
    return isinstance(value, Fraction | float)


class Column:
    """Texts or truths of a column, or numbers with `arithmetic`: see `columns`."""

    kind: str
    """In words, what its values are."""


#: Units by their names in expressions. A rate is a quotient: ``10 * Mbit / s``, and so is the
#: time of a cycle: ``1 / clock``.
UNITS: dict[str, Amount] = {
    **{unit: Amount(factor, time=1) for unit, factor in Time.units.items()},
    **{unit: Amount(8 * factor, size=1) for unit, factor in Size.units.items()},
    **{unit.removesuffix("/s"): Amount(f, size=1) for unit, f in Rate.units.items()},
    **{unit: Amount(factor / 10**12, time=-1) for unit, factor in Frequency.units.items()},
}

_KINDS = {
    (0, 0): "a number",
    (1, 0): "a time",
    (0, 1): "a size",
    (-1, 1): "a rate",
    (-1, 0): "a frequency",
    (1, -1): "a time per byte",
}


def known(value: object) -> object:
    """Return a value of an experiment as expressions know it; texts may be quantities."""
    if isinstance(value, str):
        value = quantity(value) or value
    if isinstance(value, Quantity):
        amount = value.ps if isinstance(value, Time) else value.amount
        return dimensioned(type(value), amount)
    if isinstance(value, bool | Amount | str):
        return value
    if isinstance(value, int | float):
        return Amount(exact(value))
    if isinstance(value, list | tuple):
        return [known(entry) for entry in value]
    raise UserError("", shown(value), "cannot be used in an expression")


def exact(number: int | float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth."""
    if isinstance(number, int):
        return Fraction(number)
    if not math.isfinite(number):
        raise UserError("", shown(number), "must be a finite number")
    return Fraction(str(number))


def dimensioned(made: type[Quantity], amount: Number) -> Amount:
    """Return a number of the smallest units of a quantity."""
    for (time, size), (kind_of, smallest) in _QUANTITIES.items():
        if issubclass(made, kind_of):
            return Amount(amount / smallest, time, size)
    raise impossible(f"has no {made.dimension}")


def written(value: object) -> object:
    """Return a result as a value of an experiment.

    Whole numbers are integers, quantities are rounded to the nearest whole
    picosecond, byte or bit per second.
    """
    if isinstance(value, list):
        return [written(entry) for entry in value]
    if not isinstance(value, Amount):
        return value
    if not -_LARGEST < value.value < _LARGEST:
        raise impossible(TOO_LARGE)
    if value.plain:
        number = value.value
        return int(number) if number == int(number) else float(number)
    if (value.time, value.size) in _QUANTITIES:
        made, smallest = _QUANTITIES[value.time, value.size]
        return _nearest(made, value, value.value * smallest)
    raise impossible(f"is {kind(value)}; a parameter is a number, a time, a size or a rate")


def _nearest(made: type[Quantity], value: Amount, amount: Number) -> Quantity:
    if amount < 0:
        raise impossible(f"is {kind(value).replace('a ', 'a negative ', 1)}")
    if amount > made.largest:
        raise impossible(f"is above {made(made.largest)}, the largest {made.dimension}")
    return made(round(amount))


def kind(value: object) -> str:
    """Return in words what a value is."""
    if isinstance(value, Amount):
        powers = {"s": value.time, "bit": value.size}
        units = " ".join(f"{unit}^{power}" for unit, power in powers.items() if power)
        return _KINDS.get((value.time, value.size), f"a quantity in {units}")
    if isinstance(value, Column):
        return value.kind
    if isinstance(value, bool):
        return TRUTH
    if value is None:
        return "none"
    return "a list" if isinstance(value, list) else TEXT


TRUTH = "true or false"
TEXT = "a text"


def impossible(why: str) -> UserError:
    """Return the mistake of calculating what cannot be calculated, without its place."""
    return UserError("", None, why)
