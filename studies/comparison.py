"""A printed number beside the simulated one, and where printed numbers are read."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import tailback as tb

OPEN = "Open."
"""The explanation of a difference that has none."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number: its digits, and how far the number meant may lie from it."""

    text: str
    relative_precision: float = 0.0
    """Half-width of its confidence interval over its value, where the source gives one."""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def half_width(self) -> float:
        """Half a unit of the last digit printed, and the confidence interval."""
        decimals = len(self.text.partition(".")[2])
        return 0.5 * 10.0**-decimals + self.relative_precision * abs(self.value)


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


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file of printed numbers (CSV with a header)."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def row_of(path: Path, claim_id: str) -> dict[str, str]:
    """Return the row of such a file with this `claim_id`."""
    [row] = (row for row in rows(path) if row["claim_id"] == claim_id)
    return row
