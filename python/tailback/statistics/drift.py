"""Whether a series that should be stationary drifts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tailback.lazy import lazy_module

from .batches import MIN_BATCHES, Floats
from .quantiles import student_t
from .ratios import variance_of_sum

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

DRIFT_CONFIDENCE = 0.9998
"""A stationary series of independent batches is called drifting in one of 5000 cases.

Where neighbours depend on each other for long it is oftener: an autoregressive series of 100
samples whose neighbours correlate by 0.9 in one of 100 (`tests/unit/test_drift.py`).
"""


def drifts(numerator: Floats, denominator: Floats) -> bool:
    """Return whether the ratio of two series has a trend that chance does not explain.

    Student's t of the slope of a straight line through the residuals numerator - value *
    denominator, to either side. How much chance does is taken from the variance of sums of what
    the line leaves of the residuals, by batches as in `ratio_of_sums`, since neighbours depend on
    each other [Vogelsang 1998, with batches]; without the line: a trend would hide itself. With
    fewer than twice `MIN_BATCHES` samples nothing is said.
    """
    t, degrees = trend(numerator, denominator)
    return degrees > 0 and abs(t) > student_t(DRIFT_CONFIDENCE, degrees)


def trend(numerator: Floats, denominator: Floats) -> tuple[float, int]:
    """Return Student's t of the slope, and its degrees of freedom; none where nothing is known."""
    total, n = float(np.sum(denominator)), len(numerator)
    if total == 0.0 or n < 2 * MIN_BATCHES:
        return 0.0, 0
    residuals = numerator - float(np.sum(numerator)) / total * denominator
    place = np.arange(n) - (n - 1) / 2
    square = float((place**2).sum())
    slope = float((place * residuals).sum()) / square
    variance, batches = variance_of_sum(np.asarray(residuals - slope * place, dtype=np.float64))
    if variance == 0.0:
        return (0.0 if slope == 0.0 else math.copysign(math.inf, slope)), batches - 2
    return slope * math.sqrt(square * n / variance), batches - 2
