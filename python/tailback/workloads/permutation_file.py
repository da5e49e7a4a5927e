"""Permutations that are written down in a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..errors import UserError, nearest, read_text, shown

_COLUMNS = ("source", "destination")

#: Line in the file, source, destination.
Row = tuple[int, int, int]


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a CSV file with the columns ``source`` and ``destination``.

    Further columns and empty lines are ignored. Raises `UserError` for a file that is
    missing or unreadable, a missing column, and what is not a number.
    """
    lines = csv.reader(read_text(path).splitlines())
    try:
        rows = [(lines.line_num, row) for row in lines if row]
    except csv.Error as error:
        raise UserError(str(path), None, f"cannot be read: {error}") from None
    if not rows:
        raise UserError(str(path), None, "has no rows")
    names = [name.strip() for name in rows[0][1]]
    for column in _COLUMNS:
        if column not in names:
            raise UserError(str(path), None, f"has no column {column}", nearest(column, names))
    places = [names.index(column) for column in _COLUMNS]
    return tuple(
        (line, _number(path, line, 0, row, places), _number(path, line, 1, row, places))
        for line, row in rows[1:]
    )


def permutation_of(path: Path, rows: tuple[Row, ...], nodes: int) -> tuple[int, ...]:
    """Return for every node the node it sends to.

    Raises `UserError` unless each of the nodes is a source once and a destination once.
    """
    to: dict[int, int] = {}
    lines: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for line, *ends in rows:
        for column, node, known in zip(_COLUMNS, ends, lines, strict=True):
            if node >= nodes:
                allowed = f"must be at most {nodes - 1} (there are {nodes} nodes)"
                raise UserError(_place(path, line, column), shown(node), allowed)
            if node in known:
                allowed = f"is the {column} of line {known[node]} already"
                raise UserError(_place(path, line, column), shown(node), allowed)
            known[node] = line
        to[ends[0]] = ends[1]
    missing = next(_missing(to, nodes), None)
    if missing is not None:
        allowed = f"has no row with source {missing}: must have one for each of the {nodes} nodes"
        raise UserError(str(path), None, allowed)
    return tuple(to[node] for node in range(nodes))


def _missing(to: dict[int, int], nodes: int) -> Iterator[int]:
    return (node for node in range(nodes) if node not in to)


def _number(path: Path, line: int, column: int, row: list[str], places: list[int]) -> int:
    """Return the number of a node in a row."""
    text = row[places[column]].strip() if places[column] < len(row) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        allowed = "must be the number of a node"
        raise UserError(_place(path, line, _COLUMNS[column]), shown(text), allowed)
    return int(text)


def _place(path: Path, line: int, column: str) -> str:
    return f"{path}: {column} in line {line}"
