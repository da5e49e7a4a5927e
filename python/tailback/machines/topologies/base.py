"""What all topologies have in common: switches, nodes, coordinates, classes of links."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from ...errors import UserError, joined, shown
from ...parts import Part, plain

#: Nodes of the largest machine.
MOST_NODES = 2**20

#: Routing for any switches and links with a way back.
ANYWHERE = ("up_down", "shortest", "valiant", "chaos", "deflection", "table", "source_routes")


class Topology(Part):
    """Who is wired to whom; the base of every kind."""

    section: ClassVar[str] = "machine.topology"
    kind: ClassVar[str]
    routings: ClassVar[tuple[str, ...]] = ()
    """The words that ``routing.kind`` may be; the first is meant if it is left out."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for nodes without coordinates."""
        return ()

    @property
    @abstractmethod
    def node_count(self) -> int:
        """Number of nodes."""

    @property
    @abstractmethod
    def switch_count(self) -> int:
        """Number of switches."""

    @property
    @abstractmethod
    def degree(self) -> int:
        """Links of the switch with most links to others (of a node where there is no switch)."""

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return True

    @property
    def typical_hops(self) -> int:
        """Channels between switches on a typical way (half the diameter), a rough figure."""
        return -(-sum(extent - 1 for extent in self.shape) // 2)

    @property
    def link_classes(self) -> tuple[str, ...]:
        """Names of the classes that links between switches fall into; empty if in none."""
        return ()

    @property
    def way_classes(self) -> int:
        """Classes of virtual channels of the one minimal way that there usually is."""
        return 1

    @property
    def has_several_ways(self) -> bool:
        """Whether there may be several ways that are equally short."""
        return True

    @property
    def is_direct(self) -> bool:
        """Whether every switch has one node of its own: nodes can be their own switches."""
        return False

    @property
    def links_one_way(self) -> str | None:
        """Which links lead one way only, in words; None if all have one that leads back."""
        return None

    def default_routing(self) -> str:
        """Return the kind of routing that is meant if none is named."""
        return self.routings[0]

    @abstractmethod
    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""

    def resolved(self) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        return {"kind": self.kind, **self.written()}

    def _check_nodes(self, key: str, most: int = MOST_NODES) -> None:
        """Refuse too many or too few nodes, which ``key`` is to blame for."""
        given, field = shown(plain(getattr(self, key))), joined(self.section, key)
        if self.node_count > most:
            raise UserError(field, given, f"is {self.node_count} nodes; must be at most {most}")
        if self.node_count < 2:
            raise UserError(field, given, "is one node; must be at least 2")
