"""The counters of one run over simulated time, and estimates from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from tailback.lazy import lazy_module
from tailback.metrics import Populations, increments
from tailback.statistics import Estimate, Truncation, mser5, ratio_of_sums
from tailback.statistics import drifts as has_trend

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")

Columns = dict[str, "NDArray[np.uint64]"]

MOST_ROWS = 1 << 20
"""More are not kept: they would take hundreds of megabytes and say nothing more."""


class Samples:
    """Rows of cumulative counters, in order of `time_ps`.

    Rows are taken at multiples of the sample interval, and one more at every
    `mark`: where counting begins, ends, or begins anew. With a mark at both
    ends, sums over rows are exact whatever the interval is.

    There are never more than about `MOST_ROWS`: then every other one goes, and the
    interval is twice as long from there on. Marks stay.
    """

    def __init__(self, counters: Mapping[str, int], interval_ps: int) -> None:
        """`counters`: what they are at time 0; `interval_ps`: between rows."""
        self._at_start = counters
        self._count = 1
        self._interval_ps = interval_ps
        self._marks_ps = [0]

    @cached_property
    def _pieces(self) -> list[Columns]:
        # Made with the first rows of the run, because arrays need NumPy and starting does not.
        return [_row(0, self._at_start)]

    def __len__(self) -> int:
        """Count the rows."""
        return self._count

    def extend(self, rows: Mapping[str, NDArray[np.uint64]]) -> None:
        """Append new rows, leaving out those not later than the last."""
        new = rows["time_ps"] > self._pieces[-1]["time_ps"][-1]
        self._append(_where(new & self._is_kept(rows["time_ps"]), rows))
        while self._count > MOST_ROWS and self._count > 2 * len(self._marks_ps):
            self._thin()

    def mark(self, now_ps: int, counters: Mapping[str, int]) -> None:
        """Make sure that the last row is the present instant, and stays."""
        self._marks_ps.append(now_ps)
        if now_ps > self._pieces[-1]["time_ps"][-1]:
            self._append(_row(now_ps, counters))

    def since(self, time_ps: int) -> Columns:
        """Return the columns from an instant on; they are copied once after rows were added."""
        self._join()
        row = np.searchsorted(self._pieces[0]["time_ps"], np.uint64(time_ps))
        return {name: column[row:] for name, column in self._pieces[0].items()}

    def _append(self, rows: Columns) -> None:
        count = len(rows["time_ps"])
        if count > 0:
            self._pieces.append({name: rows[name] for name in self._pieces[0]})
            self._count += count

    def _thin(self) -> None:
        self._interval_ps *= 2
        self._join()
        times = self._pieces[0]["time_ps"]
        kept = self._is_kept(times) | np.isin(times, np.array(self._marks_ps, np.uint64))
        self._pieces = [_where(kept, self._pieces[0])]
        self._count = len(self._pieces[0]["time_ps"])

    def _is_kept(self, times: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether rows at these instants are kept without being marks."""
        kept: NDArray[np.bool_] = times % np.uint64(self._interval_ps) == 0
        return kept

    def _join(self) -> None:
        if len(self._pieces) > 1:
            first = self._pieces[0]
            joined = {
                name: np.concatenate([piece[name] for piece in self._pieces]) for name in first
            }
            self._pieces = [joined]


def _row(time_ps: int, counters: Mapping[str, int]) -> Columns:
    row = {"time_ps": np.array([time_ps], dtype=np.uint64)}
    return row | {name: np.array([n], dtype=np.uint64) for name, n in counters.items()}


def _where(kept: NDArray[np.bool_], rows: Mapping[str, NDArray[np.uint64]]) -> Columns:
    return {name: column[kept] for name, column in rows.items()}


def estimate(
    name: str, columns: Columns, populations: Populations, confidence: float, *, exact: bool
) -> Estimate:
    """Return a metric over all rows of `columns`.

    `exact` says that the rows cover all there is to measure (a workload that
    ended, counted from its beginning): the value then has no error.
    """
    numerator, denominator = increments(populations.metric(name), columns, populations)
    result = ratio_of_sums(numerator, denominator, confidence)
    return Estimate.exact(result.value, result.weight) if exact else result


def truncation(name: str, columns: Columns, populations: Populations) -> Truncation:
    """Return where the start-up transient of a metric ends, by MSER-5."""
    return mser5(*increments(populations.metric(name), columns, populations))


def drifts(name: str, columns: Columns, populations: Populations) -> bool:
    """Return whether a metric has a trend over all rows of `columns` that is not chance."""
    return has_trend(*increments(populations.metric(name), columns, populations))


def counted(name: str, columns: Columns, populations: Populations) -> int:
    """Return how many rows saw the numerator of a metric grow."""
    numerator, _ = increments(populations.metric(name), columns, populations)
    return int(np.count_nonzero(numerator))
