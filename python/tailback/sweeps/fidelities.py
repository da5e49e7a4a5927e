"""Points at different fidelities: refused, because their differences are not the network's."""

from __future__ import annotations

from ..errors import UserError, shown
from ..experiment import Experiment
from .combinations import Combination

Found = tuple[Combination, Experiment]


def mixed(first: Found, other: Found) -> UserError:
    """Return the mistake of a sweep in which two points would run at different fidelities."""
    given = first[1].run.fidelity
    one, two = first[0].apart(other[0]), other[0].apart(first[0])
    told = f"{_told(first[1], one)}, but {_told(other[1], two)}"
    remedy = "give one fidelity, vary it, or say sweep.mix_fidelities = true"
    problem = f"would be {told}; such points are not compared; {remedy}"
    return UserError("run.fidelity", None if given is None else shown(given), problem)


def _told(experiment: Experiment, place: str) -> str:
    machine = experiment.machine
    given = experiment.run.fidelity
    why = machine.why_usual_fidelity if given is None else machine.exact.why
    return f"{shown(experiment.fidelity)} with {place} ({why})"
