"""Hashes of the results of many experiments, to be compared with those of another version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from .cases import Case, Outcome, computed, random_case
from .examples import documents, examples, traces
from .hashing import Hashes
from .kernels import KERNELS
from .studies import studies

RANDOM = 2000
"""Random cases, unless another number is asked for."""

__all__ = ["RANDOM", "all_cases", "differences", "outcomes", "read", "summary"]


def all_cases(count: int, only: str = "*", kept: Path | None = None) -> list[Case]:
    """Return all cases of which the names match, with so many random ones."""
    named = chain(examples(), documents(), traces(), studies())
    drawn = (random_case(number, kept) for number in range(count))
    return [case for case in chain(named, drawn) if fnmatch(case.name, only)]


def outcomes(cases: Sequence[Case], jobs: int = 1) -> Iterator[Outcome]:
    """Yield what comes of cases, in their order."""
    if jobs == 1:
        yield from map(computed, cases)
        return
    _WAITING[:] = cases  # which new processes have as they begin
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        yield from pool.map(_computed, range(len(cases)), chunksize=4)


_WAITING: list[Case] = []


def _computed(place: int) -> Outcome:
    return computed(_WAITING[place])


def read(path: Path) -> dict[str, Hashes]:
    """Return the lines of a file by name."""
    rows = (line.split() for line in path.read_text().splitlines() if line.strip())
    return {name: Hashes(*hashes) for name, *hashes in rows}


def differences(outcome: Outcome, known: Mapping[str, Hashes]) -> Iterator[str]:
    """Yield a line if an outcome is not as known; a case that was not there is none."""
    before = known.get(outcome.name)
    if before is None:
        name, at, _ = outcome.name.partition("@")
        if at and any(other.startswith(f"{name}@") for other in known):
            yield f"{outcome.name}: is another experiment now (--keep runs the same ones)"
        return
    pairs = zip(Hashes._fields, before, outcome.hashes, strict=True)
    parts = [part for part, old, new in pairs if old != new]
    if parts:
        yield f"{outcome.name}: {', '.join(parts)}"


def summary(done: Iterable[Outcome], wrong: int | None) -> str:
    """Return in words what was run."""
    done = list(done)
    drawn = [outcome for outcome in done if outcome.name.startswith("random/")]
    lines = [f"{len(done)} cases" + ("" if wrong is None else f", of which {wrong} differ")]
    if drawn:
        counted = Counter(kernel for outcome in drawn for kernel in set(outcome.kernels))
        names = [*KERNELS, *sorted(set(counted) - set(KERNELS))]
        ends = Counter(outcome.end for outcome in drawn)
        lines.append("random cases by kernel: " + ", ".join(f"{n} {counted[n]}" for n in names))
        told = [f"{end} {ends[end]}" for end in ("run", "refused", "stopped")]
        lines.append(f"of {len(drawn)} random cases: " + ", ".join(told))
    return "\n".join(lines)
