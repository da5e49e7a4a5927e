"""Conditions on runs, in the language of expressions: names are columns (see `names`).

    sync == 'asynchronous' and compute_period < 20 us
    theta_r < 0.9 or not settled
    dims in [[8, 8], [16, 16]] and 2 * throttling > internal_contention

A bare number is taken in the unit of the column it meets. Comparing with what is not known is
never true; `x == none` asks for it.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tailback.errors import UserError
from tailback.expressions import parsed
from tailback.expressions.columns import column_value, filter_of
from tailback.units import Quantity, Rate, Size, Time

from .names import column_named

#: The quantity of columns by the ends of their names, and the smallest units in theirs.
_COLUMN_UNITS: dict[str, tuple[type[Quantity], int]] = {
    "_ps": (Time, 1),
    "_us": (Time, 10**6),
    "_ms": (Time, 10**9),
    "_bytes": (Size, 1),
    "_mbit_per_s": (Rate, 10**6),
}


class Condition(NamedTuple):
    """A condition that was understood."""

    text: str
    expression: pc.Expression
    columns: frozenset[str]
    """Those it names."""


def where(frame: pa.Table, *conditions: str) -> pa.Table:
    """Return the rows for which all `conditions` hold.

    Raises `UserError` for one that cannot be understood.
    """
    for text in conditions:
        frame = frame.filter(condition(text, frame.schema).expression)
    return frame


def condition(text: str, schema: pa.Schema) -> Condition:
    """Return a condition on the columns of `schema`; raise `UserError` if there is none in it."""

    def resolve(name: str) -> str | None:
        if name == "none":
            return None
        try:
            return column_named(name, schema.names, "where")
        except UserError as error:
            # A name that is like no other may be a text whose quotes the shell has taken.
            quotes = "" if error.nearest else "; a text needs quotes"
            problem = f"{error.given}: {error.allowed}{quotes}"
            raise UserError("", None, problem, error.nearest) from None

    def lookup(name: str) -> object:
        unit = next((unit for end, unit in _COLUMN_UNITS.items() if name.endswith(end)), None)
        return column_value(name, schema.field(name).type, unit)

    read = parsed("where", text, resolve, literal=str)
    return Condition(text, filter_of(read.truth(lookup)), frozenset(read.names))
