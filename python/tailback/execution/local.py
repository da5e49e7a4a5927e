"""Workers on this machine: one process per processor."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tailback.errors import UserError
from tailback.since311 import Self
from tailback.threads import check_jobs, processors

from .outcome import ATTEMPTS, Answer, Item, Outcome, described
from .worker import DiedError, Worker, speaking, task_of

_STILLBORN = 10
"""How many workers in a row may die before they have begun; more if many are started at once."""


class LocalPool:
    """Processes on this machine that apply a function to items.

    Workers are fresh processes: what they inherit does not depend on what this
    one has done. A worker that dies, at whatever instant, takes only its own item with it, which
    is begun again by another. Ctrl-C is left to this process; leaving the `with` block ends
    the workers at once.
    """

    def __init__(self, jobs: int | None = None) -> None:
        """`jobs`: number of workers; by default one per processor."""
        if jobs is not None:
            check_jobs("jobs", jobs)
        self.capacity = jobs or processors()
        self._workers: list[Worker] = []
        self._stillborn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the workers, whatever they are doing."""
        while self._workers:
            self._workers.pop().end()

    def run(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Outcome[Answer]]:
        """Yield an outcome for each item; see `Pool`.

        Raises `UserError` if no worker can be started.
        """
        waiting = deque(range(len(items)))
        deaths: Counter[int] = Counter()
        try:
            while waiting or self._busy():
                ready = self._hand_out(function, items, waiting)
                for worker in speaking(self._busy()) if self._busy() else ():
                    outcome = self._heard(worker, waiting, deaths)
                    if outcome is not None:
                        ready.append(outcome)
                # Before outcomes are kept, which takes time, their workers have the next items.
                ready += self._hand_out(function, items, waiting)
                yield from ready
        finally:
            for worker in self._busy():
                self._dismiss(worker)

    def _busy(self) -> list[Worker]:
        return [worker for worker in self._workers if worker.item is not None]

    def _hand_out(
        self, function: Callable[[Item], Answer], items: Sequence[Item], waiting: deque[int]
    ) -> list[Outcome[Answer]]:
        """Give items to idle workers, started as needed; return those that cannot be sent."""
        unsent: list[Outcome[Answer]] = []
        while waiting and len(self._busy()) < self.capacity:
            index = waiting.popleft()
            try:
                task = task_of(function, items[index])
            except Exception as error:
                why = f"cannot be sent to a worker ({described(error)})"
                told = f"{why}; define its functions at the top of a module"
                unsent.append(Outcome(index, None, told))
                continue
            idle = self._idle()
            if idle is None:
                waiting.appendleft(index)
                break
            idle.give(index, task)
        return unsent

    def _idle(self) -> Worker | None:
        """Return a worker without an item, started if need be; None if no more can be started."""
        for worker in self._workers:
            if worker.item is None:
                return worker
        try:
            self._workers.append(Worker())
        except OSError as error:
            if self._workers:
                return None
            reason = f"cannot be started: {error.strerror or error}"
            raise UserError("workers", None, reason) from None
        return self._workers[-1]

    def _heard(
        self, worker: Worker, waiting: deque[int], deaths: Counter[int]
    ) -> Outcome[Any] | None:
        """Return the outcome that a worker tells, if any; the item of a dead one waits again."""
        index = worker.item
        assert index is not None
        try:
            told = worker.hear()
        except DiedError:
            self._dismiss(worker)
            if worker.has_begun:
                deaths[index] += 1
            else:
                self._count_stillborn()
            if deaths[index] < ATTEMPTS:
                waiting.appendleft(index)
                return None
            problem = f"its worker process died, {ATTEMPTS} times (out of memory?)"
            return Outcome(index, None, problem, lost=True)
        self._stillborn = 0
        return None if told is None else Outcome(index, *told)

    def _dismiss(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def _count_stillborn(self) -> None:
        """Raise `UserError` if so many workers died at once that none will ever begin."""
        self._stillborn += 1
        most = max(_STILLBORN, ATTEMPTS * self.capacity)
        if self._stillborn >= most:
            why = 'out of memory, or no `if __name__ == "__main__":` in the program?'
            raise UserError("workers", None, f"{most} in a row died before they began ({why})")
