"""The configuration files of BookSim2: `key = value;`, comments from `//` to the end of the line.

A value is a number, a word, text in quotes, or a list in braces, which may lie in each other.
Of a key that is given twice the last counts, as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError, line_mistake, read_text, shown

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMMENT = re.compile(r"//[^\n]*")
_STATEMENT = re.compile(r"[^;]*;?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Given:
    """A value as the file has it."""

    text: str
    place: str
    """File, key and line, for mistakes."""

    def refused(self, allowed: str) -> UserError:
        """Return the mistake that it is."""
        return UserError(self.place, shown(self.text), allowed)


def read_statements(path: Path) -> dict[str, Given]:
    """Return what a file gives, by key. Raises `UserError`."""
    text = read_text(path)
    # Comments become spaces, so that places stay.
    text = _COMMENT.sub(lambda found: " " * len(found.group()), text)
    statements: dict[str, Given] = {}
    for found in _STATEMENT.finditer(text):
        statement = found.group()
        if not statement.strip():
            continue
        begun = found.start() + len(statement) - len(statement.lstrip())
        line = text.count("\n", 0, begun) + 1
        name, value = _parted(path, line, statement)
        statements[name] = Given(value, f"{path}: {name} in line {line}")
    if not statements:
        raise UserError(str(path), None, "has no statements, such as k = 8;")
    return statements


def read_changes(changes: Iterable[str]) -> dict[str, Given]:
    """Return what is said behind the file, as on BookSim2's command line: `key=value`."""
    found = {}
    for change in changes:
        name, value = _parted(Path("KEY=VALUE"), 1, f"{change.rstrip(';')};")
        found[name] = Given(value, f"{name} on the command line")
    return found


def elements(value: str) -> list[str]:
    """Return the elements of a list in braces, which may be lists; of another value itself.

    As in BookSim2, elements that are empty are left out.
    """
    if not value.startswith("{"):
        return [value] if value else []
    found, depth = [""], 0
    for letter in value[1:]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [text for one in found if (text := one.strip())]


def called(value: str) -> tuple[str, list[str]]:
    """Return a word and its parameters: `hotspot({{1,9},{1,3}})` has two, both of them lists."""
    name, bracket, rest = value.partition("(")
    if not bracket:
        return name.strip(), []
    inner, _, _ = rest.rpartition(")")
    return name.strip(), elements((inner or rest).strip())


def _parted(path: Path, line: int, statement: str) -> tuple[str, str]:
    """Return the two sides of a statement."""
    one_line = " ".join(statement.split())
    if not statement.endswith(";"):
        raise line_mistake(path, line, one_line, "must end with a semicolon")
    name, equals, value = (side.strip() for side in one_line[:-1].partition("="))
    if not equals or not _NAME.fullmatch(name):
        raise line_mistake(path, line, one_line, "must be a statement, such as k = 8;")
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    value = value[1:-1] if quoted else value
    if not value and not quoted:
        raise UserError(f"{path}: {name} in line {line}", None, "must have a value")
    if "=" in value:
        raise line_mistake(path, line, one_line, "must end with a semicolon before the next key")
    if value.count("{") != value.count("}"):
        raise UserError(f"{path}: {name} in line {line}", shown(value), "must close its braces")
    return name, value
