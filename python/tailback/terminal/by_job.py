"""Tables of jobs, and of percentiles of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from tailback.results import PERCENTS, Fared
from tailback.results.of_jobs import JobResult
from tailback.statistics import Estimate
from tailback.wording import UNKNOWN, number, plain
from tailback.wording.scaling import MICROSECONDS, measured, unit_for

from .layout import new_table, numbers, words

if TYPE_CHECKING:
    from tailback.results import Result

#: The measure of a job in words, and its unit.
_MEASURES = {
    "completion_us": ("completion", "us"),
    "message_latency_us": ("latency", "us"),
    "messages_per_node_per_ms": ("messages/node", "per ms"),
    "iterations_per_node_per_ms": ("iterations/node", "per ms"),
}


def measure_text(job: JobResult, metric: str) -> str:
    """Return the measure of a job with its unit: `123.4 us`."""
    _, unit = _MEASURES[metric]
    if unit != "us":
        return f"{number(job[metric])} {unit}"
    return measured(job[metric], MICROSECONDS)


def measure_name(metric: str) -> str:
    """Return the name of the measure of a job."""
    return _MEASURES[metric][0]


def jobs_table(results: Mapping[str, Result]) -> Table:
    """Return a row for every job: its speed in each mode."""
    first = next(iter(results.values()))
    table = new_table("Jobs", *words("job"), *numbers("nodes"), *words("by"), *numbers(*results))
    for name, job in first.jobs.items():
        measured = (measure_text(result.jobs[name], job.speed) for result in results.values())
        table.add_row(name, str(job.nodes), measure_name(job.speed), *measured)
    return table


def thetas_table(thetas: Mapping[str, Mapping[str, Estimate]], baseline: str) -> Table:
    """Return a row for every job: its thetas against a baseline."""
    title = f"Jobs: full against {baseline} (1: no cost, 0.5: half as fast)"
    known = list(dict.fromkeys(name for job in thetas.values() for name in job))
    rows = (
        (name, *(number(own[theta]) if theta in own else "" for theta in known))
        for name, own in thetas.items()
    )
    return new_table(title, *words("job"), *numbers(*known), rows=rows)


def percentiles_table(result: Result) -> Table | None:
    """Return percentiles of latency, lateness and slowdown: all messages, classes and jobs.

    None if no message was measured.
    """
    rows = [row for row in _percentiles(result) if any(value is not None for value in row[2])]
    if not rows:
        return None
    percents = ("median", *(f"{percent:g} %" for percent in _PERCENTS[1:]))
    columns = (*words(""), *numbers(*percents, no_wrap=True))
    table = new_table(f"Messages, percentiles (mode {result.mode})", *columns)
    for name, is_time, values in rows:
        unit = unit_for((value for value in values if value is not None), MICROSECONDS)
        size, word = (unit.size, f", {unit.name}") if is_time else (1.0, "")
        told = (UNKNOWN if value is None else plain(value / size, 4) for value in values)
        table.add_row(name + word, *told)
    return table


_PERCENTS = (50.0, 95.0, 99.0, 99.9)
_VARIABLES = {
    "message_latency": "latency",
    "message_late": "late",
    "message_slowdown": "slowdown",
}
_Percentiles = tuple[str, bool, Sequence[float | None]]


def _percentiles(result: Result) -> Iterator[_Percentiles]:
    """Yield what is measured of messages, whether it is a time (us), and its percentiles."""
    for variable, word in _VARIABLES.items():
        if result.has(variable):
            yield word, _is_time(variable), result.percentiles(variable, _PERCENTS)
    places = [PERCENTS.index(percent) for percent in _PERCENTS]
    for name in result.classes_with("class_latency"):
        latency = result.percentiles("class_latency", _PERCENTS, name)
        yield f"class {name}: latency", True, latency
        yield from _late(f"class {name}", result.fared.get(name), places)
    for name, job in result.jobs.items():
        known = job.percentiles().get("message_latency_us")
        if known is not None:
            yield f"job {name}: latency", True, [known[place] for place in places]
        yield from _late(f"job {name}", job.fared, places)


def _late(who: str, fared: Fared | None, places: Sequence[int]) -> Iterator[_Percentiles]:
    known = {} if fared is None else fared.percentiles
    for variable, word in _VARIABLES.items():
        values = known.get(variable + ("_us" if _is_time(variable) else ""))
        if values is not None:
            yield f"{who}: {word}", _is_time(variable), [values[place] for place in places]


def _is_time(variable: str) -> bool:
    return variable != "message_slowdown"
