"""What expressions calculate with: numbers that know their dimension.

A value of an experiment becomes an `Amount`, a text, true or false, or a list
of these (`known`), and a result becomes a value of an experiment again
(`written`). What cannot be raises `UserError` with an empty field: the caller
knows the place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..errors import UserError, shown
from ..units import Frequency, Quantity, Rate, Size, Time, quantity

Number = Fraction | float

#: What powers of time and size are kept as, and its smallest units in picoseconds and bits.
_QUANTITIES: dict[tuple[int, int], tuple[type[Quantity], Fraction]] = {
    (1, 0): (Time, Fraction(1)),
    (0, 1): (Size, Fraction(1, 8)),
    (-1, 1): (Rate, Fraction(10**12)),
    (-1, 0): (Frequency, Fraction(10**12)),
}

TOO_LARGE = "gives a number that is too large"
#: What no parameter reaches, by far.
_LARGEST = 10**30


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of picoseconds to the power of `time` times bits to the power of `size`."""

    value: Number
    time: int = 0
    size: int = 0

    @property
    def plain(self) -> bool:
        """Whether it is a number without a dimension."""
        return not (self.time or self.size)


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
}


def known(value: object) -> object:
    """Return a value of an experiment as expressions know it; texts may be quantities."""
    if isinstance(value, str):
        value = quantity(value) or value
    if isinstance(value, Quantity):
        return _dimensioned(value)
    if isinstance(value, bool | Amount | str):
        return value
    if isinstance(value, int | float):
        return Amount(exact(value))
    if isinstance(value, list | tuple):
        return [known(entry) for entry in value]
    raise UserError("", shown(value), "cannot be calculated with")


def exact(number: int | float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth."""
    if isinstance(number, int):
        return Fraction(number)
    if not math.isfinite(number):
        raise UserError("", shown(number), "must be a finite number")
    return Fraction(str(number))


def _dimensioned(value: Quantity) -> Amount:
    if isinstance(value, Time):
        return Amount(Fraction(value.ps), time=1)
    if isinstance(value, Size):
        return Amount(Fraction(8 * value.bytes), size=1)
    if isinstance(value, Frequency):
        return Amount(Fraction(value.amount, 10**12), time=-1)
    return Amount(Fraction(value.amount, 10**12), time=-1, size=1)


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
        made, factor = _QUANTITIES[value.time, value.size]
        return _nearest(made, value, value.value * factor)
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
    if isinstance(value, bool):
        return "true or false"
    return "a list" if isinstance(value, list) else "a text"


def impossible(why: str) -> UserError:
    """Return the mistake of calculating what cannot be calculated, without its place."""
    return UserError("", None, why)
