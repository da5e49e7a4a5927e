"""Simulations of one question at the same time, in threads: the engine runs without the GIL.

What comes out does not depend on how many run at once, and neither does the mistake or failure
that is told: that of the first in order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Generic, TypeVar

from . import interrupts
from .errors import UserError, shown
from .memory import ShortMemoryError
from .progress import Watch, one_of
from .since311 import Self

Answer = TypeVar("Answer")
Key = TypeVar("Key", bound=Hashable)

MOST_JOBS = 4096

_LOOKS_S = 0.2
"""How long to wait before looking for Ctrl-C, where it does not end a wait by itself."""


def check_jobs(option: str, jobs: int) -> None:
    """Raise `UserError` about `option` for more jobs than a machine could start."""
    if not 1 <= jobs <= MOST_JOBS:
        raise UserError(option, shown(jobs), f"must be 1 to {MOST_JOBS}")


def processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_jobs() -> int:
    """Return how many simulations run at once by default: one per processor.

    One in a process of a pool, which has other processes beside it.
    """
    started_by = sys.modules.get("multiprocessing.process")
    if started_by is not None and started_by.parent_process() is not None:
        return 1
    return processors()


@dataclass(frozen=True)
class Outcome(Generic[Key, Answer]):
    """What came of a task: an answer or an error."""

    key: Key
    found: Answer | None
    error: BaseException | None

    @property
    def answer(self) -> Answer:
        """The answer; raises the error if there is none."""
        if self.error is not None:
            raise self.error
        return self.found  # type: ignore[return-value]


class Crew(Generic[Key, Answer]):
    """Runs tasks, each in a thread of its own; with one job in the thread that begins it.

    Tasks are told of Ctrl-C, and to stop, by `interrupts.deferred`. Leaving the ``with`` block
    tells all that are under way to stop.
    """

    def __init__(self, jobs: int, interrupted: Callable[[], bool]) -> None:
        """``jobs``: how many may be under way at once; ``interrupted`` tells of Ctrl-C."""
        self.jobs = jobs
        self._interrupted = interrupted
        self._stops: dict[Key, Event] = {}
        self._over: SimpleQueue[Outcome[Key, Answer]] = SimpleQueue()

    @property
    def under_way(self) -> list[Key]:
        """The tasks that have begun, and of which no outcome was taken."""
        return list(self._stops)

    @property
    def has_room(self) -> bool:
        """Whether one more task can begin."""
        return len(self._stops) < self.jobs

    def begin(self, key: Key, task: Callable[[], Answer]) -> None:
        """Begin a task. In an outcome it is known by ``key``."""
        stop = self._stops[key] = Event()
        if self.jobs == 1:
            self._run(key, task, stop)
        else:
            thread = Thread(target=self._run, args=(key, task, stop))
            try:
                thread.start()
            except RuntimeError:  # Neither memory nor processes are left for one: do without.
                self._run(key, task, stop)

    def stop(self, key: Key) -> None:
        """Tell a task to stop; what comes of it then has no meaning."""
        self._stops[key].set()

    def wait(self) -> Outcome[Key, Answer]:
        """Wait until a task is over and return its outcome."""
        while True:
            with suppress(Empty):
                outcome = self._over.get(timeout=_LOOKS_S)
                del self._stops[outcome.key]
                return outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Tell tasks that are under way to stop; Python waits for their threads when it ends."""
        for stop in self._stops.values():
            stop.set()

    def _run(self, key: Key, task: Callable[[], Answer], stop: Event) -> None:
        found, error = None, None
        with interrupts.asked(lambda: stop.is_set() or self._interrupted()):
            try:
                found = task()
            except BaseException as raised:
                if self.jobs == 1:
                    raise
                error = raised
        self._over.put(Outcome(key, found, error))


@dataclass(frozen=True)
class Task(Generic[Answer]):
    """One of several simulations."""

    run: Callable[[Watch], Answer]
    """Carries it out, and tells who watches how far it is."""
    note: str = ""
    """What it is, on the line of progress."""


def in_order(tasks: Sequence[Task[Answer]], jobs: int, watch: Watch) -> list[Answer]:
    """Carry out tasks, up to ``jobs`` at once, and return their answers in order.

    After Ctrl-C no more are begun: there are answers of the first ones alone, one at least.
    An error is raised once none of an earlier task can come; later tasks are stopped. What
    runs short of memory beside others is run again alone.
    """
    with interrupts.deferred() as interrupted, Crew[int, Answer](jobs, interrupted) as crew:

        def carry_out(place: int) -> Callable[[], Answer]:
            task = tasks[place]

            def run() -> Answer:
                with one_of(watch, place + 1, len(tasks), task.note) as told:
                    return task.run(told)

            return run

        outcomes: dict[int, Outcome[int, Answer]] = {}
        begun, last = 0, len(tasks)
        while True:
            while begun < last and crew.has_room and not (begun and interrupted()):
                crew.begin(begun, carry_out(begun))
                begun += 1
            if not crew.under_way:
                break
            outcome = crew.wait()
            outcomes[outcome.key] = outcome
            if outcome.error is not None and not isinstance(outcome.error, ShortMemoryError):
                last = min(last, outcome.key)
                for key in crew.under_way:
                    if key > last:
                        crew.stop(key)
        for place in range(begun):
            is_short = isinstance(outcomes[place].error, ShortMemoryError)
            if is_short and place < last and not interrupted():
                outcomes[place] = Outcome(place, carry_out(place)(), None)
        return [outcomes[place].answer for place in range(min(begun, last + 1))]
