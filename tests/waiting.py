"""Waiting for what must come, however long that takes on a busy machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

#: Nothing is judged by this: what stands still so long will never come.
HANG_S = 1800


def until(happened: Callable[[], bool], *, unless: subprocess.Popen[str] | None = None) -> None:
    """Return when something has happened, or when the process `unless` has ended."""
    hanging = time.monotonic() + HANG_S
    while not happened() and (unless is None or unless.poll() is None):
        assert time.monotonic() < hanging, "this will never come"
        time.sleep(0.01)


def members(group: int) -> set[int]:
    """Return the processes of a group that have not ended."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = entry.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it ended meanwhile
            continue
        if int(its_group) == group and state not in "ZX":
            found.add(int(entry.parent.name))
    return found
