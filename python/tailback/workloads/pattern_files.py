"""Patterns of traffic that are written down in a file: traffic matrices and permutations.

Matrices are read as other tools write them, too: a square of numbers, or a table of noxim.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from ..csv_files import cell_mistake, node_number, read_csv
from ..errors import UserError, line_mistake, read_text

_MATRIX = ("source", "destination", "weight")

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
    entries = plain_entries(path) or read_csv(path, _MATRIX).cells(_MATRIX)
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
    """Raise `UserError` for an unknown node, and where nobody sends."""
    named = {*matrix, *(to for row in matrix.values() for to in row)}
    if named and (largest := max(named)) >= nodes:
        allowed = f"names node {largest}; the last of the {nodes} nodes is {nodes - 1}"
        raise UserError(str(path), None, allowed)
    if not any(matrix.values()):
        raise UserError(str(path), None, "has no weight above zero: nobody sends")


def periods_of(matrix: Matrix, nodes: int) -> list[float]:
    """Return how many times the mean period each node has between its messages.

    Rates are in proportion to the sums of weights, and all nodes, silent ones too, send as often as
    asked for on average; of a silent node it is 1.
    """
    sums = [sum(matrix.get(node, {}).values()) for node in range(nodes)]
    mean = sum(sums) / nodes
    return [mean / own if own else 1.0 for own in sums]


def _weight(path: Path, line: int, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not (isfinite(weight) and weight >= 0):
        raise cell_mistake(path, line, "weight", text, "must be a number from 0")
    return weight


#: The line of an entry, and its source, destination and weight.
Entry = tuple[int, list[str]]

_LONGEST_ROW = 7
"""Of a table of noxim: source, destination, two rates and three times."""


def plain_entries(path: Path) -> list[Entry]:
    """Read a square of as many rows as columns, or rows of ``source destination [rate …]``.

    Nothing is returned for a file that begins with something else than numbers. A table of noxim is
    known by its comments with ``%`` or by not being square. Raises `UserError` for what is neither,
    and for flows that are not always there.
    """
    text = read_text(path)
    rows = list(_rows(text))
    if not rows or any(_number(word) is None for word in rows[0][1]):
        return []
    if {len(row) for _, row in rows} != {len(rows)} or "%" in text:
        return [_flow(path, line, row) for line, row in rows]
    if 1 < len(rows) <= _LONGEST_ROW and _could_be_flows(rows):
        allowed = "may be a matrix or a table of noxim: begin a table with a comment, % flows"
        raise UserError(str(path), None, allowed)
    return [
        (line, [str(source), str(destination), word])
        for source, (line, row) in enumerate(rows)
        for destination, word in enumerate(row)
        if source != destination or _number(word) != 0
    ]


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield lines with their numbers, as words without comments."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("%", 1)[0].split()
        if words:
            yield number, words


def _could_be_flows(rows: list[tuple[int, list[str]]]) -> bool:
    """Tell whether every row begins with the numbers of two nodes that differ."""
    return all(row[0].isdigit() and row[1].isdigit() and row[0] != row[1] for _, row in rows)


def _flow(path: Path, line: int, row: list[str]) -> Entry:
    if not 2 <= len(row) <= _LONGEST_ROW:
        allowed = f"must be a square of numbers, or have 2 to {_LONGEST_ROW} numbers in every line"
        raise UserError(f"{path}: line {line}", f"{len(row)} numbers", allowed)
    source, destination, rate, *rest = [*row, "1"][: max(3, len(row))]
    times = [_number(word) for word in rest[1:]]
    if len(times) > 1 and (times[0] or 0.0) >= 0 and not _is_always(times):
        allowed = "times of activity are not simulated: a flow must be there all the time"
        raise line_mistake(path, line, " ".join(rest[1:]), allowed)
    return line, [source, destination, rate]


def _is_always(times: list[float | None]) -> bool:
    """Tell whether a flow that begins, ends and repeats so is never off."""
    begin, end, *period = times
    return begin == 0 and end is not None and bool(period) and end >= (period[0] or 0.0)


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if isfinite(number) else None


_PERMUTATION = ("source", "destination")

#: Line in the file, source, destination.
Row = tuple[int, int, int]


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a CSV file with the columns ``source`` and ``destination``.

    Further columns and empty lines are ignored. Raises `UserError` for a file that is
    missing or unreadable, a missing column, and what is not a number.
    """
    return tuple(
        (
            line,
            node_number(path, line, "source", source),
            node_number(path, line, "destination", destination),
        )
        for line, (source, destination) in read_csv(path, _PERMUTATION).cells(_PERMUTATION)
    )


def permutation_of(path: Path, rows: tuple[Row, ...], nodes: int) -> tuple[int, ...]:
    """Return for every node the node it sends to.

    Raises `UserError` unless each of the nodes is a source once and a destination once.
    """
    to: dict[int, int] = {}
    lines: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for line, *ends in rows:
        for column, node, known in zip(_PERMUTATION, ends, lines, strict=True):
            if node >= nodes:
                allowed = f"must be at most {nodes - 1} (there are {nodes} nodes)"
                raise cell_mistake(path, line, column, node, allowed)
            if node in known:
                allowed = f"is the {column} of line {known[node]} already"
                raise cell_mistake(path, line, column, node, allowed)
            known[node] = line
        to[ends[0]] = ends[1]
    missing = next((node for node in range(nodes) if node not in to), None)
    if missing is not None:
        allowed = f"has no row with source {missing}: must have one for each of the {nodes} nodes"
        raise UserError(str(path), None, allowed)
    return tuple(to[node] for node in range(nodes))
