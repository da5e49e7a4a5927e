"""One mode of an experiment, run to its stop rule."""

from __future__ import annotations

from .mode import plan, processes_of, run_mode

__all__ = [
    "plan",
    "processes_of",
    "run_mode",
]
