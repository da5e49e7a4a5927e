"""How well a value is known that was merged from several runs; arrays, one entry per group.

How well a weighted mean V = sum(w v) / sum(w) of k runs is known is seen in two
ways, from the runs' own standard errors s over b batches, and from how much the
runs differ:

    within  = sum((w s)^2) / sum(w)^2                       with sum(b - 1) degrees of freedom,
    between = k / (k - 1) sum(w^2 (v - V)^2) / sum(w)^2     with k - 1.

If the runs differ more than their own errors explain (between / within lies
beyond the 95 % quantile of F), or these are not known, `between` alone is
believed; else both are averaged by their degrees of freedom. With few seeds the
test sees little: where they differ by as much as their own errors, intervals of
95 % hold the truth in 83 % of cases with two seeds, 88 % with five, 91 % with ten.
A stricter one would make many intervals of two seeds several times too wide.
Covariances of two modes are found the same two ways. NaN stands for what is not
known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailback.since311 import Self
from tailback.statistics import Estimate, Floats, fisher_f, student_t

Flags = NDArray[np.bool_]

_SIGNIFICANT = 0.95


@dataclass(frozen=True)
class Pool:
    """What is known of one value of every group from its runs."""

    confidence: Floats
    count: Floats
    """Runs that are averaged."""
    weight: Floats
    value: Floats
    within: Floats
    own: Floats
    """Degrees of freedom of `within`; 0 if all runs are exact."""
    between: Floats

    def at(self, rows: NDArray[Any]) -> Self:
        """Return some of the groups."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def among(self) -> Floats:
        """Degrees of freedom of `between`."""
        return np.maximum(self.count - 1, 0.0)

    @property
    def differs(self) -> Flags:
        """Where runs differ more than their own errors explain, or these are not known."""
        several = self.count > 1
        explained: Flags = (self.within == 0) & (self.between == 0)
        tested = several & (self.within > 0) & (self.own > 0)
        if tested.any():
            degrees = zip(self.among[tested], self.own[tested], strict=True)
            limit = np.array([fisher_f(_SIGNIFICANT, int(k), int(b)) for k, b in degrees])
            explained[tested] = self.between[tested] <= limit * self.within[tested]
        return several & ~explained

    def error(self, differs: Flags) -> Error:
        """Return how well the values are known, from `between` alone where they differ."""
        own = np.where(differs & (self.count > 1), 0.0, self.own)
        variance = averaged(self.within, own, self.between, self.among)
        degrees = own + self.among
        error = np.sqrt(variance)
        return Error(error, degrees, half_width(self.confidence, degrees, error))


def pooled(estimates: Iterable[Estimate], confidence: float) -> Estimate:
    """Return estimates of one ratio from several runs as one; what is not known is left out."""
    known = [estimate for estimate in estimates if not math.isnan(estimate.value)]
    if len(known) < 2:
        return known[0] if known else Estimate.unknown()
    value, error, weight = (
        np.array([getattr(estimate, name) for estimate in known])
        for name in ("value", "standard_error", "weight")
    )
    count, total = len(known), weight.sum()
    mean = (weight * value).sum() / total
    between = count / (count - 1) * ((weight * (value - mean)) ** 2).sum() / total**2
    own = sum(max(estimate.batches - 1, 0) for estimate in known)
    within = ((weight * error) ** 2).sum() / total**2
    numbers = (confidence, count, total, mean, within, own, between)
    pool = Pool(*(np.array([number], dtype=np.float64) for number in numbers))
    [standard], [degrees], [half] = pool.error(pool.differs)
    ends = float(mean - half), float(mean + half)
    return Estimate(float(mean), *ends, int(degrees) + 1, float(standard), float(total))


class Error(NamedTuple):
    """Standard errors, their degrees of freedom, and halves of intervals."""

    standard: Floats
    degrees: Floats
    half: Floats


def averaged(within: Floats, own: Floats, between: Floats, among: Floats) -> Floats:
    """Return two variances averaged by their degrees of freedom; `within` if there are none."""
    total = np.where(own > 0, own * within, 0.0) + np.where(among > 0, among * between, 0.0)
    average: Floats = np.divide(total, own + among, out=within.copy(), where=own + among > 0)
    return average


def half_width(confidence: Floats, degrees: Floats, error: Floats) -> Floats:
    """Return Student's t times the standard error; 0 for no error."""
    half: Floats = np.where(error == 0, 0.0, np.nan)
    known = (degrees > 0) & (error > 0)
    if known.any():
        each = zip(confidence[known], degrees[known], strict=True)
        half[known] = np.array([student_t(float(c), int(d)) for c, d in each]) * error[known]
    return half


@dataclass(frozen=True)
class Pairs:
    """What two modes of the same runs have in common, summed over the runs of a group."""

    count: Floats
    """Runs that are averaged in both modes."""
    within: Floats
    """sum(w_1 w_2 cov) / (sum(w_1) sum(w_2)), of the covariances inside the runs."""
    between: Floats
    """k / (k - 1) sum(w_1 w_2 (v_1 - V_1) (v_2 - V_2)) / (sum(w_1) sum(w_2))."""


class Ratios(NamedTuple):
    """Quotients with their intervals."""

    value: Floats
    low: Floats
    high: Floats
    covariance: Floats
    """Of the two values divided."""


def ratios(above: Pool, below: Pool, pairs: Pairs) -> Ratios:
    """Return `above` / `below` with the interval of `statistics.quotient` [Fieller 1954].

    Both errors and the covariance are found the same way: from how the runs
    differ alone if they do so in either mode.
    """
    differs = above.differs | below.differs
    a, b = above.error(differs), below.error(differs)
    own = np.where(differs & (pairs.count > 1), 0.0, np.minimum(above.own, below.own))
    among = np.maximum(pairs.count - 1, 0.0)
    covariance = averaged(pairs.within, own, pairs.between, among)
    errors = a.standard * b.standard
    correlation = np.divide(covariance, errors, out=np.zeros_like(errors), where=errors > 0)
    common = np.clip(correlation, -1.0, 1.0) * a.half * b.half
    return _fieller(above.value, a.half, below.value, b.half, common)._replace(
        covariance=covariance
    )


def _fieller(a: Floats, ha: Floats, b: Floats, hb: Floats, common: Floats) -> Ratios:
    """Return the roots q of (a - q b)^2 = ha^2 - 2 q common + q^2 hb^2."""
    value = np.divide(a, b, out=np.full_like(a, np.nan), where=b != 0)
    square, middle = b * b - hb * hb, a * b - common
    root = np.sqrt(np.maximum(middle**2 - (a * a - ha * ha) * square, 0.0))
    known = np.isfinite(value) & np.isfinite(ha) & np.isfinite(hb) & (hb < abs(b))
    ends = (
        np.divide(middle + sign * root, square, out=np.full_like(a, np.nan), where=known)
        for sign in (-1, 1)
    )
    exact = (ha == 0) & (hb == 0)
    low, high = (np.where(exact, value, end) for end in ends)
    return Ratios(value, low, high, common)
