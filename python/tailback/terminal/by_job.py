"""What was measured of each job, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.table import Table

from tailback.results.of_jobs import JobResult
from tailback.statistics import Estimate
from tailback.wording import number
from tailback.wording.scaling import MICROSECONDS, unit_for

from .layout import new_table

if TYPE_CHECKING:
    from tailback.results import Result

#: What jobs are measured by: in words, and the unit.
_MEASURES = {
    "completion_us": ("completion", "us"),
    "message_latency_us": ("latency", "us"),
    "messages_per_node_per_ms": ("messages/node", "per ms"),
    "iterations_per_node_per_ms": ("iterations/node", "per ms"),
}


def measure_text(job: JobResult, metric: str) -> str:
    """Return what a job is measured by, with its unit: `123.4 us`."""
    _, unit = _MEASURES[metric]
    if unit != "us":
        return f"{number(job[metric])} {unit}"
    scaled = unit_for([job[metric].value], MICROSECONDS)
    return f"{number(job[metric], 1 / scaled.size)} {scaled.name}"


def measure_name(metric: str) -> str:
    """Return what a job is measured by, in words."""
    return _MEASURES[metric][0]


def jobs_table(results: Mapping[str, Result]) -> Table:
    """Return a row for every job: how fast it was in each mode."""
    first = next(iter(results.values()))
    table = new_table("Jobs")
    table.add_column("job", no_wrap=True)
    table.add_column("nodes", justify="right")
    table.add_column("by", no_wrap=True)
    for name in results:
        table.add_column(name, justify="right")
    for name, job in first.jobs.items():
        measured = (measure_text(result.jobs[name], job.speed) for result in results.values())
        table.add_row(name, str(job.nodes), measure_name(job.speed), *measured)
    return table


def thetas_table(thetas: Mapping[str, Mapping[str, Estimate]], baseline: str) -> Table:
    """Return a row for every job: what contention leaves of it, against a baseline."""
    table = new_table(f"Jobs in full against {baseline}")
    table.add_column("job", no_wrap=True)
    known = list(dict.fromkeys(name for job in thetas.values() for name in job))
    for name in known:
        table.add_column(name, justify="right")
    for name, own in thetas.items():
        table.add_row(name, *(number(own[theta]) if theta in own else "" for theta in known))
    return table
