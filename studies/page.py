"""Figures and claims of a study as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import tailback as tb
from studies.claims import Judgement, Verdict, Wording
from studies.curve import Curve
from studies.study import Study

if TYPE_CHECKING:
    from tailback.figures.curves import Line
    from tailback.figures.drawing import Axis
    from tailback.figures.look import Look
    from tailback.report.page import Cell, Mark, Section, Table

_MARKS: dict[Verdict, Mark] = {
    Verdict.WITHIN: "good",
    Verdict.HOLDS: "good",
    Verdict.CONTRADICTED: "bad",
    Verdict.OPEN: "open",
}


def write(
    study: Study,
    title: str,
    lead: tuple[str, ...],
    sections: tuple[Section, ...],
    facts: tuple[tuple[str, str], ...],
) -> None:
    """Write the page of a study; the same runs give the same bytes."""
    from tailback.report import page

    source = study.sweeps if study.sweeps.is_dir() else study.folder
    place = source.relative_to(study.folder.parents[1]).as_posix()
    footer = f"Tailback {tb.__version__}; made by `make studies` from `{place}`."
    page.write(page.Page(title, lead, sections, facts, footer=footer), study.page)


def claims_table(judgements: Iterable[Judgement], wording: Wording) -> Table:
    """Return one row per claim; how it was read is shown when pointed at."""
    from tailback.report.page import Table

    rows = tuple(claim_row(judgement, wording) for judgement in judgements)
    return Table(claim_columns(wording), rows)


def claim_columns(wording: Wording) -> tuple[str, ...]:
    """Return the headings above `claim_row`."""
    sources = (wording.sources,) if wording.sources else ()
    printed = ("printed",) if wording.printed else ()
    return (wording.claims, *sources, *printed, "found", "verdict")


def claim_row(judgement: Judgement, wording: Wording) -> tuple[Cell | str, ...]:
    """Return the cells of one claim."""
    from tailback.report.page import Cell

    claim = judgement.claim
    sources = (claim.source,) if wording.sources else ()
    printed = (judgement.printed,) if wording.printed else ()
    verdict = Cell(wording.verdict(judgement.verdict), mark=_MARKS[judgement.verdict])
    words = Cell(wording.words(claim.words), hint=judgement.note)
    return (words, *sources, *printed, judgement.found, verdict)


def line(name: str, drawn: Curve, colour: int = 0, look: Look = "solid") -> Line:
    """Return a curve as it is drawn, with its intervals."""
    from tailback.figures.curves import Line

    low, high = [e.low for e in drawn.y], [e.high for e in drawn.y]
    return Line(name, drawn.x, drawn.values.tolist(), low, high, colour=colour, look=look)


def axis(label: str, unit: str = "", *, percent: bool = False) -> Axis:
    """Return a linear axis from zero on."""
    from tailback.figures.drawing import Axis

    return Axis(label, unit, log=False, from_zero=True, percent=percent)
