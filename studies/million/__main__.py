"""Run the study: `python -m studies.million` writes `RESULTS.md`."""

from __future__ import annotations

import sys

from studies.million.measured import measure
from studies.million.text import STUDY, write
from studies.study import carry_out

if __name__ == "__main__":
    sys.exit(carry_out(measure, write, (STUDY.results,)))
