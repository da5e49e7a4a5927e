"""Commands carried out: in this process, which is fast, or in one of their own."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tailback.cli.carrying_out import carry_out
from tailback.cli.commands import app
from tailback.execution import Outcome as Worked
from tailback.since311 import Self

from .cases import Case, made
from .judging import Outcome

#: CPU seconds that a command may take, however busy the machine is.
_LIMIT_S = 60


class Serial:
    """A pool of one worker that is this process."""

    capacity = 1

    def __init__(self, jobs: int | None = None) -> None:
        """Take no notice of how many jobs are wanted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """There is nothing to end."""

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Worked[Any]]:
        """Yield what comes of each item; an exception comes out."""
        for index, item in enumerate(items):
            # What programs print in workers is not the answer of the command.
            with redirect_stdout(sys.stderr):
                answer = function(item)
            yield Worked(index, answer)


def tried(seed: int, number: int, folder: Path, apart: bool = False) -> tuple[Case, Outcome]:
    """Make a case in `folder`, which is emptied, and carry it out."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        case = made(seed, number, folder)
        return case, (launched if apart else invoked)(case)
    finally:
        os.chdir(before)


def invoked(case: Case) -> Outcome:
    """Carry a case out here."""
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code, exception = None, ""
    with (
        patch("tailback.execution.LocalPool", Serial),
        patch("sys.stdin", StringIO()),
        warnings.catch_warnings(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        warnings.simplefilter("error", RuntimeWarning)
        try:
            code = carry_out(app, case.arguments)
        except BaseException:  # a panic of compiled code is no Exception
            exception = traceback.format_exc()
    printed, told = (stream.buffer.getvalue().decode() for stream in (out, err))
    return Outcome(code, printed, told, exception)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT_S, _LIMIT_S + 1))


def launched(case: Case) -> Outcome:
    """Carry a case out in a process of its own, as users do."""
    command = [sys.executable, "-m", "tailback", *case.arguments]
    try:
        done = subprocess.run(command, capture_output=True, preexec_fn=_limit, check=False)
    except ValueError:  # a null character in an argument
        return invoked(case)
    if done.returncode == -signal.SIGXCPU:
        return Outcome(None, "", "", "does not end")
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
