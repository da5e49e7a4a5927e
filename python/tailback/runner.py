"""One mode of an experiment, run to its stop rule.

A run has two phases. In the *warm-up* the start-up transient is looked for at
checkpoints that lie ever further apart; it is over when MSER-5 would cut at
most the first half of what has been seen, both in the primary metric and in
the routed lifetime. The *measurement* then starts afresh and goes on until the
primary metric is known precisely enough and its window shows no drift, or
until a limit. Everything is decided from simulated time, never from the clock
on the wall: the same experiment ends at the same instant everywhere.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from tailback import engine, interrupts, tables
from tailback.metrics import METRICS, Populations
from tailback.progress import State, Watch, ignore
from tailback.results import Ending, Result
from tailback.samples import Samples, counted, estimate, truncation
from tailback.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from tailback.experiment import Experiment

_EVENTS_PER_CALL = 500_000
_GROWTH = 1.25
_WARM_UP_SAMPLES = 40
_WINDOW_SAMPLES = 100
_COUNTED = 10
_BATCHES = 20


class Stop(StrEnum):
    """Why a run ended."""

    PRECISION = "precision"
    DURATION = "duration"
    FINISHED = "finished"
    MAX_DURATION = "max_duration"
    MAX_EVENTS = "max_events"
    INTERRUPTED = "interrupted"


def run_mode(
    experiment: Experiment, mode: str, *, packets: bool = False, watch: Watch = ignore
) -> Result:
    """Run one contention mode of `experiment` and return what was measured.

    `packets` keeps one row per delivered packet. Ctrl-C ends the run early;
    the result then says so (`complete` is False). Raises `UserError` for what
    cannot be simulated and `RunFailure` for a deadlock.
    """
    started = time.perf_counter()
    with interrupts.deferred() as interrupted:
        drive = _Drive(experiment, mode, packets, watch, interrupted)
        stop = drive.warm_up() or drive.measure()
        return drive.result(stop, time.perf_counter() - started)


class _Drive:
    """A simulation on its way: advances it, keeps its samples, judges them."""

    def __init__(
        self,
        experiment: Experiment,
        mode: str,
        packets: bool,
        watch: Watch,
        interrupted: Callable[[], bool],
    ) -> None:
        self.experiment, self.run, self.mode = experiment, experiment.run, mode
        self.watch, self.interrupted = watch, interrupted
        self.sim = engine.Simulation(
            experiment.spec(mode, record_packets=packets), experiment.messages_arrays()
        )
        self.samples = Samples(self.sim.counters())
        self.populations = _populations(self.sim)
        self.metric = primary_metric(experiment.metric, mode)
        self.interval_ps = experiment.sample_interval_ps
        self.end_ps = self.run.limit_ps
        self.window_ps, self.window_row = 0, 0
        self.phase = "warm-up"
        self.settled = True
        self.latest: Estimate | None = None

    def warm_up(self) -> Stop | None:
        """Run until the transient is over and begin the window; why the run ended, if it did.

        Takes at most half of what the limits allow. Nothing is cut from a
        workload that ends, or with a warm-up of 0.
        """
        fixed = self.experiment.warmup_ps
        if fixed == 0:
            return None
        limit = self.end_ps // 2 if fixed is None else fixed
        checkpoint = _WARM_UP_SAMPLES * self.interval_ps if fixed is None else fixed
        while True:
            stop = self.advance(min(checkpoint, limit))
            self.settled = stop is None and (fixed is not None or self.is_warm())
            if stop is not None:
                return stop
            if self.settled or self.is_late(limit):
                self.begin_window()
                return None
            checkpoint = self.later(checkpoint)

    def measure(self) -> Stop:
        """Measure until the stop rule is met; why the run ended."""
        self.phase = "measuring"
        first = max(_WINDOW_SAMPLES * self.interval_ps, self.sim.now_ps)
        length = self.end_ps if self.experiment.finite else first
        while True:
            stop = self.advance(self.window_ps + length)
            self.latest = self.estimate(self.metric)
            if stop is not None:
                self.settled = self.settled and not self.drifts()
                return stop
            if not self.is_precise():
                length = self.later(length)
            elif not self.drifts():
                return Stop.PRECISION
            elif self.experiment.warmup_ps is None:
                self.begin_window()
                length = first
            else:
                self.settled = False
                return Stop.PRECISION

    def advance(self, until_ps: int) -> Stop | None:
        """Advance to an instant, or to the end of the run; why the run ended, if it did."""
        until_ps = min(until_ps, self.end_ps)
        stop = None
        while stop is None:
            left = self.run.max_events - self.sim.events
            reached = self.sim.advance(until_ps, min(_EVENTS_PER_CALL, left))
            self.watch(self._state())
            if reached == "finished":
                stop = Stop.FINISHED
            elif self.interrupted():
                stop = Stop.INTERRUPTED
            elif reached == "time":
                if until_ps < self.end_ps:
                    break
                stop = Stop.MAX_DURATION if self.run.duration is None else Stop.DURATION
            elif self.sim.events >= self.run.max_events:
                stop = Stop.MAX_EVENTS
        self.samples.extend(self.sim.take_samples())
        return stop

    def begin_window(self) -> None:
        """Forget what was measured; what counts starts now."""
        self.sim.begin_window()
        self.window_ps = self.sim.now_ps
        self.window_row = self.samples.mark(self.sim.now_ps, self.sim.counters())

    def later(self, length_ps: int) -> int:
        """Return the next checkpoint: a quarter later, in whole sample intervals."""
        return int(length_ps * _GROWTH) // self.interval_ps * self.interval_ps + self.interval_ps

    def is_late(self, limit_ps: int) -> bool:
        """Whether half of what the limits allow has gone."""
        return self.sim.now_ps >= limit_ps or 2 * self.sim.events >= self.run.max_events

    def is_warm(self) -> bool:
        """Whether the transient lies in the first half of what has been seen."""
        for name in {self.metric, primary_metric("routed_lifetime_us", self.mode)}:
            columns = self.samples.since(0)
            cut, settled = truncation(name, columns, self.populations)
            if not settled:
                return False
            if name == self.metric:
                rest = self.samples.since(cut)
                if counted(name, rest, self.populations) < _COUNTED:
                    return False
        return True

    def is_precise(self) -> bool:
        """Whether the primary metric is known as well as was asked for."""
        known = self.latest or Estimate.unknown()
        enough = known.batches == 0 or known.batches >= _BATCHES
        wanted = self.experiment.precision
        return wanted is not None and enough and known.relative <= wanted

    def drifts(self) -> bool:
        """Whether MSER-5 would still cut more than a quarter of the window."""
        if self.experiment.finite:
            return False
        columns = self.samples.since(self.window_row)
        cut, _ = truncation(self.metric, columns, self.populations)
        return 4 * cut > len(columns["time_ps"])

    def estimate(self, name: str, *, exact: bool = False) -> Estimate:
        """Return a metric over the window so far."""
        columns = self.samples.since(self.window_row)
        return estimate(name, columns, self.populations, self.run.confidence, exact=exact)

    def _state(self) -> State:
        return State(
            mode=self.mode,
            phase=self.phase,
            now_ps=self.sim.now_ps,
            events=self.sim.events,
            metric=self.metric,
            estimate=self.latest,
            precision=self.experiment.precision,
        )

    def result(self, stop: Stop, wall_seconds: float) -> Result:
        """Return everything that was measured."""
        counters = self.sim.counters()
        self.samples.mark(self.sim.now_ps, counters)
        exact = stop is Stop.FINISHED and self.window_row == 0
        self.latest = self.estimate(self.metric, exact=exact)
        ending = Ending(
            simulated_ms=self.sim.now_ps / 1e9,
            warmup_ms=self.window_ps / 1e9,
            events=self.sim.events,
            packet_hops=counters["packet_hops"],
            stop_reason=str(stop),
            settled=self.settled,
            converged=None if self.experiment.precision is None else self.is_precise(),
            complete=stop is not Stop.INTERRUPTED,
        )
        return Result(
            experiment=self.experiment,
            mode=self.mode,
            version=engine.VERSION,
            results_version=engine.RESULTS_VERSION,
            estimates={name: self.estimate(name, exact=exact) for name in METRICS},
            ending=ending,
            wall_seconds=wall_seconds,
            **arrow_tables(self.sim, self.samples, self.sim.now_ps - self.window_ps),
        )


def arrow_tables(sim: engine.Simulation, samples: Samples, window_ps: int) -> dict[str, pa.Table]:
    """Return the tables of a `Result` by name."""
    return {
        "nodes": tables.nodes(sim.nodes(), window_ps),
        "channels": tables.channels(sim.channels(), window_ps),
        "processes": tables.table(sim.processes()),
        "packets": tables.packets(sim.take_packets()),
        "samples": tables.table(samples.since(0)),
        "histograms": tables.histograms(sim.histograms()),
        "moments": tables.moments(sim.moments()),
    }


def primary_metric(name: str, mode: str) -> str:
    """Return the metric a run is steered by: `name`, or the message rate if packets are needed.

    In the mode `ideal` there are none.
    """
    no_packets = mode == "ideal" and METRICS[name].needs_packets
    return "messages_per_node_per_ms" if no_packets else name


def _populations(sim: engine.Simulation) -> Populations:
    kinds = np.bincount(sim.channels()["kind"], minlength=len(tables.CHANNEL_KINDS))
    injection, internal, ejection, direct = (int(n) for n in kinds)
    nodes = len(sim.nodes()["node"])
    # A direct channel both injects and ejects; the engine counts it as injection.
    return Populations(nodes, injection + direct, internal, ejection)
