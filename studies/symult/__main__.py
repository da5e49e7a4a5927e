"""Run the study: `python -m studies.symult` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.claims import judged
from studies.study import carry_out
from studies.symult import loops, page, text
from studies.symult.claims import expected
from studies.symult.loops import Loops
from studies.symult.settings import STUDY, cases


def _run() -> Loops:
    return loops.run(cases())


def _report(found: Loops, wall_seconds: float) -> None:
    judgements = [judged(claim, found) for claim in expected()]
    page.write(judgements, found)
    text.write(judgements, found, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
