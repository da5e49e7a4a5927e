"""``make bench``: times every case, prints it against its goals, keeps a record.

``python -m benches WORD ...`` times the cases whose names have all these words, and
keeps no record. ``--without-million`` leaves out the mesh of a million nodes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

from rich.console import Console

from benches.case import Case
from benches.cases import CASES
from benches.open_loop import MILLION
from benches.record import add
from benches.report import Results, against_goals, goals_of, measured
from benches.thesis import LOCAL, SIZE_FACTOR_LIMIT, SIZES

#: Each case is run this often, but not again after so many seconds; the run with the
#: least processor time counts.
REPEATS, PATIENCE_S = 5, 8.0


def best(case: Case) -> dict[str, Any]:
    """Return the fastest of several runs: other programs can only slow a run down."""
    command = [sys.executable, "-m", "benches.timing", case.name]
    runs: list[dict[str, Any]] = []
    began_s = time.monotonic()
    while len(runs) < REPEATS and time.monotonic() - began_s < PATIENCE_S:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        runs.append(json.loads(done.stdout))
        if "refused" in runs[0]:
            if case.goals:
                raise SystemExit(f"{case.name} has goals, but: {runs[0]['refused']}")
            return runs[0]
    fastest = min(runs, key=lambda run: run["cpu_s"])
    slowest_s = max(run["cpu_s"] for run in runs)
    goals = dict(goals_of(case, fastest))
    return fastest | {"runs": len(runs), "slowest_cpu_s": slowest_s, "goals": goals}


def size_factor(results: Results, cases: list[Case]) -> float:
    """Return the highest over the lowest cost of a packet-hop among `cases`."""
    costs = [results[case.name]["ns_per_packet_hop"] for case in cases]
    return float(max(costs) / min(costs))


def keep(console: Console, results: Results) -> None:
    """Print what compares cases, and write everything to a file of today's date."""
    factor = size_factor(results, SIZES)
    local = size_factor(results, [SIZES[0], *LOCAL])
    console.print(
        f"cost of a packet-hop, 8 x 8 to 128 x 128: factor {factor:.2f}"
        f" (limit {SIZE_FACTOR_LIMIT}); within radius 4: {local:.2f}"
    )
    factors = {"size_factor": factor, "local_size_factor": local}
    console.print(f"recorded in {add(factors | {'cases': results})}")


def main(arguments: list[str]) -> None:
    """Run and print the cases asked for; record them if nothing was left out by name."""
    small = "--without-million" in arguments
    words = [word for word in arguments if word != "--without-million"]
    named = [case for case in CASES if set(words) <= set(case.name.split())]
    cases = [case for case in named if not (small and case is MILLION)]
    if not cases:
        raise SystemExit(f"no case has all of these in its name: {' '.join(words)}")
    console = Console()
    results = {}
    for case in cases:
        console.print(f"timing {case.name} …", style="dim")
        results[case.name] = best(case)
    console.print(measured(cases, results))
    if any(case.goals for case in cases):
        console.print(against_goals(cases, results))
    for case in cases:
        if "refused" in results[case.name]:
            console.print(f"left out: {case.name}: {results[case.name]['refused']}")
    if MILLION in cases:
        million = results[MILLION.name]
        took = f"{million['whole_cpu_s']:.0f} s and {million['added_mb']:.0f} MB"
        console.print(f"{MILLION.name}: {took} with building and warm-up")
    if not words:
        keep(console, results)


if __name__ == "__main__":
    main(sys.argv[1:])
