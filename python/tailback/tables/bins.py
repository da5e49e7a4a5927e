"""Histograms as bins: bounded by what they hold, added up, and percentiles of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[Any]

BINS = ("low", "high", "count")
"""Columns of a histogram."""


def bounded(
    low: Column, high: Column, least: int | None, greatest: int | None
) -> tuple[Column, Column]:
    """Return borders of which none is below the least of all values, or above the greatest."""
    if least is None or greatest is None:
        return low, high
    return np.maximum(low, least), np.minimum(high, greatest)


def together(low: Column, high: Column, count: Column) -> tuple[Column, Column, Column]:
    """Return bins in ascending order, added up where they have values in common.

    Bins of several histograms may come in any order. Those of one layout are equal or have nothing
    in common, except that the first and the last of each histogram may be narrower (`bounded`).
    """
    order = np.argsort(low, kind="stable")
    low, high, count = low[order], high[order], count[order]
    reached = np.maximum.accumulate(high)
    starts = np.flatnonzero(np.append(True, low[1:] > reached[:-1])[: len(low)])
    if not len(starts):
        return low, high, count
    ends = np.append(starts[1:], len(low)) - 1
    return low[starts], reached[ends], np.add.reduceat(count, starts)


def percentiles_of(
    low: Column, high: Column, count: Column, percents: Sequence[float]
) -> list[float]:
    """Values below which `percents` of all counts lie, for at least one bin from `low` to `high`.

    Interpolated within a bin. Bins may come in any order and several times: see `together`.
    """
    low, high, count = together(low, high, count)
    reached = np.cumsum(count.astype(np.float64))
    wanted = np.asarray(percents) / 100 * reached[-1]
    i = np.minimum(np.searchsorted(reached, wanted), len(low) - 1)
    within = (wanted - (reached[i] - count[i])) / count[i]
    values: list[float] = (low[i] + within * (high[i] - low[i])).tolist()
    return values
