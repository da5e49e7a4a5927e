"""Modules that are imported when they are first used, so that starting does not wait for them.

Type checkers see the import that it stands for::

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy_module("numpy")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Lazy:
    """Stands for a module, and imports it when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        # The next look-up finds it here.
        setattr(self, name, value)
        return value


def lazy_module(name: str) -> Any:
    """Return a stand-in for the module ``name`` that imports it on first use.

    Where the module is not installed, that use raises `ImportError`.
    """
    return _Lazy(name)
