"""Descriptions of other simulators, as experiments.

`booksim` reads the configuration files of BookSim2 [Jiang et al. 2013].
"""

from __future__ import annotations

from .booksim import BookSim, read_booksim

__all__ = ["BookSim", "read_booksim"]
