"""Timelines of one run for trace viewers: activities of processes, messages, channels."""

from __future__ import annotations

from .building import Counted, loads_of, packets_of, timeline
from .channels import Occupied, busiest
from .folding import folded
from .model import Instants, Slices, Timeline, Track
from .otf2 import write_archive
from .writing import FORMATS, content

__all__ = [
    "FORMATS",
    "Counted",
    "Instants",
    "Occupied",
    "Slices",
    "Timeline",
    "Track",
    "busiest",
    "content",
    "folded",
    "loads_of",
    "packets_of",
    "timeline",
    "write_archive",
]
