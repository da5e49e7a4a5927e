"""Commands as users start them: processes of their own, in a group of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.waiting import members, until

FILE = """
[machine]
topology.kind = "torus"
topology.dims = [4, 4]
[workload]
sync = "asynchronous"
radius = "all"
message_size = "100 B"
[run]
duration = "400 us"
[sweep]
seeds = 3
workload.compute_period = ["1 us", "2 us", "5 us", "10 us"]
"""
"""A sweep of twelve points of about a quarter of a second."""

PROGRAM = """
[workload]
kind = "ring_allreduce"
size = "20 kB"
repeat = 20
[run]
critical_path = true
"""

NET = """
topology = torus;
k = 4;
n = 2;
routing_function = dim_order;
num_vcs = 2;
traffic = uniform;
injection_rate = 0.1;
"""


class Command:
    """A command that is under way, or over."""

    def __init__(self, words: list[str], folder: Path) -> None:
        """Begin `tailback WORDS` in `folder`."""
        self._errors = (folder / f".errors.{os.getpid()}").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tailback", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,
            text=True,
        )

    def workers(self) -> list[int]:
        """Return the processes that it has started, those that keep books for Python left out."""
        others = sorted(members(self.process.pid) - {self.process.pid})
        return [other for other in others if not _keeps_books(other)]

    def send(self, signal_: signal.Signals, *, to_group: bool) -> None:
        """Send a signal to it, or to all of its processes as a terminal does."""
        with suppress(ProcessLookupError):
            (os.killpg if to_group else os.kill)(self.process.pid, signal_)

    def ended(self) -> tuple[int, str]:
        """Wait until it and its processes have ended; return its exit code and what it said."""
        self.process.wait()
        until(lambda: not members(self.process.pid))
        self._errors.seek(0)
        said = self._errors.read()
        self._errors.close()
        Path(self._errors.name).unlink(missing_ok=True)
        return self.process.returncode, said


def _keeps_books(process: int) -> bool:
    try:
        return b"resource_tracker" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return True


def content(folder: Path, wanted: Callable[[Path], bool] = lambda path: True) -> dict[str, bytes]:
    """Return the files below a folder, those that begin with a dot left out."""
    files = (path for path in folder.rglob("[!.]*") if path.is_file() and wanted(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
