"""Hashes of results: proof that a change of the engine changes none of them.

`python -m tests.frozen --out FILE` writes a line for every case: its name and hashes of all
packets, of all tables and of the JSON that is printed. `--check FILE` computes them anew and
prints each case that differs, and in what; it ends with 1 if there is one. With PYTHONPATH
another checkout's Tailback is hashed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from .running import RANDOM, all_cases, differences, outcomes, read, summary


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--out", type=Path, help="write the lines into a file")
    what.add_argument("--check", type=Path, metavar="FILE", help="compare with the lines of a file")
    parser.add_argument("--cases", type=int, help=f"random cases; default: {RANDOM}, or as in FILE")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names, as random/0001*")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="random experiments as files")
    asked = parser.parse_args(arguments)
    known = {} if asked.check is None else read(asked.check)
    count = asked.cases
    if count is None:
        found = sum(name.startswith("random/") for name in known)
        count = found if known else RANDOM
    cases = all_cases(count, asked.only, asked.keep and asked.keep.absolute())
    done = []
    lines: list[str] = []
    wrong = 0
    for outcome in outcomes(cases, asked.jobs):
        done.append(outcome)
        lines.append(outcome.line)
        if asked.check is None and asked.out is None:
            print(outcome.line, flush=True)
        if asked.check is not None:
            wrong += _told(differences(outcome, known))
    if asked.out is not None:
        asked.out.write_text("".join(f"{line}\n" for line in lines))
    print(summary(done, wrong if asked.check else None), file=sys.stderr)
    return int(wrong > 0)


def _told(found: Iterable[str]) -> int:
    lines = list(found)
    for line in lines:
        print(line, flush=True)
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
