"""The colours of a map: sequential, each darker than the one before, on dark paper lighter.

Neighbours differ by a colour difference (CIEDE2000) of 10 or more for usual sight and for simulated
deuteranopia and protanopia [Machado et al. 2009], which a test computes.
"""

from __future__ import annotations

from tailback.figures.look import SCALE as LIGHT
from tailback.figures.look import SCALE_ON_DARK as DARK

__all__ = ["DARK", "LIGHT", "STEPS"]

STEPS = len(LIGHT)
