"""Every program on every machine, and two jobs on each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import tailback as tb
from studies.programs.cases import JOBS, MACHINES, SHARES, TRACES, Program, jobs, programs
from studies.runs import answers
from tailback.comparison.of_jobs import interference
from tailback.explaining import explain, prepared

_PYTORCH_RANKS = 8


@dataclass(frozen=True)
class Explained:
    """A program on a machine."""

    program: str
    machine: str
    completion_us: dict[str, float]
    """By mode."""
    parts_us: dict[str, float]
    """What the critical path consists of."""
    channel: str
    """Where messages on the path waited longest for others, and how long in us."""
    culprit: str


@dataclass(frozen=True)
class Interfered:
    """Two jobs on a machine."""

    machine: str
    placement: str
    slowdown: dict[str, float]
    """By job: completion time among all over that alone."""
    by_runs: dict[tuple[str, str], float]
    by_blame: dict[tuple[str, str], float]
    """By victim and culprit: the share of the victim's waits."""


def measure() -> tuple[list[Explained], list[Interfered]]:
    """Run everything on all processors; progress on standard error."""
    with _pytorch():
        asked = [(program, machine) for program in programs() for machine in MACHINES]
        explained = answers(_explained, asked, "programs")
    placed = [(machine, placement) for machine in MACHINES for placement in SHARES]
    return explained, answers(_interfered, placed, "pairs of jobs")


@contextmanager
def _pytorch() -> Iterator[None]:
    """See that the trace of one rank is there for every rank."""
    folder = TRACES / "pytorch"
    folder.mkdir(exist_ok=True)
    try:
        for rank in range(_PYTORCH_RANKS):
            shutil.copy(TRACES / "pytorch.0.et.gz", folder / f"pytorch.{rank}.et.gz")
        yield
    finally:
        shutil.rmtree(folder)


def _explained(asked: tuple[Program, str]) -> Explained:
    program, machine = asked
    tables = {"machine": MACHINES[machine], "workload": program.workload}
    experiment = prepared(tb.Experiment.from_dict(tables), slack=False)
    found = explain(experiment).to_dict()["critical_path"]
    free = tb.run(tb.Experiment.from_dict({**tables, "run": {"mode": "free"}}))
    times = {"full": found["makespan_us"], "endpoints": found["baseline_us"]}
    worst = next(iter(found["channels"]), None)
    culprit = next(iter(found["culprits"]), None)
    return Explained(
        program.name,
        machine,
        {**times, "free": free["completion_us"].value},
        {row["part"]: row["us"] for row in found["parts"]},
        "-" if worst is None else f"{worst['channel']}, {worst['us']:.1f} us",
        "-" if culprit is None else f"{culprit['culprit']}, {culprit['us']:.1f} us",
    )


def _interfered(asked: tuple[str, str]) -> Interfered:
    machine, placement = asked
    tables = {"machine": MACHINES[machine], "job": jobs(placement)}
    found = interference(tb.Experiment.from_dict(tables))
    pairs = [(victim, culprit) for victim in JOBS for culprit in JOBS]
    return Interfered(
        machine,
        placement,
        {job: found.slowdowns[job].value for job in JOBS},
        {pair: found.by_runs[pair].value for pair in pairs if pair in found.by_runs},
        {pair: found.by_blame[pair].share for pair in pairs if pair in found.by_blame},
    )
