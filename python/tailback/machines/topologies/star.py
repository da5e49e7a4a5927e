"""All nodes on one switch, and two nodes without any."""

from __future__ import annotations

from typing import Any, ClassVar

from ...parts import key
from .base import Topology


class Star(Topology):
    """One switch with all nodes on it."""

    kind: ClassVar[str] = "star"

    # A C104 has 32 links.
    nodes: int = key(default=32, ge=2, le=65_536, description="Number of nodes.")

    @property
    def node_count(self) -> int:
        """`nodes`."""
        return self.nodes

    @property
    def switch_count(self) -> int:
        """One."""
        return 1

    @property
    def degree(self) -> int:
        """One link per node: there is no other switch."""
        return 1

    @property
    def has_internal_channels(self) -> bool:
        """No channel joins two switches: there is one."""
        return False

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "nodes": self.nodes}


class Pair(Topology):
    """Two nodes joined directly, without a switch."""

    kind: ClassVar[str] = "pair"

    @property
    def node_count(self) -> int:
        """Two."""
        return 2

    @property
    def switch_count(self) -> int:
        """None."""
        return 0

    @property
    def degree(self) -> int:
        """One link."""
        return 1

    @property
    def has_internal_channels(self) -> bool:
        """No channel joins two switches: there are none."""
        return False

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind}
