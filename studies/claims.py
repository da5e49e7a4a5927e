"""What is said about our runs, what they show, and whether the two agree.

A claim is judged by what its check computes from stored runs: a printed number
beside one of ours, or a statement that is true of our runs or is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from studies.comparison import Comparison
from tailback.since311 import StrEnum
from tailback.wording import number

Asked_contra = TypeVar("Asked_contra", contravariant=True)
"""What a check is asked with: the runs of a study, as it reads them."""
Asked = TypeVar("Asked")


class Verdict(StrEnum):
    """What became of a claim."""

    WITHIN = "within bound"
    """Our number and the printed one agree: within the bound, or their intervals overlap."""
    HOLDS = "holds"
    """What is said is true of our runs."""
    CONTRADICTED = "contradicted"
    """It is not, or the printed number is another one, and we can say why."""
    OPEN = "open"
    """The printed number is another one, and we cannot say why."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How a study shows its claims, in tables of both reports."""

    claims: str
    """The heading of their column."""
    cited: str = ""
    """How the source stands behind the words, as in `({})`; empty: not at all."""
    quoted: bool = False
    """Whether the words are someone else's."""
    printed: bool = False
    """Whether some claims are printed numbers."""
    sources: str = ""
    """The heading of the sources' column on the page; empty: there is none."""
    contradicted: str = Verdict.CONTRADICTED.value
    """What is said of a statement that is not true of our runs."""

    def words(self, words: str) -> str:
        """Return the words of a claim."""
        return f"“{words}”" if self.quoted else words

    def verdict(self, verdict: Verdict) -> str:
        """Return what a verdict is called."""
        return self.contradicted if verdict == Verdict.CONTRADICTED else str(verdict)


@dataclass(frozen=True, slots=True)
class Statement:
    """What our runs say about a claim without a number to be met."""

    found: str
    holds: bool


Answer = Comparison | Statement

Check = Callable[[Asked], Answer]


def _nothing(_: Any) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Claim(Generic[Asked_contra]):
    """Something said or expected of our runs, and how they are asked."""

    words: str
    """As printed, or shortened; brackets hold what was put in."""
    source: str
    """Who says it, or the section where it stands; empty if nobody did."""
    check: Check[Asked_contra]
    reading: str = ""
    """How the words are read as something to be checked; always shown."""
    reason: str = ""
    """Why our runs say otherwise; shown only if they do."""
    known: bool = False
    """Whether the model was known beforehand not to meet it."""
    published: tuple[str, ...] = ()
    """Rows of `published/` that it judges, beside those whose numbers its check reads."""
    instead: Callable[[Asked_contra], str] = _nothing
    """What our runs show of it, in a sentence or two; shown only if they say otherwise."""
    remark: str = ""
    """What is behind it, as far as we know; always shown."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim and what our runs say about it."""

    claim: Claim[Any]
    answer: Answer
    instead: str = ""
    """What our runs show, if they say otherwise and more is to be said than what was found."""

    @property
    def verdict(self) -> Verdict:
        """What becomes of the claim."""
        answer = self.answer
        if isinstance(answer, Statement):
            return Verdict.HOLDS if answer.holds else Verdict.CONTRADICTED
        if answer.agrees or (answer.bound is not None and answer.within):
            return Verdict.WITHIN
        return Verdict.CONTRADICTED if self.claim.reason else Verdict.OPEN

    @property
    def differs(self) -> bool:
        """Whether our runs say otherwise."""
        return self.verdict in (Verdict.CONTRADICTED, Verdict.OPEN)

    @property
    def printed(self) -> str:
        """The printed number, if there is one."""
        return self.answer.printed.text if isinstance(self.answer, Comparison) else ""

    @property
    def found(self) -> str:
        """What our runs say."""
        if isinstance(self.answer, Statement):
            return self.answer.found
        return number(self.answer.simulated)

    @property
    def why(self) -> str:
        """What our runs show instead and why, if they say otherwise and we know."""
        if not self.differs:
            return ""
        known = "Known beforehand." if self.claim.known else ""
        return " ".join(f"{self.instead} {self.claim.reason} {known}".split())

    @property
    def note(self) -> str:
        """How the words were read and, if our runs say otherwise, what they show and why."""
        parts = (self.claim.reading, self.claim.remark, self.why)
        return " ".join(part for part in parts if part)


def judged(claim: Claim[Asked], runs: Asked) -> Judgement:
    """Return what our runs say about a claim."""
    judgement = Judgement(claim, claim.check(runs))
    return replace(judgement, instead=claim.instead(runs)) if judgement.differs else judgement
