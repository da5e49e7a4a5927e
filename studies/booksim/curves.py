"""The configurations, what BookSim2 measured with them, and the same runs of ours."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory

from studies.study import Study
from tailback.engine import Simulation
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.importing import BookSim, read_booksim
from tailback.prediction import describe

STUDY = Study("booksim")
CONFIGURATIONS = STUDY.folder / "configurations"
PUBLISHED = STUDY.folder / "published"

CYCLE_PS = 1000
_FOR_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of BookSim2, to be made again with the same warm-up and window."""

    name: str
    offered: float
    seed: int
    is_latency: bool
    """Whether the network was below saturation; else the window is of an overload."""
    warmup: int
    measured: int


@dataclass(frozen=True, slots=True)
class Point:
    """What came of a run: cycles, and flits per node and cycle."""

    latency: float
    network: float
    accepted: float
    hops: float
    """Routers that packets went through."""


@dataclass(frozen=True, slots=True)
class Load:
    """The runs of one load, of BookSim2 and of ours."""

    offered: float
    is_latency: bool
    theirs: tuple[Point, ...]
    ours: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """All loads of a configuration."""

    name: str
    zero_load: tuple[float, float] | None
    """By the formula of BookSim2's router, and ours without contention; cycles."""
    saturation: float
    """The load at which the latency is three times that without contention."""
    loads: tuple[Load, ...]
    refused: str = ""
    """Why it cannot be run."""


def names() -> list[str]:
    """Return the configurations."""
    return sorted(path.name for path in CONFIGURATIONS.iterdir())


def published(name: str) -> list[tuple[Asked, Point]]:
    """Return the runs of BookSim2 with a configuration."""
    with (PUBLISHED / f"{name}.csv").open(newline="") as file:
        return [_published(name, row) for row in csv.DictReader(file)]


def _published(name: str, row: dict[str, str]) -> tuple[Asked, Point]:
    asked = Asked(
        name,
        float(row["offered"]),
        int(row["seed"]),
        row["mode"] == "latency",
        int(row["warmup_cycles"]),
        int(row["measured_cycles"]),
    )
    keys = ("packet_latency", "network_latency", "accepted", "hops")
    return asked, Point(*(float(row[key]) for key in keys))


def imported(name: str, *changes: str) -> BookSim:
    """Return a configuration as an experiment."""
    return read_booksim(CONFIGURATIONS / name, changes)


def refusal(name: str) -> str:
    """Return why a configuration cannot be run, if it cannot."""
    try:
        described(imported(name)).spec("full")
    except UserError as error:
        return f"{error.given}: {error.allowed}"
    return ""


def described(found: BookSim) -> Experiment:
    """Return an experiment; who sends to whom may lie in a file, which is read."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "experiment.toml"
        file.write_text(found.toml())
        (file.parent / "traffic.csv").write_text(found.matrix_csv())
        experiment = Experiment.load(file)
        experiment.spec("full")
    return experiment


def run(asked: Asked) -> Point:
    """Make a run with the warm-up and the window of one of BookSim2's."""
    found = imported(asked.name, f"injection_rate={asked.offered}", f"seed={asked.seed}")
    experiment = described(found)
    simulation = Simulation(experiment.spec("full"))
    simulation.advance(asked.warmup * CYCLE_PS, _FOR_EVER)
    simulation.begin_window()
    before = simulation.counters()
    simulation.advance((asked.warmup + asked.measured) * CYCLE_PS, _FOR_EVER)
    after = simulation.counters()

    def counted(name: str) -> float:
        return float(after[name] - before[name])

    packets = counted("packets_delivered_data")
    flits = packets * mean_flits(asked.name) / experiment.machine.nodes
    return Point(
        counted("lifetime_data_ps") / packets / CYCLE_PS,
        counted("network_lifetime_data_ps") / packets / CYCLE_PS,
        flits / asked.measured,
        counted("hops_data") / packets - 1,
    )


def mean_flits(name: str) -> float:
    """Return the mean length of a packet."""
    sizes, weights = imported(name).lengths
    return sum(map(float.__mul__, map(float, sizes), map(float, weights))) / sum(weights)


def without_contention(name: str) -> float:
    """Return the latency of packets that are alone, mean over all pairs; cycles."""
    found = imported(name)
    longest = max(found.lengths[0])
    # What is predicted is that of the longest packets, of two flits at least.
    alone = describe(described(found)).zero_load_data_us * 1e6 / CYCLE_PS
    return alone + mean_flits(name) - max(2, longest)


def mean(points: Iterable[Point], measure: Callable[[Point], float]) -> tuple[float, float]:
    """Return the mean of runs and its standard error, 0 of a single one."""
    found = [measure(point) for point in points]
    return fmean(found), stdev(found) / sqrt(len(found)) if len(found) > 1 else 0.0


def curve(name: str, runs: list[tuple[Asked, Point, Point]]) -> Curve:
    """Return the runs of a configuration, load by load."""
    facts = _facts()[name]
    loads: dict[tuple[float, bool], list[tuple[Point, Point]]] = defaultdict(list)
    for asked, theirs, ours in runs:
        loads[asked.offered, asked.is_latency].append((theirs, ours))
    return Curve(
        name,
        (facts[0], without_contention(name)),
        facts[1],
        tuple(
            Load(offered, is_latency, *map(tuple, zip(*points, strict=True)))
            for (offered, is_latency), points in sorted(loads.items())
        ),
    )


def left_out(name: str, reason: str) -> Curve:
    """Return a configuration that cannot be run."""
    return Curve(name, None, _facts()[name][1], (), reason)


def _facts() -> dict[str, tuple[float, float]]:
    """Return latency without contention and load of saturation, by configuration."""
    with (PUBLISHED / "configurations.csv").open(newline="") as file:
        return {
            row["name"]: (float(row["zero_load"]), float(row["saturation"]))
            for row in csv.DictReader(file)
        }
