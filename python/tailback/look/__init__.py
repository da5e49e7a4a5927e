"""The page of `tailback look`: where the tailback is, when it began, and who causes it.

One HTML file with a map of the network, made from the tables of one run with blame. It needs a
browser and nothing else: no network, no other file.
"""

from __future__ import annotations

from .against import Against, check_same
from .flows import run_with_flows
from .model import KEPT, Look, check_drawable, kept_with, look_of
from .of_points import write_pages
from .rendering import html
from .writing import write_look

__all__ = [
    "KEPT",
    "Against",
    "Look",
    "check_drawable",
    "check_same",
    "html",
    "kept_with",
    "look_of",
    "run_with_flows",
    "write_look",
    "write_pages",
]
