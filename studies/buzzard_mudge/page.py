"""The figures as one HTML page: 6a to 7b, section 3, and what contention costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import tailback as tb
from studies import page
from studies.buzzard_mudge.claims import RatioVerdict
from studies.buzzard_mudge.costs import theta_t
from studies.buzzard_mudge.findings import Findings
from studies.buzzard_mudge.general import WORDING
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.settings import (
    BEGINS,
    COMPLETE,
    LENGTHS,
    SECTION_3,
    SECTION_6,
    SPACINGS,
    STUDY,
    WORMHOLE,
    Setting,
)
from studies.curve import Curve
from studies.page import axis, line
from tailback.wording import number

if TYPE_CHECKING:
    from tailback.figures.look import Look
    from tailback.report.page import Figure, Mark, Section

_TITLE = "How messages should cross a hypercube"
_LEAD = (
    "The simulations of Buzzard & Mudge, High Performance Hypercube Communications (1988): 64 "
    "nodes, 2 ticks a byte, 4 ticks of arbitration; a tick is 1 ns. First is the mean time from "
    "sending until the first 16 data bytes are there, last until all are.",
    "The horizontal axis is the load as the paper has it: link time of all data over the time of "
    "all links until the last message is sent. Bars are 95 % intervals over the seeds.",
)
_LOAD = "ideal link utilisation"
_FIGURES = {"a": SPACINGS[:5], "b": SPACINGS[3:]}
"""Figures 6a and 6b (7a and 7b) have two loads in common."""


def write(found: Findings) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section

    measured = found.measured
    conclusions = page.claims_table(found.conclusions, WORDING)
    sections = (
        _ratios(found.verdicts),
        *(_section_6(measured, length, 6 + i) for i, length in enumerate(LENGTHS)),
        Section("The conclusions of section 3", (conclusions,)),
        _section_3(measured),
        _costs(measured),
    )
    facts = (
        ("runs", f"{len(measured.runs.endings):,}"),
        ("printed ratios", str(len(found.verdicts))),
    )
    page.write(STUDY, _TITLE, _LEAD, sections, facts)


def _section_6(measured: Measured, length: int, figure: int) -> Section:
    from tailback.report.page import Section

    figures = [
        _times(measured, length, spacings, f"figure{figure}{part}")
        for part, spacings in _FIGURES.items()
    ]
    figures.append(_relative(measured, length))
    return Section(f"Messages of {length} bytes (figures {figure}a, {figure}b)", tuple(figures))


def _times(measured: Measured, length: int, spacings: Sequence[float], name: str) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = [
        line(
            f"{word} {setting.title}",
            _against_load(measured, setting, length, spacings, measure),
            colour,
            "solid" if measure == BEGINS else "dashed",
        )
        for colour, setting in enumerate(SECTION_6)
        for measure, word in ((BEGINS, "first"), (COMPLETE, "last"))
    ]
    drawing = curves(lines, axis(_LOAD, percent=True), axis("mean time of a message", "µs"))
    title = f"Mean message times, {length} bytes (figure {name.removeprefix('figure')})"
    return Figure(name, title, drawing)


def _relative(measured: Measured, length: int) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = []
    for colour, setting in enumerate(SECTION_6[1:], 1):
        loads = [_load(measured, setting, length, spacing) for spacing in SPACINGS]
        found = [measured.ratio(setting, WORMHOLE, length, s, BEGINS) for s in SPACINGS]
        lines.append(line(f"first {setting.title}", _curve(loads, found), colour))
    drawing = curves(lines, axis(_LOAD, percent=True), axis("over wormhole routing", percent=True))
    return Figure(f"relative{length}", f"First times over wormhole routing, {length} B", drawing)


def _section_3(measured: Measured) -> Section:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure, Section

    figures = []
    for length in LENGTHS:
        lines = [
            line(
                setting.title,
                _against_load(measured, setting, length, SPACINGS, COMPLETE),
                place // 4,
                _look(setting),
            )
            for place, setting in enumerate(SECTION_3)
        ]
        vertical = axis("mean time until all is there", "µs")
        drawing = curves(lines, axis(_LOAD, percent=True), vertical)
        figures.append(Figure(f"section3_{length}", f"Whole messages, {length} B", drawing))
    return Section("Messages that are not cut into packets (section 3)", tuple(figures))


def _look(setting: Setting) -> Look:
    if "_full_" in setting.name:
        return "solid" if setting.name.endswith("fixed") else "dashed"
    return "dotted" if setting.name.endswith("fixed") else "dash-dotted"


def _costs(measured: Measured) -> Section:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure, Section

    figures = []
    settings = (*SECTION_6, *(one for one in SECTION_3 if one.name.endswith("full_fixed")))
    for length in LENGTHS:
        lines = []
        for colour, setting in enumerate(settings):
            loads = [_load(measured, setting, length, spacing) for spacing in SPACINGS]
            found = [theta_t(measured, setting, length, spacing) for spacing in SPACINGS]
            lines.append(line(setting.title, _curve(loads, found), colour))
        drawing = curves(lines, axis(_LOAD, percent=True), axis("theta_t", percent=True))
        figures.append(Figure(f"theta_t_{length}", f"What contention leaves, {length} B", drawing))
    return Section("What contention costs", tuple(figures))


def _load(measured: Measured, setting: Setting, length: int, spacing: float) -> float:
    return measured.mean(setting, length, spacing, "ideal_link_utilisation").value


def _against_load(
    measured: Measured, setting: Setting, length: int, spacings: Sequence[float], measure: str
) -> Curve:
    loads = [_load(measured, setting, length, spacing) for spacing in spacings]
    return _curve(loads, [measured.mean(setting, length, s, measure) for s in spacings])


def _curve(loads: Sequence[float], found: Iterable[tb.Estimate]) -> Curve:
    """Return estimates in order of the load, the lightest first."""
    return Curve(tuple(reversed(loads)), tuple(reversed(list(found))))


def _ratios(verdicts: Sequence[RatioVerdict]) -> Section:
    from tailback.report.page import Cell, Section, Table

    rows = tuple(
        (
            f"{verdict.printed.scheme}, {verdict.printed.length} B",
            verdict.printed.metric,
            verdict.printed.words,
            verdict.printed.loads,
            ", ".join(map(number, verdict.ours)) or None,
            Cell(verdict.words, mark=_mark(verdict)),
        )
        for verdict in verdicts
    )
    columns = ("scheme", "measure", "printed", "at", "ours, %", "verdict")
    return Section("Every printed ratio to wormhole routing", (Table(columns, rows),))


def _mark(verdict: RatioVerdict) -> Mark:
    if verdict.words == "holds":
        return "good"
    return "bad" if verdict.words == "does not hold" else "open"
