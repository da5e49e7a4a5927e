"""Estimates with confidence intervals from one run.

Three questions are answered here, each by a pure function of NumPy arrays:

* where does the start-up transient end? (`mser5`)
* what is a long-run ratio, and how well is it known? (`ratio_of_sums`)
* what is the quotient of two such estimates? (`quotient`)

Every metric of Tailback is a ratio of two sums over the samples of a run: a
rate is messages over time, a mean lifetime is picoseconds over packets, a
utilisation is busy time over time. One estimator serves them all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIN_BATCHES = 10
"""Fewest batches from which an interval is made."""

MAX_BATCHES = 40
"""Most batches an interval is made from."""

_SIZE_FACTORS = (1.19, 1.41, 1.68)
_MSER_BATCH = 5
_MSER_POINTS = 400


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its confidence interval `low` to `high`.

    NaN stands for what is not known: `value` when nothing was counted, `low`
    and `high` when there were too few batches. `batches` is 0 for a number
    that is exact (everything there is was measured); then low = value = high.
    """

    value: float
    low: float
    high: float
    batches: int = 0

    @property
    def half_width(self) -> float:
        """Half of the interval; NaN when not known."""
        return (self.high - self.low) / 2

    @property
    def relative(self) -> float:
        """Half-width over the size of the value; NaN when not known."""
        if self.value == 0:
            return 0.0 if self.half_width == 0 else math.inf
        return self.half_width / abs(self.value)

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Return a number without error."""
        return cls(value, value, value)

    @classmethod
    def unknown(cls) -> Estimate:
        """Return what stands for nothing having been counted."""
        return cls(math.nan, math.nan, math.nan)

    def to_dict(self) -> dict[str, float | None]:
        """`value`, `low` and `high` for JSON, with None for what is not known."""
        fields = {"value": self.value, "low": self.low, "high": self.high}
        return {name: x if math.isfinite(x) else None for name, x in fields.items()}

    def __repr__(self) -> str:
        return f"{self.value:.6g} [{self.low:.6g}, {self.high:.6g}]"


class Truncation(NamedTuple):
    """Where the start-up transient of a series ends."""

    cut: int
    """Number of samples to leave out, at most half of them."""
    settled: bool
    """Whether the best cut lies inside the first half and not at its end."""


def mser5(numerator: Floats, denominator: Floats) -> Truncation:
    """Return where the start-up transient ends, by the rule MSER-5.

    Means of 5 samples are formed (of more, when there are over 2000 samples,
    so that rare events do not look like noise). The cut d minimises

        sum_{i>d} (x_i - mean_d)^2 / (n - d)^2,

    the squared standard error of the remaining mean, over d <= n/2. A best cut
    at the end of that range says that the series has not settled.
    [White 1997; White, Cobb & Spratt 2000]
    """
    size = _MSER_BATCH * max(1, len(numerator) // (_MSER_BATCH * _MSER_POINTS))
    means = _batch_ratios(numerator, denominator, size)
    if len(means) < 2:
        return Truncation(0, False)
    half = len(means) // 2
    cut = int(np.argmin(standard_errors(means)[: half + 1]))
    return Truncation(cut * size, cut < half)


def standard_errors(x: Floats) -> Floats:
    """Return the squared standard error of the mean of x[d:], for every d. Cost O(n)."""
    centred = (x - x.mean())[::-1]
    count = np.arange(1, len(x) + 1)
    squares = np.cumsum(centred**2) - np.cumsum(centred) ** 2 / count
    errors: Floats = (np.maximum(squares, 0.0) / count**2)[::-1]
    return errors


def _batch_ratios(numerator: Floats, denominator: Floats, size: int) -> Floats:
    """Return the ratio of each batch; the overall one where nothing was counted."""
    num, den = _batch_sums(numerator, size), _batch_sums(denominator, size)
    total = den.sum()
    overall = num.sum() / total if total else 0.0
    ratios: Floats = np.full(len(num), overall)
    np.divide(num, den, out=ratios, where=den != 0)
    return ratios


def _batch_sums(x: Floats, size: int) -> Floats:
    whole = len(x) // size * size
    sums: Floats = np.asarray(x[:whole], dtype=np.float64).reshape(-1, size).sum(axis=1)
    return sums


def ratio_of_sums(numerator: Floats, denominator: Floats, confidence: float) -> Estimate:
    """Return sum(numerator) / sum(denominator) of a stationary series, with its interval.

    Batch means of the residuals numerator - value * denominator
    [Law, Simulation Modeling and Analysis, ch. 9: ratio estimators by batches].
    The batch size is doubled until the residuals of neighbouring batches show
    no significant positive correlation, or `MIN_BATCHES` would be undercut;
    then until at most `MAX_BATCHES` are left: more would narrow the interval
    little [Schmeiser 1982]. What correlation is left widens the variance by
    (1 + r)/(1 - r) [Tafazzoli, Steiger & Wilson 2011 (Skart)]. Student's t
    with one degree less than there are batches. The interval is NaN with fewer
    than `MIN_BATCHES` samples, the value when the denominator is zero.
    """
    total = float(np.sum(denominator))
    if total == 0.0:
        return Estimate.unknown()
    value = float(np.sum(numerator)) / total
    residuals = np.asarray(numerator - value * denominator, dtype=np.float64)
    n = len(residuals)
    if n < MIN_BATCHES:
        return Estimate(value, math.nan, math.nan, n)
    size, correlation = _batch_size(residuals)
    widening = (1 + correlation) / (1 - correlation)
    variance = n * _variance_per_sample(residuals, size) * widening
    half = student_t(confidence, n // size - 1) * math.sqrt(variance) / abs(total)
    return Estimate(value, value - half, value + half, n // size)


def _batch_size(residuals: Floats) -> tuple[int, float]:
    """Return the size of independent batches, and what correlation is left between them."""
    size = 1
    while True:
        batches = _latest_batches(residuals, size)
        correlation = lag1_correlation(batches)
        significant = correlation > 1.645 / math.sqrt(len(batches))
        enough = not significant and len(batches) <= MAX_BATCHES
        if enough or len(batches) // 2 < MIN_BATCHES:
            return size, min(max(correlation, 0.0), 0.9)
        size *= 2


def _variance_per_sample(residuals: Floats, size: int) -> float:
    """Return the variance of a batch's sum over its size, averaged over several sizes.

    One size alone could be a multiple of a period in the series; all batches
    would then be alike and the interval far too narrow. The others are odd.
    """
    sizes = {size} | {round(size * factor) | 1 for factor in _SIZE_FACTORS}
    sizes = {s for s in sizes if len(residuals) // s >= MIN_BATCHES} or {size}
    variances = [float(_latest_batches(residuals, s).var(ddof=1)) / s for s in sorted(sizes)]
    return sum(variances) / len(variances)


def _latest_batches(residuals: Floats, size: int) -> Floats:
    """Return sums of whole batches; what does not fill one is left out at the start."""
    return _batch_sums(residuals[len(residuals) % size :], size)


def lag1_correlation(x: Floats) -> float:
    """Return the correlation of neighbours; 0 for a constant series."""
    # Not `@`: its threads cost milliseconds, and its last digit depends on their number.
    centred = x - x.mean()
    square = float((centred**2).sum())
    return float((centred[:-1] * centred[1:]).sum()) / square if square > 0 else 0.0


def student_t(confidence: float, degrees: int) -> float:
    """Return the two-sided quantile of Student's t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def quotient(above: Estimate, below: Estimate) -> Estimate:
    """Return `above` / `below` for independent estimates, with Fieller's interval.

    The bounds are the roots q of (a - q b)^2 = h_a^2 + q^2 h_b^2, with h the
    half-widths [Fieller 1954]. Runs that share their random numbers are
    correlated positively, if at all, so the interval is rather too wide than
    too narrow. It is NaN when the interval of `below` contains zero, or when
    one of the two is not known.
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
        return Estimate(value, value, value, batches)
    if not math.isfinite(ha) or not math.isfinite(hb) or hb >= abs(b):
        return Estimate(value, math.nan, math.nan, batches)
    square = b * b - hb * hb
    root = math.sqrt(max((a * b) ** 2 - (a * a - ha * ha) * square, 0.0))
    return Estimate(value, (a * b - root) / square, (a * b + root) / square, batches)
