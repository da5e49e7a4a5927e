"""``make bench``: times every case, prints it against its goal, keeps a record."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benches.cases import CASES, LOCAL, SIZE_FACTOR_LIMIT, SIZES, TABLE_3_1, Case

#: Each case is run this often; the run with the least processor time counts.
REPEATS = 5

RECORD = Path(__file__).parent / "record"


def best(case: Case) -> dict[str, Any]:
    """Return the fastest of several runs: other programs can only slow a run down."""
    command = [sys.executable, "-m", "benches.timing", case.name]
    runs = []
    for _ in range(REPEATS):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    fastest: dict[str, Any] = min(runs, key=lambda run: run["cpu_s"])
    return fastest | {"slowest_cpu_s": max(run["cpu_s"] for run in runs)}


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def against(value: float, limit: float | None) -> str:
    """Return a ratio to a goal, or nothing."""
    return "" if limit is None else f"{value / limit:.2f}"


def table(results: dict[str, dict[str, Any]]) -> Table:
    """Return all results, one row per case."""
    shown = Table(
        title="Fastest of several runs, one core, all measures on",
        box=SIMPLE,
        padding=(0, 1),
        pad_edge=False,
        collapse_padding=True,
    )
    shown.add_column("case", no_wrap=True)
    for head in ("CPU s", "/goal", "/limit", "Mhops/s", "ns/hop", "ev/hop", "MB", "kB/node"):
        shown.add_column(head, justify="right", no_wrap=True)
    for case in CASES:
        result = results[case.name]
        shown.add_row(
            case.name,
            f"{result['cpu_s']:.2f}",
            against(result["cpu_s"], case.goal_cpu_s),
            against(result["cpu_s"], case.limit_cpu_s),
            f"{result['packet_hops_per_s'] / 1e6:.2f}",
            f"{result['ns_per_packet_hop']:.0f}",
            f"{result['events_per_packet_hop']:.2f}",
            f"{result['added_mb']:.1f}",
            f"{result['bytes_per_node'] / 1e3:.1f}",
        )
    return shown


def size_factor(results: dict[str, dict[str, Any]], cases: list[Case]) -> float:
    """Return the highest over the lowest cost of a packet-hop among `cases`."""
    costs = [results[case.name]["ns_per_packet_hop"] for case in cases]
    return float(max(costs) / min(costs))


def main() -> None:
    """Run, print and record all cases."""
    console = Console()
    results = {}
    for case in CASES:
        console.print(f"timing {case.name} …", style="dim")
        results[case.name] = best(case)
    console.print(table(results))
    factor = size_factor(results, SIZES)
    local = size_factor(results, [SIZES[0], *LOCAL])
    console.print(
        f"cost of a packet-hop, 8 x 8 to 128 x 128: factor {factor:.2f}"
        f" (limit {SIZE_FACTOR_LIMIT}); within radius 4: {local:.2f}"
    )
    memory = results[TABLE_3_1.name]["added_mb"]
    console.print(f"memory of table 3.1: {memory:.1f} MB (limit {TABLE_3_1.limit_mb} MB)")
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    record = {"date": today, "processor": processor(), "python": platform.python_version()}
    RECORD.mkdir(exist_ok=True)
    path = RECORD / f"{today}.json"
    text = json.dumps(
        record | {"size_factor": factor, "local_size_factor": local, "cases": results}, indent=1
    )
    path.write_text(text + "\n", encoding="utf-8")
    console.print(f"recorded in {path.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
