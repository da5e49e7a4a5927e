"""What must hold of messages on random machines of every kernel: `python -m tests.answers`.

Prints for each kernel of mode full how many machines and messages there were, how often a message's
own time is above its time alone, how often it was quicker than alone, and what does not hold, with
the first cases; ends with 1 if anything does not. `--only` runs one case, makes it as small as it
may be for the same to fail, and prints it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tailback.errors import UserError

from .checking import Found, check
from .drawing import Case, draw

_COUNTED = ("messages", "alone", "own above alone", "early", "charged in part", "unattributed")
_SHOWN = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Try cases and say what does not hold; 1 if anything does not."""
    asked = _asked(arguments)
    if asked.only is not None:
        return _one(asked.only)
    began = time.monotonic()
    totals: dict[str, Counter[str]] = {}
    failures: dict[tuple[str, str], list[str]] = {}
    count = 0
    for number, found in findings(range(asked.first, asked.first + asked.cases), asked.jobs):
        count += 1
        kernel = totals.setdefault(found.kernel, Counter())
        kernel["machines"] += 1
        kernel += found.counted
        for what in {what for what, _ in found.failures}:
            which = next(which for one, which in found.failures if one == what)
            failures.setdefault((found.kernel, what), []).append(f"case {number}, {which}")
        if asked.seconds is not None and time.monotonic() - began > asked.seconds:
            break
    print(f"{count} cases in {time.monotonic() - began:.0f} s")
    print(written(totals, failures))
    return int(bool(failures))


def findings(numbers: Sequence[int], jobs: int = 1) -> Iterator[tuple[int, Found]]:
    """Yield what comes of cases, in their order."""
    if jobs == 1:
        yield from map(_found, numbers)
        return
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        yield from pool.map(_found, numbers, chunksize=8)


def _found(number: int) -> tuple[int, Found]:
    with tempfile.TemporaryDirectory() as place:
        try:
            case = _drawn(number, place)
        except UserError:
            return number, Found()  # no machine of its family was accepted
        return number, check(case)


def _drawn(number: int, place: str) -> Case:
    os.chdir(place)  # files are named without a folder
    return draw(number, Path(place))


def written(totals: dict[str, Counter[str]], failures: dict[tuple[str, str], list[str]]) -> str:
    """Return what was found as lines."""
    lines = []
    for kernel, counted in sorted(totals.items()):
        told = [f"{counted[name]} {name}" for name in _COUNTED]
        others = [f"{count} {name}" for name, count in counted.items() if name not in _COUNTED]
        lines.append(f"{kernel}: {', '.join((*others, *told))}")
    for (kernel, what), cases in failures.items():
        lines.append(f"{kernel}: {what}, in {len(cases)} cases")
        lines += [f"  {case}" for case in cases[:_SHOWN]]
    return "\n".join(lines)


def _one(number: int) -> int:
    """Print a case, as small as it may be."""
    with tempfile.TemporaryDirectory() as place:
        case = _drawn(number, place)
        found = check(case)
        if found.failures:
            case, found = smallest(case, found)
        print(case.text())
        print(f"# {case.family}: kernel {found.kernel}, {dict(found.counted)}")
        for what, which in found.failures:
            print(f"# {what}: {which}")
    os.chdir("/")
    return int(bool(found.failures))


def smallest(case: Case, found: Found) -> tuple[Case, Found]:
    """Return a case that lacks all it can lack with the first failure still there."""
    what = found.failures[0][0]
    while True:
        for less in case.smaller():
            again = check(less)
            if again.kernel == found.kernel and what in dict(again.failures):
                case, found = less, again
                break
        else:
            return case, found


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="how many")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="cases at a time")
    parser.add_argument("--only", type=int, metavar="N", help="this one, made small")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after so long")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
