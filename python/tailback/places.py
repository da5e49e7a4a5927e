"""Where nodes are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

Place = tuple[int, ...]
"""Coordinates of a node, x first."""

_COORDINATE = re.compile(r"[xyz]|x\d+")


def node_places(nodes: pa.Table) -> list[Place]:
    """Return the coordinates of every node of a table of nodes, in its order.

    Where a machine has none, a node's number is its place.
    """
    names = [name for name in nodes.column_names if _COORDINATE.fullmatch(name)] or ["node"]
    return list(zip(*(nodes[name].to_pylist() for name in names), strict=True))


def shown(place: Place) -> str:
    """Return `(3, 12)`."""
    return f"({', '.join(map(str, place))})"
