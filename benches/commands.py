"""Times what surrounds the simulations: sweeps, tables, reports, the start of the program.

``python -m benches.commands`` prints each measure against its goal and adds them to
today's record.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benches.record import add
from benches.stores import synthetic_store
from tailback.comparison import compare
from tailback.execution import LocalPool
from tailback.sweeps import Point, Sweep
from tailback.sweeps.running import SweepRun

#: 64 equal points of about a second each: what differs is only the seed.
EQUAL = """
machine = { preset = "t9000_c104", topology.dims = [16, 16] }
workload = { preset = "tweedie", radius = 8, compute_period = "20 us" }
run = { duration = "60 ms" }
sweep = { seeds = 64 }
"""

#: Points that take next to nothing: what is left is the work around them.
TINY = """
machine = { preset = "t9000_c104", topology.dims = [8, 8] }
workload = { preset = "tweedie", radius = 4, compute_period = "100 us" }
run = { duration = "200 us" }
sweep = { seeds = 200 }
"""

REPEATS = 3


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder that is removed again."""
    name = tempfile.mkdtemp()
    try:
        yield Path(name)
    finally:
        shutil.rmtree(name)


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def command(*arguments: object) -> float:
    """Return how long a command takes, from its start to its end."""
    words = [sys.executable, "-m", "tailback", *map(str, arguments)]
    return seconds(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL))


def fastest(measure: Callable[[], float]) -> float:
    """Return the least of several measurements: other programs can only slow one down."""
    return min(measure() for _ in range(REPEATS))


def overhead_ms() -> float:
    """Return what a point takes beyond its simulation, in milliseconds."""
    with folder() as place, LocalPool(1) as pool:
        (place / "tiny.toml").write_text(TINY)
        sweep = Sweep.load(place / "tiny.toml")
        points = list(sweep.points())
        stores = (place / str(number) for number in range(1 + REPEATS))
        # The first time libraries are loaded, here and in the worker.
        _simulated(points[:1])
        _kept(sweep, next(stores), pool)
        alone = fastest(lambda: _simulated(points))
        swept = fastest(lambda: _kept(sweep, next(stores), pool))
    return (swept - alone) / len(points) * 1e3


def _simulated(points: list[Point]) -> float:
    return seconds(lambda: [compare(point.experiment, point.modes) for point in points])


def _kept(sweep: Sweep, out: Path, pool: LocalPool) -> float:
    run = SweepRun(sweep, out)
    return seconds(lambda: run.run(pool))


def speed_up() -> float:
    """Return how many times as fast two workers are as one, the start included."""
    with folder() as place:
        (place / "equal.toml").write_text(EQUAL)
        one, two = (min(_swept(place, jobs) for _ in range(2)) for jobs in (1, 2))
    return one / two


def _swept(place: Path, jobs: int) -> float:
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    return command("sweep", place / "equal.toml", "--out", out, "--jobs", jobs)


def table_s(points: int) -> float:
    """Return how long it takes to print the table of a store of so many points."""
    with folder() as place:
        synthetic_store(place / "store", points, large=False)
        return fastest(lambda: command("table", place / "store"))


def report_s(points: int) -> float:
    """Return how long it takes to write the report of a store of so many points."""
    with folder() as place:
        synthetic_store(place / "store", points, large=True)
        return fastest(lambda: command("report", place / "store"))


#: Name, measure, goal, and whether more is better.
MEASURES: list[tuple[str, Callable[[], float], float, bool]] = [
    ("tailback --help (s)", lambda: fastest(lambda: command("--help")), 0.3, False),
    ("overhead of a point (ms)", overhead_ms, 10.0, False),
    ("64 equal points, 2 workers over 1 (times)", speed_up, 1.9, True),
    ("tailback table, 10,000 points (s)", lambda: table_s(10_000), 1.0, False),
    ("tailback report, 1,000 points (s)", lambda: report_s(1_000), 10.0, False),
]


def main() -> None:
    """Measure, print, record."""
    console, shown = Console(), Table("", "measured", "goal", "")
    measured = {}
    for name, measure, goal, more in MEASURES:
        console.print(f"timing {name} …", style="dim")
        value = measure()
        reached = value >= goal if more else value <= goal
        measured[name] = {"measured": value, "goal": goal}
        shown.add_row(name, f"{value:.3g}", f"{goal:g}", "" if reached else "missed")
    console.print(shown)
    console.print(f"recorded in {add({'commands': measured})}")


if __name__ == "__main__":
    main()
