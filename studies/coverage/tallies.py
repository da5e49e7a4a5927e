"""All runs of all cases, on all processors, and how often the truth was within the interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import tailback as tb
from studies.coverage.cases import CASES, Case, Outcome
from studies.runs import answers

LEAST, MOST = 0.93, 0.97
"""Between these the share of intervals of 95 % must lie that contain the truth."""

_BLOCK = 50


@dataclass(frozen=True)
class Tally:
    """All runs of one case."""

    case: Case
    outcomes: Sequence[Outcome]

    @property
    def estimates(self) -> list[tb.Estimate]:
        """What each run found."""
        return [outcome.estimate for outcome in self.outcomes]

    @property
    def below(self) -> float:
        """Share of the intervals that lie below the truth."""
        return self._share(estimate.high < self.case.truth for estimate in self.estimates)

    @property
    def above(self) -> float:
        """Share of the intervals that lie above the truth."""
        return self._share(estimate.low > self.case.truth for estimate in self.estimates)

    @property
    def within(self) -> float:
        """Share of the intervals that contain the truth."""
        truth = self.case.truth
        return self._share(estimate.low <= truth <= estimate.high for estimate in self.estimates)

    @property
    def holds(self) -> bool:
        """Whether as many intervals contain the truth as should."""
        return LEAST <= self.within <= MOST

    def _share(self, found: Iterable[bool]) -> float:
        return sum(found) / len(self.outcomes)


def tallies(precision: float, runs: int) -> list[Tally]:
    """Run every case with the seeds 0, 1, 2, … The numbers do not depend on the processors."""
    blocks = [
        (number, precision, range(first, min(first + _BLOCK, runs)))
        for number in range(len(CASES))
        for first in range(0, runs, _BLOCK)
    ]
    found: dict[int, list[Outcome]] = {number: [] for number in range(len(CASES))}
    for (number, *_), outcomes in zip(blocks, answers(_measured, blocks, "blocks"), strict=True):
        found[number] += outcomes
    return [Tally(case, found[number]) for number, case in enumerate(CASES)]


def _measured(block: tuple[int, float, range]) -> list[Outcome]:
    number, precision, seeds = block
    return [CASES[number].measure(seed, precision) for seed in seeds]
