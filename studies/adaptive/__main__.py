"""Run the study: `python -m studies.adaptive` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.adaptive import page, text
from studies.adaptive.claims import EXPECTED
from studies.adaptive.settings import STUDY
from studies.claims import judged
from studies.runs import Runs, run_sweeps
from studies.study import carry_out


def _run() -> Runs:
    return run_sweeps(STUDY)


def _report(runs: Runs, wall_seconds: float) -> None:
    judgements = [judged(claim, runs) for claim in EXPECTED]
    page.write(judgements, runs)
    text.write(judgements, runs, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
