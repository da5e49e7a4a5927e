"""A printed number beside the simulated one, and what the difference means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tailback as tb
from studies.tweedie.charts import Chart
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import Printed

RATE_BOUND = 0.035
"""Largest relative difference of a rate that we set out to stay within."""

LIFETIME_BOUND = 0.065
"""Largest relative difference of a lifetime that we set out to stay within."""

LOSS_BOUND = RATE_BOUND
"""Largest relative difference of a loss printed in percent: that of every printed ratio.

It is of the loss itself, not of what the loss leaves of the whole: 12 % and
12.4 % agree, 12 % and 13 % do not.
"""

OPEN = "Open."
"""The explanation of a difference that has none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One printed number and what was simulated for it."""

    place: str
    """Where it is printed and what it is."""
    printed: Printed
    simulated: tb.Estimate
    bound: float | None = None
    """Largest relative difference to stay within."""
    note: str = OPEN
    """Why they differ, if they do."""
    exception: bool = False
    """Whether the printed number was known beforehand not to come out of the model."""

    @property
    def relative(self) -> float:
        """Simulated over printed, less one."""
        return self.simulated.value / self.printed.value - 1

    @property
    def agrees(self) -> bool:
        """Whether the intervals of the two overlap."""
        half = self.printed.half_width
        nearest = min(max(self.printed.value, self.simulated.low), self.simulated.high)
        return abs(nearest - self.printed.value) <= half

    @property
    def within(self) -> bool:
        """Whether the difference is within the bound, if there is one."""
        return self.bound is None or abs(self.relative) <= self.bound


@dataclass(frozen=True, slots=True)
class Report:
    """What a section says."""

    text: str
    comparisons: tuple[Comparison, ...] = ()
    charts: tuple[Chart, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One table or claim of the thesis: what is run for it and how that is reported."""

    title: str
    points: tuple[Point, ...]
    report: Callable[[Measurements], Report]
