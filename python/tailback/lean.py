"""Arrow with less memory, for commands that read a folder of results and run no code of users."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder

from .memory import ARROW_POOL, is_glibc, set_allocation

_M_MMAP_THRESHOLD = -3
"""Of `mallopt`, as glibc numbers it."""
_OWN_PAGES = 512 << 10
"""Blocks of so many bytes and more are given back at once. By default glibc raises this to 32 MB
when large blocks are freed, and then keeps as much as columns take."""


def give_back_at_once() -> None:
    """Let Arrow and NumPy give all memory back at once; call it before Arrow is imported.

    Of 100,000 points, a table takes 193 MB instead of 223, and a second more of the system.
    """
    if is_glibc() and ARROW_POOL not in os.environ:
        set_allocation(_M_MMAP_THRESHOLD, _OWN_PAGES)
        os.environ[ARROW_POOL] = "system"


def be_lean() -> None:
    """Let Arrow keep less memory, and do without pandas.

    If pandas is installed, Arrow imports it to look for its arrays among what it is given: 40 MB
    and half a second.
    """
    import pyarrow as pa

    if ARROW_POOL not in os.environ and "jemalloc" in pa.supported_memory_backends():
        pa.set_memory_pool(pa.jemalloc_memory_pool())
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _WithoutPandas())
    try:
        pa.array([])  # Arrow looks for it once.
    finally:
        sys.meta_path.pop(0)


class _WithoutPandas(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        """Refuse pandas; others look for other modules."""
        if name == "pandas":
            raise ImportError(name)
