"""Timelines of one run: what processes did when, and messages between them, for viewers."""

from __future__ import annotations

from .building import loads_of, timeline
from .model import Instants, Slices, Timeline, Track
from .otf2 import write_archive
from .writing import FORMATS, content

__all__ = [
    "FORMATS",
    "Instants",
    "Slices",
    "Timeline",
    "Track",
    "content",
    "loads_of",
    "timeline",
    "write_archive",
]
