"""The values that one parameter of a sweep takes, as a list or a range."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UserError, shown, unknown_key
from ..expressions import exact
from ..units import Quantity, quantity
from .ranges import RANGE, Range, is_zero, read_range

#: Values of a range that are worked out at once; of a longer one as many at either end are checked.
_KEPT = 10_000


def axis(field: str, given: object) -> Sequence[object]:
    """Return the values of the list or range ``given`` at ``field`` of the file.

    Raises `UserError` for anything else, and for repeated values.
    """
    if isinstance(given, Mapping):
        return _of_range(field, given)
    if not isinstance(given, list):
        allowed = (
            f"must be a list of values ([{shown(given)}]), a range "
            "({from = 1, to = 4, step = 1}) or {computed = ...}"
        )
        raise UserError(field, shown(given), allowed)
    if not given:
        raise UserError(field, "[]", "is empty: there is nothing to run")
    values = tuple(given)
    _check_different(field, values, "is there twice")
    return values


def as_quantities(field: str, values: Sequence[object]) -> Sequence[object]:
    """Return the values of a name of [sweep.let], texts that are quantities as such.

    Raises `UserError` if they are of several dimensions.
    """
    if isinstance(values, Range):
        return values
    try:
        found = [quantity(value) if isinstance(value, str) else None for value in values]
    except UserError as error:
        raise error.inside(field) from None
    made = next((type(value) for value in found if value is not None), None)
    if made is None:
        return values
    for index, (value, given) in enumerate(zip(found, values, strict=True)):
        if type(value) is not made and not is_zero(given):
            allowed = f"must be {made.article} {made.dimension}, like the others"
            raise UserError(f"{field}[{index}]", shown(given), allowed)
    return tuple(made(0) if value is None else value for value in found)


def _of_range(field: str, given: Mapping[str, Any]) -> Sequence[object]:
    for key in given:
        if key not in RANGE:
            raise unknown_key(field, key, [*RANGE, "computed"])
    found = read_range(field, given)
    kept = [found] if len(found) <= _KEPT else [found[:_KEPT], found[-_KEPT:]]
    for values in kept:
        _check_different(field, values, "would be there twice; give a smaller count or more digits")
    return tuple(found) if len(found) <= _KEPT else found


def _check_different(field: str, values: Sequence[object], problem: str) -> None:
    """Raise `UserError` if a value is there twice, however it is written."""
    seen = set()
    for index, value in enumerate(values):
        try:
            same = json.dumps(_canonical(value), sort_keys=True, default=str)
        except UserError as error:
            raise error.inside(f"{field}[{index}]") from None
        if same in seen:
            raise UserError(field, shown(value), problem)
        seen.add(same)


def _canonical(value: object) -> object:
    """Return something for JSON that is the same for ``"1 us"`` and ``"1000 ns"``, 2 and 2.0."""
    if isinstance(value, str):
        value = quantity(value) or value
    if isinstance(value, Quantity):
        return {value.dimension: value.amount} if value.amount else 0
    if isinstance(value, float):
        number = exact(value)
        return int(number) if number.denominator == 1 else value
    return [_canonical(entry) for entry in value] if isinstance(value, list) else value
