"""Tables of jobs, of flows of messages, and of percentiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.answers.lateness import untold_texts
from tailback.answers.status import lost_texts
from tailback.errors import choice, one_line
from tailback.results import PERCENTS, Fared
from tailback.results.of_jobs import JobResult
from tailback.statistics import Estimate
from tailback.tables import FLOW, MEASURES
from tailback.units import counted
from tailback.wording import UNKNOWN, number, plain, warnings
from tailback.wording.scaling import BYTES, MICROSECONDS, measured, scaled, unit_for

from .layout import cautions, heading, new_table, numbers, words

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


_TOLD = {"mean": "mean", "median": "median", "p95": "95 %", "p99": "99 %", "p99_9": "99.9 %"}
"""Statistics of each measure of a flow, and their headings."""


def flow_keys(by: str) -> tuple[str, ...]:
    """Return the columns that `--by` names; raise `UserError` for an unknown one."""
    keys = tuple(key.strip() for key in by.split(",") if key.strip())
    for key in keys:
        if key not in FLOW:
            raise choice("--by", key, FLOW)
    return keys


def flows_report(result: Result, by: Sequence[str], top: int) -> RenderableType:
    """Return the tables of `tailback flows`: a row for each flow, the latest first."""
    flows = result.flows(by).to_pylist()
    order = sorted(flows, key=lambda row: -(row["late_mean_ps"] or row["latency_mean_ps"]))
    keys = [key for key in by if key in (flows[0] if flows else {})]
    order = _with_names(order[:top], keys, result)
    counts = numbers("messages", "data", "early", "time alone unknown")
    count = new_table(None, *words(*keys), *counts)
    for row in order:
        cells = (f"{row['messages']:,}", scaled(row["bytes"], BYTES), *_few(row))
        count.add_row(*(str(row[key]) for key in keys), *cells)
    parts: list[RenderableType] = [
        heading(result.experiment),
        Text(f"mode {result.mode}: {counted(len(flows), 'flow')}, the latest first"),
        count,
    ]
    for measure in MEASURES:
        stem, unit = (measure[:-3], "_ps") if measure.endswith("_ps") else (measure, "")
        parts += [Text(), _measure_table(order, keys, stem, unit)]
    told = (*warnings(result.ending), *lost_texts(result), *untold_texts(result))
    return Group(*parts, *cautions(told))


def _with_names(
    rows: Sequence[Mapping[str, Any]], keys: Sequence[str], result: Result
) -> list[dict[str, Any]]:
    """Return rows with the names of nodes for their numbers, if the topology has names."""
    names = result.experiment.machine.topology.labels.get("node", ())
    ends = [key for key in ("source", "destination") if key in keys and names]
    return [{**row, **{end: one_line(names[row[end]]) for end in ends}} for row in rows]


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


def _few(row: Mapping[str, int]) -> tuple[str, str]:
    """Return counts that are mostly zero: empty then."""
    early, unknown = (row[name] for name in ("early", "unknown"))
    return f"{early:,}" if early else "", f"{unknown:,}" if unknown else ""


def _measure_table(
    rows: Sequence[Mapping[str, float | None]], keys: Sequence[str], stem: str, suffix: str
) -> Table:
    """Return a row for each flow: mean, median and percentiles of one measure."""
    names = [f"{stem}_{told}{suffix}" for told in _TOLD]
    values = [[row[name] for name in names] for row in rows]
    every = [value / 1e6 for line in values for value in line if value is not None]
    unit = unit_for(every, MICROSECONDS) if suffix else unit_for((), "")
    size = unit.size * 1e6 if suffix else 1.0
    title = f"{stem}, {unit.name}" if unit.name else f"{stem} (latency over alone)"
    table = new_table(title, *words(*keys), *numbers(*_TOLD.values()))
    for row, line in zip(rows, values, strict=True):
        told = (UNKNOWN if value is None else plain(value / size, 4) for value in line)
        table.add_row(*(str(row[key]) for key in keys), *told)
    return table
