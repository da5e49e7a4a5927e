"""Where the start-up transient of a series ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tailback.lazy import lazy_module

from .batches import Floats, batch_sums

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

_MSER_BATCH = 5
_MSER_POINTS = 400


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
    num, den = batch_sums(numerator, size), batch_sums(denominator, size)
    total = den.sum()
    overall = num.sum() / total if total else 0.0
    ratios: Floats = np.full(len(num), overall)
    np.divide(num, den, out=ratios, where=den != 0)
    return ratios
