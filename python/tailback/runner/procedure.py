"""How a run is measured: warm-up, window, stop rule.

A run has two phases. In the *warm-up* the start-up transient is looked for at
checkpoints that lie ever further apart; it is over when MSER-5 would cut at
most the first half of what has been seen, in all metrics that are watched. The
*measurement* then starts afresh and goes on until the primary metric is known
precisely enough and its window shows no trend, or until a limit. In a network that
accepts less than it is offered, times from a message's creation on have no mean: once
that is sure, the run is steered by what it accepts, and ends as `saturated`. Everything is
decided from simulated time, never from the clock on the wall: the same
experiment ends at the same instant everywhere.

What is measured is a `Source`; nothing here knows that it is a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from tailback.memory import Guard
from tailback.metrics import GROWING, TOLERATED_LOSS, Populations
from tailback.progress import State, Watch
from tailback.samples import Columns, Samples, counted, drifts, estimate, truncation
from tailback.since311 import StrEnum
from tailback.statistics import Estimate

_EVENTS_PER_CALL = (64, 500_000)
_CALL_S = 0.1
"""How long a call of the engine is to take, between these numbers of events: afterwards progress,
memory and Ctrl-C are looked at. No result depends on how a run is cut into calls."""
_WARM_UP_SAMPLES = 40
_WINDOW_SAMPLES = 100
_COUNTED = 10
_BATCHES = 20
_GROWTH = 1.25
_ACCEPTED = "accepted_share"


class Stop(StrEnum):
    """Why a run ended."""

    PRECISION = "precision"
    SATURATED = "saturated"
    DURATION = "duration"
    FINISHED = "finished"
    MAX_DURATION = "max_duration"
    MAX_EVENTS = "max_events"
    INTERRUPTED = "interrupted"
    DEADLOCK = "deadlock"
    FAILED = "failed"
    """It could not go on for another reason, such as a lost message."""


class Source(Protocol):
    """What is measured: it goes on in simulated time and counts."""

    @property
    def now_ps(self) -> int:
        """Simulated time reached."""

    @property
    def events(self) -> int:
        """Events handled since time 0."""

    def advance(self, until_ps: int, max_events: int) -> Literal["time", "events", "finished"]:
        """Go on to an instant, for `max_events` more events and samples, or to the end."""

    def catch_up(self) -> None:
        """Do what nobody has looked at: before anything is read where `advance` ended by events."""

    def begin_window(self) -> None:
        """Forget measures that are not counters."""

    def counters(self) -> dict[str, int]:
        """Everything counted since time 0."""

    def take_samples(self) -> Columns:
        """Counters at each sample instant passed since the last call."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be known, how well, and what ends a run otherwise."""

    mode: str
    """Contention mode, to be shown."""
    metric: str
    """The primary metric."""
    watched: tuple[str, ...]
    """Metrics whose start-up transient must be over."""
    populations: Populations
    sample_interval_ps: int
    settling_ps: int
    """The warm-up is at least this long, unless it is given."""
    warmup_ps: int | None
    """None if it is to be found from the data."""
    end_ps: int
    """The run ends at this instant at the latest ..."""
    end: Stop
    """... for this reason."""
    max_events: int
    precision: float | None
    confidence: float
    finite: bool
    """Whether the source ends by itself."""


