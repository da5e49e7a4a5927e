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
    single,
    sweeping,
    timelines,
)
from .options import HOMES, app

_ORDER = [*HOMES]
# What users need first is listed first, whatever the order of imports.
app.registered_commands.sort(
    key=lambda command: _ORDER.index(command.name or getattr(command.callback, "__name__", ""))
)

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
    "single",
    "sweeping",
    "timelines",
]
