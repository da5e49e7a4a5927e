"""Times traces of programs: ranks that compute, send and receive round after round.

``python -m benches.traces`` reads one file of SimGrid's in which a thousand ranks take turns, and
the same as GOAL, runs them on a fat tree in fidelity ``packet`` beside the same messages in a list,
and on the machine ``loggops``; each in a process of its own, so that its memory can be told. What
is measured is added to today's record. ``--operations`` says how many, a third of which send.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

import tailback as tb
from benches.memory import peak_bytes
from benches.record import add
from tailback.experiment import Experiment

RANKS = 1000
OPERATIONS = 3
"""Of a rank in a round: one that computes, one that sends, one that receives."""

#: How much a rank sends in a round, and for how long it computes before.
BYTES, COMPUTE_US = 1000, 100
DOUBLES = BYTES // 8

#: A trace is to take at most so many times as long as a list of the same messages.
MOST_TIMES = 3.0
#: Operations a second, and the memory that ten million may take.
LEAST_RATE, MOST_BYTES = 1e6, 1e9

TREE = {"kind": "xgft", "children": [10, 10, 10], "parents": [10, 10]}
NETWORK = {
    "preset": "infiniband_like",
    "topology": TREE,
    "switch": {"input_buffer": "unlimited"},
    "routing": {"kind": "d_mod_k"},
}


def write_trace(path: Path, rounds: int) -> None:
    """Write the program: in each round everybody sends to another distance."""
    with path.open("w", encoding="ascii") as file:
        for number in range(rounds):
            step = 1 + 37 * number % (RANKS - 1)
            for rank in range(RANKS):
                to, of = (rank + step) % RANKS, (rank - step) % RANKS
                file.write(f"{rank} compute {COMPUTE_US}\n{rank} send {to} 0 {DOUBLES} 0\n")
                file.write(f"{rank} recv {of} 0 {DOUBLES} 0\n")


def write_list(path: Path, rounds: int) -> None:
    """Write the same messages, as if nobody ever waited for another."""
    with path.open("w", encoding="ascii") as file:
        file.write("time_ns,source,destination,bytes\n")
        for number in range(rounds):
            step, at = 1 + 37 * number % (RANKS - 1), 1000 * COMPUTE_US * (number + 1)
            for rank in range(RANKS):
                file.write(f"{at},{rank},{(rank + step) % RANKS},{BYTES}\n")


def experiment(kind: str, file: Path) -> Experiment:
    """Return one of the runs."""
    workload: dict[str, Any] = {"kind": "messages", "file": str(file)}
    if kind != "list":
        workload = {"kind": "trace", "file": str(file), "compute_speed": 1e6}
        # All eager: a message is what it is in a list, without words about it.
        workload |= {"eager_limit": "4 KiB"}
    machine = {"preset": "loggops"} if kind == "loggops" else NETWORK
    run = {"fidelity": "packet"} if kind != "loggops" else {}
    return Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def measure(kind: str, file: Path) -> dict[str, float]:
    """Return what one run takes, with what it reads: CPU seconds and the most memory."""
    began = time.process_time()
    result = tb.run(experiment(kind, file))
    spent = time.process_time() - began
    return {
        "cpu_s": spent,
        "peak_mb": peak_bytes() / 1e6,
        "simulated_ms": result.ending.simulated_ms,
    }


def measured(kind: str, file: Path) -> dict[str, float]:
    """Measure in another process."""
    command = [sys.executable, "-m", "benches.traces", "--one", kind, str(file)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compare(operations: int) -> dict[str, dict[str, float]]:
    """Measure all."""
    rounds = operations // (RANKS * OPERATIONS)
    with TemporaryDirectory() as folder:
        trace, messages = Path(folder, "all.ti"), Path(folder, "messages.csv")
        write_trace(trace, rounds)
        write_list(messages, rounds)
        goal = Path(folder, "all.bin")
        convert = [sys.executable, "-m", "tailback", "convert", str(trace), str(goal)]
        subprocess.run([*convert, "--flops", "1e6"], check=True, capture_output=True)
        files = {"list": messages, "SimGrid": trace, "GOAL": goal, "loggops": goal}
        found = {kind: measured(kind, file) for kind, file in files.items()}
    for kind in ("SimGrid", "GOAL", "loggops"):
        found[kind]["operations_per_s"] = rounds * RANKS * OPERATIONS / found[kind]["cpu_s"]
    for kind in ("SimGrid", "GOAL"):
        found[kind]["times_list"] = found[kind]["cpu_s"] / found["list"]["cpu_s"]
    return found


def main() -> None:
    """Measure, print, record; or measure one run and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benches.traces", description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--one", nargs=2, metavar=("KIND", "FILE"))
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(measure(asked.one[0], Path(asked.one[1]))))
        return
    found = compare(asked.operations)
    shown = Table("run", "CPU s", "peak MB", "M operations/s", "times the list")
    for kind, one in found.items():
        rate = f"{one['operations_per_s'] / 1e6:.2f}" if "operations_per_s" in one else ""
        times = f"{one['times_list']:.2f}" if "times_list" in one else ""
        shown.add_row(kind, f"{one['cpu_s']:.2f}", f"{one['peak_mb']:.0f}", rate, times)
    console = Console()
    console.print(shown)
    console.print(
        f"goals: {LEAST_RATE:g} operations/s, {MOST_BYTES / 1e6:.0f} MB, {MOST_TIMES:g} times"
    )
    goals = {"operations_per_s": LEAST_RATE, "peak_mb": MOST_BYTES / 1e6, "times_list": MOST_TIMES}
    record = {"operations": asked.operations, "goals": goals, **found}
    console.print(f"recorded in {add({'traces': record})}")


if __name__ == "__main__":
    main()
