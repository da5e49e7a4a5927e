"""The operators and functions of expressions.

Sums, products and whole powers are exact; roots that are not, logarithms and
other powers are floating point. What cannot be calculated raises `UserError`
with an empty field, or `ZeroDivisionError`, or `OverflowError`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ..errors import UserError
from .amounts import TOO_LARGE, Amount, Number, exact, impossible, kind

#: Digits (in base 2) of the longest number that is calculated with.
_LONGEST = 10_000
_ZERO = Amount(Fraction(0))


def _amounts(a: object, b: object, how: str) -> tuple[Amount, Amount]:
    if isinstance(a, Amount) and isinstance(b, Amount):
        return a, b
    raise impossible(f"cannot calculate {kind(a)} {how} {kind(b)}")


def _alike(a: object, b: object, how: str) -> tuple[Amount, Amount]:
    """Return two amounts of one dimension; a plain zero is of any, as in an experiment file."""
    first, second = _amounts(a, b, how)
    if (first.time, first.size) != (second.time, second.size):
        if first.plain and not first.value:
            first = Amount(Fraction(0), second.time, second.size)
        elif second.plain and not second.value:
            second = Amount(Fraction(0), first.time, first.size)
        else:
            raise impossible(f"cannot calculate {kind(a)} {how} {kind(b)}")
    return first, second


def _short(value: Number) -> Number:
    """Refuse a fraction whose digits would take time and memory."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise impossible(TOO_LARGE)
    elif value.numerator.bit_length() + value.denominator.bit_length() > _LONGEST:
        raise impossible(TOO_LARGE)
    return value


def add(a: object, b: object) -> Amount:
    """Return a + b."""
    first, second = _alike(a, b, "+")
    return Amount(_short(first.value + second.value), first.time, first.size)


def subtract(a: object, b: object) -> Amount:
    """Return a - b."""
    first, second = _alike(a, b, "-")
    return Amount(_short(first.value - second.value), first.time, first.size)


def multiply(a: object, b: object) -> Amount:
    """Return a * b."""
    first, second = _amounts(a, b, "*")
    value = _short(first.value * second.value)
    return Amount(value, first.time + second.time, first.size + second.size)


def divide(a: object, b: object) -> Amount:
    """Return a / b."""
    first, second = _amounts(a, b, "/")
    value = _short(first.value / second.value)
    return Amount(value, first.time - second.time, first.size - second.size)


