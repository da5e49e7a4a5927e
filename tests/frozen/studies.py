"""Cases from the studies: a few points of every sweep, and a few of the experiments of others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import tailback as tb
from tailback.experiment import Experiment

from .cases import Asked, Case, shortened, spread
from .examples import ROOT

_STUDIES = ROOT / "studies"
#: By study, how long runs are that do not end by themselves.
_DURATIONS = {"adaptive": "400 us", "tweedie": "300 us"}
_POINTS = 3
#: Sweeps of large machines, of which one point or none is run.
_LARGE = {"exchange_12": 1, "exchange_16": 0, "sizes_12": 1}

Tables = Mapping[str, Any]


def studies() -> Iterator[Case]:
    """Yield the cases of all studies."""
    for path in sorted(_STUDIES.glob("*/sweeps/*.toml")):
        name = f"studies/{path.parent.parent.name}/{path.stem}"
        if _LARGE.get(path.stem) != 0:
            yield Case(name, partial(_swept, path), path.parent)
    yield Case("studies/booksim", _booksim)
    for name, ask in _OTHERS.items():
        yield Case(f"studies/{name}", ask, ROOT)


def _swept(path: Path) -> Iterator[Asked]:
    points = list(tb.Sweep.load(path.name).points())
    duration = _DURATIONS.get(path.parent.parent.name)
    for point in spread(points, _LARGE.get(path.stem, _POINTS)):
        modes = () if point.modes == ("full",) else point.modes
        yield Asked(shortened(point.experiment, duration), modes)


def _booksim() -> Iterator[Asked]:
    from studies.booksim.curves import imported, names, refusal

    for name in names():
        if not refusal(name):
            found = imported(name, "injection_rate=0.2")
            Path(f"{name}.toml").write_text(found.toml())
            Path("traffic.csv").write_text(found.matrix_csv())
            yield Asked(shortened(Experiment.load(f"{name}.toml"), "2 us"))


def _clusters() -> Iterator[Asked]:
    from studies.clusters import settings

    for network in settings.NETWORKS:
        cases = [
            settings.token_pass(network),
            settings.throughput(network, 20_000),
            settings.exchange(network, "torus", 32),
            settings.fan(network, "fan_in", 128),
            settings.fan(network, "fan_out", 128),
        ]
        for case in cases:
            tables = dict(case.description)
            if tables["workload"]["kind"] == "token_pass":
                tables["workload"] = {**tables["workload"], "laps": 1}
            experiment = Experiment.from_dict(tables)
            yield Asked(shortened(experiment, blame=network is not settings.NETWORKS[0]))


def _symult() -> Iterator[Asked]:
    from studies.symult import settings

    wanted = [
        *(settings.law(size) for size in (64, 4096)),
        *(settings.near_neighbours(pattern, 512) for pattern in settings.PATTERNS),
        settings.transpose(4, 1024, loops=3),
    ]
    for case in wanted:
        yield Asked(shortened(Experiment.from_dict(case.description)), case.modes)


def _fluid() -> Iterator[Asked]:
    from studies.fluid import cases

    for case in cases.cases()[:7]:
        for fidelity in ("packet", "fluid"):
            rows = case.tables["workload"]["messages"][:1500]
            tables = {**case.tables, "workload": {"kind": "messages", "messages": rows}}
            tables["run"] = {"fidelity": fidelity}
            yield Asked(shortened(Experiment.from_dict(tables)), cases.MODES)


def _programs() -> Iterator[Asked]:
    from studies.programs import cases

    for program in cases.programs()[:-1]:
        workload = dict(program.workload)
        if "file" in workload:
            workload["file"] = os.path.relpath(workload["file"])
        for machine in cases.MACHINES.values():
            tables = {"machine": machine, "workload": workload}
            keys = {"critical_path": True, "slack": program.ranks == 4}
            yield Asked(shortened(Experiment.from_dict(tables), **keys))


def _jobs() -> Iterator[Asked]:
    from studies.programs import cases

    for placement in cases.SHARES:
        jobs = cases.jobs(placement)
        for job in jobs:
            workload = job["workload"] = dict(job["workload"])
            if "file" in workload:
                workload["file"] = os.path.relpath(workload["file"])
        for machine in cases.MACHINES.values():
            experiment = Experiment.from_dict({"machine": machine, "job": jobs})
            yield Asked(shortened(experiment, blame=True))


def _coverage() -> Iterator[Asked]:
    """Ask for the network of the study: two nodes, each of whose links is a queue."""
    machine = {
        "preset": "t9000_c104",
        "topology": {"dims": [2]},
        "interface": {"acknowledgements": False},
        "switch": {"input_buffer": "1 kB"},
    }
    workload = {
        "radius": 1,
        "sync": "asynchronous",
        "max_outstanding": 1_000_000,
        "compute_period": "6680 ns",
        "compute_distribution": "exponential",
    }
    run = {"fidelity": "packet", "metric": "throttling_us"}
    tables = {"machine": machine, "workload": workload, "run": run}
    yield Asked(shortened(Experiment.from_dict(tables), "20 ms"))


_OTHERS: Mapping[str, Callable[[], Iterator[Asked]]] = {
    "clusters": _clusters,
    "symult": _symult,
    "fluid": _fluid,
    "programs": _programs,
    "programs+jobs": _jobs,
    "coverage": _coverage,
}
