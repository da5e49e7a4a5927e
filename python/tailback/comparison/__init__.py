"""Runs of one experiment, compared: with and without contention, jobs together and alone."""

from __future__ import annotations

from .of_modes import (
    MODES,
    WAITING,
    Cost,
    WaitingChannel,
    chosen_modes,
    compare,
    cost,
    ratio_of,
    slowdown,
)

__all__ = [
    "MODES",
    "WAITING",
    "Cost",
    "WaitingChannel",
    "chosen_modes",
    "compare",
    "cost",
    "ratio_of",
    "slowdown",
]
