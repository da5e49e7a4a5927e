"""Least squares of relative errors, with bounds, where every evaluation is a simulation.

The sum of the squared logarithms of simulated over measured is minimised (Gauss-Newton; a parameter
that would leave its bound stays there). Times are nearly linear in parameters, so steps are those
of the difference of times, weighted so that the minimum is that of the logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .parameters import Parameter

Vector = NDArray[np.float64]

_ROUNDS = 25
_HALVINGS = 6
#: Improvement of the sum of squares below which it ends.
_ENOUGH = 1e-5
#: A parameter whose column is within this angle (radians) of others is like them.
_ALIKE = 0.05
#: Relative change of times below which a parameter does nothing.
_NOTHING = 1e-3
#: Measured times are printed with so many digits at best.
_LEAST_ERROR = 5e-4


@dataclass(frozen=True)
class Problem:
    """What is fitted to what."""

    parameters: Sequence[Parameter]
    times: Callable[[Vector], Vector]
    """Return the simulated times in us, given the numbers of all parameters."""
    measured: Vector
    sizes: Vector
    fitted: NDArray[np.bool_]
    """Rows that count."""

    def snapped(self, numbers: Vector) -> Vector:
        """Return the numbers of the nearest values that keys can have."""
        pairs = zip(self.parameters, numbers, strict=True)
        return np.array([one.number(one.quantity(number)) for one, number in pairs])

    def scales(self) -> tuple[float, float]:
        """Return the shortest measured time in ps, and for a byte in fs."""
        shortest = self.measured[self.fitted].min() * 1e6
        per_byte = self.measured / np.maximum(self.sizes, 1) * 1e9
        return float(shortest), float(per_byte[self.fitted].min())


@dataclass(frozen=True)
class Alike:
    """What measured times say of one parameter beside others."""

    chosen: list[int]
    """Those that can be told apart, in order."""
    like: dict[int, list[int]]
    """Others, and the chosen ones that do the same; none: they do nothing."""


def columns(problem: Problem, numbers: Vector, times: Vector, only: Sequence[int]) -> Vector:
    """Return by how much times change with each of some parameters, in us for a unit."""
    scales = problem.scales()
    found = []
    for place in only:
        one = problem.parameters[place]
        other = numbers.copy()
        other[place] += one.step(*scales)
        other = problem.snapped(other)
        found.append((problem.times(other) - times) / (other[place] - numbers[place]))
    return np.stack(found, axis=1) if found else np.zeros((len(times), 0))


def told_apart(problem: Problem, numbers: Vector, fixed: Sequence[int] = ()) -> Alike:
    """Return which parameters can be told apart: of those that act alike the first."""
    times = problem.times(numbers)
    places = [place for place in range(len(problem.parameters)) if place not in fixed]
    scales = [problem.parameters[place].scale(*problem.scales()) for place in places]
    effects = columns(problem, numbers, times, places) * scales / times[:, None]
    effects = effects[problem.fitted]
    found = Alike([], {})
    for place, effect in zip(places, effects.T, strict=True):
        chosen = effects[:, [places.index(one) for one in found.chosen]]
        weights = np.linalg.lstsq(chosen, effect, rcond=None)[0]
        rest = np.linalg.norm(effect - chosen @ weights)
        length = np.linalg.norm(effect)
        if np.abs(effect).max() < _NOTHING:
            found.like[place] = []
        elif rest > _ALIKE * length and len(found.chosen) < len(effects):
            found.chosen.append(place)
        else:
            shares = np.abs(weights) * np.linalg.norm(chosen, axis=0)
            pairs = zip(found.chosen, shares, strict=True)
            found.like[place] = [one for one, share in pairs if share > length / 10]
    return found


def least_squares(problem: Problem, start: Vector, free: Sequence[int]) -> tuple[Vector, Vector]:
    """Return the numbers that fit best where some parameters are free, and their errors.

    Errors are standard errors; of those that are not free, or at their bound, 0.
    """
    bounds = np.array([one.least for one in problem.parameters])
    numbers = problem.snapped(start)
    times = problem.times(numbers)
    cost = _cost(problem, times)
    moving: list[int] = []
    slopes = np.zeros((len(times), 0))
    for _ in range(_ROUNDS):
        slopes = columns(problem, numbers, times, free)
        step, moving = _step(problem, (numbers, times), slopes, free, bounds)
        for halving in range(_HALVINGS):
            tried = problem.snapped(np.maximum(numbers + step / 2**halving, bounds))
            tried_times = problem.times(tried)
            tried_cost = _cost(problem, tried_times)
            if tried_cost < cost:
                break
        else:
            break
        ended = tried_cost > cost * (1 - _ENOUGH)
        numbers, times, cost = tried, tried_times, tried_cost
        if ended:
            break
    return numbers, _errors(
        problem, times, slopes[:, [list(free).index(m) for m in moving]], moving
    )


def _cost(problem: Problem, times: Vector) -> float:
    return float(np.sum(np.log(times / problem.measured)[problem.fitted] ** 2))


def _step(
    problem: Problem,
    now: tuple[Vector, Vector],
    slopes: Vector,
    free: Sequence[int],
    bounds: Vector,
) -> tuple[Vector, list[int]]:
    """Return a step to the minimum, and the parameters that are not at their bounds."""
    numbers, times = now
    missing = problem.measured - times
    ratio = np.log(problem.measured / times)
    # The logarithmic mean of both: with it, weighted differences vanish where logarithms do.
    mean = np.where(np.abs(ratio) < 1e-9, times, missing / np.where(ratio == 0, 1, ratio))
    weights = np.where(problem.fitted, 1 / np.sqrt(times * mean), 0.0)
    moving = list(free)
    while True:
        step = np.zeros(len(numbers))
        places = [list(free).index(one) for one in moving]
        scaled = slopes[:, places] * weights[:, None]
        lengths = np.linalg.norm(scaled, axis=0)
        lengths[lengths == 0] = 1.0
        step[moving] = np.linalg.lstsq(scaled / lengths, missing * weights, rcond=None)[0] / lengths
        stuck = [one for one in moving if numbers[one] <= bounds[one] and step[one] < 0]
        if not stuck:
            return step, moving
        moving = [one for one in moving if one not in stuck]


def _errors(problem: Problem, times: Vector, slopes: Vector, moving: Sequence[int]) -> Vector:
    """Return the standard errors of parameters."""
    errors = np.zeros(len(problem.parameters))
    if moving:
        relative = (slopes / times[:, None])[problem.fitted]
        spare = max(len(relative) - len(moving), 1)
        variance = max(_cost(problem, times) / spare, _LEAST_ERROR**2)
        lengths = np.linalg.norm(relative, axis=0)
        lengths[lengths == 0] = 1.0
        scaled = relative / lengths
        inverse = np.linalg.pinv(scaled.T @ scaled)
        errors[list(moving)] = np.sqrt(variance * np.diag(inverse)) / lengths
    return errors
