"""Run the study: `python -m studies.adaptive` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from studies.adaptive import page, text
from studies.adaptive.claims import EXPECTED
from studies.adaptive.stored import STORES, SWEEPS
from studies.tweedie.chapters.running import run_sweeps

RESULTS = Path(__file__).parent / "RESULTS.md"
REPORT = RESULTS.with_name("report.html")


def main() -> int:
    """Run everything, write both reports, return the exit code."""
    started = time.monotonic()
    try:
        runs = run_sweeps(SWEEPS, STORES)
    except KeyboardInterrupt:
        print("Interrupted; no report was written, finished runs are kept.", file=sys.stderr)
        return 130
    wall_seconds = time.monotonic() - started
    answers = [(expected, expected.check(runs)) for expected in EXPECTED]
    page.write(answers, runs, REPORT)
    text.write(answers, runs, RESULTS, wall_seconds)
    print(f"Wrote {RESULTS} and {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
