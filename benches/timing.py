"""Times one case in a process of its own, so that memory and time are its alone.

Run as ``python -m benches.timing NAME``: prints one JSON object, with
``refused`` alone if the case cannot be simulated.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from benches.case import Case
from benches.cases import CASES
from benches.memory import peak_bytes
from tailback import Experiment
from tailback.engine import Simulation
from tailback.errors import UserError
from tailback.machines import Machine

ENDLESS = 2**63 - 1

#: How often a case runs with blame and without.
TURNS = 3


def flits_per_hop(machine: Machine, counted: Mapping[str, int]) -> float:
    """Return the mean length of the packets that crossed channels; every message fills one."""
    data, acks = counted["hops_data"], counted["hops_ack"]
    full = machine.packet_flits(machine.interface.packet_room.bytes)
    empty = machine.packet_flits(0)
    return (data * full + acks * empty) / (data + acks)


def measure(case: Case) -> dict[str, Any]:
    """Run a case once: what the part after its warm-up took, and memory.

    ``cpu_s`` includes building the machine where there is no warm-up;
    ``whole_cpu_s`` always does.
    """
    experiment = Experiment.from_dict(case.experiment)
    if experiment.run.blame:
        return measure_blame(case)
    return measure_run(case, experiment)


def measure_blame(case: Case) -> dict[str, Any]:
    """Run a case with blame and without, in turn; the fastest of those with it.

    ``blame_factor`` is the processor time of that over the least without.
    """
    run = case.experiment["run"]
    plain = {**case.experiment, "run": {**run, "blame": False}}
    experiments = [Experiment.from_dict(each) for each in (case.experiment, plain)]
    turns = [[measure_run(case, each) for each in experiments] for _ in range(TURNS)]
    fastest = min((blamed for blamed, _ in turns), key=lambda measured: measured["cpu_s"])
    least_s = min(alone["cpu_s"] for _, alone in turns)
    return fastest | {"blame_factor": fastest["cpu_s"] / least_s}


def measure_run(case: Case, experiment: Experiment) -> dict[str, Any]:
    """Run an experiment once, as long as its case says; the same measures."""
    spec = experiment.spec("full")
    before_bytes = peak_bytes()
    built_s = timed_s = time.process_time()
    simulation = Simulation(spec)
    if case.warmup_us:
        simulation.advance(round(case.warmup_us * 1e6), ENDLESS)
        timed_s = time.process_time()
    before = simulation.counters()
    simulation.advance(round(case.simulated_us * 1e6), ENDLESS)
    ended_s = time.process_time()
    added = peak_bytes() - before_bytes
    counted = {name: value - before[name] for name, value in simulation.counters().items()}
    cpu_s, hops, events = ended_s - timed_s, counted["packet_hops"], counted["events"]
    flit_hops = hops * flits_per_hop(experiment.machine, counted)
    return {
        "cpu_s": cpu_s,
        "whole_cpu_s": ended_s - built_s,
        "events": events,
        "packet_hops": hops,
        "flit_hops": round(flit_hops),
        "packets": counted["packets_sent_data"] + counted["packets_sent_ack"],
        "iterations": counted["iterations"],
        "delivered_per_iteration": counted["messages_delivered"] / max(counted["iterations"], 1),
        "packet_hops_per_s": hops / cpu_s,
        "flit_hops_per_s": flit_hops / cpu_s,
        "ns_per_packet_hop": cpu_s / hops * 1e9,
        "ns_per_event": cpu_s / events * 1e9,
        "events_per_packet_hop": events / hops,
        "added_mb": added / 1e6,
        "bytes_per_node": added / experiment.machine.nodes,
    }


if __name__ == "__main__":
    [named] = [case for case in CASES if case.name == sys.argv[1]]
    try:
        print(json.dumps(measure(named)))
    except UserError as refusal:
        print(json.dumps({"refused": str(refusal)}))
