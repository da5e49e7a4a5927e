"""One worker process, and the pipe that only it and its parent have.

Nothing is shared among workers, neither a queue nor a lock, so that one may die at any instant
and take nothing along but the item it has.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pickle import loads
from typing import Any

from .outcome import described

_CONTEXT = multiprocessing.get_context("spawn")
_ENDING = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGABRT")
    if hasattr(signal, name)
]
"""Signals by which people and systems end commands; nobody can put off SIGKILL."""


class DiedError(Exception):
    """The worker is no more; what it was working on has no answer."""


class Worker:
    """A process that answers one item after the other."""

    def __init__(self) -> None:
        """Start the process; it can be given an item at once."""
        self._pipe, its_end = _CONTEXT.Pipe()
        # A daemon: it ends with this program even if nobody leaves the pool.
        self._process = _CONTEXT.Process(target=_serve, args=[its_end], daemon=True)
        try:
            with _put_off():
                self._process.start()
        finally:
            # The pipe is at its end as soon as the worker is, because nobody else has this one.
            its_end.close()
        self.item: int | None = None
        """Number of the item it works on."""
        self.has_begun = False
        """Whether it was heard of, so that it can run at all."""

    def give(self, number: int, task: bytes) -> None:
        """Let an idle worker work on a pickled function and its item."""
        self.item = number
        # If it has died, `hear` finds out.
        with suppress(OSError):
            self._pipe.send_bytes(task)

    def hear(self) -> tuple[Any, str | None] | None:
        """Return its answer, or why there is none; None if it only says that it has begun.

        For a worker of which `speaking` says that it can be heard. Raises `DiedError`.
        """
        try:
            if not self._pipe.poll():
                raise DiedError
            told = self._pipe.recv_bytes()
        except (EOFError, OSError):
            raise DiedError from None
        self.has_begun = True
        if not told:
            return None
        self.item = None
        try:
            answer, problem = loads(told)
        except Exception as error:
            return None, described(error)
        return answer, problem

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()

    @property
    def signs(self) -> tuple[Any, ...]:
        """What becomes ready when the worker says something or dies."""
        return self._pipe, self._process.sentinel


def speaking(workers: Sequence[Worker]) -> list[Worker]:
    """Wait until workers have something to say or have died; return these, in order."""
    ready = set(wait([sign for worker in workers for sign in worker.signs]))
    return [worker for worker in workers if not ready.isdisjoint(worker.signs)]


def task_of(function: Any, item: Any) -> bytes:
    """Return a function and its item as `Worker.give` takes them."""
    return bytes(ForkingPickler.dumps((function, item)))


def _serve(pipe: Connection) -> None:
    """Answer one item after the other: the whole life of a worker."""
    _prepare()
    try:
        pipe.send_bytes(b"")
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return  # The parent is no more.


def _answer(task: bytes) -> bytes:
    """Return what an item comes to and None, or else None and why it comes to nothing; pickled."""
    try:
        function, item = loads(task)
        return bytes(ForkingPickler.dumps((function(item), None)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # A program of a user that exits is a failure of its item, too.
        return bytes(ForkingPickler.dumps((None, described(error))))


def _prepare() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it.

    What a program prints there is not the answer of the command.
    """
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _put_off() -> Iterator[None]:
    """Put off what ends this program until the block is left.

    A program that ends between the start of a worker and what it sends to it would leave a worker
    with a traceback. A terminal sends Ctrl-C to workers as well, also while they import: those
    that start in the block inherit that it is blocked until they can ignore it.
    """
    with _noted(), _ctrl_c_blocked():
        yield


@contextmanager
def _noted() -> Iterator[None]:
    """Note what would end this program, and let it do so afterwards.

    To block it would not do: it comes to any thread, and libraries have threads of their own.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread may say what becomes of signals.
        return
    before = {one: signal.getsignal(one) for one in _ENDING}
    # What is ignored stays so: workers inherit it (nohup).
    noted = [one for one, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for one in noted:
        signal.signal(one, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for one in noted:
            signal.signal(one, before[one])
        if came:
            signal.raise_signal(came[0])


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started beforehand, since it lifts the block when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
