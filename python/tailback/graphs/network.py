"""A network as a file describes it: switches, links in one direction, places of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..units import Rate
from .distances import distances

#: The class of links of which a file says none, if it says one of others.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Link:
    """The wires from one switch to another that take the same time."""

    source: int
    destination: int
    width: int
    """Parallel wires."""
    delay_ps: int | None = None
    """Time a flit is on them; None: as on the machine's links."""
    rate: Rate | None = None
    """Their rate; None: that of the machine's links."""
    port: int | None = None
    """By which port it leaves its switch; None: the file does not say."""
    at: int | None = None
    """The port of the switch that it leads to; None: the file does not say."""
    link_class: str | None = None
    """The class it is in; None: the file does not say."""


@dataclass(frozen=True, slots=True)
class NodeTimes:
    """What differs on the links of one node."""

    delay_ps: int | None = None
    """Time a flit is on them; None: as on the machine's links of nodes."""
    rate: Rate | None = None
    """Their rate; None: that of the machine's links of nodes."""


@dataclass(frozen=True)
class NetworkGraph:
    """Switches by number, with the names the file gives them, and how they are joined.

    Every node can reach every other.
    """

    switches: tuple[str, ...]
    nodes: tuple[str, ...]
    """Names of the nodes; a node that the file does not name is named after its switch."""
    links: tuple[Link, ...]
    """In order of source, then of ports, or where these are not known as in the file."""
    enters: tuple[int, ...]
    """The switch each node sends to."""
    leaves: tuple[int, ...]
    """The switch each node receives from."""
    positions: tuple[tuple[float, float], ...] | None = None
    """Where each switch is to be drawn, if the file says so."""
    node_ports: tuple[int, ...] | None = None
    """The port of its switch at which each node is, if the file says so of all nodes and links."""
    ignored: tuple[str, ...] = ()
    """Attributes that the file has and that have no effect."""
    node_times: tuple[NodeTimes, ...] | None = None
    """What differs on the links of each node; None: nothing on any."""

    @property
    def link_classes(self) -> tuple[str, ...]:
        """The classes that links are in, in the order in which they first occur; empty if in none.

        A link whose class the file does not say is then in class ``other``.
        """
        found = dict.fromkeys(link.link_class for link in self.links)
        named = [name for name in found if name is not None]
        return (*named, *((OTHER,) if named and None in found else ()))

    @property
    def ports(self) -> dict[tuple[int, int], tuple[int, int]]:
        """By switch and port: which of its links leaves by it, and where to; if ports are known."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        counted: dict[int, int] = {}
        for link in self.links:
            number = counted.get(link.source, 0)
            counted[link.source] = number + 1
            if link.port is not None:
                found[link.source, link.port] = number, link.destination
        return found

    def first_unreachable(self) -> tuple[str, str] | None:
        """Return the names of two nodes of which the first cannot reach the second, if any."""
        if self.enters != self.leaves:
            entries = {switch: node for node, switch in reversed(list(enumerate(self.enters)))}
            ahead = self._neighbours()
            for switch, node in entries.items():
                other = self._unreached(distances([switch], ahead.__getitem__), self.leaves, node)
                if other is not None:
                    return self.nodes[node], self.nodes[other]
            return None
        # All reach all if one does, and is reached by all.
        start = self.enters[0]
        ahead = self._neighbours()
        other = self._unreached(distances([start], ahead.__getitem__), self.leaves, 0)
        if other is not None:
            return self.nodes[0], self.nodes[other]
        behind = self._neighbours(back=True)
        other = self._unreached(distances([start], behind.__getitem__), self.enters, 0)
        return None if other is None else (self.nodes[other], self.nodes[0])

    def _neighbours(self, *, back: bool = False) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.switches]
        for link in self.links:
            ends = (link.destination, link.source) if back else (link.source, link.destination)
            found[ends[0]].append(ends[1])
        return found

    @staticmethod
    def _unreached(reached: Iterable[int], places: Sequence[int], but: int) -> int | None:
        known = set(reached)
        missing = (n for n, place in enumerate(places) if place not in known and n != but)
        return next(missing, None)
