"""Permutations that are written down in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..csv_files import cell_mistake, node_number, read_csv
from ..errors import UserError

_COLUMNS = ("source", "destination")

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
        for line, (source, destination) in read_csv(path, _COLUMNS).cells(_COLUMNS)
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
                raise cell_mistake(path, line, column, node, allowed)
            if node in known:
                allowed = f"is the {column} of line {known[node]} already"
                raise cell_mistake(path, line, column, node, allowed)
            known[node] = line
        to[ends[0]] = ends[1]
    missing = next(_missing(to, nodes), None)
    if missing is not None:
        allowed = f"has no row with source {missing}: must have one for each of the {nodes} nodes"
        raise UserError(str(path), None, allowed)
    return tuple(to[node] for node in range(nodes))


def _missing(to: dict[int, int], nodes: int) -> Iterator[int]:
    return (node for node in range(nodes) if node not in to)
