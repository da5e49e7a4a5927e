"""The colours of a map: sequential, each darker than the one before, on dark paper lighter.

Neighbours differ by a colour difference (CIEDE2000) of 10 or more for usual sight and for simulated
deuteranopia and protanopia [Machado et al. 2009], which a test computes.
"""

LIGHT = ("#f9d65c", "#ee992c", "#d6602e", "#ab3250", "#701a5e", "#200430")
"""On white paper, from little to much."""

DARK = ("#40240f", "#773a12", "#b3510f", "#e07a1f", "#f6ad4c", "#ffe7a6")
"""On black paper."""

STEPS = len(LIGHT)
