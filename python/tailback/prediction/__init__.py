"""What would be simulated, said without simulating."""

from __future__ import annotations

from .described import LoadedChannel, Prediction, Routed, describe
from .wires import wires_of

__all__ = [
    "LoadedChannel",
    "Prediction",
    "Routed",
    "describe",
    "wires_of",
]
