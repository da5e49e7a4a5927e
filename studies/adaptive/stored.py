"""Where the sweeps of this study are, and what came of them."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent
SWEEPS = _FOLDER / "sweeps"
"""What is run: an experiment file with a sweep for each."""
STORES = _FOLDER / "stores"
"""What came of it: a store for each sweep, under its name."""
