"""What a long run shows while it is under way, on standard error.

Wall-clock time is read here and nowhere near the results: no result depends
on it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tailback.statistics import Estimate

if TYPE_CHECKING:
    from rich.live import Live

_QUIET_S = 2.0


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
    """Which of several runs it is, if there are several."""


class Watch(Protocol):
    """Somebody who wants to know where a run is, some ten times a second."""

    def __call__(self, state: State) -> None:
        """Take notice."""


def ignore(state: State) -> None:
    """Take no notice."""


class Ticker:
    """Shows the state of a run once it has lasted two seconds.

    On a terminal one line is kept up to date; otherwise a plain line appears
    every two seconds.
    """

    def __init__(self) -> None:
        self._mode = ""
        self._started = 0.0
        self._shown = 0.0
        self._live: Live | None = None

    def __call__(self, state: State) -> None:
        """Show the state if it is time to."""
        now = time.monotonic()
        if state.mode != self._mode:
            self._mode, self._started, self._shown = state.mode, now, now
        elapsed = now - self._started
        terminal = sys.stderr.isatty()
        if elapsed < _QUIET_S or now - self._shown < (0.1 if terminal else _QUIET_S):
            return
        self._shown = now
        text = line(state, state.events / elapsed)
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


def line(state: State, events_per_s: float) -> str:
    """Return one line: mode, simulated time, speed, current interval."""
    which = f"{state.mode}, {state.note}" if state.note else state.mode
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
    return ", ".join(words)
