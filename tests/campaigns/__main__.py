"""What must never be lost: `python -m tests.campaigns kills --cases 100 --seed 1`.

`kills`: commands are ended by all signals at random instants, in their first second too, and single
workers of sweeps. `corruptions`: files of a folder of results are changed at random. `readers`:
traces, networks and measured times are damaged before they are read. A case is the same for the
same seed and number, but for what the machine does meanwhile. Prints what was wrong, and how many
cases of each kind went well; exits with 1 if anything was wrong.

Not part of `make test` or `make verify`: a hundred kills take about five minutes on two processors.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from . import corruptions, kills, readers

_CAMPAIGNS = {
    "kills": kills.Kills,
    "corruptions": corruptions.Corruptions,
    "readers": readers.Readers,
}

#: Seconds between two lines that say how far it is.
_TELL_S = 30


def main() -> int:
    """Try cases and say what was wrong."""
    asked = _arguments()
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    began = told = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        campaign = _CAMPAIGNS[asked.campaign](Path(folder))
        numbers = _numbers(asked)
        for number in numbers:
            moments = random.Random(f"{asked.seed} {number}")
            kind = asked.kind or moments.choice(sorted(campaign.kinds))
            problem = campaign.kinds[kind](moments)
            tried[kind] += 1
            if problem:
                wrong[kind] += 1
                print(f"{number}, {kind}: {problem}", flush=True)
            now = time.monotonic()
            if now - told > _TELL_S:
                told = now
                done = sum(tried.values())
                print(f"{done} of {len(numbers)} tried", file=sys.stderr, flush=True)
            if asked.seconds is not None and now - began > asked.seconds:
                break
    for kind in sorted(tried):
        print(f"{kind}: {tried[kind] - wrong[kind]} of {tried[kind]} well")
    return 1 if wrong else 0


def _numbers(asked: argparse.Namespace) -> range:
    if asked.only is not None:
        return range(asked.only, asked.only + 1)
    return range(asked.first, asked.first + asked.cases)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("campaign", choices=sorted(_CAMPAIGNS))
    parser.add_argument("--cases", type=int, default=100, help="how many are tried")
    parser.add_argument("--first", type=int, default=0, help="number of the first case; default 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="end after so long")
    parser.add_argument("--kind", help="only cases of this kind")
    parser.add_argument("--only", type=int, help="only the case of this number")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
