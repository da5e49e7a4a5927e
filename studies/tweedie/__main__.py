"""Run the whole study: `python -m studies.tweedie` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from studies.tweedie.chapters import FIGURES, page, text
from studies.tweedie.chapters.judging import judge
from studies.tweedie.chapters.running import run_sweeps
from studies.tweedie.measure import measure_all
from studies.tweedie.report import write
from studies.tweedie.sections import SECTIONS

RESULTS = Path(__file__).parent / "RESULTS.md"
REPORT = RESULTS.with_name("report.html")


def main() -> int:
    """Run everything, write both reports, return the exit code."""
    started = time.monotonic()
    try:
        runs = run_sweeps()
        measured = measure_all(point for section in SECTIONS for point in section.points)
    except KeyboardInterrupt:
        print("Interrupted; no report was written, finished sweeps are kept.", file=sys.stderr)
        return 130
    judged = judge(FIGURES, runs)
    page.write(judged, runs, REPORT)
    overview, figures = text.sections(judged, runs)
    together = (overview, *SECTIONS, figures)
    write(RESULTS, together, measured, runs.endings, time.monotonic() - started)
    print(f"Wrote {RESULTS} and {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
