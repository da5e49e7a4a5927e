"""Conditions on runs, as users write them.

    sync == 'asynchronous' and compute_period < 20 us
    theta_r < 0.9 or not settled
    dims in [[8, 8], [16, 16]] and 2 * throttling > internal_contention

They are read as Python expressions are, and never run: only comparisons,
`and`, `or`, `not`, `in`, sums, differences, products and quotients are known,
names are columns (see `names`). A quantity is converted to the unit of the
column it meets; a bare number is taken in the column's own unit. Comparing with
what is not known is never true; `x == none` asks for it.
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import acero

from tailback.errors import UserError, shown
from tailback.tables.frames import is_number
from tailback.units import Quantity, Rate, Size, Time

from .names import column_named

_LONGEST = 1000

#: The dimension and size of the units that end the names of columns.
_COLUMN_UNITS: dict[str, tuple[type[Quantity], int]] = {
    "_ps": (Time, 1),
    "_us": (Time, 10**6),
    "_ms": (Time, 10**9),
    "_bytes": (Size, 1),
    "_mbit_per_s": (Rate, 10**6),
}

_UNITS = sorted({unit for q in (Time, Size, Rate) for unit in q.units}, key=len, reverse=True)
_QUANTITY = re.compile(
    r"(?P<quoted>'[^']*'|\"[^\"]*\")"
    r"|(?<![\w.])(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    rf"\s*(?:\*\s*)?(?P<unit>{'|'.join(map(re.escape, _UNITS))})(?![\w/])"
    r"|(?<![\w.])(?P<reserved>class)(?![\w.])"
)
_PLACE = "quantity__"
_RESERVED = "reserved__"
"""In front of a column whose name is a word of Python."""

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SUMS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
#: What Arrow calls them where nothing is an error: dividing by zero is infinite.
_ARROW: dict[Callable[..., Any], Callable[..., pc.Expression]] = {
    operator.add: pc.add,
    operator.sub: pc.subtract,
    operator.mul: pc.multiply,
    operator.truediv: pc.divide,
    operator.neg: pc.negate,
}
_WORDS = {"true": True, "false": False, "none": None}


class Condition(NamedTuple):
    """A condition that was understood."""

    text: str
    expression: pc.Expression
    columns: frozenset[str]
    """What it asks for."""


def where(frame: pa.Table, *conditions: str) -> pa.Table:
    """Return the rows for which all `conditions` hold.

    Raises `UserError` for one that cannot be understood.
    """
    for text in conditions:
        frame = frame.filter(condition(text, frame.schema).expression)
    return frame


def condition(text: str, schema: pa.Schema) -> Condition:
    """Return a condition on the columns of `schema`; raise `UserError` if there is none in it."""
    try:
        term, columns = _understood(text, schema)
        if term.unit is not None or not isinstance(term.value, pc.Expression | bool):
            raise _Mistake("is no condition; compare it with something")
        expression = _expression(term.value)
        if not pa.types.is_boolean(_type(expression, schema.empty_table())):
            raise _Mistake("is no condition; compare it with something")
    except _Mistake as mistake:
        raise UserError("where", shown(text), mistake.text, mistake.nearest) from None
    except (pa.ArrowException, OverflowError):
        problem = "compares what cannot be compared, such as a text with a number"
        raise UserError("where", shown(text), problem) from None
    return Condition(text, expression, frozenset(columns))


def _type(expression: pc.Expression, empty: pa.Table) -> pa.DataType:
    """Return the type of what an expression gives; raise `ArrowException` if it has none."""
    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(empty))
    project = acero.ProjectNodeOptions([expression], ["_"])
    found = acero.Declaration.from_sequence([source, acero.Declaration("project", project)])
    return found.to_table(use_threads=False).schema.field("_").type


def _understood(text: str, schema: pa.Schema) -> tuple[_Term, set[str]]:
    if len(text) > _LONGEST:
        raise _Mistake(f"is longer than {_LONGEST} characters")
    quantities: list[Quantity] = []
    try:
        source = _QUANTITY.sub(lambda found: _placed(found, quantities), text)
        tree = ast.parse(source.strip(), mode="eval").body
        reader = _Reader(schema.empty_table(), quantities)
        return reader.read(tree), reader.columns
    except UserError as error:
        # A name that is like no other may be a text whose quotes the shell has taken.
        quotes = "" if error.nearest else "; a text needs quotes"
        unknown = error.field == "where"
        problem = f"{error.given}: {error.allowed}{quotes if unknown else ''}"
        raise _Mistake(problem, error.nearest) from None
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise _Mistake("cannot be read; write such as sync == 'asynchronous'") from None


def _placed(found: re.Match[str], quantities: list[Quantity]) -> str:
    """Put a name in the place of a quantity; leave what is quoted as it is."""
    if found["quoted"] is not None:
        return found[0]
    if found["reserved"] is not None:
        return f"{_RESERVED}{found[0]}"
    kind = next(q for q in (Time, Size, Rate) if found["unit"] in q.units)
    quantities.append(kind.parse(f"{found['number']} {found['unit']}"))
    return f" {_PLACE}{len(quantities) - 1} "


class _Mistake(Exception):  # noqa: N818  # becomes a UserError with the whole condition
    def __init__(self, text: str, nearest: str | None = None) -> None:
        super().__init__(text)
        self.text, self.nearest = text, nearest


@dataclass(frozen=True)
class _Term:
    """A part of a condition: an expression, in a unit if it has one, or a constant."""

    value: Any
    unit: str | None = None


class _Reader:
    """Turns a syntax tree into an expression of Arrow."""

    def __init__(self, empty: pa.Table, quantities: list[Quantity]) -> None:
        self.empty, self.quantities = empty, quantities
        self.columns: set[str] = set()

    def read(self, node: ast.expr) -> _Term:
        match node:
            case ast.BoolOp():
                return self._joined(node)
            case ast.Compare():
                return self._compared(node)
            case ast.UnaryOp():
                return self._turned(node)
            case ast.BinOp():
                return self._worked_out(node)
            case ast.Name() | ast.Attribute():
                return self._named(ast.unparse(node))
        return self._constant(node)

    def _constant(self, node: ast.expr) -> _Term:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return _Term(value)
            case ast.List() | ast.Tuple() | ast.Set():
                return _Term([self.read(entry) for entry in node.elts])
        raise _not_understood(node)

    def _turned(self, node: ast.UnaryOp) -> _Term:
        if isinstance(node.op, ast.Not):
            return _Term(~self._truth(node.operand))
        if not isinstance(node.op, ast.USub):
            raise _not_understood(node)
        term = self.read(node.operand)
        return _Term(_reckoned(operator.neg, self._number(term)), term.unit)

    def _named(self, name: str) -> _Term:
        if name.startswith(_PLACE):
            return _Term(self.quantities[int(name.removeprefix(_PLACE))])
        if name in _WORDS:
            return _Term(_WORDS[name])
        column = column_named(name.removeprefix(_RESERVED), self.empty.column_names, "where")
        self.columns.add(column)
        unit = next((unit for unit in _COLUMN_UNITS if column.endswith(unit)), None)
        return _Term(pc.field(column), unit)

    def _truth(self, node: ast.expr) -> pc.Expression:
        term = self.read(node)
        if term.unit is None and isinstance(term.value, pc.Expression | bool):
            expression = _expression(term.value)
            if pa.types.is_boolean(_type(expression, self.empty)):
                return expression
        raise _Mistake(f"{ast.unparse(node)} is neither true nor false")

    def _joined(self, node: ast.BoolOp) -> _Term:
        parts = [self._truth(part) for part in node.values]
        return _Term(reduce(operator.and_ if isinstance(node.op, ast.And) else operator.or_, parts))

    def _compared(self, node: ast.Compare) -> _Term:
        terms = [self.read(part) for part in (node.left, *node.comparators)]
        parts = [
            self._comparison(op, left, right)
            for op, left, right in zip(node.ops, terms, terms[1:], strict=False)
        ]
        return _Term(reduce(operator.and_, parts))

    def _comparison(self, op: ast.cmpop, left: _Term, right: _Term) -> Any:
        if isinstance(op, ast.In | ast.NotIn):
            found = self._among(left, right)
            return ~found if isinstance(op, ast.NotIn) else found
        if type(op) not in _COMPARISONS:
            raise _Mistake("is not understood; write == or !=")
        if right.value is None or left.value is None:
            return _is_none(op, left if right.value is None else right)
        a, b = _alike(left, right)
        return _COMPARISONS[type(op)](_expression(a), _expression(b))

    def _among(self, left: _Term, right: _Term) -> Any:
        if not isinstance(right.value, list):
            raise _Mistake("needs a list behind in, such as ['full', 'free']")
        pairs = (_alike(left, entry) for entry in right.value)
        parts = [_expression(a) == _expression(b) for a, b in pairs]
        return reduce(operator.or_, parts, pc.scalar(False))

    def _worked_out(self, node: ast.BinOp) -> _Term:
        left, right = self.read(node.left), self.read(node.right)
        if type(node.op) in _SUMS:
            a, b = (self._number(_Term(value)) for value in _alike(left, right))
            return _Term(_reckoned(_SUMS[type(node.op)], a, b), left.unit or right.unit)
        if isinstance(node.op, ast.Div):
            unit = left.unit
            if right.unit is not None or isinstance(right.value, Quantity):
                left, right = map(_Term, _alike(left, right))
                unit = None
            return _Term(_reckoned(operator.truediv, self._number(left), self._number(right)), unit)
        if isinstance(node.op, ast.Mult):
            if left.unit is not None and right.unit is not None:
                raise _Mistake(f"{ast.unparse(node)} has no unit that is known here")
            a, b = self._number(left), self._number(right)
            return _Term(_reckoned(operator.mul, a, b), left.unit or right.unit)
        raise _not_understood(node)

    def _number(self, term: _Term) -> Any:
        value = term.value
        if isinstance(value, pc.Expression):
            if is_number(_type(value, self.empty)):
                return value
            raise _Mistake("a column that holds no numbers cannot be reckoned with")
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise _Mistake(f"{value} cannot be reckoned with")


def _reckoned(operation: Callable[..., Any], *numbers: Any) -> Any:
    """Return what is worked out: of columns in floats, so that nothing overflows or truncates."""
    if not any(isinstance(number, pc.Expression) for number in numbers):
        return operation(*numbers)
    return _ARROW[operation](*(_expression(number).cast(pa.float64()) for number in numbers))


def _not_understood(node: ast.expr) -> _Mistake:
    return _Mistake(f"{ast.unparse(node)} is not understood; see docs/store.md")


def _alike(left: _Term, right: _Term) -> tuple[Any, Any]:
    """Return two values in the same unit; a list as the JSON text that columns have."""
    if isinstance(left.value, list) or isinstance(right.value, list):
        return _listed(left), _listed(right)
    if isinstance(left.value, Quantity) and isinstance(right.value, Quantity):
        if type(left.value) is not type(right.value):
            raise _Mistake(f"{left.value} and {right.value} cannot be compared")
        return left.value.amount, right.value.amount
    if isinstance(left.value, Quantity):
        return _in_unit(left.value, right.unit), right.value
    if isinstance(right.value, Quantity):
        return left.value, _in_unit(right.value, left.unit)
    if left.unit is None or right.unit is None or left.unit == right.unit:
        return left.value, right.value
    (dimension, size), (other, other_size) = _COLUMN_UNITS[left.unit], _COLUMN_UNITS[right.unit]
    if dimension is not other:
        raise _Mistake(f"a {dimension.dimension} and a {other.dimension} cannot be compared")
    return (
        _reckoned(operator.mul, left.value, size),
        _reckoned(operator.mul, right.value, other_size),
    )


def _listed(term: _Term) -> Any:
    """Return a list of constants as JSON text; anything else as it is."""
    if not isinstance(term.value, list):
        return term.value
    entries = [entry.value for entry in term.value]
    if not all(isinstance(entry, int | float | str) for entry in entries):
        raise _Mistake("a list can only hold numbers and texts here")
    return json.dumps(entries)


def _in_unit(quantity: Quantity, unit: str | None) -> float:
    """Return a quantity as a number in the unit of a column."""
    if unit is None:
        raise _Mistake(f"{quantity} is compared with what has no unit")
    dimension, size = _COLUMN_UNITS[unit]
    if not isinstance(quantity, dimension):
        raise _Mistake(f"{quantity} is compared with a {dimension.dimension}")
    return float(Fraction(quantity.amount, size))


def _expression(value: Any) -> pc.Expression:
    if isinstance(value, pc.Expression):
        return value
    if isinstance(value, int) and abs(value) >= 2**63:
        value = float(value)
    if not isinstance(value, bool | int | float | str):
        raise _Mistake(f"{value} cannot be compared")
    return pc.scalar(value)


def _is_none(op: ast.cmpop, term: _Term) -> pc.Expression:
    if not isinstance(term.value, pc.Expression) or not isinstance(op, ast.Eq | ast.NotEq):
        raise _Mistake("none can only be compared with == and !=")
    return term.value.is_null() if isinstance(op, ast.Eq) else term.value.is_valid()
