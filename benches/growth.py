"""How the cost of a packet-hop grows with the number of nodes, by topology.

The default machine with its usual routing, 4 kB messages at 30 % of what a node can send, after a
warm-up that fills the network.
"""

from __future__ import annotations

from typing import Any

from benches.case import Case

#: By topology and rough number of nodes: its keys, and microseconds that are timed and before that.
NETWORKS: dict[tuple[str, str], tuple[dict[str, Any], float, float]] = {
    ("mesh", "1k"): ({"dims": [32, 32]}, 50, 10),
    ("mesh", "16k"): ({"dims": [128, 128]}, 12, 12),
    ("mesh", "64k"): ({"dims": [256, 256]}, 3, 4),
    ("torus", "1k"): ({"dims": [32, 32]}, 50, 10),
    ("torus", "16k"): ({"dims": [128, 128]}, 12, 12),
    ("torus", "64k"): ({"dims": [256, 256]}, 3, 4),
    ("torus", "3-D 4k"): ({"dims": [16, 16, 16]}, 20, 8),
    ("torus", "3-D 64k"): ({"dims": [40, 40, 40]}, 3, 4),
    ("pod_fat_tree", "1k"): ({"switch_ports": 16}, 50, 10),
    ("pod_fat_tree", "16k"): ({"switch_ports": 40}, 8, 8),
    ("pod_fat_tree", "64k"): ({"switch_ports": 64}, 3, 4),
    ("dragonfly", "1k"): (
        {"nodes_per_switch": 4, "switches_per_group": 8, "global_links": 4, "groups": 33},
        50,
        10,
    ),
    ("dragonfly", "16k"): (
        {"nodes_per_switch": 8, "switches_per_group": 16, "global_links": 8, "groups": 129},
        8,
        8,
    ),
    ("dragonfly", "64k"): (
        {"nodes_per_switch": 11, "switches_per_group": 23, "global_links": 11, "groups": 254},
        3,
        4,
    ),
    ("hyperx", "4k"): ({"dims": [8, 8, 8], "nodes_per_switch": 8}, 16, 8),
    ("hyperx", "64k"): ({"dims": [16, 16, 16], "nodes_per_switch": 16}, 3, 4),
    ("slim_fly", "2k"): ({"q": 11, "nodes_per_switch": 8}, 32, 8),
    ("slim_fly", "13k"): ({"q": 29, "nodes_per_switch": 8}, 8, 8),
    ("slim_fly", "64k"): ({"q": 64, "nodes_per_switch": 8}, 3, 4),
}


def experiment(kind: str, keys: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the experiment on a topology."""
    return {
        "machine": {"topology": {"kind": kind, **keys}},
        "workload": {"kind": "synthetic", "load": 0.3, "message_size": "4 kB"},
        "run": {"seed": 1},
    }


GROWTH = [
    Case(f"growth {kind} {nodes}", experiment(kind, keys), timed_us + warmup_us, warmup_us)
    for (kind, nodes), (keys, timed_us, warmup_us) in NETWORKS.items()
]
