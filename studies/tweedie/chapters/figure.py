"""A figure of the thesis: how it is drawn from our runs, what is said about it, and is it so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.claims import Claim, Judgement, Wording, judged
from studies.runs import Runs

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Plot:
    """One pair of axes, or one map."""

    name: str
    """Of its files."""
    title: str
    drawing: Drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the thesis.

    The thesis has all of them as pictures, without numbers; what they show is
    known from its text. `caption` is ours.
    """

    number: str
    caption: str
    sweeps: tuple[str, ...]
    """Names of the sweeps whose runs it shows."""
    plots: Callable[[Runs], tuple[Plot, ...]]
    claims: tuple[Claim[Runs], ...]
    remark: str = ""
    """What a reader has to know about how it is drawn."""

    @property
    def title(self) -> str:
        """What it is called in both reports."""
        return f"Figure {self.number}: {self.caption}"

    @property
    def stem(self) -> str:
        """What names of its files begin with."""
        return f"figure{self.number.replace('.', '_')}"


WORDING = Wording("the thesis", "({})", quoted=True, printed=True, sources="section")


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure and what became of its claims."""

    figure: Figure
    claims: tuple[Judgement, ...]


def judge(figures: Iterable[Figure], runs: Runs) -> list[Judged]:
    """Return what our runs say about all claims of some figures."""
    return [Judged(figure, tuple(judged(c, runs) for c in figure.claims)) for figure in figures]
