"""What one run measured of each of its jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tailback import tables
from tailback.metrics import ALL_METRICS, Populations, increments, measured, speed_metric
from tailback.samples import Columns, estimate
from tailback.statistics import Estimate, Series
from tailback.tables.bins import BINS, percentiles_of

from .of_messages import PERCENTS, Fared

if TYPE_CHECKING:
    from tailback import engine
    from tailback.experiment import Experiment
    from tailback.workloads import Job

_LATENCY = ("count", "mean", "standard_deviation", "skewness", "min", "max")


@dataclass(frozen=True, eq=False, repr=False)
class JobResult:
    """What one run measured of one job, in the window of the run.

    `estimates` holds metrics by name, as of the whole run; rates are per node of the job.
    With ``run.keep_messages`` there are those of lateness (`metrics.OF_LATENESS`).
    `completion_us` is the time from the start of the job until all of it was done: known of jobs
    that end by themselves, and did.
    """

    name: str
    nodes: int
    processes: int
    ends: bool
    """Whether it ends by itself."""
    offers: bool
    """Whether it sends whatever becomes of its messages."""
    estimates: Mapping[str, Estimate]
    messages: int
    """Messages delivered in the window."""
    latency: Mapping[str, float | None]
    """Of messages: count, and in microseconds mean, standard deviation, extremes; skewness."""
    histogram: pa.Table
    """Occupied bins of the latency, as `Result.histograms`."""
    fared: Fared | None
    """How late its messages were; None where no rows of them are kept."""
    _populations: Populations
    _columns: Columns

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric by its name; what was not measured is unknown."""
        return self.estimates.get(metric, Estimate.unknown())

    @property
    def speed(self) -> str:
        """The metric that says best how fast it is: see `metrics.speed_metric`."""
        sends = self["messages_per_node_per_ms"].value > 0
        return speed_metric(ends=self.ends, offers=self.offers, sends=sends)

    def series(self, metric: str) -> Series:
        """Return the window's samples of a metric and what was estimated from them."""
        numerator, denominator = increments(ALL_METRICS[metric], self._columns, self._populations)
        return Series(self._columns["time_ps"], numerator, denominator, self[metric])

    def percentiles(self) -> dict[str, list[float]]:
        """Return percentiles (`PERCENTS`) of latency, and of lateness if rows are kept."""
        low, high, count = (self.histogram[name].to_numpy() for name in BINS)
        latency = percentiles_of(low, high, count, PERCENTS) if len(count) else []
        found = {"message_latency_us": [value / 1e6 for value in latency]} if latency else {}
        return found | ({} if self.fared is None else dict(self.fared.percentiles))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tables, for JSON."""
        names = [f"p{percent:g}" for percent in PERCENTS]
        early = {} if self.fared is None else {"early_messages": self.fared.early}
        return {
            "nodes": self.nodes,
            "processes": self.processes,
            "messages": self.messages,
            **{name: value.to_dict() for name, value in self.estimates.items()},
            "message_latency": dict(self.latency),
            "percentiles": {
                name: dict(zip(names, values, strict=True))
                for name, values in self.percentiles().items()
            },
            **early,
        }

    def __repr__(self) -> str:
        return f"<JobResult {self.name}: {self.speed} = {self[self.speed]!r}>"


def job_results(
    experiment: Experiment,
    sim: engine.Simulation,
    columns: Columns,
    populations: Populations,
    fared: Mapping[str, Fared],
    *,
    exact: bool,
) -> dict[str, JobResult]:
    """Return what was measured of every job; none where there are no jobs.

    `columns` are the samples of the window, `fared` says how messages fared, by job; `exact`:
    they are all there is.
    """
    if not experiment.jobs:
        return {}
    processes, over = sim.processes(), sim.jobs_over()
    latencies = sim.job_moments()
    histograms = tables.histograms(sim.job_histograms(), latencies)
    places = experiment.workload.places(experiment.machine)  # type: ignore[attr-defined]
    found: dict[str, JobResult] = {}
    for number, job in enumerate(experiment.jobs):
        own = _own(columns, job.name)
        there = replace(populations, nodes=len(places[job.name]), load=None)
        known = {
            name: estimate(name, own, there, experiment.run.confidence, exact=exact)
            for name in measured(own)
        }
        mine = processes["job"] == number
        if job.workload.finite:
            done_ps = int(processes["completed_ps"][mine].max(initial=0)) if over[number] else None
            lost = sim.messages_lost > 0 and _misses_some(own)
            known["completion_us"] = (
                Estimate.unknown() if lost else _completion(job, done_ps, sim.now_ps)
            )
            known |= _rates(own, there, known["completion_us"])
        if job.name in fared:
            known |= fared[job.name].means
        delivered = own["messages_delivered"]
        row = np.array(histograms["variable"].to_pylist()) == job.name
        found[job.name] = JobResult(
            name=job.name,
            nodes=len(places[job.name]),
            processes=int(mine.sum()),
            ends=job.workload.finite,
            offers=job.workload.is_open_loop,
            estimates=known,
            messages=int(delivered[-1] - delivered[0]),
            latency=_latency(latencies[number : number + 1]),
            histogram=histograms.filter(pa.array(row)),
            fared=fared.get(job.name),
            _populations=there,
            _columns=own,
        )
    return found


def _own(columns: Columns, job: str) -> Columns:
    """Return the counters of one job under their usual names."""
    start = f"{job}."
    own = {name.removeprefix(start): one for name, one in columns.items() if name.startswith(start)}
    return {"time_ps": columns["time_ps"], **own}


def _misses_some(own: Columns) -> bool:
    """Whether messages of a job did not arrive."""
    return int(own["messages_delivered"][-1]) < int(own["messages_sent"][-1])


def _completion(job: Job, done_ps: int | None, now_ps: int) -> Estimate:
    if done_ps is None:
        return Estimate.more_than(max(now_ps - job.start.ps, 0) / 1e6)
    # What has nothing to do is done at time 0.
    return Estimate.exact(max(done_ps - job.start.ps, 0) / 1e6, 1.0)


def _rates(columns: Columns, there: Populations, completion: Estimate) -> dict[str, Estimate]:
    """Return the rates of a job that ends: over the time that it took itself."""
    time_ps = completion.value * 1e6 * there.nodes
    found = {}
    for name in measured(columns):
        metric = ALL_METRICS[name]
        if metric.denominator == "nodes":
            counted, _ = increments(metric, columns, there)
            is_whole = int(columns["time_ps"][0]) == 0 and time_ps > 0
            rate = float(counted.sum()) / time_ps if is_whole else math.nan
            found[name] = Estimate.exact(rate, time_ps) if is_whole else Estimate.unknown()
    return found


def _latency(moments: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    [row] = tables.moments(moments).to_pylist()
    plain = ("count", "skewness")
    return {
        name: row[name] if name in plain or row[name] is None else row[name] / 1e6
        for name in _LATENCY
    }
