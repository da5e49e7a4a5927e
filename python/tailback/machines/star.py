"""All nodes on one switch."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .switched import SwitchedMachine


class Star(SwitchedMachine, init=False):
    """One switch with all nodes on it."""

    topology: Literal["star"] = "star"
    # A C104 has 32 links.
    nodes: int = Field(default=32, ge=2, le=65_536, description="Number of nodes.")

    @property
    def shape(self) -> tuple[int, ...]:
        """The nodes of a star have no coordinates."""
        return ()

    @property
    def degree(self) -> int:
        """One link per node: there is no other switch."""
        return 1

    @property
    def has_internal_channels(self) -> bool:
        """No channel joins two switches: there is one."""
        return False

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology, "nodes": self.nodes}
