"""What the sweeps of the study stored, as curves and loads of nodes.

Seeds are merged as everywhere in Tailback (`tailback.analysis.merged`): at
saturation, where the network drifts for longer than a run, how much the seeds
differ tells how well their mean is known.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

import tailback as tb
from studies.tweedie.chapters.curve import Curve
from studies.tweedie.chapters.loads import Loads
from tailback.analysis import merged, where
from tailback.statistics import student_t
from tailback.store.points import PointStore
from tailback.sweeps import Sweep
from tailback.sweeps.running import identity_of

_FOLDER = Path(__file__).parents[1]
SWEEPS = _FOLDER / "sweeps"
"""What is run: an experiment file with a sweep for each."""
STORES = _FOLDER / "stores"
"""What came of it: a store for each sweep, under its name."""

PERIOD = "workload.compute_period_us"

LIFETIME_ACK = "lifetime_ack_us"
"""Mean lifetime of acknowledgements."""
QUEUED = "queued_us"
"""Mean time of packets in the output queues of their nodes."""
FIRST_SWITCH = "first_switch_us"
"""Mean time from the first transmission to that on the first internal channel."""

_SEED = "run.seed"
_CONFIDENCE = 0.95


def _sum(metric: str) -> pl.Expr:
    return pl.col(metric) * pl.col(f"{metric}_weight")


def _without(metric: str, part: str) -> pl.Expr:
    """Return the mean over the packets that are in `metric`, but not in `part`."""
    weight = pl.col(f"{metric}_weight") - pl.col(f"{part}_weight")
    return (_sum(metric) - _sum(part)) / weight


_DERIVED = {
    LIFETIME_ACK: _without("lifetime_us", "lifetime_data_us"),
    QUEUED: pl.col("lifetime_us") - pl.col("network_lifetime_us"),
    FIRST_SWITCH: pl.col("network_lifetime_us") - pl.col("routed_lifetime_us"),
}
"""Measures that are made of stored ones, run by run."""


class Runs:
    """The runs of all sweeps, from their stores."""

    def __init__(self, folder: Path = STORES, asked: Path = SWEEPS) -> None:
        """`folder` holds a store for every sweep of `asked`, under its name."""
        self._folder = folder
        self._asked = asked
        self._sweeps: dict[str, StoredSweep] = {}

    def sweep(self, name: str) -> StoredSweep:
        """Return what a sweep stored; raises `UserError` if it has not been run."""
        if name not in self._sweeps:
            asked = Sweep.load(self._asked / f"{name}.toml")
            self._sweeps[name] = StoredSweep(asked, PointStore.open(self._folder / name))
        return self._sweeps[name]

    def all(self) -> list[StoredSweep]:
        """Return what all sweeps stored, by name."""
        return [self.sweep(path.stem) for path in sorted(self._asked.glob("*.toml"))]

    @property
    def endings(self) -> pl.DataFrame:
        """How every run of all sweeps ended: `stop_reason`, `simulated_ms`, `events`."""
        names = ("stop_reason", "simulated_ms", "events")
        return pl.concat([sweep.rows.select(names) for sweep in self.all()])


class StoredSweep:
    """The runs of one sweep.

    Its store may hold more: points of an earlier version, or that were asked
    for before the sweep was changed. They are left out.
    """

    def __init__(self, asked: Sweep, store: PointStore) -> None:
        self._store = store
        self._wanted = {identity_of(point) for point in asked.points()}

    @cached_property
    def rows(self) -> pl.DataFrame:
        """One row per run; raises `ValueError` if a point is missing."""
        frame = pl.DataFrame(self._store.runs())
        frame = frame.filter(pl.col("identity").is_in(list(self._wanted)))
        missing = len(self._wanted) - frame["identity"].n_unique()
        if missing:
            raise ValueError(f"{self._store.folder}: {missing} points have not been run")
        return frame

    def curve(
        self, measure: str, *conditions: str, mode: str = "full", along: str = PERIOD
    ) -> Curve:
        """Return a measure of the runs that meet all conditions, by the parameter `along`.

        Seeds are merged. Raises `ValueError` if anything else varies among the runs.
        """
        rows = self._chosen(conditions)
        if measure in _DERIVED:
            points = _over_seeds(rows.filter(pl.col("mode") == mode), measure, along)
        else:
            together = pl.DataFrame(merged(rows.to_arrow(), values=[measure]))
            points = _estimates(together.filter(pl.col("mode") == mode), measure, along)
        if not points:
            raise ValueError(f"{measure}: no runs in mode {mode}")
        if len({x for x, _ in points}) != len(points):
            raise ValueError(f"{measure}: more than {along} varies among the runs of a curve")
        points.sort(key=lambda point: point[0])
        return Curve(tuple(x for x, _ in points), tuple(y for _, y in points))

    def loads(self, *conditions: str) -> Loads:
        """Return what every node did, averaged over the seeds of the only point there is."""
        rows = self._chosen(conditions).filter(pl.col("mode") == "full")
        if rows.select(PERIOD, "run.warmup_us").n_unique() != 1:
            raise ValueError(f"{conditions}: loads are those of one point")
        identities = rows["identity"].to_list()
        nodes = pl.DataFrame(self._store.nested("nodes", identities)).sort("identity", "node")
        channels = pl.DataFrame(self._store.nested("channels", identities))
        return Loads.of(nodes, channels, _window_ms(rows))

    def _chosen(self, conditions: Iterable[str]) -> pl.DataFrame:
        found = pl.DataFrame(where(self.rows.to_arrow(), *conditions))
        if found.is_empty():
            raise ValueError(f"no runs with {' and '.join(conditions)}")
        return found


def _estimates(rows: pl.DataFrame, measure: str, along: str) -> list[tuple[float, tb.Estimate]]:
    """Return the estimates of merged runs; raises `ValueError` for one that is not known."""
    names = (along, measure, f"{measure}_low", f"{measure}_high")
    points = rows.select(names).rows()
    if any(value is None for point in points for value in point):
        raise ValueError(f"{measure}: not known in some of the runs")
    return [
        (float(x), tb.Estimate(float(value), float(low), float(high)))
        for x, value, low, high in points
    ]


def _over_seeds(rows: pl.DataFrame, measure: str, along: str) -> list[tuple[float, tb.Estimate]]:
    """Return means over seeds with Student's t."""
    found = rows.select(along, _SEED, _DERIVED[measure].alias(measure))
    points = []
    for (x,), group in found.group_by(along):
        values = group[measure].to_list()
        mean, half = statistics.fmean(values), _half_width(values)
        points.append((float(x), tb.Estimate(mean, mean - half, mean + half, len(values))))
    return points


def _half_width(values: list[float]) -> float:
    error = statistics.stdev(values) / math.sqrt(len(values))
    return student_t(_CONFIDENCE, len(values) - 1) * error


def _window_ms(rows: pl.DataFrame) -> float:
    windows = rows["window_ms"].to_numpy()
    if not np.allclose(windows, windows[0]):
        raise ValueError("loads are those of runs of one length")
    return float(windows[0])
