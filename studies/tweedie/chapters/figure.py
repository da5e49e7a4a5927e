"""A figure of the thesis: how it is drawn from our runs, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.tweedie.chapters.claims import Claim
from studies.tweedie.chapters.runs import Runs

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
    claims: tuple[Claim, ...]
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
