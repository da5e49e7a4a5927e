"""Ctrl-C as a question instead of an exception.

An exception could strike between two reads of the engine and lose what was
measured; a flag is looked at where a run can stop cleanly.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed within the block.

    A second Ctrl-C raises `KeyboardInterrupt` as usual. In threads other than
    the main one signals do not arrive, and the answer is always no.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = threading.Event()

    def press(signum: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    previous = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
