"""Links between the same two switches, taken together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def summed(
    one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]], width: NDArray[np.integer[Any]]
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the two ends of links, lower number first, and the width of all that have both.

    Each once, in the order in which they come first.
    """
    low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other).astype(np.int64)
    first, of = alike(low, high)
    order = np.argsort(first)
    total = np.bincount(of, width).astype(np.int64)
    return low[first[order]], high[first[order]], total[order]


def alike(*columns: Numbers) -> tuple[Numbers, Numbers]:
    """Return the first row of each kind of rows, and of each row which of these it is like."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        code = code * (int(column.max(initial=0)) + 1) + column
    _, first, of = np.unique(code, return_index=True, return_inverse=True)
    return first, of
