"""One case in a process of its own: what setting it up and running it take."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from benches.memory import peak_bytes
from studies.million.cases import CASES, Case
from tailback import Experiment
from tailback.engine import Simulation

STEP_PS = 100_000
"""Simulated time between two looks at how many messages have been delivered."""

ENDLESS = 2**63 - 1


@dataclass(frozen=True)
class Measured:
    """What one case took. Times are processor time unless they say otherwise."""

    setup_s: float
    run_s: float
    wall_s: float
    """Of the run, by the clock."""
    peak_bytes: int
    nodes: int
    channels: int
    messages: int
    packet_hops: int
    simulated_us: float
    latency_us: float
    """Mean latency of the messages that have been delivered."""


def run(case: Case) -> Measured:
    """Run a case here until so many messages have been delivered."""
    spec = Experiment.from_dict(case.tables).spec("full")
    began_s = time.process_time()
    simulation = Simulation(spec)
    built_s, wall_s = time.process_time(), time.monotonic()
    counted = simulation.counters()
    while counted["messages_delivered"] < case.messages:
        simulation.advance(simulation.now_ps + STEP_PS, ENDLESS)
        counted = simulation.counters()
    return Measured(
        setup_s=built_s - began_s,
        run_s=time.process_time() - built_s,
        wall_s=time.monotonic() - wall_s,
        peak_bytes=peak_bytes(),
        nodes=simulation.node_count,
        channels=sum(simulation.channel_counts),
        messages=counted["messages_delivered"],
        packet_hops=counted["packet_hops"],
        simulated_us=simulation.now_ps / 1e6,
        latency_us=counted["message_latency_ps"] / counted["message_latency_count"] / 1e6,
    )


def measure() -> list[Measured]:
    """Run all cases one after the other, each in a process of its own."""
    found = []
    for number, case in enumerate(CASES):
        print(f"{case.topology}, {case.nodes} nodes", file=sys.stderr)
        command = [sys.executable, "-m", "studies.million.measured", str(number)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found.append(Measured(**json.loads(done.stdout)))
    return found


if __name__ == "__main__":
    print(json.dumps(asdict(run(CASES[int(sys.argv[1])]))))
