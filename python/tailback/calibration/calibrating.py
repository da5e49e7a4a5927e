"""A machine fitted to what was measured on a real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import Machine
from tailback.units import Quantity

from .fitting import Alike, Problem, Vector, least_squares, told_apart
from .measured import Measured
from .parameters import Parameter, changed, is_flit_free, kept_flit, parameters
from .simulated import Bench, placed, times

#: Misfits above this share are warned of.
LARGE = 0.1
#: Times that the parameters are looked at again, since what acts depends on them.
_ROUNDS = 5
#: A change of fewer standard errors is none.
_SIGNIFICANT = 2.0
#: A jump of measured times is so much larger than what is beside it.
_STANDS_OUT = 2.0
#: Sizes below a jump that are enough to fit to, at least.
_FEW = 2
_AS_IT_WAS = "left as in the file: no other value fits significantly better"


@dataclass(frozen=True, slots=True)
class Row:
    """One size."""

    bytes: int
    measured_us: float
    simulated_us: float
    counts: bool
    """Whether it was fitted to."""

    @property
    def misfit(self) -> float:
        """By which share it takes longer when simulated than was measured."""
        return self.simulated_us / self.measured_us - 1


@dataclass(frozen=True, slots=True)
class Fitted:
    """One parameter, before and after."""

    name: str
    """Its key; of rates that are equal all of them."""
    before: Quantity
    after: Quantity
    error: float
    """Relative standard error; 0 where the value is as it was, or at its bound."""
    note: str
    """Why it is as it was, or that it is at its bound; empty if it was fitted."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "name": self.name,
            "before": str(self.before),
            "after": str(self.after),
            "relative_error": self.error,
            "note": self.note or None,
        }


@dataclass(frozen=True)
class Calibration:
    """A fitted machine, and how well it fits."""

    experiment: Experiment
    """The one whose machine was fitted, as it was."""
    machine: Machine
    """The fitted machine."""
    changes: dict[str, Quantity]
    """Values of keys of the machine that are not as they were, by dotted name."""
    parameters: tuple[Fitted, ...]
    tables: tuple[tuple[Measured, tuple[Row, ...]], ...]
    """Of each table of the measured files: its rows, by size."""

    @property
    def misfits(self) -> list[float]:
        """Absolute misfits of the rows that were fitted to."""
        return sorted(abs(row.misfit) for _, rows in self.tables for row in rows if row.counts)

    @property
    def worst(self) -> float:
        """The largest of them."""
        return self.misfits[-1]

    @property
    def median(self) -> float:
        """Their median."""
        return float(np.median(self.misfits))

    def warnings(self) -> list[str]:
        """Return what to be wary of, a sentence each."""
        found = []
        for measured, rows in self.tables:
            large = [row.bytes for row in rows if row.counts and abs(row.misfit) > LARGE]
            if large:
                ends = f"{large[0]} B" if len(large) == 1 else f"{large[0]} to {large[-1]} B"
                found.append(
                    f"{measured.path}: more than {LARGE:.0%} off at {len(large)} of {len(rows)} "
                    f"sizes, {ends}"
                )
            found += [f"{measured.path}: {text}" for text in _jumps(rows)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "parameters": [one.to_dict() for one in self.parameters],
            "changes": {name: str(value) for name, value in self.changes.items()},
            "worst_misfit": self.worst,
            "median_misfit": self.median,
            "warnings": self.warnings(),
            "tables": [
                {
                    "file": str(measured.path),
                    "time_of": measured.exchange.words,
                    "rows": [
                        {
                            "bytes": row.bytes,
                            "measured_us": row.measured_us,
                            "simulated_us": row.simulated_us,
                            "misfit": row.misfit,
                            "fitted_to": row.counts,
                        }
                        for row in rows
                    ],
                }
                for measured, rows in self.tables
            ],
        }


def calibrate(
    experiment: Experiment,
    measured: Sequence[Measured],
    *,
    fit: Sequence[str] = (),
    nodes: Sequence[int] | None = None,
    sizes: tuple[int, int] = (0, 10**15),
) -> Calibration:
    """Fit the machine of an experiment to measured times.

    ``fit``: dotted keys that may change, the usual ones if there are none; ``nodes``: where the
    processes ran; ``sizes``: the least and the largest that are fitted to. Raises `UserError` for
    keys that the machine does not have, and where nothing that was measured depends on any.
    """
    machine = experiment.machine
    known = parameters(experiment, fit)
    benches = [placed(one, machine, nodes) for one in measured]
    problem = _problem(experiment, known, benches, sizes)
    start = np.array([one.start for one in known])
    numbers, errors, alike = _fitted(problem, start)
    numbers, errors, alike, kept = _without_insignificant(problem, start, (numbers, errors, alike))
    changes = _changes(machine, known, numbers)
    why = {place: _why_alike(known, like) for place, like in alike.like.items()}
    why |= dict.fromkeys(kept, _AS_IT_WAS)
    found = [
        Fitted(
            one.name,
            one.before,
            one.quantity(numbers[place]) if numbers[place] != start[place] else one.before,
            errors[place] / numbers[place] if numbers[place] > one.least else 0.0,
            why.get(place) or _note(one, numbers[place], errors[place]),
        )
        for place, one in enumerate(known)
    ]
    simulated = problem.times(numbers)
    fitted = changed(machine, changes) if changes else machine
    tables = _tables(benches, simulated, problem)
    return Calibration(experiment, fitted, changes, tuple(found), tables)


