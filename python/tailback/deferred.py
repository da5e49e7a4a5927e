"""Libraries that are imported when they are first used, so that starting does not wait for them.

if TYPE_CHECKING:
import numpy as np
else:
np = deferred("numpy")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Deferred:
    """Stands for a module; imports it when it is first asked for one of its names."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        # The next look-up finds it here and does not come this way.
        setattr(self, name, value)
        return value


def deferred(name: str) -> Any:
    """Return what stands for the module of this name until one of its names is used.

    Where the module is not installed, that use raises `ImportError`.
    """
    return _Deferred(name)
