"""The operators and functions of expressions.

Numbers are calculated exactly in sums, products and whole powers; inexact roots, logarithms and
other powers are floating point. Columns are calculated as `columns` says. What cannot be
calculated raises `UserError` with an empty field, or `ZeroDivisionError`, or `OverflowError`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from .amounts import (
    TOO_LARGE,
    TRUTH,
    Amount,
    Column,
    Number,
    exact,
    impossible,
    is_constant,
    kind,
    known,
)

#: Digits (in base 2) of the longest number that is calculated with.
_LONGEST = 10_000
_ZERO = Amount(Fraction(0))


def _amount(a: object, how: str) -> Amount:
    found = known(a) if isinstance(a, str) else a
    if isinstance(found, Amount):
        return found
    raise impossible(f"cannot calculate {how} {kind(a)}")


def _amounts(a: object, b: object, how: str) -> tuple[Amount, Amount]:
    first, second = (known(each) if isinstance(each, str) else each for each in (a, b))
    if isinstance(first, Amount) and isinstance(second, Amount):
        return first, second
    raise impossible(f"cannot calculate {kind(a)} {how} {kind(b)}")


def _alike(a: object, b: object, problem: str) -> tuple[Amount, Amount]:
    """Return two amounts of one dimension; else refuse them with `problem`, which names both."""
    first, second = (known(each) if isinstance(each, str) else each for each in (a, b))
    if isinstance(first, Amount) and isinstance(second, Amount):
        first, second = first.beside(second), second.beside(first)
        if (first.time, first.size) == (second.time, second.size):
            return first, second
    raise impossible(problem.format(kind(a), kind(b)))


def _short(value: Number) -> Number:
    """Refuse a fraction whose digits would take time and memory."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise impossible(TOO_LARGE)
    elif isinstance(value, Fraction) and _digits(value) > _LONGEST:
        raise impossible(TOO_LARGE)
    return value


def _digits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _sum(sign: str, calculated: Callable[[Any, Any], Number]) -> Callable[[object, object], Amount]:
    """Return the operator that adds, subtracts, or leaves a remainder."""

    def applied(a: object, b: object) -> Amount:
        first, second = _alike(a, b, f"cannot calculate {{}} {sign} {{}}")
        return first.with_value(_short(calculated(first.value, second.value)))

    return applied


def multiply(a: object, b: object) -> Amount:
    """Return a * b."""
    first, second = _amounts(a, b, "*")
    value = _short(first.value * second.value)
    unit = second.unit if first.plain else first.unit if second.plain else None
    return Amount(value, first.time + second.time, first.size + second.size, unit)


def divide(a: object, b: object) -> Amount:
    """Return a / b."""
    first, second = _amounts(a, b, "/")
    value = _short(first.value / second.value)
    unit = first.unit if second.plain else None
    if first.plain and second.unit is not None:
        unit = 1 / second.unit
    return Amount(value, first.time - second.time, first.size - second.size, unit)


def floor_divide(a: object, b: object) -> Amount:
    """Return how often b fits into a."""
    first, second = _alike(a, b, "cannot calculate {} // {}")
    found = first.value // second.value
    return Amount(Fraction(found) if isinstance(found, int | float) else found)


def power(a: object, b: object) -> Amount:
    """Return a ** b; exact where b is whole."""
    base, exponent = _amounts(a, b, "**")
    if not exponent.plain:
        raise impossible(f"cannot calculate {kind(a)} ** {kind(b)}")
    value, times = base.value, exponent.value
    if not is_constant(times):
        raise impossible("has a column as a power; a power must be one number")
    time, size = base.time * times, base.size * times
    if time != int(time) or size != int(size):
        raise impossible(f"is a root of {kind(a)}")
    if not is_constant(value):
        return Amount(value**times, int(time), int(size))
    if isinstance(value, Fraction) and times == int(times):
        if _digits(value) * abs(times) > _LONGEST:
            raise impossible(TOO_LARGE)
        return Amount(value ** int(times), int(time), int(size))
    if value < 0 and times != int(times):
        raise impossible("is a root of a negative number")
    return Amount(_short(float(value) ** float(times)), int(time), int(size))


def negative(a: object) -> Amount:
    """Return -a."""
    value = _amount(a, "-")
    return value.with_value(-value.value)


def positive(a: object) -> Amount:
    """Return +a."""
    return _amount(a, "+")


def absolute(a: object) -> Amount:
    """Return abs(a)."""
    value = _amount(a, "abs of")
    return value.with_value(abs(value.value))


def _best(name: str, better: Callable[[Any, Any], Any]) -> Callable[..., Amount]:
    """Return the function that chooses among several values, or those of one list."""

    def chosen(a: Amount, b: object) -> Amount:
        first, second = _alike(a, b, f"cannot calculate {name} of {{}} and {{}}")
        for one, other in ((first, second), (second, first)):
            if not is_constant(one.value):
                return one.with_value(one.value.best(name, other.value))
        return second if better(second.value, first.value) else first

    def applied(*values: object) -> Amount:
        entries: Sequence[object] = values
        if len(values) == 1 and isinstance(values[0], list):
            entries = values[0]
        if not entries:
            raise impossible(f"cannot calculate {name} of nothing")
        return reduce(chosen, entries[1:], _amount(entries[0], f"{name} of"))

    return applied


