"""The chapters as one HTML page: each figure as the thesis plots it, and its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies import page
from studies.claims import Verdict
from studies.runs import Runs
from studies.tweedie.chapters.figure import WORDING, Judged
from studies.tweedie.experiment import STUDY

if TYPE_CHECKING:
    from tailback.report.page import Figure, Section

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


def write(judged: Sequence[Judged], runs: Runs) -> None:
    """Write the page; the same runs give the same bytes."""
    sections = [_section(found, runs) for found in judged]
    page.write(STUDY, _TITLE, _LEAD, (_differences(judged), *sections), _facts(judged, runs))


def _facts(judged: Sequence[Judged], runs: Runs) -> tuple[tuple[str, str], ...]:
    counted = Counter(judgement.verdict for found in judged for judgement in found.claims)
    verdicts = [(str(verdict), str(counted[verdict])) for verdict in Verdict]
    return (("runs", f"{len(runs.endings):,}"), ("claims", str(counted.total())), *verdicts)


def _differences(judged: Sequence[Judged]) -> Section:
    from tailback.report.page import Section, Table

    rows = [
        (f"Figure {found.figure.number}", *page.claim_row(judgement, WORDING))
        for found in judged
        for judgement in found.claims
        if judgement.differs
    ]
    columns = ("figure", *page.claim_columns(WORDING))
    return Section("What our runs say otherwise", (Table(columns, tuple(rows)),))


def _section(found: Judged, runs: Runs) -> Section:
    from tailback.report.page import Section

    figure = found.figure
    claims = page.claims_table(found.claims, WORDING)
    remark = (figure.remark,) if figure.remark else ()
    return Section(figure.title, (*remark, *_drawn(found, runs), claims))


def _drawn(found: Judged, runs: Runs) -> list[Figure]:
    from tailback.report.page import Figure

    return [
        Figure(f"{found.figure.stem}_{plot.name}", plot.title, plot.drawing)
        for plot in found.figure.plots(runs)
    ]
