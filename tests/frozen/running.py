"""Hashes of the results of many experiments, to be compared with those of another version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import tailback as tb

from .cases import Case, Outcome, computed, random_case
from .examples import documents, examples, traces
from .hashing import Hashes
from .studies import studies

RANDOM = 2000
"""Random cases, unless another number is asked for."""


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


def written(done: Iterable[Outcome]) -> str:
    """Return outcomes as a file; that of an engine which breaks is none that is to stay."""
    return "".join(f"{outcome.line}\n" for outcome in done if outcome.end != "broken")


def read(path: Path) -> dict[str, Hashes]:
    """Return the lines of a file by name."""
    rows = (line.split() for line in path.read_text().splitlines() if line.strip())
    return {name: Hashes(*hashes) for name, *hashes in rows}


def random_count(known: Iterable[str]) -> int:
    """Return how many random cases were run for some lines."""
    return max((_number(name) + 1 for name in known), default=0)


def _number(name: str) -> int:
    """Return the number of a random case, -1 of others."""
    found = re.match(r"random/(\d+)", name)
    return -1 if found is None else int(found[1])


def differences(outcome: Outcome, known: Mapping[str, Hashes]) -> Iterator[str]:
    """Yield a line if an outcome is not as known; a case that is not known is none."""
    before = known.get(outcome.name)
    if before is not None:
        pairs = zip(Hashes._fields, before, outcome.hashes, strict=True)
        parts = [part for part, old, new in pairs if old != new]
        if parts:
            yield f"{outcome.name}: {', '.join(parts)}"
    elif any(_same(outcome.name, other) for other in known):
        yield f"{outcome.name}: is another experiment now (--keep runs the same ones)"


def _same(name: str, other: str) -> bool:
    """Whether two names differ in nothing but which experiment it is."""
    return name.partition("@")[0] == other.partition("@")[0]


def missing(
    done: Iterable[Outcome], known: Iterable[str], count: int, only: str = "*"
) -> Iterator[str]:
    """Yield a line for each known case that should have been run and was not."""
    names = {outcome.name.partition("@")[0] for outcome in done}
    for name in known:
        case = name.partition("@")[0]
        if case not in names and fnmatch(case, only) and _number(name) < count:
            yield f"{name}: is no case any more"


def summary(done: Iterable[Outcome], wrong: int | None) -> str:
    """Return in words what was run."""
    done = list(done)
    drawn = [outcome for outcome in done if outcome.name.startswith("random/")]
    differing = "" if wrong is None else f", of which {wrong} differ"
    lines = [f"{len(done)} cases{differing}, of {Path(tb.__file__).parent}"]
    if drawn:
        counted = Counter(kernel for outcome in drawn for kernel in set(outcome.kernels))
        ends = Counter(outcome.end for outcome in drawn)
        lines.append(
            "random cases by kernel: "
            + ", ".join(f"{name} {count}" for name, count in counted.most_common())
        )
        told = [f"{end} {ends[end]}" for end in ("run", "refused", "stopped", "broken")]
        lines.append(f"of {len(drawn)} random cases: " + ", ".join(told))
    lines += [f"broken: {outcome.name}" for outcome in done if outcome.end == "broken"]
    return "\n".join(lines)
