"""Links between the same two switches, taken together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]


def summed(one: Numbers, other: Numbers, width: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the two ends of links, lower number first, and the width of all that have both.

    Each once, in the order in which they come first.
    """
    low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other).astype(np.int64)
    code = low * (int(high.max(initial=0)) + 1) + high
    _, first, of = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(first)
    total = np.bincount(of, width).astype(np.int64)
    return low[first[order]], high[first[order]], total[order]
