"""What a long run shows while it is under way, on standard error.

Wall-clock time is read here and nowhere near the results: no result depends
on it.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from tailback.statistics import Estimate

if TYPE_CHECKING:
    from rich.live import Live

QUIET_S = 2.0
"""Seconds that runs last before anything is said of them, and between two plain lines."""
_LEAST_SHARE = 0.02
"""Of a run that is done, before which nothing is said of the rest."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a run is."""

    mode: str
    phase: str
    """`warm-up` or `measuring`."""
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
    runs: int = 1
    """Which of how many runs it is."""

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


class Watch(Protocol):
    """Somebody who wants to know where a run is, some ten times a second."""

    def __call__(self, state: State) -> None:
        """Take notice."""


def ignore(state: State) -> None:
    """Take no notice."""


def one_of(watch: Watch, run: int, runs: int, note: str = "") -> Watch:
    """Return who watches one of several runs: which of how many, and what it runs."""

    def watching(state: State) -> None:
        watch(replace(state, run=run, runs=runs, note=note or state.note))

    return watching


def seconds_left(state: State, elapsed_s: float, before_s: float) -> float | None:
    """Return about how long it takes until all runs are over; None if nothing tells.

    `elapsed_s`: since this run began; `before_s`: of all runs before it, which are taken to be
    like those to come.
    """
    mean_s = before_s / (state.run - 1) if state.run > 1 else None
    if state.share is not None and state.share > _LEAST_SHARE:
        whole_s = elapsed_s / state.share
    elif mean_s is not None:
        whole_s = max(mean_s, elapsed_s)
    else:
        return None
    others_s = (state.runs - state.run) * (whole_s if mean_s is None else mean_s)
    return whole_s - elapsed_s + others_s


class Ticker:
    """Shows the state of runs once they have lasted two seconds.

    On a terminal one line is kept up to date; otherwise a plain line appears
    every two seconds.
    """

    def __init__(self) -> None:
        self._which: tuple[object, ...] = ()
        self._begun: float | None = None
        self._started = 0.0
        self._shown = 0.0
        self._live: Live | None = None

    def __call__(self, state: State) -> None:
        """Show the state if it is time to."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = self._shown = now
        if self._which != (which := (state.mode, state.run, state.note)):
            self._which, self._started = which, now
        terminal = sys.stderr.isatty()
        is_early = now - self._begun < QUIET_S
        if is_early or now - self._shown < (0.1 if terminal else QUIET_S):
            return
        self._shown = now
        elapsed = now - self._started
        rate = state.events / elapsed if elapsed else 0.0
        text = line(state, rate, seconds_left(state, elapsed, self._started - self._begun))
        if terminal:
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

    def __enter__(self) -> Ticker:
        return self

    def __exit__(self, *error: object) -> None:
        """Clear the line."""
        if self._live is not None:
            self._live.stop()


def line(state: State, events_per_s: float, left_s: float | None = None) -> str:
    """Return one line: which run, simulated time, speed, current interval, time left."""
    which = f"{state.mode}, {state.note}" if state.note else state.mode
    if state.runs > 1:
        which = f"run {state.run} of {state.runs}, {which}"
    words = [
        f"{which}: {state.now_ps / 1e9:.3f} ms simulated",
        f"{events_per_s / 1e6:.1f} M events/s",
    ]
    if state.phase == "warm-up":
        words.append("warming up")
    elif state.estimate is not None:
        goal = "" if state.precision is None else f" (goal {100 * state.precision:.2g} %)"
        percent = f"{100 * state.estimate.relative:.2g} %"
        metric = state.metric.removesuffix("_per_node_per_ms")
        words.append(f"{metric} {state.estimate.value:.4g} ±{percent}{goal}")
    if left_s is not None:
        words.append(f"about {duration(left_s)} left")
    return ", ".join(words)


def duration(seconds: float) -> str:
    """Return a length of time to two units: `1 h 20 min`, `40 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
