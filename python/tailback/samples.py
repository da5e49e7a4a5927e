"""The counters of one run over simulated time, and estimates from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tailback.metrics import ALL_METRICS, Populations, increments
from tailback.statistics import Estimate, Truncation, mser5, ratio_of_sums

Columns = dict[str, NDArray[np.uint64]]


class Samples:
    """Rows of cumulative counters, in order of `time_ps`.

    Rows are taken at multiples of the sample interval, and one more at every
    `mark`: where counting begins, ends, or begins anew. With a mark at both
    ends, sums over rows are exact whatever the interval is.
    """

    def __init__(self, counters: Mapping[str, int]) -> None:
        """`counters`: what they are at time 0."""
        self._columns = _row(0, counters)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._columns["time_ps"])

    def extend(self, rows: Mapping[str, NDArray[np.uint64]]) -> None:
        """Append new rows, leaving out those not later than the last."""
        new = rows["time_ps"] > self._columns["time_ps"][-1]
        if new.any():
            self._columns = {
                name: np.concatenate([column, rows[name][new]])
                for name, column in self._columns.items()
            }

    def mark(self, now_ps: int, counters: Mapping[str, int]) -> int:
        """Make sure that the last row is the present instant; return its number."""
        if now_ps > self._columns["time_ps"][-1]:
            self.extend(_row(now_ps, counters))
        return len(self) - 1

    def since(self, row: int) -> Columns:
        """Return the columns from a row on, without copying."""
        return {name: column[row:] for name, column in self._columns.items()}


def _row(time_ps: int, counters: Mapping[str, int]) -> Columns:
    row = {"time_ps": np.array([time_ps], dtype=np.uint64)}
    return row | {name: np.array([n], dtype=np.uint64) for name, n in counters.items()}


def estimate(
    name: str, columns: Columns, populations: Populations, confidence: float, *, exact: bool
) -> Estimate:
    """Return a metric over all rows of `columns`.

    `exact` says that the rows cover all there is to measure (a workload that
    ended, counted from its beginning): the value then has no error.
    """
    numerator, denominator = increments(ALL_METRICS[name], columns, populations)
    result = ratio_of_sums(numerator, denominator, confidence)
    return Estimate.exact(result.value, result.weight) if exact else result


def truncation(name: str, columns: Columns, populations: Populations) -> Truncation:
    """Return where the start-up transient of a metric ends, by MSER-5."""
    return mser5(*increments(ALL_METRICS[name], columns, populations))


def counted(name: str, columns: Columns, populations: Populations) -> int:
    """Return how many rows saw the numerator of a metric grow."""
    numerator, _ = increments(ALL_METRICS[name], columns, populations)
    return int(np.count_nonzero(numerator))
