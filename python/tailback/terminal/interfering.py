"""The report of `tailback interference`."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.answers import of_interference
from tailback.answers.lateness import SMALL
from tailback.comparison.of_jobs import Interference
from tailback.statistics import Estimate
from tailback.units import counted
from tailback.wording import UNKNOWN, number, plain, share_text
from tailback.wording.scaling import MICROSECONDS, unit_for

from .by_job import measure_name, measure_text
from .layout import head, more, new_table, numbers, texts, words

BY = {
    "pairs": "How much longer a job takes beside one other than alone",
    "without": "How much longer a job takes among all than without one of them",
}
"""What the matrix of runs shows."""


def interference_report(found: Interference, *, full: bool = False) -> RenderableType:
    """Return the report of `tailback interference`: the answer, the jobs, who slows whom down.

    `full`: all jobs, and the matrices by runs and by blame.
    """
    parts: list[RenderableType] = [
        *head(found.experiment, of_interference(found)),
        Text(),
        _jobs(found, None if full else _MOST_JOBS),
        Text(),
    ]
    if not full:
        return Group(*parts, _pairs(found), *more("--full (both matrices)", "--html PAGE"))
    parts.append(_by_runs(found))
    if found.by_blame:
        parts += [Text(), _by_blame(found)]
    return Group(*parts)


_MOST_JOBS, _MOST_PAIRS = 8, 8
"""Rows of the tables that are shown first."""


def _pairs(found: Interference) -> Table:
    """Return what jobs cost others: pairs of a percent or more, the most costly first."""
    rows = []
    for victim in found.names:
        for culprit in found.names:
            ratio, charge = (
                found.by_runs.get((victim, culprit)),
                found.by_blame.get((victim, culprit)),
            )
            longer = 0.0 if ratio is None or math.isnan(ratio.value) else ratio.value - 1
            share = 0.0 if charge is None or math.isnan(charge.share) else charge.share
            if victim != culprit:
                rows.append((max(longer, share), victim, culprit, ratio, charge))
    rows.sort(key=lambda row: -row[0])
    shown = [row for row in rows[:_MOST_PAIRS] if row[0] >= SMALL]
    table = new_table(
        "Who slows whom down",
        *texts("job", "because of"),
        *numbers(f"takes longer,\n{_BY_RUNS[found.by]}", "of its messages' lateness"),
        rows=[
            (
                victim,
                culprit,
                _longer(ratio),
                UNKNOWN if charge is None else share_text(charge.share),
            )
            for _, victim, culprit, ratio, charge in shown
        ],
    )
    if len(shown) < len(rows):
        more_pairs = counted(len(rows) - len(shown), "more pair")
        table.add_row(more_pairs, style="dim")
    return table


_BY_RUNS = {"pairs": "these two alone", "without": "than without that"}


def _longer(ratio: Estimate | None) -> str:
    """Return `57 ±2 %` of a ratio of 1.57 ±0.02."""
    if ratio is None or math.isnan(ratio.value):
        return UNKNOWN
    value, low, high = (100 * (end - 1) for end in (ratio.value, ratio.low, ratio.high))
    return f"{number(Estimate(value, low, high), most=3)} %"


def ratio_text(ratio: Estimate | None) -> str:
    """Return a ratio with its interval."""
    return UNKNOWN if ratio is None or math.isnan(ratio.value) else number(ratio)


def _jobs(found: Interference, most: int | None) -> Table:
    table = new_table(
        "How many times longer each job takes among the others, and its messages",
        *words("job"),
        *numbers("nodes"),
        *words("by"),
        *numbers("alone", "together"),
        *numbers("slowdown", "latency", no_wrap=True),
    )
    worst = sorted(found.names, key=lambda name: -_value(found.slowdowns.get(name)))
    chosen = set(worst[:most])
    for name in found.names:
        if name not in chosen:
            continue
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
    if len(chosen) < len(found.names):
        left = len(found.names) - len(chosen)
        table.add_row(f"{left} more, slowed less", style="dim")
    return table


def _value(ratio: Estimate | None) -> float:
    return 0.0 if ratio is None or math.isnan(ratio.value) else ratio.value


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
            share = "" if math.isnan(charge.share) else f" ({share_text(charge.share)})"
            cells.append(f"{plain(charge.us_per_message / unit.size, 4)}{share}")
        table.add_row(victim, *cells)
    return table


def _matrix(found: Interference, title: str) -> Table:
    columns = numbers(*(f"by {culprit}" for culprit in found.names))
    return new_table(title, *words("victim"), *columns)
