"""What a long run shows while it is under way, on standard error.

Wall-clock time is read here and nowhere near the results: no result depends
on it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock, Timer
from typing import TYPE_CHECKING, Protocol

from tailback.statistics import Estimate

if TYPE_CHECKING:
    from rich.live import Live

QUIET_S = 2.0
"""Seconds that runs last before anything is said of them, and between two plain lines."""
_LEAST_SHARE = 0.02
"""Of a run that is done, before which nothing is said of the rest."""
_MOST_NAMED = 3
"""Runs under way that a line names."""

OVER = "over"


@dataclass(frozen=True, slots=True)
class State:
    """Where a run is."""

    mode: str
    phase: str
    """`warm-up` or `measuring`; `OVER` when it has ended."""
    now_ps: int
    events: int
    metric: str
    estimate: Estimate | None
    """The primary metric when it was last looked at."""
    precision: float | None
    """Relative half-width that is aimed at, if any."""
    note: str = ""
    """What is run, if there are several runs of the same mode."""
    end_ps: int | None = None
    """When it ends at the latest, if that was asked for."""
    run: int = 1
    runs: int | None = 1
    """Which of how many runs it is; None if that is not known."""

    @property
    def which(self) -> str:
        """What is run."""
        return f"{self.mode}, {self.note}" if self.note else self.mode

    @property
    def share(self) -> float | None:
        """About how much of the run is done; None if it ends by itself, or that is not known.

        The half-width of an interval falls with the root of what was measured.
        """
        if self.end_ps:
            return self.now_ps / self.end_ps
        relative = math.nan if self.estimate is None else self.estimate.relative
        if self.precision is None or not 0 < relative < math.inf:
            return None
        return min(1.0, (self.precision / relative) ** 2)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the steps of an answer for which nothing is simulated."""

    what: str
    number: int
    """The first is 1."""
    of: int
    share: float | None = None
    """How much of the step is done; None if that is not known."""

    @property
    def text(self) -> str:
        """Which of how many steps it is, and how much of it is done."""
        done = "" if self.share is None else f", {int(100 * self.share)} % done"
        return f"step {self.number} of {self.of}: {self.what}{done}"


class Steps:
    """Tells which of several steps has begun, and how much of it is done."""

    def __init__(self, of: int, tell: Callable[[Step], None]) -> None:
        """``of``: how many there are."""
        self._of, self._number, self._what, self._tell = of, 0, "", tell

    def begin(self, what: str) -> None:
        """Begin the next step."""
        self._number, self._what = self._number + 1, what
        self._tell(Step(what, self._number, self._of))

    def done(self, share: float) -> None:
        """Tell how much of the step is done, from 0 to 1."""
        self._tell(Step(self._what, self._number, self._of, share))


class Watch(Protocol):
    """Somebody who wants to know where a run is, some ten times a second."""

    def __call__(self, state: State) -> None:
        """Take notice."""


def ignore(state: State | Step) -> None:
    """Take no notice."""


@contextmanager
def one_of(watch: Watch, run: int, runs: int | None, note: str = "") -> Iterator[Watch]:
    """Give who watches one of several runs: which of how many, what it runs, and when it is over.

    Several may run at once.
    """
    latest: State | None = None

    def watching(state: State) -> None:
        nonlocal latest
        latest = replace(state, run=run, runs=runs, note=note or state.note)
        watch(latest)

    try:
        yield watching
    finally:
        if latest is not None:
            watch(replace(latest, phase=OVER))


@dataclass
class Going:
    """A run that is under way, or over."""

    state: State
    elapsed_s: float

    @property
    def events_per_s(self) -> float:
        """Its speed."""
        return self.state.events / self.elapsed_s if self.elapsed_s else 0.0

    def whole_s(self, over: Sequence[Going]) -> float | None:
        """Return about how long it takes in all; None if nothing tells.

        It is taken to end at the same simulated time as those that are `over`.
        """
        share = self.state.share
        if share is None and over:
            usual_ps = sum(run.state.now_ps for run in over) / len(over)
            share = self.state.now_ps / usual_ps if self.state.now_ps < usual_ps else None
        return self.elapsed_s / share if share is not None and share > _LEAST_SHARE else None


def seconds_left(going: Sequence[Going], over: Sequence[Going], runs: int | None) -> float | None:
    """Return about how long it takes until all runs are over; None if nothing tells.

    Those to come are taken to last as long as those that are `over`, and as many to run at once as
    do now.
    """
    wholes_s = [whole for run in going if (whole := run.whole_s(over)) is not None]
    if runs is None or not going or len(wholes_s) < len(going):
        return None
    left_s = [whole - run.elapsed_s for whole, run in zip(wholes_s, going, strict=True)]
    to_come = runs - len(over) - len(going)
    if to_come <= 0:
        return max(left_s)
    known_s = [run.elapsed_s for run in over] or wholes_s
    each_s = sum(known_s) / len(known_s)
    return max(*left_s, (sum(left_s) + to_come * each_s) / len(going))


