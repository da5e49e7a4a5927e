"""Expressions in a sweep: read once, evaluated for every combination.

They are evaluated by simpleeval from a tree in which only numbers, texts,
names, lists, operators, comparisons and a few functions are left: they can
neither call nor reach anything of Python.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import simpleeval

from ..errors import UserError, choice, nearest, shown
from .amounts import TOO_LARGE, UNITS, impossible, kind, known
from .arithmetic import FUNCTIONS, OPERATORS
from .names import TRUTHS, resolved, words_of

_LONGEST = 1000
_SHOWN = 30

Lookup = Callable[[str], object]


@dataclass(frozen=True)
class Expression:
    """An expression at ``field`` of the file; ``names`` are the full names it uses."""

    field: str
    text: str
    names: tuple[str, ...]
    _tree: ast.expr
    _evaluator: Any

    def value(self, lookup: Lookup) -> object:
        """Return the value where ``lookup`` gives that of each name, as `amounts.known` does.

        Raises `UserError` if it cannot be calculated.
        """
        self._evaluator.names = {name: lookup(name) for name in self.names}
        try:
            return self._evaluator.eval(self.text, previously_parsed=self._tree)
        except ZeroDivisionError:
            raise self._wrong("divides by zero") from None
        except OverflowError:
            raise self._wrong(TOO_LARGE) from None
        except RecursionError:
            raise self._wrong("is nested too deeply") from None
        except UserError as error:
            raise self.mistake(error) from None

    def truth(self, lookup: Lookup) -> bool:
        """Return the value of a condition; raise `UserError` if it is none."""
        found = self.value(lookup)
        if not isinstance(found, bool):
            raise self._wrong(f"is {kind(found)}; must be true or false, such as n == 2")
        return found

    def mistake(self, error: UserError) -> UserError:
        """Return a mistake of calculating as one of this expression."""
        return UserError(self.field, shown(self.text), error.allowed, error.nearest)

    def _wrong(self, why: str) -> UserError:
        return self.mistake(impossible(why))


def parsed(field: str, text: object, own: Iterable[str]) -> Expression:
    """Return the expression written at ``field``; ``own`` are the names of [sweep.let].

    Raises `UserError`.
    """
    if not isinstance(text, str):
        raise UserError(field, shown(text), 'must be an expression in quotes, such as "4 / n"')
    try:
        reader = _Reader(own)
        tree = reader.visit(_tree(text))
    except RecursionError:
        raise UserError(field, shown(text), "is nested too deeply") from None
    except UserError as error:
        raise UserError(field, shown(text), error.allowed, error.nearest) from None
    evaluator = simpleeval.EvalWithCompoundTypes(operators=OPERATORS)
    evaluator.functions = {name: function for name, (function, _, _) in FUNCTIONS.items()}
    return Expression(field, text, tuple(reader.names), tree, evaluator)


def check_words(expression: Expression, words: Callable[[str], Iterable[str]]) -> None:
    """Raise `UserError` if a name is compared with a word it never is.

    ``words`` are further words a name may be, besides those of a parameter.
    """
    for node in ast.walk(expression._tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for side in sides:
            if isinstance(side, ast.Name):
                allowed = sorted({*words_of(side.id), *words(side.id)})
                _check_word(expression, side.id, allowed, sides)


def _check_word(expression: Expression, name: str, words: list[str], sides: list[ast.expr]) -> None:
    entries = [entry for side in sides for entry in getattr(side, "elts", [side])]
    for entry in entries:
        word = entry.value if isinstance(entry, ast.Constant) else None
        if isinstance(word, str) and words and word not in words:
            wrong = choice(name, word, words)
            why = f"{name} is never {shown(word)}: it {wrong.allowed}"
            raise UserError(expression.field, shown(expression.text), why, wrong.nearest)


def _tree(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise impossible(f"is longer than {_LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, SyntaxWarning, DeprecationWarning) as error:
        problem = getattr(error, "msg", None) or str(error)
        why = f"cannot be read ({problem}); quantities are written 2 * us"
        raise impossible(why) from None
    except (ValueError, MemoryError) as error:  # a null character; brackets by the hundred
        raise impossible(f"cannot be read ({error or 'nested too deeply'})") from None


class _Reader(ast.NodeTransformer):
    """Replaces names by full names, and units and constants by what they stand for."""

    def __init__(self, own: Iterable[str]) -> None:
        self.own = list(own)
        self.names: dict[str, None] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return the node with its parts read; refuse what expressions do not have."""
        if isinstance(node, _STRUCTURE) or type(node) in OPERATORS:
            return super().generic_visit(node)
        raise _foreign(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return the name of a parameter."""
        return self._name(_dotted(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the name, or the constant it stands for."""
        return self._name(node.id)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Return the constant as expressions know it."""
        value = node.value
        if not isinstance(value, bool | int | float | str):
            raise impossible(f"must not hold {value!r}")
        if value in (float("inf"),):
            raise impossible(TOO_LARGE)
        return ast.Constant(known(value))  # type: ignore[arg-type]

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Return the condition with its parts checked."""
        return ast.BoolOp(node.op, [_checked(self.visit(value)) for value in node.values])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Return the choice with its condition checked."""
        test, body, other = map(self.visit, (node.test, node.body, node.orelse))
        return ast.IfExp(_checked(test), body, other)

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
        full = resolved(name, self.own)
        self.names[full] = None
        return ast.Name(full, ast.Load())


_STRUCTURE = (
    ast.UnaryOp,
    ast.BinOp,
    ast.Compare,
    ast.List,
    ast.Load,
)


def _checked(condition: ast.expr) -> ast.expr:
    """Return a condition that is refused unless it is true or false: twice the opposite."""
    return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), condition))


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
    return impossible(f"must not hold {what}: only {parts}")
