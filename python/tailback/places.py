"""Where nodes are, and what channels lead from and to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
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


def grid_places(sides: Sequence[int]) -> list[Place]:
    """Return the coordinates of every switch of a grid, in order: the first dimension fastest."""
    return [place[::-1] for place in product(*map(range, reversed(sides)))]


@dataclass(frozen=True)
class Ends:
    """The names of what channels lead from and to.

    On a grid a switch has coordinates, and so has a node that is alone on its switch. Others
    have numbers, or names that the file of a network or its topology gives them: `node 5`,
    `switch 3`, `library`.
    """

    places: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    """Of each `switch`, and of each `node` if each has its own; empty without a grid."""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of each `node` and each `switch`, if they are given, see `Topology.labels`."""

    @classmethod
    def of(cls, nodes: pa.Table, names: Mapping[str, Sequence[str]]) -> Ends:
        """Return the ends of a machine with this table of nodes and these `Topology.labels`."""
        if not any(_COORDINATE.fullmatch(name) for name in nodes.column_names):
            return cls({}, names)
        return cls.on_grid(node_places(nodes), names)

    @classmethod
    def on_grid(
        cls, nodes: Sequence[Place], names: Mapping[str, Sequence[str]] | None = None
    ) -> Ends:
        """Return the ends of a grid whose nodes are at these coordinates, some at every switch."""
        sides = [max(along) + 1 for along in zip(*nodes, strict=True)]
        places = {"switch": grid_places(sides)}
        if len(set(nodes)) == len(nodes):
            places["node"] = list(nodes)
        return cls(places, names or {})

    def of_channel(self, kind: str, source: int, destination: int) -> tuple[End, End]:
        """Return what a channel of a kind leads from and to."""
        first = "node" if kind in ("injection", "direct") else "switch"
        last = "node" if kind in ("ejection", "direct") else "switch"
        return self.of_end(first, source), self.of_end(last, destination)

    def of_end(self, what: str, number: int) -> End:
        """Return where a `node` or a `switch` is, or what it is called."""
        if what in self.places:
            return self.places[what][number]
        name = one_line(self.names[what][number]) if what in self.names else str(number)
        return f"{what} {name}" if name.isdigit() else name


def shown(place: End) -> str:
    """Return `(3, 12)`, or `switch 7`."""
    return place if isinstance(place, str) else f"({', '.join(map(str, place))})"


def in_json(place: End) -> list[int] | str:
    """Return `[3, 12]`, or `switch 7`."""
    return place if isinstance(place, str) else list(place)