def _problem(
    experiment: Experiment,
    known: Sequence[Parameter],
    benches: Sequence[Bench],
    sizes: tuple[int, int],
) -> Problem:
    rows = np.array([row for bench in benches for row in bench.measured.rows], dtype=np.float64)
    counts = (rows[:, 0] >= sizes[0]) & (rows[:, 0] <= sizes[1])
    if not counts.any():
        allowed = f"must leave some of the measured sizes, {rows[:, 0].min():.0f} to "
        raise UserError("--from, --to", None, f"{allowed}{rows[:, 0].max():.0f} B")
    done: dict[tuple[float, ...], Vector] = {}

    def simulated(numbers: Vector) -> Vector:
        key = tuple(numbers.tolist())
        if key not in done:
            changes = _changes(experiment.machine, known, numbers)
            try:
                machine = changed(experiment.machine, changes) if changes else experiment.machine
                done[key] = times(experiment, machine, benches)
            except UserError as error:
                if not changes:
                    raise
                tried = ", ".join(f"{name} = {value}" for name, value in changes.items())
                allowed = f"cannot be fitted, since the machine refuses {tried}: {error}"
                raise UserError(
                    "machine", None, f"{allowed}; --fit names the keys that may change"
                ) from None
        return done[key]

    return Problem(known, simulated, rows[:, 1], rows[:, 0], counts)


def _changes(machine: Machine, known: Sequence[Parameter], numbers: Vector) -> dict[str, Quantity]:
    """Return the keys whose values are not those of the machine."""
    changes: dict[str, Quantity] = {}
    for one, number in zip(known, numbers, strict=True):
        if number != one.start:
            changes |= dict.fromkeys(one.names, one.quantity(number))
    rates = next((one.names for one in known if "machine.link.rate" in one.names), ())
    return changes if is_flit_free(machine, rates) else changes | kept_flit(machine, changes)


def _fitted(problem: Problem, start: Vector) -> tuple[Vector, Vector, Alike]:
    """Return numbers that fit best, errors, and which parameters could be told apart."""
    numbers, bound = start, list[int]()
    alike = told_apart(problem, numbers)
    for _ in range(_ROUNDS):
        if not alike.chosen:
            names = ", ".join(one.name for one in problem.parameters)
            allowed = f"does not act on what was measured on these nodes: {names}"
            raise UserError("machine", None, allowed)
        numbers, errors = least_squares(problem, numbers, alike.chosen)
        # Others that act alike may have room where this one is at its bound.
        stuck = [
            place
            for place in alike.chosen
            if errors[place] == 0 and any(place in like for like in alike.like.values())
        ]
        bound += stuck
        again = told_apart(problem, numbers, bound)
        if not stuck and again.chosen == alike.chosen:
            break
        alike = again
    return numbers, errors, alike


def _without_insignificant(
    problem: Problem, start: Vector, found: tuple[Vector, Vector, Alike]
) -> tuple[Vector, Vector, Alike, list[int]]:
    """Return the same with parameters as they were that measured times do not ask to change."""
    numbers, errors, alike = found
    kept: list[int] = []
    while True:
        moves = {
            place: abs(numbers[place] - start[place]) / errors[place]
            for place in alike.chosen
            if errors[place] > 0
        }
        moves |= {one: 0.0 for one in alike.chosen if numbers[one] == start[one]}
        least = min(moves, key=moves.__getitem__, default=None)
        if least is None or moves[least] >= _SIGNIFICANT:
            return numbers, errors, alike, kept
        kept.append(least)
        alike = Alike([one for one in alike.chosen if one != least], alike.like)
        numbers = np.where(np.arange(len(start)) == least, start, numbers)
        numbers, errors = least_squares(problem, numbers, alike.chosen)


def _note(one: Parameter, number: float, error: float) -> str:
    if error > 0:
        return ""
    return _AS_IT_WAS if number == one.start else "fitted to the end of its range"


def _why_alike(known: Sequence[Parameter], like: Sequence[int]) -> str:
    if not like:
        return "left as in the file: no effect on these measurements"
    names = ", ".join(known[place].name for place in like)
    return f"left as in the file: not distinguishable from {names} by these measurements"


def _tables(
    benches: Sequence[Bench], simulated: Vector, problem: Problem
) -> tuple[tuple[Measured, tuple[Row, ...]], ...]:
    found, place = [], 0
    for bench in benches:
        rows = []
        for size, time in bench.measured.rows:
            rows.append(Row(size, time, float(simulated[place]), bool(problem.fitted[place])))
            place += 1
        found.append((bench.measured, tuple(sorted(rows, key=lambda row: row.bytes))))
    return tuple(found)


def _jumps(rows: Sequence[Row]) -> list[str]:
    """Return where measured times jump between neighbouring sizes and simulated ones do not.

    At most the largest jump of a table.
    """
    counted = [row for row in rows if row.counts]
    ratios = np.log([row.measured_us / row.simulated_us for row in counted])
    changes = np.abs(np.diff(ratios))
    place = int(np.argmax(changes)) if len(changes) else 0
    beside = [changes[one] for one in (place - 1, place + 1) if 0 <= one < len(changes)]
    if not beside or changes[place] < max(LARGE, _STANDS_OUT * max(beside)):
        return []
    low, high = counted[place : place + 2]
    below = f'; --to "{low.bytes} B" fits the sizes below' if place >= _FEW else ""
    return [
        f"measured times jump between {low.bytes} and {high.bytes} B, simulated ones do not: "
        "probably another protocol (rendezvous) or algorithm begins there, which the machine does "
        f"not have{below}"
    ]