def square_root(a: object) -> Amount:
    """Return the square root of a."""
    value = _amount(a, "sqrt of")
    if isinstance(value.value, Fraction) and value.value >= 0:
        above, below = math.isqrt(value.value.numerator), math.isqrt(value.value.denominator)
        if Fraction(above, below) ** 2 == value.value and not (value.time % 2 or value.size % 2):
            return Amount(Fraction(above, below), value.time // 2, value.size // 2)
    return power(value, Amount(Fraction(1, 2)))


def _of_number(name: str, function: Callable[[Any], float]) -> Callable[[object], Amount]:
    """Return a function of expressions made from one of a plain number; columns know its name."""

    def applied(a: object) -> Amount:
        value = _plain(a, name)
        if not is_constant(value):
            return Amount(value.each(name))
        try:
            result = function(value)
        except ValueError:
            raise impossible(f"cannot calculate {name} of {float(value):g}") from None
        return Amount(result if isinstance(result, float) else Fraction(result))

    return applied


def rounded(a: object, digits: object = _ZERO) -> Amount:
    """Return a plain number rounded to `digits` after the point; halves go to the even digit."""
    places = _plain(digits, "round to")
    if not is_constant(places) or places != int(places) or abs(places) > 30:
        raise impossible("rounds to a number of digits that is not whole, or above 30")
    number = _plain(a, "round")
    if isinstance(number, float):
        return Amount(exact(round(number, int(places))))
    return Amount(round(number, int(places)))


def _plain(a: object, name: str) -> Number:
    value = _amount(a, f"{name} of")
    if not value.plain:
        example = f"{name}(x / us) * us"
        raise impossible(f"cannot calculate {name} of {kind(a)}; write {example}, for example")
    return value.value


def _is_column(a: object) -> bool:
    return isinstance(a, Column) or (isinstance(a, Amount) and not is_constant(a.value))


def _comparison(compared: Callable[[Any, Any], Any]) -> Callable[[object, object], Any]:
    """Return a comparison of two amounts, or of a column with what its values are."""

    def applied(a: object, b: object) -> Any:
        if isinstance(a, Column) or isinstance(b, Column):
            return compared(a, b)
        first, second = _alike(a, b, "cannot compare {} with {}")
        return compared(first.value, second.value)

    return applied


def equal(a: object, b: object) -> Any:
    """Return whether a is b.

    Values of different kinds are not, except that quantities of different dimensions and
    columns of another kind cannot be compared.
    """
    if a is None or b is None:
        value: Any = a if b is None else b
        column = value.value if isinstance(value, Amount) else value
        return column.is_none() if _is_column(value) else value is None
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if _is_column(a) or _is_column(b) or (isinstance(a, Amount) and isinstance(b, Amount)):
        return _same(a, b)
    return type(a) is type(b) and a == b


_same = _comparison(operator.eq)


def contains(entries: object, a: object) -> Any:
    """Return whether a is one of a list."""
    if not isinstance(entries, list):
        raise impossible(f"cannot look for {kind(a)} in {kind(entries)}; write x in [1, 2]")
    found: Any = False
    for entry in entries:
        found = either(found, equal(entry, a))
        if found is True:
            break
    return found


def truth(a: object) -> Any:
    """Return what is true or false; refuse anything else."""
    if isinstance(a, bool) or (isinstance(a, Column) and a.kind == TRUTH):
        return a
    raise impossible(f"needs true or false, not {kind(a)}")


def opposite(a: object) -> Any:
    """Return not a."""
    found = truth(a)
    return not found if isinstance(found, bool) else ~found


def both(a: Any, b: Any) -> Any:
    """Return a and b, which are truths."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, bool):
            return other if one else False
    return a & b


def either(a: Any, b: Any) -> Any:
    """Return a or b, which are truths."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, bool):
            return True if one else other
    return a | b


def chosen(condition: Any, a: object, b: object) -> object:
    """Return a or b in each row of a column of truths: numbers of one dimension."""
    first, second = _alike(a, b, "cannot choose between {} and {}")
    return first.with_value(condition.chosen(first.value, second.value))


#: The operators an expression may use.
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _sum("+", operator.add),
    ast.Sub: _sum("-", operator.sub),
    ast.Mult: multiply,
    ast.Div: divide,
    ast.FloorDiv: floor_divide,
    ast.Mod: _sum("%", operator.mod),
    ast.Pow: power,
    ast.USub: negative,
    ast.UAdd: positive,
    ast.Not: opposite,
    ast.Eq: equal,
    ast.NotEq: lambda a, b: opposite(equal(a, b)),
    ast.Lt: _comparison(operator.lt),
    ast.GtE: _comparison(operator.ge),
    ast.Gt: _comparison(operator.gt),
    ast.LtE: _comparison(operator.le),
    ast.In: lambda a, entries: contains(entries, a),
    ast.NotIn: lambda a, entries: opposite(contains(entries, a)),
}

#: The functions an expression may use, with the least and the most arguments.
FUNCTIONS: dict[str, tuple[Callable[..., Amount], int, int]] = {
    "abs": (absolute, 1, 1),
    "ceil": (_of_number("ceil", math.ceil), 1, 1),
    "floor": (_of_number("floor", math.floor), 1, 1),
    "log": (_of_number("log", math.log), 1, 1),
    "log10": (_of_number("log10", math.log10), 1, 1),
    "max": (_best("max", operator.gt), 1, 100),
    "min": (_best("min", operator.lt), 1, 100),
    "round": (rounded, 1, 2),
    "sqrt": (square_root, 1, 1),
}
