"""Commands that are killed: nothing finished is lost, and the same command goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import tailback

from .commands import FILE, NET, PROGRAM, Command, content

_SIGNALS = [
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGKILL,
    signal.SIGABRT,
]
_OF_WORKERS = [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV]
_KILLS_OF_A_SWEEP = 4
_DEATHS = 3
"""A point is given up whose worker has died so many times."""
_LATEST_S = 4.0
"""A sweep of the campaign takes about as long on an idle machine."""
_HANGS_S = 300.0
_INTERRUPTED = 130
_PACKAGE = Path(tailback.__file__).parent

Commands = dict[str, tuple[list[str], str]]
COMMANDS: Commands = {
    "run": (["run", "one.toml", "--out", "made", "--packets"], "made"),
    "path": (["run", "program.toml", "--out", "made"], "made"),
    "report": (["report", "whole", "--out", "made.html"], "made.html"),
    "plot": (["plot", "whole", "--out", "made.svg"], "made.svg"),
    "import": (["import", "booksim", "net.cfg", "--out", "made.toml"], "made.toml"),
}
"""Commands besides `sweep`, and what each writes."""


class Kills:
    """The campaign, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Make what the cases begin with, and what must come of them."""
        self._folder = folder
        (folder / "sweep.toml").write_text(FILE)
        one = FILE.partition("[sweep]")[0]
        (folder / "one.toml").write_text(one)
        program = one.partition("[workload]")[0] + PROGRAM
        (folder / "program.toml").write_text(program)
        (folder / "net.cfg").write_text(NET)
        self._carried_out(["sweep", "sweep.toml", "--out", "whole"])
        self._whole = content(folder / "whole")
        self._answers = {name: self._answer(name) for name in COMMANDS}
        self.kinds: dict[str, Callable[[random.Random], str]] = {
            "sweeps": self._sweep,
            "workers": self._workers,
            "first second": self._first_second,
            "other commands": self._other_command,
        }

    def _carried_out(self, words: list[str]) -> None:
        code, said = Command(words, self._folder).ended()
        if code:
            raise SystemExit(f"{words}: {said}")

    def _answer(self, name: str) -> dict[str, bytes]:
        words, made = COMMANDS[name]
        self._carried_out(words)
        return self._taken(made)

    def _taken(self, made: str) -> dict[str, bytes]:
        """Return what a command has written, and remove it."""
        path = self._folder / made
        if path.is_dir():
            found = content(path)
            shutil.rmtree(path)
            return found
        found = {made: path.read_bytes()}
        path.unlink()
        return found

    def _sweep(self, moments: random.Random) -> str:
        """Kill a sweep again and again; its last try ends with the bytes of one left alone."""
        out = self._folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        words = ["sweep", "sweep.toml", "--out", "out", "--jobs", "2"]
        known: dict[str, int] = {}
        for _ in range(_KILLS_OF_A_SWEEP):
            problem = self._killed(words, moments, _LATEST_S)
            found = _points(out)
            if not problem and {name: found.get(name) for name in known} != known:
                problem = "a finished point is lost or was computed twice"
            if problem:
                return problem
            known = found
        code, said = Command(words, self._folder).ended()
        if code:
            return f"cannot go on ({code}): {said}"
        return "" if content(out) == self._whole else "other bytes than undisturbed"

    def _killed(self, words: list[str], moments: random.Random, latest_s: float) -> str:
        """Kill a command at some instant; return what it does wrong."""
        command = Command(words, self._folder)
        time.sleep(moments.random() * latest_s)
        sent = moments.choice(_SIGNALS)
        # A terminal sends to all processes of a command, and people to one of them.
        command.send(sent, to_group=sent is signal.SIGINT or moments.random() < 0.5)
        began = time.monotonic()
        while command.process.poll() is None:
            if time.monotonic() - began > _HANGS_S:
                command.send(signal.SIGKILL, to_group=True)
                command.ended()
                return f"{words[0]} hangs after {sent.name}"
            time.sleep(0.01)
        code, said = command.ended()
        if "Traceback" in said:
            told = f"{words[0]} after {sent.name} ({code}): {said}"
            return "" if _is_of_python_alone(said) else told
        if code not in (0, -sent, _INTERRUPTED):
            return f"{words[0]} ends with {code} after {sent.name}: {said}"
        return ""

    def _workers(self, moments: random.Random) -> str:
        """Kill one to three workers, some as soon as they are there: the sweep ends as if not."""
        out = self._folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        words = ["sweep", "sweep.toml", "--out", "out", "--jobs", "2"]
        command = Command(words, self._folder)
        kills = moments.randint(1, _DEATHS)
        for _ in range(kills):
            while not command.workers() and command.process.poll() is None:
                time.sleep(0.001)
            time.sleep(moments.choice([0.0, 0.1, 0.3, 1.0]) * moments.random())
            workers = command.workers()
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(moments.choice(workers), moments.choice(_OF_WORKERS))
        code, said = command.ended()
        if code and kills == _DEATHS and f"died, {_DEATHS} times" in said:
            # All came to one point, which is then given up: asked for again it is done.
            code, said = Command(words, self._folder).ended()
        if code or "Traceback" in said:
            return f"ends with {code}: {said}"
        return "" if content(out) == self._whole else "other bytes than undisturbed"

    def _first_second(self, moments: random.Random) -> str:
        """Press Ctrl-C in the first second of any command."""
        names = [*COMMANDS, "sweep"]
        name = moments.choice(names)
        shutil.rmtree(self._folder / "out", ignore_errors=True)
        words = ["sweep", "sweep.toml", "--out", "out", "--jobs", "2"]
        command = Command(words if name == "sweep" else COMMANDS[name][0], self._folder)
        time.sleep(moments.random())
        command.send(signal.SIGINT, to_group=True)
        code, said = command.ended()
        # Another command is to write there next.
        shutil.rmtree(self._folder / "made", ignore_errors=True)
        if "Traceback" in said:
            return "" if _is_of_python_alone(said) else f"{name} ({code}): {said}"
        if code not in (0, _INTERRUPTED, -signal.SIGINT):
            return f"{name} ends with {code}: {said}"
        return ""

    def _other_command(self, moments: random.Random) -> str:
        """Kill a command that writes a file or folder; the same command then does it."""
        name = moments.choice(sorted(COMMANDS))
        words, made = COMMANDS[name]
        problem = self._killed(words, moments, 2.0)
        if problem:
            return problem
        path = self._folder / made
        if path.is_file() and {made: path.read_bytes()} != self._answers[name]:
            return f"{name} leaves a file that is not whole"
        code, said = Command(words, self._folder).ended()
        if code:
            return f"{name} cannot be done again ({code}): {said}"
        found = self._taken(made)
        return "" if found == self._answers[name] else f"{name}: other bytes than undisturbed"


def _is_of_python_alone(said: str) -> bool:
    """Whether Ctrl-C came before Python reached our first line: no program can change that.

    What we import has a frame of ours above its own.
    """
    return f"{_PACKAGE}{os.sep}" not in said and said.rstrip().endswith("KeyboardInterrupt")


def _points(out: Path) -> dict[str, int]:
    """Return when each finished point was written."""
    return {path.name: path.stat().st_mtime_ns for path in (out / "points").glob("[!.]*")}
