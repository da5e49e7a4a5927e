"""The report of `tailback interference`."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.comparison.of_jobs import Interference
from tailback.statistics import Estimate
from tailback.wording import UNKNOWN, number, plain, warnings
from tailback.wording.scaling import MICROSECONDS, unit_for

from .by_job import measure_name, measure_text
from .layout import cautions, heading, new_table, numbers, words

BY = {
    "pairs": "How much longer a job takes beside one other than alone",
    "without": "How much longer a job takes among all than without one of them",
}
"""What the matrix of runs shows."""


def interference_report(found: Interference) -> RenderableType:
    """Return the report of `tailback interference`."""
    together = found.together
    parts: list[RenderableType] = [
        heading(found.experiment),
        Text(f"mode {together.mode}: all jobs together, and each alone on the same nodes"),
        Text(),
        _jobs(found),
        Text(),
        _by_runs(found),
    ]
    if found.by_blame:
        parts += [Text(), _by_blame(found)]
    for result in (together, *found.alone.values()):
        names = "+".join(job.name for job in result.experiment.jobs)
        parts += cautions(warnings(result.ending), names)
    return Group(*parts)


def ratio_text(ratio: Estimate | None) -> str:
    """Return a ratio with its interval."""
    return UNKNOWN if ratio is None or math.isnan(ratio.value) else number(ratio)


def _jobs(found: Interference) -> Table:
    table = new_table(
        "How many times longer each job takes among the others, and its messages",
        *words("job"),
        *numbers("nodes"),
        *words("by"),
        *numbers("alone", "together"),
        *numbers("slowdown", "latency", no_wrap=True),
    )
    for name in found.names:
        job = found.together.jobs[name]
        alone = found.alone[name].jobs[name] if name in found.alone else None
        metric = job.speed if alone is None else alone.speed
        table.add_row(
            name,
            str(job.nodes),
            measure_name(metric),
            UNKNOWN if alone is None else measure_text(alone, metric),
            measure_text(job, metric),
            ratio_text(found.slowdowns.get(name)),
            ratio_text(found.latencies.get(name)),
        )
    return table


def _by_runs(found: Interference) -> Table:
    table = _matrix(found, f"By runs. {BY[found.by]}")
    for victim in found.names:
        cells = (
            "" if victim == culprit else ratio_text(found.by_runs.get((victim, culprit)))
            for culprit in found.names
        )
        table.add_row(victim, *cells)
    return table


def _by_blame(found: Interference) -> Table:
    charges = found.by_blame
    unit = unit_for((charge.us_per_message for charge in charges.values()), MICROSECONDS)
    title = f"By blame. How late messages are because of whom, {unit.name} per message"
    table = _matrix(found, title)
    for victim in found.names:
        cells = []
        for culprit in found.names:
            charge = charges[victim, culprit]
            if math.isnan(charge.us_per_message):
                cells.append(UNKNOWN)
                continue
            share = "" if math.isnan(charge.share) else f" ({100 * charge.share:.1f} %)"
            cells.append(f"{plain(charge.us_per_message / unit.size, 4)}{share}")
        table.add_row(victim, *cells)
    return table


def _matrix(found: Interference, title: str) -> Table:
    columns = numbers(*(f"by {culprit}" for culprit in found.names))
    return new_table(title, *words("victim"), *columns)
