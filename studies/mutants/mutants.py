"""Mutants of the engine: which there are, a sample of them, and what tests make of each."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.quick import ENGINE, ROOT, twins

Outcome = Literal["caught", "missed", "timeout", "unviable"]

#: What is mutated, below the engine's sources.
ROOMS = ("fabric/kernels", "fabric/switch")
#: The copy of the tree that is mutated, and what is built of it: both are kept between runs.
WORK = ROOT / "target" / "mutants"
#: Compiled soon rather than well, with every assertion.
_PROFILE = {
    "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
    "CARGO_PROFILE_TEST_CODEGEN_UNITS": "256",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    "CARGO_INCREMENTAL": "1",
}
#: How much longer than without a mutant tests may take.
_PATIENCE = 5


@dataclass(frozen=True)
class Mutant:
    """One change of the engine's sources."""

    file: str
    """The file, from the root of the tree."""
    name: str
    """Place and change, as `cargo mutants` says it."""
    diff: str


def listed() -> list[Mutant]:
    """Return all mutants, in the order of files and lines."""
    wanted = [word for room in ROOMS for word in ("--file", f"{ENGINE}src/{room}/**/*.rs")]
    wanted += [word for room in ROOMS for word in ("--file", f"{ENGINE}src/{room}.rs")]
    found = subprocess.run(
        ["cargo", "mutants", "--list", "--json", "--diff", "--package", "tailback-engine", *wanted],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [Mutant(one["file"], one["name"], one["diff"]) for one in json.loads(found.stdout)]


def drawn(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return so many of them, the same for the same seed; all if there are no more."""
    if count >= len(mutants):
        return list(mutants)
    chosen = random.Random(seed).sample(range(len(mutants)), count)
    return [mutants[place] for place in sorted(chosen)]


class Bench:
    """A copy of the tree in which one mutant after the other is tried."""

    def __init__(self) -> None:
        """Copy the tree; what was built of it before is kept."""
        self._tree = WORK / "tree"
        self._took: dict[tuple[str, ...], float] = {}
        shutil.rmtree(self._tree, ignore_errors=True)
        for name in ("Cargo.toml", "Cargo.lock", "crates"):
            source = ROOT / name
            # With the times of files, so that only what differs is compiled.
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            self._tree.mkdir(parents=True, exist_ok=True)
            copy(source, self._tree / name)

    def tried(self, mutant: Mutant) -> Outcome:
        """Return what tests make of a mutant.

        Raises `RuntimeError` if they fail without one.
        """
        filters = self._filters(mutant)
        if filters not in self._took:
            self._took[filters] = self._without_mutant(filters)
        path = self._tree / mutant.file
        before = path.read_text(encoding="utf-8")
        try:
            self._patch(mutant)
            if self._cargo(filters, "--no-run").returncode:
                return "unviable"
            limit = 10 + _PATIENCE * self._took[filters]
            return "caught" if self._cargo(filters, limit=limit).returncode else "missed"
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            path.write_text(before, encoding="utf-8")

    @staticmethod
    def _filters(mutant: Mutant) -> tuple[str, ...]:
        """Return the twins of the mutant's room."""
        modules = twins({mutant.file.removeprefix(ENGINE)})
        return tuple(f"{module}::" for module in sorted(modules))

    def _without_mutant(self, filters: tuple[str, ...]) -> float:
        """Return how many seconds tests take when nothing is wrong."""
        self._cargo(filters, "--no-run")
        began = time.monotonic()
        done = self._cargo(filters)
        if done.returncode:
            raise RuntimeError(f"tests fail without a mutant: {' '.join(filters)}\n{done.stdout}")
        return time.monotonic() - began

    def _patch(self, mutant: Mutant) -> None:
        subprocess.run(
            ["patch", "--quiet", "--strip=0", mutant.file],
            cwd=self._tree,
            input=mutant.diff,
            text=True,
            check=True,
        )

    def _cargo(
        self, filters: tuple[str, ...], *words: str, limit: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = ["cargo", "test", "--quiet", "--package", "tailback-engine", "--test", "twins"]
        process = subprocess.Popen(
            [*command, *words, "--", *filters],
            cwd=self._tree,
            env={**os.environ, **_PROFILE, "CARGO_TARGET_DIR": str(WORK / "built")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A group of its own: tests that never end are ended with cargo.
            start_new_session=True,
        )
        try:
            told, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, told)


def kept(path: Path) -> dict[str, Outcome]:
    """Return what was found before, by the names of mutants."""
    if not path.exists():
        return {}
    lines = (line.split(",", 1) for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return {name: outcome for outcome, name in lines}  # type: ignore[misc]
