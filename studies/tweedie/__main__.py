"""Run the whole study: `python -m studies.tweedie` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.runs import Runs, run_sweeps
from studies.study import carry_out
from studies.tweedie import report
from studies.tweedie.chapters import FIGURES, page, text
from studies.tweedie.chapters.figure import judge
from studies.tweedie.contents import SECTIONS
from studies.tweedie.experiment import STUDY
from studies.tweedie.measure import Measurements, measure_all

Found = tuple[Runs, Measurements]


def _run() -> Found:
    return run_sweeps(STUDY), measure_all(point for s in SECTIONS for point in s.points)


def _report(found: Found, wall_seconds: float) -> None:
    runs, measured = found
    judged = judge(FIGURES, runs)
    page.write(judged, runs)
    overview, figures = text.sections(judged, runs)
    report.write((overview, *SECTIONS, figures), measured, runs.endings, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
