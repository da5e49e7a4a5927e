"""What is run: four jobs at random places of two networks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRAWS = 60
"""Of places, for each network."""

_GRAPH = Path(__file__).parents[2] / "examples" / "leaf_spine.graphml"
_COMMON: dict[str, Any] = {
    "link": {"rate": "400 Gbit/s", "delay": "50 ns"},
    "switch": {"input_buffer": "32 KiB"},
    "interface": {"packet_size": "4 KiB"},
}
NETWORKS: dict[str, dict[str, Any]] = {
    "leaf-spine": {
        "topology": {"kind": "graph", "file": str(_GRAPH)},
        "routing": {"kind": "ecmp"},
    },
    "dragonfly": {
        "topology": {
            "kind": "dragonfly",
            "nodes_per_switch": 2,
            "switches_per_group": 4,
            "global_links": 2,
        },
    },
}
_NODES = {"leaf-spine": 32, "dragonfly": 72}


@dataclass(frozen=True)
class Case:
    """One draw of places on a network."""

    network: str
    seed: int

    @property
    def tables(self) -> dict[str, Any]:
        """Return the experiment."""
        share = _NODES[self.network] // 4
        # Each would take about 70 us without others.
        each = f"{3500 // (share - 1)} kB"
        workloads = {
            "ring": {"kind": "ring_allreduce", "size": "2 MB"},
            "small_ring": {"kind": "ring_allreduce", "size": "1 MB"},
            "shifted": _exchange("naive_shifted", each),
            "ascending": _exchange("naive_ascending", each),
        }
        jobs = [
            {"name": name, "share": share, "workload": workload}
            | {"placement": "random", "seed": self.seed}
            for name, workload in workloads.items()
        ]
        machine = _COMMON | NETWORKS[self.network]
        return {"machine": machine, "job": jobs}


def _exchange(order: str, size: str) -> dict[str, Any]:
    return {"kind": "complete_exchange", "send_order": order, "message_size": size}


def cases() -> Iterator[Case]:
    """Yield everything that is run."""
    for network in NETWORKS:
        for seed in range(1, DRAWS + 1):
            yield Case(network, seed)
