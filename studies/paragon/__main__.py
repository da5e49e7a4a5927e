"""Run the study: `python -m studies.paragon` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.claims import judged
from studies.paragon import page, text
from studies.paragon.claims import expected
from studies.paragon.measured import Measured
from studies.paragon.settings import STUDY
from studies.runs import run_sweeps
from studies.study import carry_out


def _run() -> Measured:
    return Measured(run_sweeps(STUDY))


def _report(measured: Measured, wall_seconds: float) -> None:
    judgements = [judged(claim, measured) for claim in expected()]
    page.write(judgements, measured)
    text.write(judgements, measured, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
