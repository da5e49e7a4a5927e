"""The bracket of the saturation load and the next load to try: pure functions of probes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .loads import Bounds
from .probes import Probe, Verdict


class Bracket(NamedTuple):
    """The saturation load lies above `low` and below `high`, as far as these are known."""

    low: Probe | None
    high: Probe | None

    @property
    def width(self) -> float:
        """How much more load `high` is than `low`, relatively; infinite if one is not known."""
        return math.inf if self.low is None or self.high is None else _width(self.low, self.high)


def bracket(probes: Sequence[Probe]) -> Bracket:
    """Return the highest stable load below all others, and the lowest saturated one above all.

    Undecided loads lie between the two, and so does whatever contradicts another
    probe: nothing that speaks for a lower or a higher answer is left out.
    """
    ordered = sorted(probes, key=lambda probe: probe.load)
    low = high = None
    for probe in ordered:
        if probe.verdict is not Verdict.STABLE:
            break
        low = probe
    for probe in reversed(ordered):
        if probe.verdict is not Verdict.SATURATED:
            break
        high = probe
    return Bracket(low, high)


@dataclass(frozen=True, slots=True)
class Steps:
    """How the search goes on."""

    bounds: Bounds
    tolerance: float
    """How far apart the two loads may be in the end, relatively."""
    factor: int
    """By which compute periods differ until one is stable and one saturated."""

    def next_period(self, probes: Sequence[Probe]) -> int | None:
        """Return the compute period (ps) to try next; None if no further one can help.

        First `bounds.start_ps`; then, by `factor`, longer ones until one is stable and
        shorter ones until one is saturated; then the (geometric) middle of the two, until
        their loads differ by at most `tolerance`. Where undecided loads lie between, the
        gaps between them and the stable and saturated ones are halved down to half of that.
        """
        if not probes:
            return self.bounds.start_ps
        periods = [probe.compute_period_ps for probe in probes]
        found = bracket(probes)
        if found.low is None and max(periods) < self.bounds.longest_ps:
            return min(max(periods) * self.factor, self.bounds.longest_ps)
        if found.high is None and min(periods) > self.bounds.shortest_ps:
            return max(min(periods) // self.factor, self.bounds.shortest_ps)
        if found.low is None or found.high is None or found.width <= self.tolerance:
            return None
        return _middle(probes, found.low, found.high, self.tolerance)


def _middle(probes: Sequence[Probe], low: Probe, high: Probe, tolerance: float) -> int | None:
    inner = sorted(
        (probe for probe in probes if low.load < probe.load < high.load),
        key=lambda probe: probe.load,
    )
    gaps = [(low, inner[0]), (inner[-1], high)] if inner else [(low, high)]
    least = tolerance / 2 if inner else tolerance
    for one, other in sorted(gaps, key=lambda gap: _width(*gap), reverse=True):
        longer, shorter = one.compute_period_ps, other.compute_period_ps
        middle = max(math.isqrt(longer * shorter), shorter + 1)
        if _width(one, other) > least and middle < longer:
            return middle
    return None


def _width(low: Probe, high: Probe) -> float:
    return high.load / low.load - 1
