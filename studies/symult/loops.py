"""Loops run in several contention modes, and how long communication takes in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studies.runs import answers
from studies.symult.settings import Case
from tailback.comparison import compare
from tailback.experiment import Experiment
from tailback.results import Result
from tailback.workloads import PeerExchange

PARTS = ("latency_overhead_us", "latency_wire_us", "latency_throttling_us", "latency_contention_us")


@dataclass(frozen=True)
class Loop:
    """What was measured of one case."""

    communication_us: Mapping[str, Mapping[int, float]]
    """Of a loop, by contention mode and node: its time less that of computing."""
    peers: Mapping[int, int]
    """How many peers each node has that takes part."""
    thetas: Mapping[str, float]
    parts_us: Mapping[str, float]
    """What the latency of a message consists of, in the mode full."""
    events: int

    def mean_us(self, mode: str = "full") -> float:
        """Return the mean over the nodes that have most peers: all but those of the boundary."""
        most = max(self.peers.values())
        found = [us for node, us in self.communication_us[mode].items() if self.peers[node] == most]
        return sum(found) / len(found)

    def delays_us(self) -> dict[int, float]:
        """Return how much longer a loop takes with contention, by node; computing is the same."""
        full, free = (self.communication_us[mode] for mode in ("full", "free"))
        return {node: full[node] - free[node] for node in full}


class Loops:
    """All loops of the study."""

    def __init__(self, found: Mapping[str, Loop]) -> None:
        """By the description of their cases."""
        self._found = found

    def of(self, case: Case) -> Loop:
        """Return what was measured of a case; raises `KeyError` if it was not run."""
        return self._found[name(case)]

    @property
    def events(self) -> int:
        """Events of all runs."""
        return sum(loop.events for loop in self._found.values())

    def __len__(self) -> int:
        """Return how many loops there are."""
        return len(self._found)


def run(cases: Iterable[Case]) -> Loops:
    """Run cases on all processors; progress on standard error."""
    listed = {name(case): case for case in cases}
    found = answers(loop, list(listed.values()), "loops", lambda measured: measured.events)
    return Loops(dict(zip(listed, found, strict=True)))


def loop(case: Case) -> Loop:
    """Run one case in its modes."""
    experiment = Experiment.from_dict((case.twice if case.ends_early else case).description)
    cost = compare(experiment, case.modes)
    before = (
        compare(Experiment.from_dict(case.description), case.modes).modes if case.ends_early else {}
    )
    workload, machine = experiment.workload, experiment.machine
    assert isinstance(workload, PeerExchange)
    peers = {n: len(workload.peers_of(machine, n)) for n in range(machine.nodes)}
    full = cost.modes["full"]
    return Loop(
        {mode: _of_a_loop(case, result, before.get(mode)) for mode, result in cost.modes.items()},
        {node: count for node, count in peers.items() if count},
        {theta: value.value for theta, value in cost.thetas.items()},
        {part: full[part].value for part in PARTS},
        sum(int(result.to_dict()["events"]) for result in (*cost.modes.values(), *before.values())),
    )


def _of_a_loop(case: Case, result: Result, before: Result | None) -> dict[int, float]:
    """Return the communication of a loop in us; ``before``: a run of the loops not measured."""
    start = {} if before is None else _communication_ps(before)
    end = _communication_ps(result)
    return {node: (ps - start.get(node, 0)) / case.loops / 1e6 for node, ps in end.items()}


def _communication_ps(result: Result) -> dict[int, int]:
    """Return the time of all loops less that of computing."""
    workload, machine = result.experiment.workload, result.experiment.machine
    assert isinstance(workload, PeerExchange)
    found = {}
    for row in result.processes.to_pylist():
        node = row["node"]
        if workload.peers_of(machine, node):
            computing = sum(t.ps for t in workload.times(machine, node, result.seed))
            found[node] = row["completed_ps"] - computing
    return found


def name(case: Case) -> str:
    """Return what tells a case from all others."""
    return json.dumps([case.description, case.modes, case.ends_early], sort_keys=True)
