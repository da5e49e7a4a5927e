"""Sweeps: many experiments from one file, and how they are run."""

from __future__ import annotations

from .description import Point, Sweep

__all__ = ["Point", "Sweep"]
