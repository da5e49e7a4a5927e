"""The cases of clocked switches: configurations of BookSim2, as ``tailback import`` has them.

A cycle is 1 ns and a flit 8 B, buffers hold 8 flits, credits take two cycles more, and both
allocators are iSLIP. Arrivals are Bernoulli.
"""

from __future__ import annotations

from typing import Any

from benches.case import Case

#: By name: topology and its sides, virtual channels, input speedup, flits of a packet, the pattern,
#: flits per node and cycle, and microseconds that are timed.
CONFIGURATIONS: dict[str, tuple[str, list[int], int, int, int, str, float, float]] = {
    "mesh 8x8 transpose": ("mesh", [8, 8], 8, 2, 20, "transpose", 0.24, 100),
    "mesh 16x16": ("mesh", [16, 16], 8, 1, 4, "uniform", 0.2, 16),
    "torus 8x8": ("torus", [8, 8], 2, 1, 2, "uniform", 0.15, 60),
    "torus 32x32": ("torus", [32, 32], 4, 1, 4, "uniform", 0.08, 10),
}

#: Before what is timed.
WARMUP_US = 3


def experiment(name: str) -> dict[str, dict[str, Any]]:
    """Return the experiment of a configuration."""
    kind, dims, channels, speedup, flits, pattern, load, _ = CONFIGURATIONS[name]
    payload = f"{8 * (flits - 1)} B"
    return {
        "machine": {
            "clock": "1 GHz",
            "topology": {"kind": kind, "dims": dims},
            "link": {
                "rate": "64 Gbit/s",
                "flit": "8 B",
                "delay": "1 cycle",
                "credit_delay": "2 cycles",
            },
            "switch": {
                "switching": "wormhole",
                "virtual_channels": channels,
                "input_buffer": "64 B",
                "allocator": "islip",
                "vc_allocator": "islip",
                "route_delay": "0 cycles",
                "traversal_delay": "1 cycle",
                "input_speedup": speedup,
            },
            "routing": {"kind": "dimension_order"},
            "interface": {"packet_size": payload, "header": "8 B", "local": "switch"},
        },
        "workload": {
            "preset": "uniform_open_loop",
            "pattern": pattern,
            "message_size": payload,
            "compute_period": f"{round(flits / load * 1e3)} ps",
            "start": "together",
            "compute_distribution": "geometric",
            "compute_slot": "1 ns",
        },
        "run": {"seed": 1},
    }


CLOCKED = [
    Case(f"clocked {name}", experiment(name), timed[-1] + WARMUP_US, WARMUP_US)
    for name, timed in CONFIGURATIONS.items()
]
