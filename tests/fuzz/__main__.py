"""The fuzzer: `python -m tests.fuzz --cases 1000 --seed 1`.

Experiments that are valid, most of them, with one thing broken in each; a case is the same
for the same seed and number (`--only`). Prints what was wrong, by kind, with the number of
the first case; exits with 1 if anything was.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .judging import problems
from .running import tried

#: Memory that a case may ask for.
_MOST_BYTES = 16 << 30
_HANG_S = 1200


def main() -> int:
    """Try cases and say what was wrong."""
    asked = _arguments()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    folder = Path(tempfile.mkdtemp(prefix="fuzz-")) / "case"
    first: dict[str, int] = {}
    found: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    valid = 0
    began = time.monotonic()
    numbers = range(asked.cases) if asked.only is None else [asked.only]
    for number in numbers:
        # A case that does not end is told with the place it is in.
        faulthandler.dump_traceback_later(_HANG_S, exit=True)
        apart = asked.apart > 0 and number % asked.apart == 0
        print(f"case {number}", end="\r", file=sys.stderr, flush=True)
        case, outcome = tried(asked.seed, number, folder, apart=apart)
        valid += case.was_valid
        codes[f"{case.fault}: {outcome.code}"] += 1
        for problem in problems(case, outcome):
            found[problem] += 1
            if first.setdefault(problem, number) == number:
                print(f"case {number} ({case.fault}): {problem}", flush=True)
        if asked.only is not None:
            print(case, (folder / "e.toml").read_text(errors="replace"), outcome, sep="\n")
        if asked.seconds is not None and time.monotonic() - began > asked.seconds:
            break
    faulthandler.cancel_dump_traceback_later()
    print(f"{number + 1} cases in {time.monotonic() - began:.0f} s, {valid} valid before")
    for code, count in sorted(codes.items()):
        print(f"  {count:6d}  {code}")
    for problem, count in found.most_common():
        print(f"  {count:6d}  from case {first[problem]}: {problem}")
    return int(bool(found))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="end after so long")
    parser.add_argument("--only", type=int, help="the number of one case, which is shown")
    parser.add_argument("--apart", type=int, default=50, help="every N-th in its own process")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
