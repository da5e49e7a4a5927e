"""Tables by slice as bytes on a logarithmic scale: small, and near enough to draw from.

0 is nothing; 1 to 255 are the values from `low` to `high` at equal ratios. What the page says in
numbers comes from exact totals, not from these.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailback.statistics import Floats

_STEPS = 254
_LEVEL = 8
_DECADES = 4
"""Values smaller than the largest by more than so many powers of ten are shown as the least."""


@dataclass(frozen=True, eq=False)
class Bytes:
    """A table of 0 to 255, row by row, and what 1 and 255 stand for."""

    values: NDArray[np.uint8]
    low: float
    high: float

    @property
    def text(self) -> str:
        """Base64 of gzip: the same for the same values."""
        packed = gzip.compress(self.values.tobytes(), _LEVEL, mtime=0)
        return base64.b64encode(packed).decode("ascii")


def logarithmic(values: Floats) -> Bytes:
    """Return values of at least 0 in 8 bits; relative error at most 2 % within four decades."""
    high = float(values.max(initial=0.0))
    if high <= 0:
        return Bytes(np.zeros(values.shape, dtype=np.uint8), 1.0, 1.0)
    low = max(float(values[values > 0].min()), high / 10**_DECADES)
    ratio = np.log(high / low) or 1.0
    places = np.zeros(values.shape)
    np.log(np.maximum(values, low) / low, out=places, where=values > 0)
    steps = 1 + np.rint(_STEPS * places / ratio)
    return Bytes(np.where(values > 0, steps, 0).astype(np.uint8), low, high)


def decoded(stored: Bytes) -> Floats:
    """Return the values that the page shows."""
    ratio = stored.high / stored.low
    steps = (stored.values.astype(np.float64) - 1) / _STEPS
    found: Floats = np.where(stored.values == 0, 0.0, stored.low * ratio**steps)
    return found
