"""What would be simulated, said without simulating."""

from __future__ import annotations

from .described import Prediction, Routed, describe

__all__ = [
    "Prediction",
    "Routed",
    "describe",
]
