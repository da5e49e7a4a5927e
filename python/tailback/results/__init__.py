"""What one run measured."""

from __future__ import annotations

from .of_messages import BINS, PERCENTS, Fared, Untold, percentiles_of
from .result import CLASS_VARIABLES, Ending, Result

__all__ = [
    "BINS",
    "CLASS_VARIABLES",
    "PERCENTS",
    "Ending",
    "Fared",
    "Result",
    "Untold",
    "percentiles_of",
]
