"""The figures as one HTML page: costs against actual load, by routing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies import page
from studies.adaptive.claims import WORDING
from studies.adaptive.settings import (
    CLOSED,
    LIFETIME,
    OPEN,
    RATE,
    ROUTINGS,
    STUDY,
    THETA_R,
    THETA_T,
    Setting,
    saturation,
)
from studies.adaptive.theory import greedy_bound
from studies.claims import Judgement
from studies.curve import Curve
from studies.page import axis, line
from studies.runs import Runs

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing
    from tailback.report.page import Figure, Section

_TITLE = "What adaptive routing does to the costs of contention"
_LEAD = (
    "All routings on an 8 x 8 mesh and an 8 x 8 torus of T9000 links, four virtual channels of "
    "two packets each on every link, packet by packet. theta_t is the mean routed lifetime without "
    "contention over that with it, theta_r the message rate with contention over that without, "
    "both by the same routing [Tweedie, chapter 6].",
    "The horizontal axis is the load that gets through: beyond its highest, curves turn back. "
    "Bars are 95 % intervals, of three seeds.",
)
_LOAD = ("messages sent", "per node and ms")
_COLOURS = {routing: number for number, routing in enumerate(ROUTINGS)}
_MEASURES = ((THETA_T, "theta_t"), (THETA_R, "theta_r"), (LIFETIME, "routed lifetime"))


def write(judgements: Sequence[Judgement], runs: Runs) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section

    claims = page.claims_table(judgements, WORDING)
    sections = (
        Section("What is expected, and what our runs say", (claims,)),
        _saturations(runs),
        *(_section(setting, runs) for setting in (*OPEN, *CLOSED)),
    )
    facts = (("runs", f"{len(runs.endings):,}"), ("statements judged", str(len(judgements))))
    page.write(STUDY, _TITLE, _LEAD, sections, facts)


def _section(setting: Setting, runs: Runs) -> Section:
    from tailback.report.page import Section

    title = setting.title[0].upper() + setting.title[1:]
    figures = (_figure(setting, runs, measure, name) for measure, name in _MEASURES)
    return Section(title, tuple(figures))


def _figure(setting: Setting, runs: Runs, measure: str, name: str) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = [
        line(ROUTINGS[routing], _by_load(setting, runs, routing, measure), _COLOURS[routing])
        for routing in setting.routings
    ]
    is_time = measure == LIFETIME
    vertical = axis(name, "µs") if is_time else axis(name, percent=True)
    drawing: Drawing = curves(lines, axis(*_LOAD), vertical)
    return Figure(f"{setting.name}_{measure}", f"{name}, {setting.title}", drawing)


def _by_load(setting: Setting, runs: Runs, routing: str, measure: str) -> Curve:
    """Return a measure in order of what is offered, with what gets through as x."""
    found, loads = (setting.curve(runs, routing, name) for name in (measure, RATE))
    order = range(len(found.x) - 1, -1, -1)
    return Curve(tuple(loads.y[i].value for i in order), tuple(found.y[i] for i in order))


def _saturations(runs: Runs) -> Section:
    from tailback.report.page import Section, Table

    rows = []
    for setting in OPEN:
        found = {r: saturation(setting, runs, r) for r in setting.routings}
        cells = (str(found[r]) if r in found else None for r in ROUTINGS)
        rows.append((setting.title, greedy_bound(setting), *cells))
    columns = ("traffic", "most loaded link (greedy)", *ROUTINGS.values())
    return Section("Saturation loads, messages per node and ms", (Table(columns, tuple(rows)),))
