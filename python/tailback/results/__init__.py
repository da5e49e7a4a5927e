"""What one run measured."""

from __future__ import annotations

from .of_messages import PERCENTS, Fared, Untold
from .result import CLASS_VARIABLES, Ending, Result

__all__ = [
    "CLASS_VARIABLES",
    "PERCENTS",
    "Ending",
    "Fared",
    "Result",
    "Untold",
]
