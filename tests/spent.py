"""Runs commands and prints what CPU they took together.

`python -m tests.spent "cargo test" "pytest -q"`: CPU seconds of the commands and of all
processes they began; ends with 1 if any failed. With `--jobs` several run at a time and only
the output of those that fail is shown; what is not done within `--seconds` is said, and left.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

_LINES = 200


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
    wait_for_orphans()
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


def wait_for_orphans() -> None:
    """Wait for processes that were left behind by those that began them."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


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
    if process.returncode != 0 and quietly:
        print(*told.splitlines()[-_LINES:], sep="\n", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
