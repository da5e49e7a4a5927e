"""The cases that say what it costs to blame: each runs with blame and without, in turn."""

from __future__ import annotations

from dataclasses import replace

from benches.case import Case, Goal
from benches.open_loop import LOADS, MESHES
from benches.shared_wires import ARRIVALS, DRAGONFLY, ESCAPES, TORI
from benches.thesis import SIDES, SIZES

#: Processor time with blame over that without.
FACTOR = Goal("blame_factor", 1.3, 2.0)

#: The same where the waits of a share of all packets are charged.
SAMPLED_FACTOR = Goal("blame_factor", 1.2, 1.4)
SAMPLED = 0.1

#: Share of a case's time that is enough to compare two runs.
SHARE = 0.25


def blamed(case: Case, share: float = 1) -> Case:
    """Return a case with blame of a share of all packets, as long as a part of it."""
    blame = {"blame": True} if share == 1 else {"blame": True, "blame_share": share}
    experiment = case.experiment | {"run": case.experiment["run"] | blame}
    return replace(
        case,
        name=f"blame {case.name}" if share == 1 else f"blame {share:.0%} of {case.name}",
        experiment=experiment,
        simulated_us=round(case.simulated_us * SHARE, 3),
        warmup_us=round(case.warmup_us * SHARE, 3),
        goals=(FACTOR if share == 1 else SAMPLED_FACTOR,),
    )


_SMALL = MESHES[0]
_WORMS_AND_FLITS = [("worm", 0.3), ("worm", 0.8), ("flit", 0.3)]
_LOADS = [(fidelity, load) for fidelity in ("packet", "worm") for load in (0.3, 0.8)]

BLAME = [
    *(blamed(_SMALL.timed(fidelity, load)) for fidelity, load in _WORMS_AND_FLITS),
    *(blamed(_SMALL.timed(fidelity, load), SAMPLED) for fidelity, load in _LOADS),
    blamed(SIZES[SIDES.index(16)]),
    *(blamed(TORI[0].case(load, arrivals)) for load in LOADS for arrivals in ARRIVALS),
    *(blamed(ESCAPES[0].case(load, "bernoulli")) for load in LOADS),
    blamed(DRAGONFLY.case(0.5, "bernoulli")),
]
