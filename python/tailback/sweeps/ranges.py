"""Ranges: values from here to there, in even steps or ratios.

A range is worked out value by value when it is asked for, so that its length
costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, overload

from ..errors import UserError, choice, shown
from ..expressions import exact
from ..units import Quantity, Time, quantity

#: Keys of a range.
RANGE = ("from", "to", "step", "count", "scale", "digits")
SCALES = ("linear", "log")

_LONGEST = 10**9
_MOST_DIGITS = 9
# Enough for the whole picoseconds of any time.
_CONTEXT = Context(prec=40)
_CERTAIN = Context(prec=30)


@dataclass(frozen=True)
class Range(Sequence[object]):
    """Values from ``first`` to ``last``, evenly spaced, or with even ratios if ``log``.

    Whole numbers of the smallest unit of ``made``, or plain numbers. All but the
    ends are rounded to ``digits`` significant digits, if given.
    """

    first: Fraction
    last: Fraction
    length: int
    step: Fraction | None
    log: bool
    digits: int | None
    made: type[Quantity] | None

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return [self[at] for at in range(self.length)[index]]
        at = range(self.length)[index]
        return self._made(self._value(at))

    def _value(self, at: int) -> Fraction:
        if self.step is not None:
            return self.first + at * self.step
        if at in (0, self.length - 1):
            return self.last if at else self.first
        if self.log:
            value = self._geometric(at)
        else:
            value = self.first + (self.last - self.first) * at / (self.length - 1)
        if self.digits is not None:
            value = Fraction(Context(prec=self.digits).plus(_decimal(value)))
        return value

    def _geometric(self, at: int) -> Fraction:
        # Decimal arithmetic, unlike the machine's, gives the same digits everywhere.
        ratio = _decimal(self.last / self.first)
        share = _decimal(Fraction(at, self.length - 1))
        value = _CONTEXT.multiply(_decimal(self.first), _CONTEXT.power(ratio, share))
        return Fraction(_CERTAIN.plus(value))

    def _made(self, value: Fraction) -> object:
        if self.made is not None:
            return self.made(round(value))
        return int(value) if value.denominator == 1 else float(value)


def _decimal(value: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def read_range(field: str, given: Mapping[str, Any]) -> Range:
    """Return the range written at ``field``, whose keys are among `RANGE`; raise `UserError`."""
    for key in ("from", "to"):
        if key not in given:
            raise UserError(f"{field}.{key}", None, "must be given")
    first, last, made = _ends(field, given["from"], given["to"])
    log = _scale(field, given, first)
    step = _step(field, given, last - first, made)
    count = _count(field, given) if step is None else (last - first) // step + 1
    if count > _LONGEST:
        allowed = f"is a range of {count:,} values; must be at most {_LONGEST:,}"
        raise UserError(f"{field}.{'count' if step is None else 'step'}", None, allowed)
    digits = _digits(field, given)
    return Range(first, last, int(count), step, log, digits, made)


def _ends(field: str, first: object, last: object) -> tuple[Fraction, Fraction, Any]:
    """Return the ends of a range, and which quantities they are, if they are."""
    start, start_made = _number(f"{field}.from", first)
    stop, stop_made = _number(f"{field}.to", last)
    if start_made is not stop_made and not (is_zero(first) and stop_made):
        needed = (
            "a number" if start_made is None else f"{start_made.article} {start_made.dimension}"
        )
        raise UserError(f"{field}.to", shown(last), f"must be {needed}, as from = {shown(first)}")
    if stop <= start:
        raise UserError(f"{field}.to", shown(last), f"must be above from = {shown(first)}")
    return start, stop, stop_made


def _scale(field: str, given: Mapping[str, Any], first: Fraction) -> bool:
    """Return whether the range is logarithmic."""
    scale = given.get("scale", "linear")
    if scale not in SCALES:
        raise choice(f"{field}.scale", scale, SCALES)
    if scale == "log" and "step" in given:
        allowed = 'cannot be given with scale = "log"; give count'
        raise UserError(f"{field}.step", shown(given["step"]), allowed)
    if scale == "log" and first <= 0:
        allowed = 'must be above zero with scale = "log"'
        raise UserError(f"{field}.from", shown(given["from"]), allowed)
    return bool(scale == "log")


def _step(field: str, given: Mapping[str, Any], width: Fraction, made: Any) -> Fraction | None:
    if "step" not in given:
        return None
    for other in ("count", "digits"):
        if other in given:
            allowed = f"cannot be given together with {other}"
            raise UserError(f"{field}.step", shown(given["step"]), allowed)
    step, step_made = _number(f"{field}.step", given["step"])
    if step_made is not made:
        allowed = f"must be {_named(made)}, as to = {shown(given['to'])}"
        raise UserError(f"{field}.step", shown(given["step"]), allowed)
    if step <= 0:
        raise UserError(f"{field}.step", shown(given["step"]), "must be above zero")
    if step > width:
        raise UserError(f"{field}.step", shown(given["step"]), "is longer than the whole range")
    return step


def _count(field: str, given: Mapping[str, Any]) -> int:
    if "count" not in given:
        log = given.get("scale") == "log"
        raise UserError(f"{field}.count", None, "must be given" + ("" if log else ", or step"))
    count = given["count"]
    if type(count) is not int or count < 2:
        raise UserError(f"{field}.count", shown(count), "must be a whole number, at least 2")
    return count


def _digits(field: str, given: Mapping[str, Any]) -> int | None:
    digits = given.get("digits")
    if digits is not None and (type(digits) is not int or not 1 <= digits <= _MOST_DIGITS):
        allowed = f"must be a whole number, 1 to {_MOST_DIGITS}"
        raise UserError(f"{field}.digits", shown(digits), allowed)
    return digits


def _number(field: str, given: object) -> tuple[Fraction, type[Quantity] | None]:
    """Return a plain number or a quantity in its smallest unit, and which quantity it is."""
    try:
        if isinstance(given, str):
            found = quantity(given)
            # What is no quantity of ours is refused as a time: most are.
            value: Quantity = Time.parse(given) if found is None else found
            return Fraction(value.amount), type(value)
        if isinstance(given, int | float) and not isinstance(given, bool):
            return exact(given), None
    except UserError as error:
        raise error.inside(field) from None
    allowed = 'must be a number or a quantity, such as "16 us"'
    raise UserError(field, shown(given), allowed)


def _named(made: type[Quantity] | None) -> str:
    return "a number" if made is None else f"{made.article} {made.dimension}"


def is_zero(value: object) -> bool:
    """Whether a value is the bare 0 that stands for any quantity."""
    return type(value) in (int, float) and value == 0
