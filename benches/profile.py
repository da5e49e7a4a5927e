"""Runs a little of every case, for `make profile`: the compiled engine then counts what it does.

Run as ``python -m benches.profile``. From these counts the compiler knows which way branches
mostly go, what to put in line, and what to keep apart.
"""

from __future__ import annotations

from benches.case import Case
from benches.cases import CASES
from benches.open_loop import MILLION
from benches.shared_wires import LARGE
from benches.timing import ENDLESS
from tailback import Experiment
from tailback.engine import Simulation
from tailback.errors import UserError

#: What is run of the timed part of a case, besides its warm-up.
SHARE = 0.02

#: Cases whose machines take longer to build than what is timed.
LARGE_MACHINES = (MILLION, LARGE)


def run_a_little(case: Case) -> None:
    """Run a part of a case, unless it cannot be simulated."""
    until_us = case.warmup_us + SHARE * (case.simulated_us - case.warmup_us)
    try:
        simulation = Simulation(Experiment.from_dict(case.experiment).spec("full"))
    except UserError:
        return
    simulation.advance(round(until_us * 1e6), ENDLESS)


if __name__ == "__main__":
    for case in CASES:
        if case not in LARGE_MACHINES:
            run_a_little(case)
