"""Run the study: `python -m studies.fluid` writes `RESULTS.md`."""

from __future__ import annotations

import sys

from studies.fluid.measured import Measured, measure
from studies.fluid.text import STUDY, write
from studies.study import carry_out

if __name__ == "__main__":

    def _report(found: list[Measured], wall_seconds: float) -> None:
        write(found, wall_seconds)

    sys.exit(carry_out(measure, _report, (STUDY.results,)))
