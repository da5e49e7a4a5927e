"""Runs a little of every case, for `make profile`: the compiled engine then counts what it does.

Run as ``python -m benches.profile``. From these counts the compiler knows which way branches
mostly go, what to put in line, and what to keep apart.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from benches.case import Case
from benches.cases import CASES
from benches.open_loop import MILLION
from benches.shared_wires import LARGE
from benches.timing import measure_run
from tailback import Experiment
from tailback.errors import UserError

#: What is run of the timed part of a case, besides its warm-up.
SHARE = 0.02

#: Cases whose machines take longer to build than what is timed.
LARGE_MACHINES = (MILLION, LARGE)


def run_a_little(case: Case) -> None:
    """Run a part of a case, unless it cannot be simulated."""
    timed_us = SHARE * (case.simulated_us - case.warmup_us)
    short = replace(case, simulated_us=case.warmup_us + timed_us)
    with suppress(UserError):
        measure_run(short, Experiment.from_dict(case.experiment))


if __name__ == "__main__":
    for case in CASES:
        if case not in LARGE_MACHINES:
            run_a_little(case)
