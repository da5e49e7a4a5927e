"""The page of `tailback interference --html`: what jobs cost each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tailback.answers import of_interference
from tailback.figures.drawing import Axis
from tailback.figures.maps import matrix_form
from tailback.statistics import finite
from tailback.terminal.by_job import measure_name, measure_text
from tailback.terminal.interfering import BY, ratio_text
from tailback.wording import share_text
from tailback.wording.scaling import MICROSECONDS

from .content import Cell, Content, Figure, Page, Section, Table
from .page import write
from .terms import TERMS

if TYPE_CHECKING:
    from tailback.comparison.of_jobs import Charge, Interference

_RUNS = Axis("longer because of the culprit", "%")
_BLAME = Axis("mean lateness per message of the victim", MICROSECONDS)

_WAYS = (
    "By runs a job is compared with itself where the culprit is absent: that has all effects, also "
    "those of waits that processes make up for. By blame the lateness of each message, compared "
    "with alone, is charged to the jobs that its waits lead to: that says where the time of "
    "messages goes, not how much of it the job notices."
)


def write_interference(found: Interference, path: Path) -> None:
    """Write the page; raise `UserError` if it cannot be written."""
    write(interference_page(found), path)


def interference_page(found: Interference) -> Page:
    """Return the page."""
    return Page(
        title="Who slows whom down",
        lead=tuple(of_interference(found).lines),
        sections=sections(found),
        facts=(
            ("jobs", str(len(found.names))),
            ("mode", found.together.mode),
            ("runs", "pairs" if found.by == "pairs" else "all but one"),
        ),
        terms=TERMS,
    )


def sections(found: Interference) -> tuple[Section, ...]:
    """Return the sections: jobs, and matrices by runs and by blame."""
    parts: list[str | Figure | Table] = [_WAYS, _runs_figure(found)]
    if found.by_blame:
        parts.append(_blame_figure(found))
    parts.append(_pairs(found))
    return (Section("Jobs", (_jobs(found),)), Section("Who slows whom down", tuple(parts)))


def _runs_figure(found: Interference) -> Figure:
    longer = {key: 100 * (ratio.value - 1) for key, ratio in found.by_runs.items()}
    return _figure(
        "runs",
        "By runs",
        _RUNS,
        longer,
        found.names,
        f"{BY[found.by]}, in percent. Colours go with the square root.",
    )


def _blame_figure(found: Interference) -> Figure:
    charges = {key: charge.us_per_message for key, charge in found.by_blame.items()}
    caption = (
        "How late messages of each job are because of each, on average; on the diagonal because "
        "of itself. Colours go with the square root."
    )
    return _figure("charges", "By blame", _BLAME, charges, found.names, caption)


def _figure(  # each is said of the figure
    name: str,
    title: str,
    axis: Axis,
    values: Mapping[tuple[str, str], float],
    names: Sequence[str],
    caption: str,
) -> Figure:
    cells = [values.get((victim, culprit), math.nan) for victim in names for culprit in names]
    drawing = matrix_form(names, names).drawing(axis.name, axis, np.array(cells))
    return Figure(name, title, drawing, caption)


def _jobs(found: Interference) -> Table:
    rows: list[tuple[Content, ...]] = []
    for name in found.names:
        job = found.together.jobs[name]
        alone = found.alone[name].jobs[name] if name in found.alone else None
        metric = job.speed if alone is None else alone.speed
        slowdown, latency = found.slowdowns.get(name), found.latencies.get(name)
        rows.append(
            (
                name,
                job.nodes,
                job.messages,
                measure_name(metric),
                None if alone is None else Cell(measure_text(alone, metric), alone[metric].value),
                Cell(measure_text(job, metric), job[metric].value),
                Cell(ratio_text(slowdown), None if slowdown is None else slowdown.value),
                Cell(ratio_text(latency), None if latency is None else latency.value),
            )
        )
    heads = ("job", "nodes", "messages", "measured by", "alone", "together", "slowdown")
    return Table((*heads, "latency, together over alone"), tuple(rows))


def _pairs(found: Interference) -> Table:
    rows: list[tuple[Content, ...]] = []
    for victim in found.names:
        for culprit in found.names:
            ratio = found.by_runs.get((victim, culprit))
            charge = found.by_blame.get((victim, culprit))
            rows.append(
                (
                    victim,
                    culprit,
                    None if ratio is None else Cell(ratio_text(ratio), ratio.value),
                    *_charged(charge),
                )
            )
    charged = (f"charged, {MICROSECONDS} per message", "of the victim's lateness")
    heads = ("victim", "culprit", "slowdown by runs", *charged)
    return Table(heads, tuple(rows), "All pairs", folded=True)


def _charged(charge: Charge | None) -> tuple[Content, ...]:
    """Return the cells of a charge."""
    if charge is None:
        return (None, None)
    return (finite(charge.us_per_message), share_text(charge.share))
