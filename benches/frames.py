"""The case of switches that forward frames: a complete exchange over leaves and spines.

1,024 nodes of 400 Gbit/s on 32 leaves, with 32 spines between them; all send 64 kB to all, pair by
pair, in frames of 4 kB. What is timed is its beginning.
"""

from __future__ import annotations

from typing import Any

from benches.case import Case, Goal

_NODES = 1024

_EXPERIMENT: dict[str, dict[str, Any]] = {
    "machine": {
        "preset": "gigabit_ethernet",
        "topology": {"kind": "xgft", "children": [32, 32], "parents": [32]},
        "link": {"rate": "400 Gbit/s", "delay": "15 ns"},
        "switch": {"forwarding": "per_port", "forwarding_time": "6 ns", "delay": "300 ns"},
        "routing": {"kind": "d_mod_k"},
        "interface": {"packet_size": "4000 B", "multicast": "unicast"},
    },
    "workload": {
        "kind": "program",
        "process": [
            {
                "node": node,
                "repeat": 1,
                "steps": [{"all_to_all": "64 kB", "algorithm": "pairwise"}],
            }
            for node in range(_NODES)
        ],
    },
    "run": {"fidelity": "packet"},
}

FRAMES = [
    Case(
        "frames 400G all-to-all",
        _EXPERIMENT,
        simulated_us=120,
        warmup_us=20,
        goals=(Goal("packet_hops_per_s", 5e6, 5e6),),
    )
]
