"""How long points will take, roughly: to begin with the longest, and to say what time is left.

Nothing that is measured depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import Point

_SAMPLES = 140
"""Samples in the shortest run that finds its own warm-up and precision."""


def effort(point: Point) -> float:
    """Return about how many packets cross channels in a point, in all its modes."""
    experiment = point.experiment
    machine, run = experiment.machine, experiment.run
    iteration_ps = max(experiment.workload.iteration_ps(machine), machine.packet_ps(1))
    longest = run.limit_ps
    if experiment.finite:
        simulated_ps = iteration_ps
    elif run.duration is not None and run.precision is None:
        simulated_ps = longest
    else:
        simulated_ps = min(_SAMPLES * experiment.sample_interval_ps, longest)
    internal = sum(machine.shape) / 3 if machine.shape else machine.topology.facts.typical_hops
    channels_crossed = 2 + internal
    return machine.nodes * channels_crossed * simulated_ps / iteration_ps * len(point.modes)
