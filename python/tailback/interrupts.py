"""Ctrl-C as a question instead of an exception.

An exception could strike between two reads of the engine and lose what was
measured; a flag is looked at where a run can stop cleanly.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

EXIT_CODE = 130
"""Of a program that Ctrl-C has ended, as shells have it."""

_IMPORTING = "<frozen importlib._bootstrap>"


def end_at_once() -> None:
    """Let Ctrl-C end this program quietly from now on: nothing is under way."""
    signal.signal(signal.SIGINT, _end)


def _end(signum: int, frame: FrameType | None) -> None:
    os._exit(EXIT_CODE)


@contextmanager
def raised() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt` within the block.

    But while modules are imported it ends the program at once: many take an exception for a module
    that is missing, or are half imported afterwards.
    """
    with _handled(_raise):
        yield


def _raise(signum: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            print("interrupted", file=sys.stderr, flush=True)
            _end(signum, None)
        frame = frame.f_back
    raise KeyboardInterrupt


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle Ctrl-C so within the block; in threads other than the main one it does not arrive."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)


#: What tells whether to stop, within `deferred` and `asked`.
_stops: ContextVar[Callable[[], bool] | None] = ContextVar("_stops", default=None)


@contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed within the block.

    A second Ctrl-C raises `KeyboardInterrupt` as usual. Within another such block it is the
    function of that one. In threads other than the main one signals do not arrive, and the
    answer is no unless `asked` says what tells it.
    """
    outer = _stops.get()
    if outer is not None:
        yield outer
        return
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = threading.Event()

    def press(signum: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    with _handled(press), asked(pressed.is_set):
        yield pressed.is_set


@contextmanager
def asked(stops: Callable[[], bool]) -> Iterator[None]:
    """Let a function tell whether to stop, within the block, in this thread."""
    token = _stops.set(stops)
    try:
        yield
    finally:
        _stops.reset(token)
