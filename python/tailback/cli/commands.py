"""The program with all its commands."""

from __future__ import annotations

from . import (
    blaming,
    calibrating,
    converting,
    counting,
    explaining,
    exporting,
    failing,
    importing,
    interfering,
    looking,
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
    "calibrating",
    "converting",
    "counting",
    "explaining",
    "exporting",
    "failing",
    "importing",
    "interfering",
    "looking",
    "plotting",
    "scheduling",
    "sending",
    "single",
    "sweeping",
    "timelines",
]
