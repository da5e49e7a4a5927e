"""The program with all its commands."""

from __future__ import annotations

from . import (
    blaming,
    converting,
    explaining,
    exporting,
    importing,
    interfering,
    plotting,
    scheduling,
    sending,
    single,
    sweeping,
    timelines,
)
from .options import app

__all__ = [
    "app",
    "blaming",
    "converting",
    "explaining",
    "exporting",
    "importing",
    "interfering",
    "plotting",
    "scheduling",
    "sending",
    "single",
    "sweeping",
    "timelines",
]
