"""Runs commands and prints what CPU they took together.

`python -m tests.spent "cargo test" "pytest -q"`: CPU seconds of the commands and of all
processes they began; ends with 1 if any failed. With `--jobs` several run at a time, and of those
that do not fail only the last line is shown; what is not done within `--seconds` is said, and left.
Processes that commands leave behind are ended.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_LINES = 200
#: How long processes may go on whose parents have ended.
_PATIENCE_S = 10


def main() -> int:
    """Run what is asked for; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.spent", description=__doc__)
    parser.add_argument("commands", nargs="+", metavar="COMMAND", help="a line for the shell")
    parser.add_argument("--seconds", type=float, help="end after so long")
    parser.add_argument("--jobs", type=int, default=1, help="commands at a time")
    asked = parser.parse_args()
    end = None if asked.seconds is None else time.monotonic() + asked.seconds
    adopt()
    with ThreadPoolExecutor(asked.jobs) as pool:
        codes = list(pool.map(lambda line: done(line, end, asked.jobs > 1), asked.commands))
    end_orphans()
    for command, code in zip(asked.commands, codes, strict=True):
        if code != 0:
            print("not done in time:" if code is None else "failed:", command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU: {used.ru_utime + used.ru_stime:.0f} s")
    return int(any(codes))


def adopt() -> None:
    """Become the parent of processes whose own parents end: what they took counts as well."""
    if sys.platform == "linux":
        set_child_subreaper = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
        ctypes.CDLL(None).prctl(set_child_subreaper, 1)


def end_orphans() -> None:
    """Wait for processes that were left behind by those that began them; not for long."""
    patience = time.monotonic() + _PATIENCE_S
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid != 0:
            continue
        if time.monotonic() > patience:
            for orphan in children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(orphan, signal.SIGKILL)
        time.sleep(0.05)


def children() -> Iterator[int]:
    """Processes whose parent this one is, where the system tells that in /proc."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state parent ...": a name may hold anything.
            parent = status.read_text(errors="replace").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                yield int(status.parent.name)


def done(command: str, end: float | None, quietly: bool) -> int | None:
    """Return the exit code of a command, or None if there was no time for it."""
    seconds = None if end is None else end - time.monotonic()
    if seconds is not None and seconds <= 0:
        return None
    print(f"== {command}", flush=True)
    output = subprocess.PIPE if quietly else None
    process = subprocess.Popen(
        command,
        shell=True,
        start_new_session=True,
        text=True,
        stdout=output,
        stderr=subprocess.STDOUT if quietly else None,
    )
    try:
        told, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGINT)
        process.wait()
        raise
    if quietly:
        lines = told.splitlines()[-_LINES:]
        print(*(lines if process.returncode else [command, *lines[-1:]]), sep="\n", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
