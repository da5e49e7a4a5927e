"""Runs of a study: made, kept between calls, and read as curves and loads of nodes.

Seeds are merged as everywhere in Tailback (`tailback.analysis.merged`): at
saturation, where the network drifts for longer than a run, how much the seeds
differ tells how well their mean is known.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl

import tailback as tb
from studies.curve import Curve
from studies.loads import Loads
from studies.study import Study
from tailback.analysis import merged, where
from tailback.execution import Display, LocalPool
from tailback.statistics import student_t
from tailback.store.points import PointStore
from tailback.sweeps import Sweep
from tailback.sweeps.running import identity_of

Item = TypeVar("Item")
Result = TypeVar("Result")

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


def answers(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    name: str,
    events: Callable[[Result], int] = lambda answer: 0,
) -> list[Result]:
    """Return what `function` makes of each item, in their order; progress on standard error.

    All processors of this machine work. `name` is what items are called, `events` how many
    events an answer took. Raises `RuntimeError` if there is no answer to an item.
    """
    found: dict[int, Result] = {}
    with LocalPool() as pool, Display(name, len(items), pool.capacity) as display:
        for outcome in pool.run(function, items):
            if outcome.answer is None:
                raise RuntimeError(f"{items[outcome.index]}: {outcome.problem}")
            found[outcome.index] = outcome.answer
            display.finished(events=events(outcome.answer))
    return [found[index] for index in range(len(items))]


def run_sweeps(study: Study) -> Runs:
    """Run what is not yet in the stores and return everything; progress on standard error.

    Ctrl-C raises `KeyboardInterrupt`; the next call goes on from there. Raises
    `RuntimeError` if a point cannot be simulated.
    """
    with LocalPool() as pool:
        for path in sorted(study.sweeps.glob("*.toml")):
            print(f"Sweep {path.name}", file=sys.stderr)
            store = tb.sweep(path, study.stores / path.stem, pool=pool, progress=True)
            for failure in store.failures():
                raise RuntimeError(f"{path.name}: {dict(failure.varied)}: {failure.text}")
    return Runs(study)


class Runs:
    """The runs of all sweeps of a study, from their stores."""

    def __init__(self, study: Study) -> None:
        """There has to be a store for every sweep, under its name."""
        self._study = study
        self._sweeps: dict[str, StoredSweep] = {}

    def sweep(self, name: str) -> StoredSweep:
        """Return what a sweep stored; raises `UserError` if it has not been run."""
        if name not in self._sweeps:
            asked = Sweep.load(self._study.sweeps / f"{name}.toml")
            store = PointStore.open(self._study.stores / name)
            self._sweeps[name] = StoredSweep(asked, store)
        return self._sweeps[name]

    def all(self) -> list[StoredSweep]:
        """Return what all sweeps stored, by name."""
        return [self.sweep(path.stem) for path in sorted(self._study.sweeps.glob("*.toml"))]

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
        nodes, channels = (self.tables(name, rows) for name in ("nodes", "channels"))
        return Loads.of(nodes.sort("identity", "node"), channels, _window_ms(rows))

    def tables(self, name: str, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the tables of nodes or channels of some runs, below each other."""
        return pl.DataFrame(self._store.nested(name, rows["identity"].to_list()))

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
