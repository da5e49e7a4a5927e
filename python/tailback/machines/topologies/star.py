"""All nodes on one switch, and two nodes without any."""

from __future__ import annotations

from typing import Any, ClassVar

from ...parts import key
from .base import Topology

__all__ = ["Pair", "Star"]


class Pair(Topology):
    """Two nodes joined directly, without a switch."""

    kind: ClassVar[str] = "pair"

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind}


class Star(Topology):
    """One switch with all nodes on it."""

    kind: ClassVar[str] = "star"

    # A C104 has 32 links.
    nodes: int = key(default=32, ge=2, le=65_536, description="Number of nodes.")

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "nodes": self.nodes}
