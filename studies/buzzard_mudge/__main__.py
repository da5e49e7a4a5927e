"""Run the study: `python -m studies.buzzard_mudge` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from studies.buzzard_mudge import collisions, page, standstill, text
from studies.buzzard_mudge.findings import Findings
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.settings import LENGTHS, STORES, SWEEPS
from studies.running import answers
from studies.tweedie.chapters.running import run_sweeps

RESULTS = Path(__file__).parent / "RESULTS.md"
REPORT = RESULTS.with_name("report.html")


def main() -> int:
    """Run everything, write both reports, return the exit code."""
    started = time.monotonic()
    try:
        runs = run_sweeps(SWEEPS, STORES)
        counted = answers(collisions.collisions, collisions.DIMENSIONS, "cubes")
        cases = [case for length in LENGTHS[:1] for case in standstill.cases(length)]
        still = answers(standstill.attempt, cases, "runs")
    except KeyboardInterrupt:
        print("Interrupted; no report was written, finished runs are kept.", file=sys.stderr)
        return 130
    wall_seconds = time.monotonic() - started
    found = Findings.of(Measured(runs), counted, still)
    page.write(found, REPORT)
    text.write(found, RESULTS, wall_seconds)
    print(f"Wrote {RESULTS} and {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
