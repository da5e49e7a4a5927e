"""What the quotient of two estimates is, and how well it is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tailback.lazy import lazy_module

from .batches import MIN_BATCHES, Floats
from .estimates import Estimate
from .ratios import variance_of_sum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")


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


def covariance(above: Series, below: Series) -> float:
    """Return the covariance of two estimates from series over the same time, to be divided.

    Runs that share their random numbers have much of their error in common
    while both are measured. Let a and b be the values, q = a/b, and s_a and
    s_b their standard errors. Over the time common to both windows the variances of
    both values and of a - q b are estimated, each by itself like that of a
    ratio (`variance_of_sum`): what is left when the common error is gone often
    lasts longer than what is gone, and needs larger batches. They give the
    correlation r, from

        var(a - q b) = var(a) + q^2 var(b) - 2 q r sqrt(var(a) var(b)).

    What lies outside the common time is independent, so that the covariance is
    r s_a s_b T / sqrt(T_a T_b), with the lengths T_a and T_b of the two windows
    and T of the common time: never more than a correlation of 1. It is 0 with
    fewer than `MIN_BATCHES` common samples, and if one of the two has no error.
    """
    errors = above.estimate.standard_error * below.estimate.standard_error
    times = np.intersect1d(above.times_ps, below.times_ps, assume_unique=True)
    if not errors > 0 or len(times) <= MIN_BATCHES:
        return 0.0
    a = _between(above, times) / above.estimate.weight
    b = _between(below, times) / below.estimate.weight
    q = above.estimate.value / below.estimate.value
    va, vb, together = (variance_of_sum(x)[0] for x in (a, b, a - q * b))
    if not va * vb > 0 or q == 0:
        return 0.0
    r = (va + q**2 * vb - together) / (2 * q * math.sqrt(va * vb))
    share = _length(times) / math.sqrt(_length(above.times_ps) * _length(below.times_ps))
    return min(max(r, -1.0), 1.0) * share * errors


def _between(series: Series, times: NDArray[Any]) -> Floats:
    """Return the residuals summed from each of `times` to the next; all are in `series`."""
    sums = np.concatenate([[0.0], np.cumsum(series.residuals)])
    differences: Floats = np.diff(sums[np.searchsorted(series.times_ps, times)])
    return differences


def _length(times: NDArray[Any]) -> float:
    return float(times[-1] - times[0])


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
