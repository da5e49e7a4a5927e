"""The grammar of expressions: read once, evaluated for every combination or table.

Python's parser reads a text, and a tree is kept in which only numbers, texts, names, lists,
operators, comparisons and a few functions are left: an expression can neither call nor reach
anything of Python. A quantity may be written `20 us`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import UserError, nearest, shown
from ..units import Frequency, Rate, Size, Time, quantity
from .amounts import TOO_LARGE, UNITS, impossible, kind, known
from .arithmetic import FUNCTIONS, OPERATORS, both, chosen, either, truth

_LONGEST = 1000
_SHOWN = 30

#: Truths as TOML writes them.
TRUTHS = {"true": True, "false": False}

Lookup = Callable[[str], object]
Resolve = Callable[[str], str | None]
"""Gives the full name of a name; None where it stands for no value. Raises `UserError`."""


@dataclass(frozen=True)
class Expression:
    """An expression at ``field``; ``names`` are the full names it uses, in order."""

    field: str
    text: str
    names: tuple[str, ...]
    _tree: ast.expr

    def value(self, lookup: Lookup) -> object:
        """Return the value where ``lookup`` gives that of each name, as `amounts.known` does.

        Raises `UserError` if it cannot be calculated.
        """
        values = {name: lookup(name) for name in self.names}
        try:
            return _evaluated(self._tree, values.__getitem__)
        except ZeroDivisionError:
            raise self._wrong("divides by zero") from None
        except OverflowError:
            raise self._wrong(TOO_LARGE) from None
        except RecursionError:
            raise self._wrong("is nested too deeply") from None
        except UserError as error:
            raise self.mistake(error) from None

    def truth(self, lookup: Lookup) -> object:
        """Return the value of a condition; raise `UserError` if it is none.

        It is true or false, or such a `Column` if a name is a column.
        """
        found = self.value(lookup)
        try:
            return truth(found)
        except UserError:
            why = f"is {kind(found)}; must be true or false, such as n == 2"
            raise self._wrong(why) from None

    def mistake(self, error: UserError) -> UserError:
        """Return a mistake of calculating as one of this expression."""
        return UserError(self.field, shown(self.text), error.allowed, error.nearest)

    def compared_words(self) -> Iterator[tuple[str, str]]:
        """Yield each name that is compared with a text, or looked for in texts, and the text."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                entries = [entry for side in sides for entry in getattr(side, "elts", [side])]
                for name in (side.id for side in sides if isinstance(side, ast.Name)):
                    for entry in entries:
                        if isinstance(entry, ast.Constant) and isinstance(entry.value, str):
                            yield name, entry.value

    def _wrong(self, why: str) -> UserError:
        return self.mistake(impossible(why))


def parsed(field: str, text: object, resolve: Resolve, *, literal: Lookup = known) -> Expression:
    """Return the expression written at ``field``; raise `UserError`.

    ``literal`` makes texts into values: `known` takes those that are quantities as such.
    """
    if not isinstance(text, str):
        raise UserError(field, shown(text), 'must be an expression in quotes, such as "4 / n"')
    try:
        reader = _Reader(resolve, literal)
        tree = reader.visit(_tree(text))
    except RecursionError:
        raise UserError(field, shown(text), "is nested too deeply") from None
    except UserError as error:
        raise UserError(field, shown(text), error.allowed, error.nearest) from None
    return Expression(field, text, tuple(reader.names), tree)


def _evaluated(node: ast.expr, lookup: Lookup) -> object:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return lookup(node.id)
    return _WAYS[type(node)](node, lookup)


def _operated(node: ast.BinOp, lookup: Lookup) -> object:
    left, right = _evaluated(node.left, lookup), _evaluated(node.right, lookup)
    return OPERATORS[type(node.op)](left, right)


def _turned(node: ast.UnaryOp, lookup: Lookup) -> object:
    return OPERATORS[type(node.op)](_evaluated(node.operand, lookup))


def _called(node: ast.Call, lookup: Lookup) -> object:
    assert isinstance(node.func, ast.Name)
    function, _, _ = FUNCTIONS[node.func.id]
    return function(*(_evaluated(argument, lookup) for argument in node.args))


def _selected(node: ast.IfExp, lookup: Lookup) -> object:
    condition = truth(_evaluated(node.test, lookup))
    if isinstance(condition, bool):
        return _evaluated(node.body if condition else node.orelse, lookup)
    return chosen(condition, _evaluated(node.body, lookup), _evaluated(node.orelse, lookup))


def _listed(node: ast.List, lookup: Lookup) -> object:
    return [_evaluated(entry, lookup) for entry in node.elts]


def _compared(node: ast.Compare, lookup: Lookup) -> object:
    found: object = True
    left = _evaluated(node.left, lookup)
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = _evaluated(comparator, lookup)
        found = both(found, OPERATORS[type(op)](left, right))
        if found is False:
            break
        left = right
    return found


