"""The chapters in `RESULTS.md`: what is said about each figure, and what we find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from studies.claims import Judgement, Verdict
from studies.markdown import claims_table, paragraphs, table
from studies.runs import Runs
from studies.tweedie.chapters.figure import WORDING, Judged
from studies.tweedie.comparison import Report, Section

_LEGEND = """\
The thesis has figures 5.1 to 5.16 and 6.1 to 6.11 as pictures, without numbers. All that
its text says about them is judged from runs that are kept (`sweeps/`): a printed number
is *within bound* (3.5 % for rates, ratios and losses, 6.5 % for lifetimes, or where the
intervals overlap); any other statement *holds*, by the rule in its note, below, or is
*contradicted*. A number beyond the bound is *contradicted* where we can say why, else
*open*. A printed loss is compared as a loss: 12 % and 13 % are 8 % apart.
`make studies` also writes `report.html`, which has the figures, drawn from the same runs.

The rules are ours, and were written with the runs at hand."""


def sections(judged: Sequence[Judged], runs: Runs) -> tuple[Section, Section]:
    """Return what comes first, an overview, and what comes last, every figure."""
    count = len(runs.endings)
    overview = paragraphs(
        _LEGEND,
        f"{count} runs:",
        _counts_table(judged),
        "What our runs say otherwise:",
        "\n".join(line for found in judged for line in _differing(found)),
    )
    figures = paragraphs(*(_figure(found) for found in judged))
    return (
        Section("Chapters 5 and 6: what is said about figures", (), lambda _: Report(overview)),
        Section("Figures 5.1 to 6.11", (), lambda _: Report(figures)),
    )


def _counts_table(judged: Sequence[Judged]) -> str:
    """Return how many claims came to which verdict, by chapter."""
    lines = []
    for chapter in ("5", "6"):
        found = [
            j for each in judged if each.figure.number.startswith(chapter) for j in each.claims
        ]
        lines.append([f"Chapter {chapter}", *_counts(found)])
    lines.append(["All", *_counts([j for each in judged for j in each.claims])])
    return table(["", "claims", *Verdict, "known beforehand"], lines)


def _counts(found: Sequence[Judgement]) -> list[str]:
    counted = Counter(judgement.verdict for judgement in found)
    known = sum(judgement.differs and judgement.claim.known for judgement in found)
    return [str(n) for n in (len(found), *(counted[v] for v in Verdict), known)]


def _differing(found: Judged) -> Iterator[str]:
    for judgement in found.claims:
        if judgement.differs:
            line = (
                f"- Figure {found.figure.number}, {judgement.verdict}: "
                f"“{judgement.claim.words}”: {_beside(judgement)}. {judgement.why}"
            )
            yield line.rstrip()


def _beside(judgement: Judgement) -> str:
    if not judgement.printed:
        return judgement.found
    return f"printed {judgement.printed}, found {judgement.found}"


def _figure(found: Judged) -> str:
    return paragraphs(
        f"### {found.figure.title}",
        found.figure.remark,
        claims_table(found.claims, WORDING),
    )
