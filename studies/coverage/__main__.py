"""Run the study: `python -m studies.coverage` writes `RESULTS.md`; exit code 1 if it fails."""

from __future__ import annotations

import sys

from studies.coverage.report import Precise, table, write
from studies.coverage.tallies import tallies
from studies.study import Study, carry_out

STUDY = Study("coverage")

RUNS = 1000
"""More than enough for ±1 %: with 400, chance alone would move the share by 1.1 %."""

PRECISION, LOOSER = 0.05, 0.1

Found = tuple[Precise, Precise]


def _run() -> Found:
    return (PRECISION, tallies(PRECISION, RUNS)), (LOOSER, tallies(LOOSER, RUNS))


def _report(found: Found, wall_seconds: float) -> bool:
    judged, looser = found
    write(judged, looser, wall_seconds, STUDY.results)
    print(table(judged[1]))
    return all(tally.holds for tally in judged[1])


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results,)))
