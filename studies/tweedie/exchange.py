"""The boundary exchange of chapter 4: what is run, and how its rate is counted.

A torus of 2N x 2N processes runs four to a node on an N x N mesh; each computes
for a while, sends 32 bytes to its four neighbours without waiting, and receives
from them [Tweedie, section 4.2.1].
"""

from __future__ import annotations

from typing import Literal

import tailback as tb
from studies.estimates import scaled
from studies.tables import Keys, nested
from studies.tweedie.experiment import PRECISION, SEEDS, Point
from studies.tweedie.measure import ITERATIONS, Measurements, over_seeds

Fidelity = Literal["token", "packet"]

SIDE = 8
"""Nodes along each side of the mesh, where nothing else is said."""

PERIOD_US = 3.5
"""Computed in each iteration. The thesis does not give it: with this one its rates come out."""

_WARMUP_MS = {4: 1, 8: 2, 16: 6, 24: 10}
"""By side: processes that start together fall out of step, the later the larger the torus."""

FLOW_CONTROL = 1.05
"""One flow-control token of 4 bits for eight tokens of 10 bits [Tweedie, section 4.2.3]."""

PER_ROUND = 4
"""Iterations in what is printed as one exchange: one of each process of a node."""


def exchange(
    fidelity: Fidelity,
    machine: Keys,
    *,
    side: int = SIDE,
    period_us: float = PERIOD_US,
    seeds: tuple[int, ...] = (1,),
) -> Point:
    """Return runs until the rate is known precisely; one is enough for a chart."""
    return tuple(
        tb.Experiment.from_dict(
            {
                "machine": nested(
                    {"preset": "t9000_c104", "topology.dims": [side, side], **machine}
                ),
                "workload": {"preset": "tweedie_boundary", "period": f"{period_us:g} us"},
                "run": {
                    "fidelity": fidelity,
                    "metric": ITERATIONS,
                    "seed": seed,
                    "warmup": f"{_WARMUP_MS[side]} ms",
                    "precision": PRECISION,
                },
            }
        )
        for seed in seeds
    )


def precise(fidelity: Fidelity, machine: Keys, *, period_us: float = PERIOD_US) -> Point:
    """Return the runs for a printed number."""
    return exchange(fidelity, machine, period_us=period_us, seeds=SEEDS)


def rate(measured: Measurements, point: Point) -> tb.Estimate:
    """Return exchanges per ms of the whole machine, as the thesis prints them."""
    rounds = point[0].machine.nodes / PER_ROUND
    return scaled(over_seeds(measured, point, ITERATIONS), rounds)