class Procedure:
    """A source on its way: advances it, keeps its samples, judges them."""

    def __init__(
        self, source: Source, plan: Plan, watch: Watch, interrupted: Callable[[], bool]
    ) -> None:
        """Begin at time 0."""
        self.source, self.plan = source, plan
        self.watch, self.interrupted = watch, interrupted
        self._memory = Guard()
        self._per_call = _EVENTS_PER_CALL[0]
        self.samples = Samples(source.counters(), plan.sample_interval_ps)
        self.samples_taken = 0
        self.window_ps = 0
        self.phase = "warm-up"
        self.settled = True
        self.metric = plan.metric
        """What steers the run: the primary metric, or what is accepted if that has no mean."""
        self.latest: Estimate | None = None

    def run(self) -> Stop:
        """Run to the stop rule; why it ended."""
        return self.warm_up() or self.measure()

    def warm_up(self) -> Stop | None:
        """Run until the transient is over and begin the window; why the run ended, if it did.

        Takes at most half of what the limits allow. Nothing is cut from a
        workload that ends, or with a warm-up of 0.
        """
        fixed, interval_ps = self.plan.warmup_ps, self.plan.sample_interval_ps
        if fixed == 0:
            return None
        limit = self.plan.end_ps // 2 if fixed is None else fixed
        samples = max(_WARM_UP_SAMPLES, -(-self.plan.settling_ps // interval_ps))
        checkpoint = samples * interval_ps if fixed is None else fixed
        while True:
            stop = self.advance(min(checkpoint, limit))
            self.settled = stop is None and (fixed is not None or self.is_warm())
            if stop is not None:
                return stop
            if not self.settled and self.is_saturated(self.source.now_ps // 2):
                self.metric = _ACCEPTED
                self.settled = self.is_warm()
            if self.settled or self.is_late(limit):
                # A rule that finds no cut may be wrong: what is measured then tells by itself.
                self.settled = self.settled or self.source.now_ps >= self.plan.settling_ps
                self.begin_window()
                return None
            checkpoint = self.later(checkpoint)

    def measure(self) -> Stop:
        """Measure until the stop rule is met; why the run ended."""
        self.phase = "measuring"
        first = max(_WINDOW_SAMPLES * self.plan.sample_interval_ps, self.source.now_ps)
        length = self.plan.end_ps if self.plan.finite else first
        while True:
            stop = self.advance(self.window_ps + length)
            self.latest = self.estimate(self.metric)
            if stop is not None:
                self.settled = self.settled and not self.drifts()
                return stop
            if not self.is_precise():
                length = self.later(length)
                if self.is_saturated(self.window_ps):
                    self.metric = _ACCEPTED
            elif not self.drifts():
                return Stop.PRECISION if self.metric == self.plan.metric else Stop.SATURATED
            elif self.plan.warmup_ps is None:
                self.begin_window()
                length = first
            else:
                self.settled = False
                return Stop.PRECISION

    def advance(self, until_ps: int) -> Stop | None:
        """Advance to an instant, or to the end of the run; why the run ended, if it did."""
        until_ps = min(until_ps, self.plan.end_ps)
        stop = None
        while stop is None:
            left = self.plan.max_events - self.spent
            began_s = time.monotonic()
            reached = self.source.advance(until_ps, min(self._per_call, left))
            self._pace(time.monotonic() - began_s)
            rows = self.source.take_samples()
            self.samples_taken += len(rows["time_ps"])
            self.samples.extend(rows)
            self.watch(self._state())
            self._memory.check()
            if reached == "finished":
                stop = Stop.FINISHED
            elif self.interrupted():
                stop = Stop.INTERRUPTED
            elif reached == "time":
                if until_ps < self.plan.end_ps:
                    break
                stop = self.plan.end
            elif self.spent >= self.plan.max_events:
                stop = Stop.MAX_EVENTS
        if stop in (Stop.INTERRUPTED, Stop.MAX_EVENTS):
            self.source.catch_up()
        return stop

    def _pace(self, call_s: float) -> None:
        """Say how many events the next call is to handle, by how long the last one took."""
        fewest, most = _EVENTS_PER_CALL
        if call_s < _CALL_S / 2:
            self._per_call = min(2 * self._per_call, most)
        elif call_s > _CALL_S:
            self._per_call = max(self._per_call // 2, fewest)

    @property
    def spent(self) -> int:
        """What is held against the limit in events: samples where nothing else happens."""
        return max(self.source.events, self.samples_taken)

    def begin_window(self) -> None:
        """Forget what was measured; what counts starts now."""
        self.source.begin_window()
        self.window_ps = self.source.now_ps
        self.samples.mark(self.source.now_ps, self.source.counters())

    def later(self, length_ps: int) -> int:
        """Return the next checkpoint: a quarter later, in whole sample intervals."""
        interval_ps = self.plan.sample_interval_ps
        return int(length_ps * _GROWTH) // interval_ps * interval_ps + interval_ps

    def is_late(self, limit_ps: int) -> bool:
        """Whether half of what the limits allow has gone."""
        return self.source.now_ps >= limit_ps or 2 * self.spent >= self.plan.max_events

    def is_warm(self) -> bool:
        """Whether the transient lies in the first half of what has been seen."""
        if self.source.now_ps < self.plan.settling_ps:
            return False
        for name in {self.metric, *self.plan.watched}:
            columns = self.samples.since(0)
            cut, settled = truncation(name, columns, self.plan.populations)
            if not settled:
                return False
            if name == self.metric:
                rest = {counter: column[cut:] for counter, column in columns.items()}
                if counted(name, rest, self.plan.populations) < _COUNTED:
                    return False
        return True

    def is_saturated(self, from_ps: int) -> bool:
        """Whether much less is accepted than offered, and so the primary metric has no mean."""
        if self.metric not in GROWING or self.plan.populations.load is None:
            return False
        share = self.estimate(_ACCEPTED, from_ps=from_ps)
        return share.batches >= _BATCHES and share.high < 1 - TOLERATED_LOSS

    def is_precise(self) -> bool:
        """Whether the primary metric is known as well as was asked for."""
        known = self.latest or Estimate.unknown()
        enough = known.batches == 0 or known.batches >= _BATCHES
        wanted = self.plan.precision
        return wanted is not None and enough and known.relative <= wanted

    def cut_off(self, stop: Stop) -> bool:
        """Whether a limit ended a workload that ends, or a run that was to be longer."""
        if self.plan.finite:
            return stop in (Stop.MAX_DURATION, Stop.MAX_EVENTS)
        return (
            stop is Stop.MAX_EVENTS
            and self.plan.end is Stop.DURATION
            and self.plan.precision is None
        )

    def drifts(self) -> bool:
        """Whether the metric has a trend in the window that is not chance."""
        if self.plan.finite:
            return False
        return drifts(self.metric, self.samples.since(self.window_ps), self.plan.populations)

    def estimate(self, name: str, *, exact: bool = False, from_ps: int | None = None) -> Estimate:
        """Return a metric over the window so far, or from an instant on."""
        columns = self.samples.since(self.window_ps if from_ps is None else from_ps)
        confidence = self.plan.confidence
        return estimate(name, columns, self.plan.populations, confidence, exact=exact)

    def _state(self) -> State:
        return State(
            mode=self.plan.mode,
            phase=self.phase,
            now_ps=self.source.now_ps,
            events=self.source.events,
            metric=self.metric,
            estimate=self.latest,
            precision=self.plan.precision,
            end_ps=self.plan.end_ps if self.plan.end is Stop.DURATION else None,
        )
