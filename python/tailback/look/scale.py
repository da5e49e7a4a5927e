"""The colours of a map: sequential, each darker than the one before, on dark paper lighter.

Neighbours differ by a colour difference (CIEDE2000) of 10 or more for usual sight and for simulated
deuteranopia and protanopia [Machado et al. 2009], which a test computes.
"""

from __future__ import annotations

from tailback.figures.look import SCALE as LIGHT
from tailback.figures.look import SCALE_ON_DARK as DARK

__all__ = ["CHANGE_DARK", "CHANGE_LIGHT", "DARK", "LIGHT"]

CHANGE_LIGHT = ("#123f85", "#4a8fd0", "#a9d0ee", "#f2b36b", "#c8571b", "#5c1d04")
"""Differences on white paper, from much less to much more; all of them differ as neighbours do."""

CHANGE_DARK = ("#c4e2ff", "#5ba0e0", "#1f5394", "#7a3608", "#d8741f", "#ffd59a")
"""On black paper."""
