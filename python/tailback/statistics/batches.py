"""Sums of neighbouring samples, and how alike they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from tailback.lazy import lazy_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")


Floats: TypeAlias = "NDArray[np.float64]"

MIN_BATCHES = 10
"""Fewest batches from which an interval is made."""

MAX_BATCHES = 160
"""Most batches an interval is made from.

For the length of an interval alone 30 would do [Schmeiser 1982]. But runs end when their
interval is narrow, and the fewer batches there are the oftener it is so by chance
[Glynn & Whitt 1992].
"""


def batch_sums(x: Floats, size: int) -> Floats:
    """Return sums of whole batches; what does not fill one is left out at the end."""
    whole = len(x) // size * size
    sums: Floats = np.asarray(x[:whole], dtype=np.float64).reshape(-1, size).sum(axis=1)
    return sums


def latest_batches(residuals: Floats, size: int) -> Floats:
    """Return sums of whole batches; what does not fill one is left out at the start."""
    return batch_sums(residuals[len(residuals) % size :], size)


def batch_size(residuals: Floats) -> tuple[int, float]:
    """Return the size of independent batches, and what correlation is left between them."""
    size = 1
    while True:
        batches = latest_batches(residuals, size)
        correlation = lag1_correlation(batches)
        significant = correlation > 1.645 / math.sqrt(len(batches))
        enough = not significant and len(batches) <= MAX_BATCHES
        if enough or len(batches) // 2 < MIN_BATCHES:
            return size, min(max(correlation, 0.0), 0.9)
        size *= 2


def lag1_correlation(x: Floats) -> float:
    """Return the correlation of neighbours; 0 for a constant series."""
    # Not `@`: its threads cost milliseconds, and its last digit depends on their number.
    centred = x - x.mean()
    square = float((centred**2).sum())
    return float((centred[:-1] * centred[1:]).sum()) / square if square > 0 else 0.0
