"""Descriptions of other simulators, as experiments.

`booksim` reads the configuration files of BookSim2 [Jiang et al. 2013], `myrinet` those of the
Myrinet simulator of [Chen & Wyckoff], which it also writes.
"""

from __future__ import annotations

from .booksim import BookSim, read_booksim
from .myrinet import Myrinet, read_myrinet

__all__ = ["BookSim", "Myrinet", "read_booksim", "read_myrinet"]
