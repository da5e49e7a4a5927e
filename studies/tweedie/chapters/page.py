"""The chapters as one HTML page: each figure as the thesis plots it, and its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tailback as tb
from studies.tweedie.chapters.claims import Judgement, Verdict
from studies.tweedie.chapters.judging import Judged
from studies.tweedie.chapters.runs import Runs

if TYPE_CHECKING:
    from tailback.report.page import Cell, Figure, Mark, Section

_TITLE = "The thesis' chapters 5 and 6, figure by figure"
_LEAD = (
    "Stephen C. Tweedie, “Contention and achieved performance in multicomputer wormhole routing "
    "networks” (1998), has figures 5.1 to 5.16 and 6.1 to 6.11 without numbers. Here they are "
    "drawn from runs of the same experiments: a 16 x 16 mesh of T9000 transputers and C104 "
    "switches, one process on each node, messages of 32 bytes to at most 8 columns and rows away.",
    "Below each figure stands what the thesis says about it, beside what our runs say. A printed "
    "number is within bound (3.5 % for rates, ratios and losses, 6.5 % for lifetimes, or where "
    "the intervals overlap), else contradicted where we can say why, or open. Any other statement "
    "holds, by the rule below it, or is contradicted. The rules are ours, and were written with "
    "the runs at hand. Bands are 95 % intervals, crosses printed numbers.",
)
_COLUMNS = ("the thesis", "section", "printed", "found", "verdict")

_MARKS: dict[Verdict, Mark] = {
    Verdict.WITHIN: "good",
    Verdict.HOLDS: "good",
    Verdict.CONTRADICTED: "bad",
    Verdict.OPEN: "open",
}


def write(judged: Sequence[Judged], runs: Runs, path: Path) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report import page

    sections = [_section(found, runs) for found in judged]
    facts = _facts(judged, runs)
    footer = f"Tailback {tb.__version__}; made by `make studies` from `studies/tweedie/sweeps`."
    page.write(
        page.Page(_TITLE, _LEAD, (_differences(judged), *sections), facts, footer=footer), path
    )


def _facts(judged: Sequence[Judged], runs: Runs) -> tuple[tuple[str, str], ...]:
    counted = Counter(judgement.verdict for found in judged for judgement in found.claims)
    verdicts = [(str(verdict), str(counted[verdict])) for verdict in Verdict]
    return (("runs", f"{len(runs.endings):,}"), ("claims", str(counted.total())), *verdicts)


def _differences(judged: Sequence[Judged]) -> Section:
    from tailback.report.page import Section, Table

    rows = [
        (f"Figure {found.figure.number}", *_row(judgement))
        for found in judged
        for judgement in found.claims
        if judgement.differs
    ]
    return Section("What our runs say otherwise", (Table(("figure", *_COLUMNS), tuple(rows)),))


def _section(found: Judged, runs: Runs) -> Section:
    from tailback.report.page import Section, Table

    figure = found.figure
    claims = Table(_COLUMNS, tuple(_row(judgement) for judgement in found.claims))
    remark = (figure.remark,) if figure.remark else ()
    return Section(figure.title, (*remark, *_drawn(found, runs), claims))


def _drawn(found: Judged, runs: Runs) -> list[Figure]:
    from tailback.report.page import Figure

    return [
        Figure(f"{found.figure.stem}_{plot.name}", plot.title, plot.drawing)
        for plot in found.figure.plots(runs)
    ]


def _row(judgement: Judgement) -> tuple[Cell | str, ...]:
    from tailback.report.page import Cell

    return (
        Cell(f"“{judgement.claim.words}”", hint=judgement.note),
        judgement.claim.section,
        judgement.printed,
        judgement.found,
        Cell(str(judgement.verdict), mark=_MARKS[judgement.verdict]),
    )
