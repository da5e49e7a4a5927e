"""Traffic matrices that are written down in a file."""

from __future__ import annotations

import csv
from math import isfinite
from pathlib import Path

from ..errors import UserError, nearest, read_text, shown

_COLUMNS = ("source", "destination", "weight")

#: By source: destination and weight, in the order of the file.
Matrix = dict[int, dict[int, float]]


def read_matrix(path: Path, *, includes_self: bool = False) -> Matrix:
    """Read a CSV file with the columns ``source``, ``destination`` and ``weight``.

    Further columns and empty lines are ignored, and so are rows of weight zero. Raises `UserError`
    for a file that is missing or unreadable, a missing column, what is not a number, a pair that is
    there twice, and one of a node with itself.
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
    matrix: Matrix = {}
    for line, row in rows[1:]:
        texts = [row[place].strip() if place < len(row) else "" for place in places]
        source, destination = (_node(path, line, at, texts[at]) for at in (0, 1))
        weight = _weight(path, line, texts[2])
        if source == destination and not includes_self:
            allowed = "must be another node than the source"
            raise UserError(_place(path, line, "destination"), shown(destination), allowed)
        known = matrix.setdefault(source, {})
        if destination in known:
            allowed = f"has a row with source {source} already"
            raise UserError(_place(path, line, "destination"), shown(destination), allowed)
        if weight > 0:
            known[destination] = weight
    return matrix


def check_matrix(path: Path, matrix: Matrix, nodes: int) -> None:
    """Raise `UserError` for a node that is not there, and for one that sends to nobody."""
    named = {*matrix, *(to for row in matrix.values() for to in row)}
    if named and (largest := max(named)) >= nodes:
        allowed = f"names node {largest}; the last of the {nodes} nodes is {nodes - 1}"
        raise UserError(str(path), None, allowed)
    silent = next((node for node in range(nodes) if not matrix.get(node)), None)
    if silent is not None:
        allowed = f"has no weight above zero with source {silent}: every node sends"
        raise UserError(str(path), None, allowed)


def _node(path: Path, line: int, column: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        allowed = "must be the number of a node"
        raise UserError(_place(path, line, _COLUMNS[column]), shown(text), allowed)
    return int(text)


def _weight(path: Path, line: int, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not (isfinite(weight) and weight >= 0):
        raise UserError(_place(path, line, "weight"), shown(text), "must be a number from 0")
    return weight


def _place(path: Path, line: int, column: str) -> str:
    return f"{path}: {column} in line {line}"
