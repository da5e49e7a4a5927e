"""A measure against a parameter or a load, as the figures draw it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tailback as tb
from tailback.statistics import quotient

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """Estimates `y` in order of `x`."""

    x: tuple[float, ...]
    y: tuple[tb.Estimate, ...]

    @property
    def values(self) -> Floats:
        """The estimates without their intervals."""
        return np.array([estimate.value for estimate in self.y])

    @property
    def first(self) -> tb.Estimate:
        """The estimate at the smallest x: the heaviest load, where x is a compute period."""
        return self.y[0]

    @property
    def last(self) -> tb.Estimate:
        """The estimate at the largest x."""
        return self.y[-1]

    def at(self, x: float) -> tb.Estimate:
        """Return the estimate at a value of x that was simulated."""
        for there, estimate in zip(self.x, self.y, strict=True):
            if math.isclose(there, x, rel_tol=1e-9):
                return estimate
        raise KeyError(f"not simulated: {x:g} (but {', '.join(f'{there:g}' for there in self.x)})")

    def interpolated(self, x: float) -> float:
        """Return the value at any x within the curve, on the straight line between two points."""
        if not self.x[0] <= x <= self.x[-1]:
            raise KeyError(f"{x:g} is outside the curve, {self.x[0]:g} to {self.x[-1]:g}")
        return float(np.interp(x, self.x, self.values))

    def crossing(self, value: float) -> float:
        """Return the smallest x at which the curve, from point to point, passes a value."""
        above = self.values >= value
        changes = np.flatnonzero(above[1:] != above[:-1])
        if not len(changes):
            raise ValueError(f"the curve never passes {value:g}")
        i = int(changes[0])
        (x0, x1), (y0, y1) = self.x[i : i + 2], self.values[i : i + 2]
        return float(x0 + (value - y0) / (y1 - y0) * (x1 - x0))

    def between(self, low: float = -math.inf, high: float = math.inf) -> Curve:
        """Return the part with `low` <= x <= `high`."""
        kept = [i for i, x in enumerate(self.x) if low <= x <= high]
        return Curve(tuple(self.x[i] for i in kept), tuple(self.y[i] for i in kept))

    def over(self, other: Curve) -> Curve:
        """Return the quotient of two curves where both have a point."""
        common = tuple(x for x in self.x if x in other.x)
        return Curve(common, tuple(quotient(self.at(x), other.at(x)) for x in common))

    def scaled(self, factor: float) -> Curve:
        """Return the curve in another unit."""
        return self.changed(lambda value: factor * value)

    def changed(self, function: Callable[[float], float]) -> Curve:
        """Return a monotonic function of the curve."""
        return Curve(self.x, tuple(_changed(estimate, function) for estimate in self.y))

    def against(self, load: Curve) -> Curve:
        """Return the curve with the values of another one at the same points as its x."""
        pairs = sorted((load.at(x).value, i) for i, x in enumerate(self.x))
        return Curve(tuple(x for x, _ in pairs), tuple(self.y[i] for _, i in pairs))


def _changed(estimate: tb.Estimate, function: Callable[[float], float]) -> tb.Estimate:
    value, one, other = map(function, (estimate.value, estimate.low, estimate.high))
    return tb.Estimate(value, min(one, other), max(one, other), estimate.batches)


def apart(one: tb.Estimate, other: tb.Estimate) -> bool:
    """Whether the intervals of two estimates have nothing in common."""
    return one.high < other.low or other.high < one.low
