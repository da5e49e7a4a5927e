"""A machine as seen by its load maps: nodes, and groups of parallel channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailback.places import Ends, Place, shown

from .labels import CHANNEL_MEASURES

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_PS_IN_US = 1e6
_NAMES = "xyz"


@dataclass(frozen=True, slots=True)
class Group:
    """A hunt group: all parallel channels from one place to another."""

    kind: str
    """`injection`, `internal`, `ejection` or `direct`."""
    source: int
    """Number of the node it comes from, or of the switch."""
    destination: int
    dimension: int
    """-1 if it has none."""
    direction: int
    """1 up its dimension, -1 down, 0 where it has none."""
    width: int
    """How many channels."""


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes with their coordinates, and groups of channels in order of their first channel."""

    places: tuple[Place, ...]
    coordinates: tuple[str, ...]
    """Names of the coordinates; empty for a machine without."""
    groups: tuple[Group, ...]
    group_of: Ints
    """Number of the group of every channel."""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of nodes and switches, see `Topology.labels`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent along each coordinate; empty for a machine without coordinates."""
        if not self.coordinates:
            return ()
        return tuple(max(along) + 1 for along in zip(*self.places, strict=True))

    @cached_property
    def _order(self) -> Ints:
        """Numbers of the channels, group by group."""
        return np.argsort(self.group_of, kind="stable")

    @cached_property
    def _starts(self) -> Ints:
        """Where each group begins in `_order`."""
        return np.flatnonzero(np.diff(self.group_of[self._order], prepend=-1))

    @cached_property
    def _widths(self) -> Floats:
        return np.array([group.width for group in self.groups], dtype=np.float64)

    @cached_property
    def _ends(self) -> Ends:
        if not self.coordinates:
            return Ends({}, self.labels)
        return Ends.on_grid(self.places, self.labels)

    @property
    def lies_on_grid(self) -> bool:
        """Whether every node has coordinates of its own, those of its switch."""
        return "node" in self._ends.places

    def node(self, node: int) -> str:
        """Return `node (3, 4)`, or `node 7` where it has no coordinates of its own."""
        end = self._ends.of_end("node", node)
        return end if isinstance(end, str) else f"node {shown(end)}"

    def ends(self, group: Group) -> tuple[str, str]:
        """Return what a group leads from and to: `(3, 4)`, or `switch 7`."""
        source, destination = self._ends.of_channel(group.kind, group.source, group.destination)
        return shown(source), shown(destination)

    def measures(self, columns: Mapping[str, NDArray[np.number]]) -> dict[str, Floats]:
        """Return each measure of every group, from the columns of every channel.

        Shares are averaged over the channels of a group; waits are means over
        the packets of the whole group, NaN where there were none.
        """

        def total(name: str) -> Floats:
            values = np.asarray(columns[name], dtype=np.float64)
            sums: Floats = np.add.reduceat(values[self._order], self._starts)
            return sums

        packets = total("packets") * _PS_IN_US
        waits = {
            "throttling_us": "wait_throttling_ps",
            "internal_contention_us": "wait_internal_ps",
        }
        found = {name: total(name) / self._widths for name in ("utilisation", "held")}
        for name, column in waits.items():
            waited = total(column)
            found[name] = np.full(waited.shape, np.nan)
            np.divide(waited, packets, out=found[name], where=packets > 0)
        return {name: found[name] for name in CHANNEL_MEASURES}


def network_of(
    nodes: Mapping[str, NDArray[np.number]],
    channels: Mapping[str, NDArray[np.generic]],
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Network:
    """Return a machine from the columns of its tables of nodes and channels; `Topology.labels`."""
    names = tuple(name for name in nodes if is_coordinate(name))
    along = [nodes[name].astype(int).tolist() for name in names or ("node",)]
    ends = ("kind", "from_node", "to_node", "dimension", "direction")
    keys = list(zip(*(channels[name].tolist() for name in ends), strict=True))
    numbers: dict[tuple[object, ...], int] = {}
    group_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    widths = np.bincount(group_of, minlength=len(numbers)).tolist()
    groups = [
        Group(str(kind), int(a), int(b), int(dimension), int(direction), width)  # type: ignore[call-overload]
        for (kind, a, b, dimension, direction), width in zip(numbers, widths, strict=True)
    ]
    places = tuple(zip(*along, strict=True))
    return Network(places, names, tuple(groups), group_of, labels or {})


def dimension_name(dimension: int) -> str:
    """Return `x`, `y`, `z`, `x3` and so on."""
    return _NAMES[dimension] if dimension < len(_NAMES) else f"x{dimension}"


def is_coordinate(name: str) -> bool:
    """Whether a column of nodes is one of their coordinates: `x`, `y`, `z`, `x3` and so on."""
    return name in _NAMES or (name[0] == "x" and name[1:].isdigit())
