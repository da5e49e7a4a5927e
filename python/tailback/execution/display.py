"""What work on many items shows while it is under way, on standard error.

On a terminal a line that is kept up to date; otherwise a plain line every few
seconds. Nothing appears in the first two seconds.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tailback.progress import duration
from tailback.since311 import Self

_QUIET_S = 2.0
_EVERY_S = 5.0


class Display:
    """Counts items and says how many are done, running and failed, and what time is left."""

    def __init__(self, items: str, count: int, capacity: int, effort: float | None = None) -> None:
        """Expect `count` of what `items` names ("points"), `capacity` at once.

        `effort`: of all together, in any unit; by default each is 1.
        """
        self._items, self._count, self._capacity = items, count, capacity
        self._effort = float(count) if effort is None else effort
        self._done = self._failed = self._events = 0
        self._done_effort = 0.0
        self._started = time.monotonic()
        self._live: Any = None
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Self:
        """Begin to show, whether items are finished or not."""
        if sys.stderr.isatty():
            self._live = Live(
                get_renderable=self._renderable,
                console=Console(stderr=True),
                transient=True,
                refresh_per_second=4,
            )
            self._live.start()
        else:
            self._teller.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Clear the line."""
        self._over.set()
        if self._live is not None:
            self._live.stop()

    def _tell(self) -> None:
        """Print a line now and then, whether items are finished or not."""
        wait_s = _QUIET_S
        while not self._over.wait(wait_s):
            self._say(self.line())
            wait_s = _EVERY_S

    def finished(self, effort: float = 1.0, events: int = 0, problem: str | None = None) -> None:
        """Take notice of an item that is done, or given up because of a `problem`."""
        self._done += 1
        self._done_effort += effort
        self._events += events
        if problem is not None:
            self._failed += 1
            self._say(f"failed: {problem}")

    def _say(self, text: str) -> None:
        if self._live is None:
            print(text, file=sys.stderr, flush=True)
        else:
            self._live.console.print(text, markup=False, highlight=False)

    def _renderable(self) -> Any:
        quiet = time.monotonic() - self._started < _QUIET_S
        return Text("" if quiet else self.line(), no_wrap=True, overflow="ellipsis")

    def line(self) -> str:
        """Return how far the work is, in one line."""
        elapsed = time.monotonic() - self._started
        words = [f"{self._done} of {self._count} {self._items} done"]
        words.append(f"{min(self._capacity, self._count - self._done)} running")
        if self._failed:
            words.append(f"{self._failed} failed")
        if self._done:
            words.append(f"{self._events / elapsed / 1e6:.1f} M events/s")
            left = elapsed * (self._effort / self._done_effort - 1) if self._done_effort else 0.0
            words.append(f"about {duration(left)} left")
        return ", ".join(words)
