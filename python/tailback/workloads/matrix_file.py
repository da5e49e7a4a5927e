"""Traffic matrices that are written down in a file."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from ..csv_files import cell_mistake, node_number, read_csv
from ..errors import UserError
from .matrix_text import plain_entries

_COLUMNS = ("source", "destination", "weight")

#: By source: destination and weight, in the order of the file.
Matrix = dict[int, dict[int, float]]


def read_matrix(path: Path, *, includes_self: bool = False) -> Matrix:
    """Read a CSV file with the columns ``source``, ``destination`` and ``weight``.

    Further columns and empty lines are ignored, and so are rows of weight zero. A square of numbers
    and a traffic table of noxim are read, too (`plain_entries`). Raises `UserError`
    for a file that is missing or unreadable, a missing column, what is not a number, a pair that is
    there twice, and one of a node with itself.
    """
    matrix: Matrix = {}
    entries = plain_entries(path) or read_csv(path, _COLUMNS).cells(_COLUMNS)
    for line, texts in entries:
        source = node_number(path, line, "source", texts[0])
        destination = node_number(path, line, "destination", texts[1])
        weight = _weight(path, line, texts[2])
        if source == destination and not includes_self:
            allowed = "must be another node than the source"
            raise cell_mistake(path, line, "destination", destination, allowed)
        known = matrix.setdefault(source, {})
        if destination in known:
            allowed = f"has a row with source {source} already"
            raise cell_mistake(path, line, "destination", destination, allowed)
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


def _weight(path: Path, line: int, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not (isfinite(weight) and weight >= 0):
        raise cell_mistake(path, line, "weight", text, "must be a number from 0")
    return weight
