"""Workers on this machine: one process per processor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from pebble import ProcessExpired, ProcessPool

from tailback.errors import UserError, shown
from tailback.since311 import Self

from .outcome import ATTEMPTS, Answer, Item, Outcome, described

MOST_JOBS = 4096


def check_jobs(option: str, jobs: int) -> None:
    """Raise `UserError` about `option` for so many workers that a machine would only start them."""
    if not 1 <= jobs <= MOST_JOBS:
        raise UserError(option, shown(jobs), f"must be 1 to {MOST_JOBS}")


class LocalPool:
    """Processes on this machine that apply a function to items.

    Workers are fresh processes: what they inherit does not depend on what this
    one has done. A worker that dies takes only its own item with it, which is
    begun again. Ctrl-C is left to this process; leaving the `with` block ends
    the workers at once.
    """

    def __init__(self, jobs: int | None = None) -> None:
        """`jobs`: number of workers; by default one per processor."""
        if jobs is not None:
            check_jobs("jobs", jobs)
        self.capacity = jobs or processors()
        self._pool: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the workers, whatever they are doing."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()

    def _start(self, items: int) -> None:
        """Start the workers, no more than there are items."""
        self._pool = self._pool or ProcessPool(
            max_workers=max(min(self.capacity, items), 1),
            initializer=_begin,
            context=multiprocessing.get_context("spawn"),
        )

    def run(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Outcome[Answer]]:
        """Yield an outcome for each item; see `Pool`."""
        waiting = deque(range(len(items)))
        begun: Counter[int] = Counter()
        under_way: dict[Future[Answer], int] = {}
        self._start(len(items))
        while waiting or under_way:
            # One more than there are workers, so that none has to wait for the next item.
            while waiting and len(under_way) <= self.capacity:
                index = waiting.popleft()
                begun[index] += 1
                under_way[self._pool.schedule(function, args=[items[index]])] = index
            done = wait(under_way, return_when=FIRST_COMPLETED).done
            for future in sorted(done, key=under_way.__getitem__):
                index = under_way.pop(future)
                if _worker_died(future) and begun[index] < ATTEMPTS:
                    waiting.appendleft(index)
                else:
                    yield _outcome(index, future)


def _worker_died(future: Future[Any]) -> bool:
    return isinstance(future.exception(), ProcessExpired)


def _outcome(index: int, future: Future[Answer]) -> Outcome[Answer]:
    error = future.exception()
    if error is None:
        return Outcome(index, future.result())
    if _worker_died(future):
        problem = f"its worker process died, {ATTEMPTS} times (out of memory?)"
        return Outcome(index, None, problem, lost=True)
    return Outcome(index, None, described(error))


def _begin() -> None:
    """Prepare a worker: it leaves Ctrl-C to its parent and does not outlive it.

    What a program prints there is not the answer of the command.
    """
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
