"""Hashes of results: proof that a change of the engine changes none of them.

`python -m tests.frozen --out FILE` writes a line for every case: its name and hashes of all
packets, of all tables and of the JSON that is printed. `--check FILE` computes them anew and
prints each case that differs, and in what; it ends with 1 if there is one. With PYTHONPATH
another checkout's Tailback is hashed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import hashing, running


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; 1 if something differs."""
    asked = _asked(arguments)
    hashing.LEFT_OUT.update(asked.leave_out)
    given = asked.check or asked.out
    known = running.read(given) if given is not None and given.exists() else {}
    count = asked.cases
    if count is None:
        count = running.random_count(known) if known else running.RANDOM
    if asked.check is None:
        known = {}
    cases = running.all_cases(count, asked.only, asked.keep and asked.keep.absolute())
    done, wrong = [], 0
    for outcome in running.outcomes(cases, asked.jobs):
        done.append(outcome)
        if given is None:
            print(outcome.line, flush=True)
        for line in running.differences(outcome, known):
            print(line, flush=True)
            wrong += 1
    for line in running.missing(done, known, count, asked.only):
        print(line)
        wrong += 1
    if asked.out is not None:
        asked.out.write_text(running.written(done))
    print(running.summary(done, wrong if asked.check else None), file=sys.stderr)
    return int(wrong > 0)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--out", type=Path, metavar="FILE", help="write the lines into a file")
    what.add_argument("--check", type=Path, metavar="FILE", help="compare with the lines of a file")
    usual = f"random cases; default: as many as FILE has, else {running.RANDOM}"
    parser.add_argument("--cases", type=int, metavar="N", help=usual)
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="cases at a time")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names, as 'random/0001*'")
    kept = "random experiments as files: taken from there, or else put there"
    parser.add_argument("--keep", type=Path, metavar="DIR", help=kept)
    left_out = "a key or column that is not hashed either; repeatable"
    parser.add_argument("--leave-out", action="append", default=[], metavar="KEY", help=left_out)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
