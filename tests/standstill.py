"""Experiments whose packets come to wait for each other for ever."""

from __future__ import annotations

from typing import Any

#: A torus without a class of channels for each side of the dateline.
RING: dict[str, Any] = {
    "machine": {
        "preset": "wormhole_mesh",
        "topology": {"kind": "torus", "dims": [4, 4]},
        "switch": {"virtual_channels": 1},
        "routing": {"allow_deadlock": True},
    },
    "workload": {
        "preset": "uniform_open_loop",
        "message_size": "31 B",
        "compute_period": "30 ns",
    },
    "run": {"duration": "100 us"},
}
#: Nodes that ask each other, with places for one reply each, as in docs/switching.md.
ASKING: dict[str, Any] = {
    "machine": {
        "preset": "booksim_mesh",
        "topology": {"dims": [2, 2]},
        "switch": {"virtual_channels": 1},
        "interface": {"reply_queue": 1},
    },
    "workload": {
        "kind": "traffic",
        "traffic_class": [
            {
                "name": "read",
                "pattern": "neighbour",
                "message_size": "8 B",
                "period": "1 ns",
                "start": "together",
                "repeat": 2,
                "reply": "data",
                "max_outstanding": 2,
            },
            {"name": "data", "message_size": "512 B"},
        ],
    },
}
#: More nodes send to one than its switch has room for, and pauses come too late.
LOSING: dict[str, Any] = {
    "machine": {
        "topology": {"kind": "star", "nodes": 65},
        "link": {"rate": "25 Gbit/s", "delay": "1 us"},
        "interface": {"packet_size": "1000 B", "header": "48 B"},
        "switch": {
            "switching": "store_and_forward",
            "forwarding": "per_port",
            "memory": "50 kB",
            "pause": "all",
        },
    },
    "workload": {"kind": "fan_in", "message_size": "4 kB", "destination": 64},
}
