"""Where nodes are, and what channels lead from and to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tailback.errors import one_line

if TYPE_CHECKING:
    import pyarrow as pa

Place = tuple[int, ...]
"""Coordinates of a node, x first."""

End = Place | str
"""Coordinates, or `node 5`, `switch 3` where there are none."""

_COORDINATE = re.compile(r"[xyz]|x\d+")


def node_places(nodes: pa.Table) -> list[Place]:
    """Return the coordinates of every node of a table of nodes, in its order.

    Where a machine has none, a node's number is its place.
    """
    names = [name for name in nodes.column_names if _COORDINATE.fullmatch(name)] or ["node"]
    return list(zip(*(nodes[name].to_pylist() for name in names), strict=True))


@dataclass(frozen=True)
class Ends:
    """The names of what channels lead from and to.

    Where nodes have coordinates, a switch has those of its node. Elsewhere there may be
    any number of nodes on a switch, so both have numbers, or the names that the file of a
    network gives them: `node 5`, `switch 3`, `library`.
    """

    places: list[Place] | None
    """None for a machine without coordinates."""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of each `node` and each `switch`, if a file gives them."""

    @classmethod
    def of(cls, nodes: pa.Table, names: Mapping[str, Sequence[str]]) -> Ends:
        """Return the ends of a machine with this table of nodes and these `Topology.labels`."""
        known = any(_COORDINATE.fullmatch(name) for name in nodes.column_names)
        return cls(node_places(nodes) if known else None, names)

    def of_channel(self, kind: str, source: int, destination: int) -> tuple[End, End]:
        """Return what a channel of a kind leads from and to."""
        if self.places is not None:
            return self.places[source], self.places[destination]
        first = "node" if kind in ("injection", "direct") else "switch"
        last = "node" if kind in ("ejection", "direct") else "switch"
        return self._named(first, source), self._named(last, destination)

    def _named(self, what: str, number: int) -> str:
        name = one_line(self.names[what][number]) if what in self.names else str(number)
        return f"{what} {name}" if name.isdigit() else name


def shown(place: End) -> str:
    """Return `(3, 12)`, or `switch 7`."""
    return place if isinstance(place, str) else f"({', '.join(map(str, place))})"


def in_json(place: End) -> list[int] | str:
    """Return `[3, 12]`, or `switch 7`."""
    return place if isinstance(place, str) else list(place)
