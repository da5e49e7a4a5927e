"""What is run: three topologies at two sizes, and how many messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MESSAGES_PER_NODE = 10
LOAD = 0.3
"""Of what the link of a node carries."""

SIZE = "1 kB"
"""Of a message: one packet."""

RADIUS = 4
"""On the mesh: how far away destinations are at most, in each coordinate."""


@dataclass(frozen=True)
class Case:
    """A machine, and the messages on it."""

    topology: str
    keys: dict[str, Any]
    nodes: int
    near: bool = False
    """Whether destinations are nearby."""

    @property
    def messages(self) -> int:
        """Return how many messages are delivered: ten for each node, to the next thousand."""
        return MESSAGES_PER_NODE * round(self.nodes, -3)

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the experiment: the default machine on this topology."""
        near = {"radius": RADIUS} if self.near else {}
        workload = {"kind": "synthetic", "load": LOAD, "message_size": SIZE, **near}
        return {
            "machine": {"topology": {"kind": self.topology, **self.keys}},
            "workload": workload,
            "run": {"seed": 1},
        }


def _mesh(side: int) -> Case:
    return Case("mesh", {"dims": [side, side]}, side * side, near=True)


def _dragonfly(half: int, groups: int) -> Case:
    """Return a balanced dragonfly: twice as many switches as nodes or global links of each."""
    keys = {
        "nodes_per_switch": half,
        "switches_per_group": 2 * half,
        "global_links": half,
        "groups": groups,
    }
    return Case("dragonfly", keys, 2 * half * half * groups)


def _fat_tree(ports: int) -> Case:
    return Case("pod_fat_tree", {"switch_ports": ports}, ports**3 // 4)


#: By topology: a tenth of a million nodes, roughly, and a million.
CASES = (
    _mesh(316),
    _mesh(1000),
    _dragonfly(13, 300),
    _dragonfly(23, 946),
    _fat_tree(74),
    _fat_tree(160),
)
