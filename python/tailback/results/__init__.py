"""What one run measured."""

from __future__ import annotations

from .result import BINS, CLASS_VARIABLES, Ending, Result, percentiles_of

__all__ = [
    "BINS",
    "CLASS_VARIABLES",
    "Ending",
    "Result",
    "percentiles_of",
]
