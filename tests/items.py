"""Items for workers: they answer, raise or die, and import nothing that takes long."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def work(item: object) -> object:
    """Answer, raise, or die, as the item says."""
    if item == "raise":
        raise ValueError("no\ngood")
    if item == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if isinstance(item, Path):
        # Dies the first time only.
        if not item.exists():
            item.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "alive"
    if isinstance(item, tuple):
        return DiesWhenSent(item[0])
    return item


class DiesWhenRead:
    """An item that kills the first worker that reads it, before it is worked on."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return work, (self.mark,)


class DiesWhenSent:
    """An answer that kills the first worker that sends it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return str, (work(self.mark),)


def stay(pipe: tuple[Path, str]) -> int:
    """Say who this is and stay for ever, or hear who the other is."""
    path, way = pipe
    if way == "hear":
        return int(path.read_text())
    path.write_text(str(os.getpid()))
    while True:
        signal.pause()
