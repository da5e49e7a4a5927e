"""Counters of the run of all jobs, and what contention cost each job and began at each port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tailback as tb
from studies.counters.cases import Case, cases
from studies.runs import answers
from tailback.charging import NOBODY
from tailback.counters import Counters, counters_of, run_counted
from tailback.results import Result
from tailback.runner import run_mode
from tailback.store.run_folder import tables_of

Floats = NDArray[np.float64]

COUNTERS = {"wait": "PortXmitWait", "stall": "stall-to-flit ratio", "busy": "utilisation"}
SCOPES = {
    "nics": "mean over the ports of its nodes",
    "ways": "mean over the ports its packets left by",
    "worst": "largest over the same",
}
TOP = 10
MOST_TURNS = 1_000_000
"""That a run keeps."""


@dataclass(frozen=True)
class Measured:
    """One draw."""

    network: str
    slowdown: dict[str, float]
    """By job: how many times as long as alone."""
    predicted: dict[str, dict[str, float]]
    """By job: `nics wait` and others."""
    lateness: dict[str, float]
    """By counter: its rank correlation over ports with the lateness that began there."""
    waits: dict[str, float]
    """The same with the time that packets waited for the port."""
    found: dict[str, int]
    """By counter: how many of the `TOP` ports with most lateness are among its own."""


def _measure(case: Case) -> Measured:
    tables = case.tables
    kept = {"blame": True, "packet_waits": True}
    experiment = tb.Experiment.from_dict(tables, {"run": kept})
    together = run_counted(experiment)
    found = counters_of(experiment, tables_of(together, packets=False))
    slowdown = {}
    for job in experiment.jobs:
        alone = run_mode(tb.Experiment.from_dict(tables).only(job.name), "full")
        times = [run.jobs[job.name]["completion_us"].value for run in (together, alone)]
        slowdown[job.name] = times[0] / times[1]
    values = _by_port(found)
    used = _used(together, found)
    nodes = together.processes["node"].to_numpy()
    of_job = together.processes["job"].to_numpy()
    predicted = {}
    for number, job in enumerate(experiment.jobs):
        own = set(nodes[of_job == number].tolist())
        nics = np.array(
            [one.device[0] == "node" and one.device[1] in own for one in found.ports.all]
        )
        weights = used[number]
        predicted[job.name] = {
            f"{scope} {name}": value
            for name, of_port in values.items()
            for scope, value in (
                ("nics", float(of_port[nics].mean())),
                ("ways", float(np.average(of_port, weights=weights))),
                ("worst", float(of_port[weights > 0].max())),
            )
        }
    late, waited = _exact(together, found)
    return Measured(
        case.network,
        slowdown,
        predicted,
        lateness={name: rank_correlation(of_port, late) for name, of_port in values.items()},
        waits={name: rank_correlation(of_port, waited) for name, of_port in values.items()},
        found={name: _common(of_port, late) for name, of_port in values.items()},
    )


def _by_port(found: Counters) -> dict[str, Floats]:
    """Return the counters by port."""
    columns = {"wait": "xmit_wait_ps", "stall": "stall_to_flit", "busy": "utilisation"}
    return {
        name: np.array([row[column] or 0 for row in found.rows], np.float64)
        for name, column in columns.items()
    }


def _used(result: Result, found: Counters) -> NDArray[np.int64]:
    """Return by job and port how many packets of the job left by it."""
    turns, jobs = result.turns, result.processes["job"].to_numpy().astype(np.int64)
    assert turns is not None
    assert len(turns["channel"]) < MOST_TURNS, "all turns are kept"
    wires = len(found.ports.flit_ps)
    number = jobs[turns["source"].astype(np.int64)]
    wire = found.ports.wire_of[turns["channel"].astype(np.int64)]
    count = np.bincount(number * wires + wire, minlength=(jobs.max() + 1) * wires)
    by_port: NDArray[np.int64] = count.reshape(-1, wires)[:, _out(found)]
    return by_port


def _out(found: Counters) -> list[int]:
    """Return by port the wire by which it sends; every port has one here."""
    return [one.out for one in found.ports.all if one.out is not None]


def _exact(result: Result, found: Counters) -> tuple[Floats, Floats]:
    """Return by port the lateness that began there, and how long packets waited for it."""
    assert result.blame is not None
    sums = result.blame.channels.by(0)
    known = sums.keys[:, 0] < NOBODY
    wires = len(found.ports.flit_ps)
    wire = found.ports.wire_of[sums.keys[known, 0]]
    late = np.bincount(wire, sums.totals_ps[known], wires)
    channels: Any = result.channels
    waits = sum(channels[name].to_numpy() for name in ("wait_throttling_ps", "wait_internal_ps"))
    waited: Floats = np.bincount(found.ports.wire_of, waits, wires).astype(np.float64)
    return late[_out(found)].astype(np.float64), waited[_out(found)]


def rank_correlation(one: Floats, other: Floats) -> float:
    """Return Spearman's coefficient; 0 where one side is constant."""
    ranks = np.array([_ranks(values) for values in (one, other)])
    if not np.ptp(ranks, axis=1).all():
        return 0.0
    return float(np.corrcoef(ranks)[0, 1])


def _ranks(values: Floats) -> Floats:
    """Return ranks; equal values have the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    means: Floats = (last - (count - 1) / 2)[place]
    return means


def _common(one: Floats, other: Floats) -> int:
    """Return how many ports are among the `TOP` by both."""
    first, second = (
        set(np.argsort(-values, kind="stable")[:TOP].tolist()) for values in (one, other)
    )
    return len(first & second)


def measure() -> list[Measured]:
    """Run everything on all processors; progress on standard error."""
    return answers(_measure, list(cases()), "draws")
