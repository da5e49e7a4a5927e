"""Everything that is said about the figures, judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from studies.tweedie.chapters.claims import Judgement, judged
from studies.tweedie.chapters.figure import Figure
from studies.tweedie.chapters.runs import Runs


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure and what became of its claims."""

    figure: Figure
    claims: tuple[Judgement, ...]


def judge(figures: Iterable[Figure], runs: Runs) -> list[Judged]:
    """Return what our runs say about all claims of some figures."""
    return [Judged(figure, tuple(judged(c, runs) for c in figure.claims)) for figure in figures]
