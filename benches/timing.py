"""Times one case in a process of its own, so that memory and time are its alone.

Run as ``python -m benches.timing NAME``: prints one JSON object.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from benches.cases import CASES, Case
from tailback import Experiment, _engine


def peak_bytes() -> int:
    """Return the largest resident size of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(case: Case) -> dict[str, Any]:
    """Run a case once: processor seconds, events, packet-hops, added bytes."""
    spec = Experiment.from_dict(case.experiment).spec("full")
    before_bytes = peak_bytes()
    before_s = time.process_time()
    simulation = _engine.Simulation(spec)
    simulation.advance(round(case.simulated_ms * 1e9), 2**63)
    cpu_s = time.process_time() - before_s
    counters = simulation.counters()
    hops, events = counters["packet_hops"], counters["events"]
    nodes = len(simulation.nodes()["node"])
    added = peak_bytes() - before_bytes
    return {
        "cpu_s": cpu_s,
        "events": events,
        "packet_hops": hops,
        "packets": counters["packets_sent_data"] + counters["packets_sent_ack"],
        "iterations": counters["iterations"],
        "packet_hops_per_s": hops / cpu_s,
        "ns_per_packet_hop": cpu_s / hops * 1e9,
        "events_per_packet_hop": events / hops,
        "added_mb": added / 1e6,
        "bytes_per_node": added / nodes,
    }


if __name__ == "__main__":
    [named] = [case for case in CASES if case.name == sys.argv[1]]
    print(json.dumps(measure(named)))
