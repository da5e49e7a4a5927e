"""The language of expressions and conditions in sweeps and in selections from stores.

One grammar and one set of operators and functions (`language`, `arithmetic`), applied to values
of one combination of a sweep (`amounts`) or to whole columns of a table (`columns`).
"""

from __future__ import annotations

from .amounts import UNITS, exact, known, written
from .arithmetic import FUNCTIONS
from .language import TRUTHS, Expression, parsed

__all__ = ["FUNCTIONS", "TRUTHS", "UNITS", "Expression", "exact", "known", "parsed", "written"]
