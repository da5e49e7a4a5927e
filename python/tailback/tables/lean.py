"""Arrow with less memory, for commands that read a folder of results and run no code of users."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder

import pyarrow as pa

_POOL = "jemalloc"
"""Gives memory back at once. What others keep is as much again as tables take."""


def be_lean() -> None:
    """Let Arrow keep less memory, and do without pandas.

    If pandas is installed, Arrow imports it to look for its arrays among what it is given: 40 MB
    and half a second.
    """
    if _POOL in pa.supported_memory_backends() and "ARROW_DEFAULT_MEMORY_POOL" not in os.environ:
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
