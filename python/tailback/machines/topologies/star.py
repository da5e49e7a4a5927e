"""All nodes on one switch, and two nodes without any."""

from __future__ import annotations

from typing import ClassVar

from ...parts import key
from .base import Topology

__all__ = ["Pair", "Star"]


class Pair(Topology):
    """Two nodes joined directly, without a switch."""

    kind: ClassVar[str] = "pair"


class Star(Topology):
    """One switch with all nodes on it."""

    kind: ClassVar[str] = "star"
    also: ClassVar[str] = "crossbar"

    # A C104 has 32 links.
    nodes: int = key(engine=True, default=32, between=(2, 65_536), description="Number of nodes.")
