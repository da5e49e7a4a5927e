"""Columns of a table as values of expressions: calculated by Arrow, all rows at once.

Where a value is not known, what is calculated from it is not known either, and a comparison is
neither true nor false. Dividing by zero gives infinity.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..tables.frames import is_number
from ..units import Quantity
from .amounts import (
    TEXT,
    TRUTH,
    Amount,
    Column,
    dimensioned,
    impossible,
    is_constant,
    kind,
    written,
)

_UNKNOWN = "nothing known"
"""The kind of a column without a single value."""


def column_value(name: str, of: pa.DataType, unit: tuple[type[Quantity], int] | None) -> object:
    """Return the value of a column with values of a type.

    ``unit`` says that its numbers are quantities, and how many of the smallest units theirs is.
    """
    field = pc.field(name)
    if not is_number(of):
        unknown = _UNKNOWN if pa.types.is_null(of) else TEXT
        return _Values(field, TRUTH if pa.types.is_boolean(of) else unknown)
    is_whole = pa.types.is_integer(of)
    if unit is None:
        return Amount(_Numbers(field, Fraction(1), is_whole))
    quantity, size = unit
    one = dimensioned(quantity, Fraction(size))
    return Amount(_Numbers(field, one.value, is_whole), one.time, one.size, one.value)


def filter_of(found: object) -> pc.Expression:
    """Return a truth, as `Expression.truth` gives it, as an expression of Arrow."""
    return found.expression if isinstance(found, _Values) else pc.scalar(found)


def _compared(comparison: Callable[[Any, Any], Any]) -> Callable[[_Values, object], _Values]:
    """Return a comparison of a column with a text, a truth, a list or another column."""

    def applied(self: _Values, other: object) -> _Values:
        if isinstance(other, list) and self.kind != TRUTH and comparison is operator.eq:
            return self.is_list(other)
        kinds = {self.kind, kind(other)}
        if _UNKNOWN in kinds:
            return _Values(pc.scalar(pa.scalar(None, pa.bool_())), TRUTH)
        if len(kinds) > 1:
            raise impossible(f"cannot compare {self.kind} with {kind(other)}")
        second = other.expression if isinstance(other, _Values) else pc.scalar(other)
        return _Values(comparison(self.expression, second), TRUTH)

    return applied


@dataclass(frozen=True, eq=False)
class _Values(Column):  # noqa: PLW1641  # equal gives a column
    """A column of texts, of true and false, or without any value."""

    expression: pc.Expression
    kind: str

    __eq__ = _compared(operator.eq)  # type: ignore[assignment]
    __lt__ = _compared(operator.lt)
    __le__ = _compared(operator.le)
    __gt__ = _compared(operator.gt)
    __ge__ = _compared(operator.ge)

    def __and__(self, other: _Values) -> _Values:
        return _Values(self.expression & other.expression, TRUTH)

    def __or__(self, other: _Values) -> _Values:
        return _Values(self.expression | other.expression, TRUTH)

    def __invert__(self) -> _Values:
        return _Values(~self.expression, TRUTH)

    def is_none(self) -> _Values:
        """Return where there is no value."""
        return _Values(self.expression.is_null(), TRUTH)

    def is_list(self, entries: list[object]) -> _Values:
        """Return where the column holds a list, as JSON: its whole numbers with or without `.0`."""
        if not all(map(_is_plain, entries)):
            raise impossible("compares a column with a list of more than numbers and texts")
        given = [written(entry) for entry in entries]
        floats = [float(entry) if type(entry) is int else entry for entry in given]
        one, other = (self.expression == pc.scalar(json.dumps(each)) for each in (given, floats))
        return _Values(one | other, TRUTH)

    def chosen(self, first: Any, second: Any) -> _Numbers:
        """Return the numbers `first` where this is true, `second` where it is false."""
        one = first if isinstance(first, _Numbers) else _constant(first)
        other = second if isinstance(second, _Numbers) else _constant(second)
        expression = pc.if_else(self.expression, one.expression, one.beside(other))
        return _Numbers(expression, one.factor)


def _is_plain(entry: object) -> bool:
    """Whether an entry of a list is a text, a truth or a number without a unit."""
    if isinstance(entry, Amount):
        return entry.plain and is_constant(entry.value)
    return isinstance(entry, bool | str)


def _compared_numbers(
    comparison: Callable[[Any, Any], Any],
) -> Callable[[_Numbers, Any], _Values]:
    def applied(self: _Numbers, other: Any) -> _Values:
        if isinstance(other, _Numbers):
            is_whole = self.is_whole and other.is_whole and self.factor == other.factor
        else:
            is_whole = self.is_whole and (Fraction(other) / self.factor).denominator == 1
        sides = (self.expression, self.beside(other))
        if is_whole:
            return _Values(comparison(*sides), TRUTH)
        return _Values(_calculated(comparison, *sides), TRUTH)

    return applied


def _scalar(number: Fraction) -> pc.Expression:
    is_integer = number.denominator == 1 and abs(number) < 2**63
    return pc.scalar(int(number) if is_integer else float(number))


def _constant(number: Any) -> _Numbers:
    return _Numbers(_scalar(Fraction(number)), Fraction(1))


def _calculated(function: Callable[..., pc.Expression], *numbers: Any) -> pc.Expression:
    """Return what is calculated, in floats, so that nothing overflows or is cut off."""
    return function(*(number.cast(pa.float64(), safe=False) for number in numbers))


@dataclass(frozen=True, eq=False)
class _Numbers:  # noqa: PLW1641  # equal gives a column
    """The numbers of a column, each times a factor, which is above zero.

    The factor is kept apart so that a column compared in its own unit is not rounded.
    """

    expression: pc.Expression
    factor: Fraction
    is_whole: bool = False
    """Whether these are integers, which are compared exactly."""

    __eq__ = _compared_numbers(operator.eq)  # type: ignore[assignment]
    __lt__ = _compared_numbers(operator.lt)
    __le__ = _compared_numbers(operator.le)
    __gt__ = _compared_numbers(operator.gt)
    __ge__ = _compared_numbers(operator.ge)

    def is_none(self) -> _Values:
        """Return where there is no value."""
        return _Values(self.expression.is_null(), TRUTH)

    def times(self, factor: Fraction) -> pc.Expression:
        """Return the numbers in units of which one of its own are `factor`."""
        found = self.expression
        if factor.numerator != 1:
            found = _calculated(pc.multiply, found, _scalar(Fraction(factor.numerator)))
        if factor.denominator != 1:
            found = _calculated(pc.divide, found, _scalar(Fraction(factor.denominator)))
        return found

    def beside(self, other: Any) -> pc.Expression:
        """Return other numbers in units of the factor."""
        if isinstance(other, _Numbers):
            return other.times(other.factor / self.factor)
        return _scalar(Fraction(other) / self.factor)

    def _with(self, function: Callable[..., pc.Expression], other: Any) -> _Numbers:
        return _Numbers(_calculated(function, self.expression, self.beside(other)), self.factor)

    def _each(self, function: Callable[..., pc.Expression], *others: pc.Expression) -> _Numbers:
        return _Numbers(_calculated(function, self.times(self.factor), *others), Fraction(1))

    def __add__(self, other: Any) -> _Numbers:
        return self._with(pc.add, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Numbers:
        return self._with(pc.subtract, other)

    def __rsub__(self, other: Any) -> _Numbers:
        return (-self).__add__(other)

    def __neg__(self) -> _Numbers:
        return _Numbers(_calculated(pc.negate, self.expression), self.factor)

    def __abs__(self) -> _Numbers:
        return _Numbers(pc.abs(self.expression), self.factor)

    def __mul__(self, other: Any) -> _Numbers:
        if isinstance(other, _Numbers):
            found = _calculated(pc.multiply, self.expression, other.expression)
            return _Numbers(found, self.factor * other.factor)
        if other > 0:
            return _Numbers(self.expression, self.factor * Fraction(other))
        return -(self * -other) if other else self._with(pc.multiply, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Numbers:
        if isinstance(other, _Numbers):
            found = _calculated(pc.divide, self.expression, other.expression)
            return _Numbers(found, self.factor / other.factor)
        return self * (1 / Fraction(other)) if other else self._with(pc.divide, other)

    def __rtruediv__(self, other: Any) -> _Numbers:
        found = _calculated(pc.divide, _scalar(Fraction(other)), self.expression)
        return _Numbers(found, 1 / self.factor)

    def __floordiv__(self, other: Any) -> _Numbers:
        return _Numbers.each(self / other, "floor")

    def __rfloordiv__(self, other: Any) -> _Numbers:
        return _Numbers.each(other / self, "floor")

    def __mod__(self, other: Any) -> _Numbers:
        return self.__sub__(self // other * other)

    def __rmod__(self, other: Any) -> _Numbers:
        return _Numbers.__rsub__(other // self * self, other)

    def __pow__(self, times: Any) -> _Numbers:
        if times == int(times):
            power = _calculated(pc.power, self.expression, _scalar(Fraction(times)))
            return _Numbers(power, self.factor ** int(times))
        return self._each(pc.power, pc.scalar(float(times)))

    def __round__(self, digits: int) -> _Numbers:
        rounded = pc.round(self.times(self.factor), digits, "half_to_even")
        return _Numbers(rounded, Fraction(1))

    def each(self, name: str) -> _Numbers:
        """Return a function of every number, by its name in expressions."""
        return self._each(_FUNCTIONS[name])

    def best(self, name: str, other: Any) -> _Numbers:
        """Return the smaller (`min`) or the larger (`max`) of two in each row."""
        return self._with(partial(_FUNCTIONS[name], skip_nulls=False), other)


_FUNCTIONS: dict[str, Callable[..., pc.Expression]] = {
    "ceil": pc.ceil,
    "floor": pc.floor,
    "log": pc.ln,
    "log10": pc.log10,
    "max": pc.max_element_wise,
    "min": pc.min_element_wise,
}
