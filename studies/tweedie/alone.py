"""Runs one experiment in a process of its own, so that time and memory are its alone.

`python -m studies.tweedie.alone`: an experiment as JSON on standard input, one
JSON object on standard output.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

import tailback as tb
from benches.memory import peak_bytes
from studies.tables import Keys


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run did, and what it took."""

    events: int
    packets: int
    """Sent, data and acknowledgements."""
    hops: float
    """Mean channels crossed by a packet."""
    cpu_s: float
    memory_kb: int
    """Added by building and running it."""


def spent(experiment: dict[str, Keys]) -> Spent:
    """Run an experiment in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "studies.tweedie.alone"],
        input=json.dumps(experiment),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Spent(**json.loads(done.stdout))


def _run(description: dict[str, Keys]) -> Spent:
    experiment = tb.Experiment.from_dict(description)
    small = (
        {**description["machine"], "topology": {"kind": "mesh", "dims": [4, 4]}},
        description["workload"] | {"radius": 2},
    )
    shortly = description["run"] | {"duration": "0.1 ms"}
    tb.run(  # What is loaded once is not counted.
        tb.Experiment.from_dict({"machine": small[0], "workload": small[1], "run": shortly})
    )
    before, before_s = peak_bytes(), time.process_time()
    result = tb.run(experiment)
    cpu_s = time.process_time() - before_s
    last = {name: result.samples[name][-1].as_py() for name in _PACKETS}
    return Spent(
        events=result.ending.events,
        packets=sum(last.values()),
        hops=result["hops"].value,
        cpu_s=cpu_s,
        memory_kb=(peak_bytes() - before) // 1024,
    )


_PACKETS = ("packets_sent_data", "packets_sent_ack")


if __name__ == "__main__":
    print(json.dumps(asdict(_run(json.load(sys.stdin)))))
