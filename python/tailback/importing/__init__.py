"""Descriptions of other simulators, as experiments.

`booksim` reads the configuration files of BookSim2 [Jiang et al. 2013], `myrinet` those of the
Myrinet simulator of [Chen & Wyckoff], which it also writes; `cluster` networks from files of tools
and simulators; `others` what plugins can read.
"""

from __future__ import annotations

from .booksim import BookSim, read_booksim
from .cluster import Imported, import_network
from .myrinet import Myrinet, read_myrinet
from .others import Foreign, read_foreign

__all__ = [
    "BookSim",
    "Foreign",
    "Imported",
    "Myrinet",
    "import_network",
    "read_booksim",
    "read_foreign",
    "read_myrinet",
]
