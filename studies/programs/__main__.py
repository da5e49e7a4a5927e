"""Run the study: `python -m studies.programs` writes `RESULTS.md`."""

from __future__ import annotations

import sys

from studies.programs.cases import STUDY
from studies.programs.measured import measure
from studies.programs.text import write
from studies.study import carry_out

if __name__ == "__main__":
    sys.exit(carry_out(measure, write, (STUDY.results,)))
