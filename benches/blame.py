"""The cases that say what it costs to blame: each runs with blame and without, in turn."""

from __future__ import annotations

from dataclasses import replace

from benches.case import Case, Goal
from benches.open_loop import MESHES
from benches.thesis import SIDES, SIZES

#: Processor time with blame over that without.
FACTOR = Goal("blame_factor", 1.3, 2.0)

#: Share of a case's time that is enough to compare two runs.
SHARE = 0.25


def blamed(case: Case) -> Case:
    """Return a case with blame, as long as a part of it."""
    experiment = case.experiment | {"run": case.experiment["run"] | {"blame": True}}
    return replace(
        case,
        name=f"blame {case.name}",
        experiment=experiment,
        simulated_us=round(case.simulated_us * SHARE, 3),
        warmup_us=round(case.warmup_us * SHARE, 3),
        goals=(FACTOR,),
    )


_SMALL = MESHES[0]
_WORMS_AND_FLITS = [("worm", 0.3), ("worm", 0.8), ("flit", 0.3)]

BLAME = [
    *(blamed(_SMALL.timed(fidelity, load)) for fidelity, load in _WORMS_AND_FLITS),
    blamed(SIZES[SIDES.index(16)]),
]
