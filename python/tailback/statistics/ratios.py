"""What a long-run ratio is, and how well it is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tailback.lazy import lazy_module

from .batches import MIN_BATCHES, Floats, batch_size, latest_batches
from .estimates import Estimate
from .quantiles import student_t

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

_SIZE_FACTORS = (1.19, 1.41, 1.68, 2.0)


def ratio_of_sums(numerator: Floats, denominator: Floats, confidence: float) -> Estimate:
    """Return sum(numerator) / sum(denominator) of a stationary series, with its interval.

    Batch means of the residuals numerator - value * denominator
    [Law, Simulation Modeling and Analysis, ch. 9: ratio estimators by batches].
    The batch size is doubled until the residuals of neighbouring batches show
    no significant positive correlation, or `MIN_BATCHES` would be undercut;
    then until at most `MAX_BATCHES` are left. What correlation is left widens
    the variance by (1 + r)/(1 - r) [Tafazzoli, Steiger & Wilson 2011 (Skart)].
    Of batches of this size and up to twice as large the largest variance
    counts. Student's t with one degree less than there are batches. The
    interval is NaN with fewer than `MIN_BATCHES` samples, the value when the
    denominator is zero.
    """
    total = float(np.sum(denominator))
    if total == 0.0:
        return Estimate.unknown()
    value = float(np.sum(numerator)) / total
    residuals = np.asarray(numerator - value * denominator, dtype=np.float64)
    n = len(residuals)
    if n < MIN_BATCHES:
        return Estimate(value, math.nan, math.nan, n, weight=total)
    variance, batches = variance_of_sum(residuals)
    error = math.sqrt(variance) / abs(total)
    half = student_t(confidence, batches - 1) * error
    return Estimate(value, value - half, value + half, batches, error, total)


def variance_of_sum(residuals: Floats) -> tuple[float, int]:
    """Return the variance of the sum of a series around 0, and from how many batches it is known.

    For at least `MIN_BATCHES` residuals; how is said in `ratio_of_sums`.
    """
    size, correlation = batch_size(residuals)
    widening = (1 + correlation) / (1 - correlation)
    variance = len(residuals) * _variance_per_sample(residuals, size) * widening
    return variance, len(residuals) // size


def _variance_per_sample(residuals: Floats, size: int) -> float:
    """Return the variance of a batch's sum over its size: the largest of several sizes.

    One size alone could be a multiple of a period in the series; all batches
    would then be alike and the interval far too narrow. The others are odd.
    Larger batches also show correlation that is too weak to be significant
    from one batch to the next but lasts. And a run that ends when its interval
    is narrow ends when the variance happens to be too low; that it happens for
    several sizes at once is less likely.
    """
    sizes = {size} | {round(size * factor) | 1 for factor in _SIZE_FACTORS}
    sizes = {s for s in sizes if len(residuals) // s >= MIN_BATCHES} or {size}
    return max(float(latest_batches(residuals, s).var(ddof=1)) / s for s in sizes)
