"""What a section of the report says, and how near its numbers have to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studies.comparison import Comparison
from studies.tweedie.charts import Chart
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements

RATE_BOUND = 0.035
"""Largest relative difference of a rate that we set out to stay within."""

LIFETIME_BOUND = 0.065
"""Largest relative difference of a lifetime that we set out to stay within."""

LOSS_BOUND = RATE_BOUND
"""Largest relative difference of a loss printed in percent: that of every printed ratio.

It is of the loss itself, not of what the loss leaves of the whole: 12 % and
12.4 % agree, 12 % and 13 % do not.
"""


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
