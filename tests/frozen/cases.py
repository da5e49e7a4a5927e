"""What is hashed: a name, experiments, and how each is run."""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import tailback as tb
from tailback.errors import RunFailure, UserError
from tailback.experiment import Experiment, Run

from .drawing import FAMILIES, draw
from .hashing import Hasher, Hashes

MODES = ("full", "endpoints", "throttled", "free")
"""Those that are compared; `ideal` is run by itself, where some workloads stand still."""

#: Of the random cases: as many are run in all modes, and as many described besides.
_IN_ALL_MODES = 0.12
_DESCRIBED = 0.1


@dataclass(frozen=True)
class Asked:
    """One experiment: run in its own mode, or in several and compared; described besides."""

    experiment: Experiment
    modes: tuple[str, ...] = ()
    is_described: bool = False


@dataclass(frozen=True)
class Case:
    """Experiments that have a name."""

    name: str
    ask: Callable[[], Iterable[Asked | Mapping[str, Any]]]
    """Yields experiments, or answers that are hashed as JSON."""
    folder: Path | None = None
    """Where files are that experiments name; none: one that is made for it."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    name: str
    hashes: Hashes
    kernels: tuple[str, ...]
    """Which parts of the engine simulated channels, as far as it was run."""
    end: str
    """`run`, `refused`, of a deadlock and the like `stopped`; `broken` where the engine is."""

    @property
    def line(self) -> str:
        """The outcome as a line of a file."""
        return " ".join([self.name, *self.hashes])


def shortened(experiment: Experiment, duration: str | None = None, **keys: Any) -> Experiment:
    """Return an experiment that ends after `duration`, unless it ends by itself.

    Messages are kept; `keys` are others of the run.
    """
    given = experiment.run.named()
    if duration is not None and not experiment.finite:
        for name in ("precision", "max_duration", "warmup"):
            given.pop(name, None)
        given["duration"] = duration
    run = Run(**{**given, "keep_messages": True, **keys})
    return Experiment(experiment.machine, experiment.workload, run)


def computed(case: Case) -> Outcome:
    """Run a case and hash what comes of it."""
    with _inside(case.folder):
        return _computed(case)


def _computed(case: Case) -> Outcome:
    hasher, kernels, ends = Hasher(), [], {"run"}
    with redirect_stdout(StringIO()), _mistakes(hasher, ends):
        for asked in case.ask():
            with _mistakes(hasher, ends):
                _take(hasher, asked, kernels)
    [end, *_] = [end for end in ("broken", "stopped", "refused", "run") if end in ends]
    return Outcome(case.name + _label(case), hasher.hashes(), tuple(kernels), end)


@contextmanager
def _mistakes(hasher: Hasher, ends: set[str]) -> Iterator[None]:
    """Hash why something was refused or could not go on."""
    try:
        yield
    except UserError as error:
        hasher.mistake(error)
        ends.add("refused")
    except RunFailure as failure:
        hasher.mistake(failure)
        ends.add("stopped")
    except BaseException as panic:  # of compiled code it is no Exception
        if type(panic).__name__ != "PanicException":
            raise
        hasher.answer({"error": "panic", "text": str(panic)})
        ends.add("broken")


def _take(hasher: Hasher, asked: Asked | Mapping[str, Any], kernels: list[str]) -> None:
    """Run an experiment and hash what is measured, or hash an answer."""
    if not isinstance(asked, Asked):
        hasher.answer(asked)
        return
    experiment, modes = asked.experiment, asked.modes
    if asked.is_described:
        hasher.answer(tb.describe(experiment).to_dict())
    if not modes:
        result = tb.run(experiment, packets=True)
        kernels.append(_kernel_of(result))
        hasher.result(result)
        hasher.answer(result.to_dict())
        return
    cost = tb.cost(experiment, modes=modes, packets=True)
    for result in cost.modes.values():
        kernels.append(_kernel_of(result))
        hasher.result(result)
    hasher.answer(cost.to_dict())


def _kernel_of(result: tb.Result) -> str:
    """Return which kernel ran; results of a checkout before they named it do not say."""
    return getattr(result, "kernel", "unnamed")


def _label(case: Case) -> str:
    """Return what a name is followed by where it does not say which experiment it is."""
    if case.folder is not None:
        return ""
    digest = hashlib.sha256()
    for path in sorted(Path().iterdir()):
        if path.is_file():
            digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return f"@{digest.hexdigest()[:8]}"


@contextmanager
def _inside(folder: Path | None) -> Iterator[None]:
    """Make a folder the current one: paths in answers are relative to it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as own:
        os.chdir(own if folder is None else folder)
        try:
            yield
        finally:
            os.chdir(before)


def random_case(number: int, kept: Path | None = None) -> Case:
    """Return a random case; with `kept` its files are taken from there, or else put there."""
    family = FAMILIES[number % len(FAMILIES)].name.replace(" ", "_").replace(",", "")
    name = f"random/{number:05}-{family}"

    def ask() -> Iterator[Asked]:
        rng = random.Random(f"frozen {number}, how")
        path = _drawn(number, None if kept is None else kept / name)
        experiment = Experiment.load(path)
        chance = rng.random()
        modes = MODES if chance < _IN_ALL_MODES else ()
        yield Asked(experiment, modes, chance > 1 - _DESCRIBED)

    return Case(name, ask)


def _drawn(number: int, kept: Path | None) -> Path:
    """Draw a case into the current folder, or take it from where it is kept."""
    if kept is not None and kept.exists():
        _copy(kept.iterdir(), Path())
        return Path("e.toml")
    path = draw(number, Path())
    if kept is not None:
        kept.mkdir(parents=True)
        _copy(Path().iterdir(), kept)
    return path


def _copy(files: Iterable[Path], to: Path) -> None:
    for file in files:
        if file.is_file():
            (to / file.name).write_bytes(file.read_bytes())


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """Return a few items: the first, the last, and such as lie between."""
    last = len(items) - 1
    places = sorted({round(last * i / max(count - 1, 1)) for i in range(count)})
    return [items[place] for place in places]
