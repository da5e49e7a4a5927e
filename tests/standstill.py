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
