"""Measures of transports, and their ratios message for message.

All transports are given the same messages: with one seed the k-th message of a node has the
same length, destination and instant in each of them. So ratios are taken of pairs of runs, and
what the pairs have in common is no error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import polars as pl

import tailback as tb
from studies.buzzard_mudge.settings import BEGINS, COMPLETE, REST, Setting
from studies.runs import Runs
from tailback.analysis import where
from tailback.statistics import student_t

CONFIDENCE = 0.95

Seeds = Mapping[int, float]
"""A measure of every seed's run."""


class Measured:
    """What the runs of all sweeps measured, seed by seed."""

    def __init__(self, runs: Runs) -> None:
        """Read `runs` when they are asked for."""
        self.runs = runs
        self._frames: dict[tuple[str, ...], pl.DataFrame] = {}

    def seeds(
        self, setting: Setting, length: int, spacing: float, measure: str, mode: str = "full"
    ) -> Seeds:
        """Return a measure of a transport at one load, by seed."""
        return self.of(setting.sweep, (setting.condition,), length, spacing, measure, mode)

    def of(
        self,
        sweep: str,
        conditions: Iterable[str],
        length: int,
        spacing: float,
        measure: str,
        mode: str = "full",
    ) -> Seeds:
        """Return a measure of the runs of a sweep that meet all conditions, by seed.

        Raises `ValueError` if more than the seed varies among them.
        """
        rows = self._rows(sweep, *conditions).filter(
            (pl.col("workload.message_size_bytes") == length)
            & (pl.col("mode") == mode)
            & (pl.col("sweep.spacing") == spacing)
        )
        value = pl.col(COMPLETE) - pl.col(BEGINS) if measure == REST else pl.col(measure)
        pairs = rows.select("run.seed", value.alias("value")).sort("run.seed").rows()
        found = {int(seed): float(value) for seed, value in pairs if value is not None}
        if not found or len(found) != len(pairs):
            asked = (sweep, *conditions, length, spacing, measure, mode)
            raise ValueError(f"{asked}: {len(pairs)} runs of {len(found)} seeds")
        return found

    def _rows(self, sweep: str, *conditions: str) -> pl.DataFrame:
        key = (sweep, *conditions)
        if key not in self._frames:
            rows = where(self.runs.sweep(sweep).rows.to_arrow(), *conditions)
            self._frames[key] = pl.DataFrame(rows)
        return self._frames[key]

    def mean(
        self, setting: Setting, length: int, spacing: float, measure: str, mode: str = "full"
    ) -> tb.Estimate:
        """Return a measure's mean over the seeds."""
        return mean(self.seeds(setting, length, spacing, measure, mode))

    def ratio(
        self, above: Setting, below: Setting, length: int, spacing: float, measure: str
    ) -> tb.Estimate:
        """Return a measure of one transport over that of another, in pairs."""
        return ratio(*(self.seeds(one, length, spacing, measure) for one in (above, below)))


def mean(values: Seeds) -> tb.Estimate:
    """Return the mean with its interval by Student's t."""
    return ratio(values, dict.fromkeys(values, 1.0))


def ratio(above: Seeds, below: Seeds) -> tb.Estimate:
    """Return the ratio of two means over the same seeds, with its interval.

    Its variance is that of the sum of `a - ratio * b` over the pairs (the usual ratio estimator).
    Raises `ValueError` if the seeds are not the same.
    """
    if above.keys() != below.keys():
        raise ValueError(f"seeds {sorted(above)} and {sorted(below)} are no pairs")
    count, below_sum = len(above), math.fsum(below.values())
    value = math.fsum(above.values()) / below_sum
    if count < 2:
        return tb.Estimate(value, math.nan, math.nan, count)
    rest = math.fsum((above[seed] - value * below[seed]) ** 2 for seed in above)
    error = math.sqrt(count / (count - 1) * rest) / below_sum
    half = student_t(CONFIDENCE, count - 1) * error
    return tb.Estimate(value, value - half, value + half, count, standard_error=error)
