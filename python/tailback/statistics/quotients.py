"""What the quotient of two estimates is, and how well it is known."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .batches import MIN_BATCHES, Floats, batch_size, latest_batches
from .estimates import Estimate


class Series(NamedTuple):
    """The samples of one window, and what was estimated from them."""

    times_ps: NDArray[np.uint64]
    """Where samples begin and end: one more than there are samples."""
    numerator: Floats
    denominator: Floats
    estimate: Estimate

    @property
    def residuals(self) -> Floats:
        """Numerator less what the estimate makes of the denominator."""
        residuals: Floats = self.numerator - self.estimate.value * self.denominator
        return residuals


def covariance(one: Series, other: Series) -> float:
    """Return the covariance of two estimates that were made from series over the same time.

    Runs that share their random numbers have much of their error in common
    while both are measured. The correlation r is that of the sums of residuals
    of batches of the time common to both, of the larger of the two batch sizes.
    What lies outside this time is independent, so that the covariance is

        r s_1 s_2 T / sqrt(T_1 T_2)

    with the standard errors s, the lengths T_1 and T_2 of the two windows and T
    of the common time: never more than a correlation of 1. It is 0 with fewer
    than `MIN_BATCHES` common batches, and if one of the two has no error.
    """
    errors = one.estimate.standard_error * other.estimate.standard_error
    if not errors > 0:
        return 0.0
    size = max(batch_size(one.residuals)[0], batch_size(other.residuals)[0])
    times = np.intersect1d(one.times_ps, other.times_ps, assume_unique=True)
    if len(times) - 1 < MIN_BATCHES * size:
        return 0.0
    batches = [latest_batches(_between(series, times), size) for series in (one, other)]
    share = _length(times) / math.sqrt(_length(one.times_ps) * _length(other.times_ps))
    return _correlation(*batches) * share * errors


def _between(series: Series, times: NDArray[Any]) -> Floats:
    """Return the residuals summed from each of `times` to the next; all are in `series`."""
    sums = np.concatenate([[0.0], np.cumsum(series.residuals)])
    differences: Floats = np.diff(sums[np.searchsorted(series.times_ps, times)])
    return differences


def _length(times: NDArray[Any]) -> float:
    return float(times[-1] - times[0])


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    square = float((x**2).sum()) * float((y**2).sum())
    return float((x * y).sum()) / math.sqrt(square) if square > 0 else 0.0


def quotient(above: Estimate, below: Estimate, covariance: float = 0.0) -> Estimate:
    """Return `above` / `below` with Fieller's interval; `covariance` is that of the two values.

    The bounds are the roots q of

        (a - q b)^2 = h_a^2 - 2 q r h_a h_b + q^2 h_b^2,

    with h the half-widths and r the correlation, `covariance` over both
    standard errors [Fieller 1954]. The interval is NaN when that of `below`
    contains zero, or when one of the two is not known.
    """
    a, b = above.value, below.value
    if not math.isfinite(a) or not math.isfinite(b) or b == 0:
        return Estimate.unknown()
    value = a / b
    batches = min(above.batches, below.batches)
    if above.batches == 0 or below.batches == 0:
        batches = max(above.batches, below.batches)
    ha, hb = above.half_width, below.half_width
    if ha == 0 and hb == 0:
        return Estimate(value, value, value, batches, 0.0)
    ea, eb = above.standard_error, below.standard_error
    error = math.sqrt(max(ea**2 - 2 * value * covariance + (value * eb) ** 2, 0.0)) / abs(b)
    if not math.isfinite(ha) or not math.isfinite(hb) or hb >= abs(b):
        return Estimate(value, math.nan, math.nan, batches, error)
    common = covariance / (ea * eb) * ha * hb if covariance else 0.0
    square, middle = b * b - hb * hb, a * b - common
    root = math.sqrt(max(middle**2 - (a * a - ha * ha) * square, 0.0))
    return Estimate(value, (middle - root) / square, (middle + root) / square, batches, error)
