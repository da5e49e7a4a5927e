"""What would be simulated, said without simulating."""

from __future__ import annotations

from .described import LoadedChannel, Prediction, Routed, describe
from .wires import channels_of_wires, wires_of

__all__ = [
    "LoadedChannel",
    "Prediction",
    "Routed",
    "channels_of_wires",
    "describe",
    "wires_of",
]
