"""What would be simulated, said without simulating."""

from __future__ import annotations

from .described import STEPS, LoadedChannel, Prediction, Routed, describe
from .wires import wires_of

__all__ = [
    "STEPS",
    "LoadedChannel",
    "Prediction",
    "Routed",
    "describe",
    "wires_of",
]
