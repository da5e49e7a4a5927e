"""The command line in a process of its own, without the time that Python takes to start.

Processes are forked from one that has imported everything and run nothing. Points of a sweep are
run in the process of the command, unless `--jobs` asks for several workers. What depends on how a
command begins or ends (signals, closed streams, workers) is tested by real ones.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tailback.execution import LocalPool, Outcome

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.everything"])


def tailback(
    *arguments: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Carry out a command in `cwd`, with these variables of the environment besides.

    Both streams can be read one by one, or are `together` what the first has.
    """
    words = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("out", "out" if together else "err")]
        asked = (words, Path.cwd() if cwd is None else cwd, dict(env or {}), streams)
        process = _CONTEXT.Process(target=_carry_out, args=asked)
        process.start()
        process.join()
        output, errors = (stream.read_text() for stream in streams)
        errors = "" if together else errors
    assert process.exitcode is not None
    return subprocess.CompletedProcess(words, process.exitcode, output, errors)


def _carry_out(
    words: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Sequence[Path]
) -> None:
    for number, path in zip((1, 2), streams, strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    # As Python has them: errors are there at the end of a line.
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.chdir(cwd)
    os.environ.update(env)
    sys.argv = ["tailback", *words]
    import typer.main

    from tailback import execution, progress
    from tailback.cli import main
    from tests.everything import COMMANDS

    typer.main.get_command = lambda app: COMMANDS
    # What a command prints does not depend on how fast it is here.
    progress.QUIET_S = threading.TIMEOUT_MAX
    if "--jobs" not in words or words[words.index("--jobs") + 1] == "1":
        execution.LocalPool = _here(execution.LocalPool)  # type: ignore[misc]
    main()


def _here(local: type[LocalPool]) -> type[LocalPool]:
    """Return a pool that does in this process what one worker would do."""
    from tailback.execution import Outcome, worker

    class Here(local):  # type: ignore[misc, valid-type]
        def run(self, function: Any, items: Sequence[Any]) -> Iterator[Outcome[Any]]:
            for index, item in enumerate(items):
                # What the programs of users print there is not the answer of the command.
                with contextlib.redirect_stdout(sys.stderr):
                    told = worker._answer(worker.task_of(function, item))
                yield Outcome(index, *pickle.loads(told))

    return Here