def floor_divide(a: object, b: object) -> Amount:
    """Return how often b fits into a."""
    first, second = _alike(a, b, "//")
    return Amount(Fraction(first.value // second.value))


def remainder(a: object, b: object) -> Amount:
    """Return what is left of a when b has been taken away as often as it fits."""
    first, second = _alike(a, b, "%")
    return Amount(first.value % second.value, first.time, first.size)


def power(a: object, b: object) -> Amount:
    """Return a ** b; exact where b is whole."""
    base, exponent = _amounts(a, b, "**")
    if not exponent.plain:
        raise impossible(f"cannot calculate {kind(a)} ** {kind(b)}")
    value, times = base.value, exponent.value
    time, size = base.time * times, base.size * times
    if time != int(time) or size != int(size):
        raise impossible(f"is a root of {kind(a)}")
    if isinstance(value, Fraction) and times == int(times):
        digits = value.numerator.bit_length() + value.denominator.bit_length()
        if digits * _magnitude(times) > _LONGEST:
            raise impossible(TOO_LARGE)
        return Amount(value ** int(times), int(time), int(size))
    if value < 0 and times != int(times):
        raise impossible("is a root of a negative number")
    return Amount(_short(float(value) ** float(times)), int(time), int(size))


def negative(a: object) -> Amount:
    """Return -a."""
    value = _amount(a, "-")
    return Amount(-value.value, value.time, value.size)


def positive(a: object) -> Amount:
    """Return +a."""
    return _amount(a, "+")


def _amount(a: object, how: str) -> Amount:
    if isinstance(a, Amount):
        return a
    raise impossible(f"cannot calculate {how} {kind(a)}")


def absolute(a: object) -> Amount:
    """Return abs(a)."""
    value = _amount(a, "abs of")
    return Amount(_magnitude(value.value), value.time, value.size)


def _magnitude(value: Number) -> Number:
    return -value if value < 0 else value


def smallest(*values: object) -> Amount:
    """Return the smallest of the values, or of one list."""
    return _best(values, "min", lambda a, b: a.value < b.value)


def largest(*values: object) -> Amount:
    """Return the largest of the values, or of one list."""
    return _best(values, "max", lambda a, b: a.value > b.value)


def _best(values: Sequence[object], name: str, better: Callable[[Amount, Amount], bool]) -> Amount:
    entries = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if not entries:
        raise impossible(f"cannot calculate {name} of nothing")
    best = _amount(entries[0], f"{name} of")
    for other in entries[1:]:
        first, second = _alike(best, other, f"and {name} of")
        best = second if better(second, first) else first
    return best


def square_root(a: object) -> Amount:
    """Return the square root of a."""
    value = _amount(a, "sqrt of")
    if value.value >= 0 and isinstance(value.value, Fraction):
        above, below = math.isqrt(value.value.numerator), math.isqrt(value.value.denominator)
        if Fraction(above, below) ** 2 == value.value and not (value.time % 2 or value.size % 2):
            return Amount(Fraction(above, below), value.time // 2, value.size // 2)
    return power(value, Amount(Fraction(1, 2)))


def of_number(name: str, function: Callable[[Number], float]) -> Callable[[object], Amount]:
    """Return a function of expressions made from one of a plain number."""

    def applied(a: object) -> Amount:
        value = _plain(a, name)
        try:
            result = function(value)
        except ValueError:
            raise impossible(f"cannot calculate {name} of {float(value):g}") from None
        return Amount(result if isinstance(result, float) else Fraction(result))

    return applied


def rounded(a: object, digits: object = _ZERO) -> Amount:
    """Return a plain number rounded to `digits` after the point; halves go to the even digit."""
    places = _plain(digits, "round to")
    if places != int(places) or _magnitude(places) > 30:
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


def equal(a: object, b: object) -> bool:
    """Return whether a is b; things of different kinds are not, but dimensions must agree."""
    if isinstance(a, Amount) and isinstance(b, Amount):
        first, second = _compared(a, b)
        return first.value == second.value
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


def less(a: object, b: object) -> bool:
    """Return whether a is less than b."""
    first, second = _compared(a, b)
    return first.value < second.value


def contains(entries: object, a: object) -> bool:
    """Return whether a is one of a list."""
    if not isinstance(entries, list):
        raise impossible(f"looks for {kind(a)} in {kind(entries)}; write x in [1, 2]")
    return any(equal(entry, a) for entry in entries)


def opposite(a: object) -> bool:
    """Return not a."""
    if not isinstance(a, bool):
        raise impossible(f"needs true or false, not {kind(a)}")
    return not a


def _compared(a: object, b: object) -> tuple[Amount, Amount]:
    try:
        return _alike(a, b, "and")
    except UserError:
        raise impossible(f"cannot compare {kind(a)} with {kind(b)}") from None


#: The operators an expression may use.
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: divide,
    ast.FloorDiv: floor_divide,
    ast.Mod: remainder,
    ast.Pow: power,
    ast.USub: negative,
    ast.UAdd: positive,
    ast.Not: opposite,
    ast.Eq: equal,
    ast.NotEq: lambda a, b: not equal(a, b),
    ast.Lt: less,
    ast.GtE: lambda a, b: not less(a, b),
    ast.Gt: lambda a, b: less(b, a),
    ast.LtE: lambda a, b: not less(b, a),
    ast.In: lambda a, entries: contains(entries, a),
    ast.NotIn: lambda a, entries: not contains(entries, a),
}

#: The functions an expression may use, with the least and the most arguments.
FUNCTIONS: dict[str, tuple[Callable[..., Amount], int, int]] = {
    "abs": (absolute, 1, 1),
    "ceil": (of_number("ceil", math.ceil), 1, 1),
    "floor": (of_number("floor", math.floor), 1, 1),
    "log": (of_number("log", math.log), 1, 1),
    "log10": (of_number("log10", math.log10), 1, 1),
    "max": (largest, 1, 100),
    "min": (smallest, 1, 100),
    "round": (rounded, 1, 2),
    "sqrt": (square_root, 1, 1),
}
