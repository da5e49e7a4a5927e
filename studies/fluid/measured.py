"""Both fidelities run on the same messages, and how far apart they are."""

from __future__ import annotations

import time
from dataclasses import dataclass

import tailback as tb
from studies.fluid.cases import MODES, Case, cases
from studies.runs import answers

FIDELITIES = ("packet", "fluid")
METRICS = ("completion_us", "message_latency_us")


@dataclass(frozen=True)
class Measured:
    """One list of messages in one mode."""

    case: str
    mode: str
    found: dict[str, dict[str, float]]
    """By fidelity, the metrics."""
    seconds: dict[str, float]
    """By fidelity, CPU time."""

    def error(self, metric: str) -> float:
        """Return by what share the estimate is more than what it estimates."""
        return self.found["fluid"][metric] / self.found["packet"][metric] - 1


def _measure(asked: tuple[Case, str]) -> Measured:
    case, mode = asked
    found, seconds = {}, {}
    for fidelity in FIDELITIES:
        run = {"mode": mode, "fidelity": fidelity}
        experiment = tb.Experiment.from_dict({**case.tables, "run": run})
        began = time.process_time()
        result = tb.run(experiment)
        seconds[fidelity] = time.process_time() - began
        found[fidelity] = {metric: result[metric].value for metric in METRICS}
    return Measured(case.name, mode, found, seconds)


def measure() -> list[Measured]:
    """Run everything on all processors; progress on standard error."""
    return answers(_measure, [(case, mode) for case in cases() for mode in MODES], "lists")