class Ticker:
    """Shows the state of runs, of all that go on at once, when they have lasted two seconds.

    On a terminal one line is kept up to date, which says what is done before the first run begins;
    otherwise a plain line appears every two seconds. Of steps that take the place of a run, a
    terminal shows each; otherwise plain lines tell of those that last two seconds.
    """

    def __init__(self, before: str = "preparing the run") -> None:
        """``before``: what is done before a run begins."""
        self._before = before
        self._timer: Timer | None = None
        self._begun: float | None = None
        self._shown = 0.0
        self._step: Step | None = None
        self._live: Live | None = None
        self._started: dict[int, float] = {}
        self._states: dict[int, State] = {}
        self._over: list[Going] = []
        self._lock = Lock()

    def __call__(self, state: State) -> None:
        """Show the states if it is time to. May be called from several threads."""
        with self._lock:
            now = time.monotonic()
            if self._begun is None:
                self._begun = self._shown = now
            started = self._started.setdefault(state.run, now)
            self._states[state.run] = state
            if state.phase == OVER:
                del self._states[state.run], self._started[state.run]
                self._over.append(Going(state, now - started))
            elif self._is_time(now):
                self._shown = now
                self._show(now)

    def step(self, step: Step) -> None:
        """Show a step if it is time to."""
        with self._lock:
            now = time.monotonic()
            begins = self._step is None or self._step.number != step.number
            self._step, self._begun = step, self._begun or now
            if begins and not sys.stderr.isatty():
                self._set_timer()
            elif self._is_time(now) or (begins and self._live is not None):
                self._show_step(now)

    def _show_step(self, now: float) -> None:
        if self._step is not None:
            self._shown = now
            self._tell(self._step.text)

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = Timer(QUIET_S, self._wait)
        self._timer.daemon = True
        self._timer.start()

    def _is_time(self, now: float) -> bool:
        least_s = 0.1 if sys.stderr.isatty() else QUIET_S
        return now - (self._begun or now) >= QUIET_S and now - self._shown >= least_s

    def _show(self, now: float) -> None:
        going = [Going(s, now - self._started[run]) for run, s in sorted(self._states.items())]
        left_s = seconds_left(going, self._over, going[0].state.runs)
        self._tell(line(going, len(self._over), left_s))

    def _tell(self, text: str) -> None:
        if sys.stderr.isatty():
            self._update(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def _update(self, text: str) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def _wait(self) -> None:
        """Show what has been done for two seconds: a step, or what is before the first run."""
        with self._lock:
            if self._step is not None:
                self._show_step(time.monotonic())
            elif self._begun is None:
                self._update(self._before)

    def __enter__(self) -> Ticker:
        if sys.stderr.isatty():
            self._set_timer()
        return self

    def __exit__(self, *error: object) -> None:
        """Clear the line."""
        with self._lock:
            self._begun, self._step = self._begun or time.monotonic(), None
        if self._timer is not None:
            self._timer.cancel()
        if self._live is not None:
            self._live.stop()


def line(going: Sequence[Going], over: int = 0, left_s: float | None = None) -> str:
    """Return one line: which runs, simulated time, speed, current interval, time left.

    `over`: how many runs have ended.
    """
    words = _of_one(going[0]) if len(going) == 1 else _of_several(going, over)
    if left_s is not None and left_s >= 1:
        words.append(f"about {duration(left_s)} left")
    return ", ".join(words)


def _of_one(going: Going) -> list[str]:
    state = going.state
    which = state.which
    if state.runs is not None and state.runs > 1:
        which = f"run {state.run} of {state.runs}, {which}"
    words = [f"{which}: {state.now_ps / 1e9:.3f} ms simulated", _speed(going.events_per_s)]
    if state.phase == "warm-up":
        words.append("warming up")
    elif state.estimate is not None:
        goal = "" if state.precision is None else f" (goal {100 * state.precision:.2g} %)"
        percent = f"{100 * state.estimate.relative:.2g} %"
        metric = state.metric.removesuffix("_per_node_per_ms")
        words.append(f"{metric} {state.estimate.value:.4g} ±{percent}{goal}")
    return words


def _of_several(going: Sequence[Going], over: int) -> list[str]:
    runs = going[0].state.runs
    each = [f"{run.state.which} {run.state.now_ps / 1e9:.3f} ms" for run in going[:_MOST_NAMED]]
    more = len(going) - len(each)
    named = "; ".join([*each, f"{more} more"] if more else each)
    done = "" if runs is None else f"{over} of {runs} runs done, "
    return [
        f"{done}{len(going)} under way ({named})",
        _speed(sum(run.events_per_s for run in going)),
    ]


def _speed(events_per_s: float) -> str:
    return f"{events_per_s / 1e6:.1f} M events/s"


def duration(seconds: float) -> str:
    """Return a length of time to two units: `1 h 20 min`, `40 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
