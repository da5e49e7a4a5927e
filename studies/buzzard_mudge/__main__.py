"""Run the study: `python -m studies.buzzard_mudge` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.buzzard_mudge import collisions, page, standstill, text
from studies.buzzard_mudge.findings import Findings
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.settings import LENGTHS, STUDY
from studies.runs import answers, run_sweeps
from studies.study import carry_out


def _run() -> Findings:
    runs = run_sweeps(STUDY)
    counted = answers(collisions.collisions, collisions.DIMENSIONS, "cubes")
    cases = [case for length in LENGTHS[:1] for case in standstill.cases(length)]
    still = answers(standstill.attempt, cases, "runs")
    return Findings.of(Measured(runs), counted, still)


def _report(found: Findings, wall_seconds: float) -> None:
    page.write(found)
    text.write(found, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
