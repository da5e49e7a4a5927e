"""Run the study: `python -m studies.clusters` writes `RESULTS.md` and `report.html`."""

from __future__ import annotations

import sys

from studies.claims import judged
from studies.clusters import measured, page, pauses, text
from studies.clusters.claims import expected
from studies.clusters.measured import Runs
from studies.clusters.pauses import Paused
from studies.clusters.settings import STUDY, cases
from studies.study import carry_out


def _run() -> tuple[Runs, list[Paused]]:
    return measured.run(cases()), pauses.run()


def _report(found: tuple[Runs, list[Paused]], wall_seconds: float) -> None:
    runs, paused = found
    judgements = [judged(claim, runs) for claim in expected()]
    page.write(judgements, runs)
    text.write(judgements, runs, paused, wall_seconds)
    print(f"All programs on all networks with all sizes: {runs.cpu_s:.0f} s of CPU")


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