def _joined(node: ast.BoolOp, lookup: Lookup) -> object:
    """Return the value of `and` or `or`; what follows a part that decides is not evaluated."""
    is_and = isinstance(node.op, ast.And)
    found: object = is_and
    for part in node.values:
        value = truth(_evaluated(part, lookup))
        found = both(found, value) if is_and else either(found, value)
        if isinstance(found, bool) and found is not is_and:
            break
    return found


_WAYS: dict[type[ast.expr], Callable[[Any, Lookup], object]] = {
    ast.BinOp: _operated,
    ast.BoolOp: _joined,
    ast.Call: _called,
    ast.Compare: _compared,
    ast.IfExp: _selected,
    ast.List: _listed,
    ast.UnaryOp: _turned,
}

#: Numbers with a unit, and what must not be taken for such: texts. `class` is a word of Python.
_UNIT_WORDS = sorted({u for q in (Time, Size, Rate, Frequency) for u in q.units}, key=len)
_QUANTITY = re.compile(
    r"'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    r"|(?<![\w.])(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    rf"\s*(?P<unit>{'|'.join(map(re.escape, reversed(_UNIT_WORDS)))})(?!\w)"
    r"|(?<![\w.])(?P<reserved>class)(?![\w.])",
    re.DOTALL,
)
_RESERVED = "reserved__"


def _spelt_out(found: re.Match[str]) -> str:
    """Return `20 us` as a product, and a word of Python as a name."""
    if found["reserved"] is not None:
        return f"{_RESERVED}{found[0]}"
    if found["unit"] is None:
        return found[0]
    number, unit = found["number"], found["unit"]
    quantity(f"{number} {unit}")
    return f"({number} * {unit})"


def _tree(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise impossible(f"is longer than {_LONGEST} characters")
    source = _QUANTITY.sub(_spelt_out, text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, SyntaxWarning, DeprecationWarning) as error:
        problem = getattr(error, "msg", None) or str(error)
        why = f"cannot be read ({problem}); examples: sync == 'asynchronous', 20 us / n"
        raise impossible(why) from None
    except (ValueError, MemoryError) as error:  # a null character; brackets by the hundred
        raise impossible(f"cannot be read ({error or 'nested too deeply'})") from None


class _Reader(ast.NodeTransformer):
    """Replaces names by full names, and units and constants by what they stand for."""

    def __init__(self, resolve: Resolve, literal: Lookup) -> None:
        self.resolve, self.literal = resolve, literal
        self.names: dict[str, None] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return the node with its parts read; refuse what expressions do not have."""
        if isinstance(node, ast.Tuple | ast.Set):
            node = ast.List(node.elts, ast.Load())
        if isinstance(node, _STRUCTURE) or type(node) in OPERATORS:
            return super().generic_visit(node)
        raise _foreign(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return the name of a parameter."""
        return self._name(_dotted(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the name, or the constant it stands for."""
        return self._name(node.id.removeprefix(_RESERVED))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Return the constant as expressions know it."""
        value = node.value
        if value is None:
            return self._name("none")
        if not isinstance(value, bool | int | float | str):
            raise impossible(f"must not contain {value!r}")
        if value in (float("inf"),):
            raise impossible(TOO_LARGE)
        made = self.literal(value) if isinstance(value, str) else known(value)
        return ast.Constant(made)  # type: ignore[arg-type]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Return a call of one of `FUNCTIONS` with as many values as it takes."""
        if not isinstance(node.func, ast.Name):
            raise _foreign(node)
        name, given = node.func.id, len(node.args)
        if name not in FUNCTIONS:
            found = nearest(name, FUNCTIONS)
            choice_of = "" if found else f"; known here: {', '.join(FUNCTIONS)}"
            raise UserError("", None, f"unknown function {name}{choice_of}", found)
        _, least, most = FUNCTIONS[name]
        if node.keywords or not least <= given <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise impossible(f"gives {name} {given} values; it takes {wanted}")
        arguments = [self.visit(argument) for argument in node.args]
        return ast.Call(ast.Name(name, ast.Load()), arguments, [])

    def _name(self, name: str) -> ast.expr:
        if name in UNITS or name in TRUTHS:
            return ast.Constant(UNITS.get(name, TRUTHS.get(name)))  # type: ignore[arg-type]
        if name in FUNCTIONS:
            raise impossible(f"{name} is a function: write {name}(...)")
        full = self.resolve(name)
        if full is None:
            return ast.Constant(None)
        self.names[full] = None
        return ast.Name(full, ast.Load())


_STRUCTURE = (*_WAYS, ast.boolop, ast.Load)


def _dotted(node: ast.Attribute) -> str:
    """Return the name that ``workload.sync`` is read as."""
    if isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    if isinstance(node.value, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    raise _foreign(node)


def _foreign(node: ast.AST) -> UserError:
    what = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
    what = what if len(what) <= _SHOWN else f"{what[: _SHOWN - 3]}..."
    parts = "numbers, names, + - * / // % **, comparisons, and, or, not, in, if else, lists"
    return impossible(f"must not contain {what}: only {parts}")
