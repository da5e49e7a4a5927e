"""What would be simulated, said without simulating."""

from __future__ import annotations

from .described import LoadedChannel, Prediction, Routed, describe

__all__ = [
    "LoadedChannel",
    "Prediction",
    "Routed",
    "describe",
]
