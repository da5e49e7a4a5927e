"""What is run: the machine and workload of the thesis, and the points of it.

The machine is a 16 x 16 mesh with four links between a node and its switch;
every process sends one 32-byte message per iteration, to at most 8 columns and
8 rows away: (D, r, n, c, m, M) = (16, 8, 1, c, 1, 32) [Tweedie, section 5.4].
"""

from __future__ import annotations

from typing import Literal

import tailback as tb
from studies.study import Study
from studies.tables import Keys, nested

STUDY = Study("tweedie")

Sync = Literal["loosely_synchronous", "asynchronous_blocking", "asynchronous"]

SYNCS: tuple[Sync, ...] = ("loosely_synchronous", "asynchronous_blocking", "asynchronous")
NAMES: dict[Sync, str] = {
    "loosely_synchronous": "loosely synchronous",
    "asynchronous_blocking": "blocking",
    "asynchronous": "asynchronous",
}

DIAMETER = 16
"""Nodes along each side of the mesh."""

SATURATED_US = 16.0
"""Asynchronous processes saturate the network at shorter periods [Tweedie, section 5.4.3]."""

SEEDS = (1, 2, 3, 4, 5)
"""Everything is run with each of them."""

PRECISION = 0.005
"""Of each run: half of the thesis' ±1 % at 95 % confidence [Tweedie, section 5.4]."""

WINDOW_MS = (2.0, 20.0)
"""Measured part of a run of fixed length; 20 ms as in section 3.5.5 [Tweedie]."""


Point = tuple[tb.Experiment, ...]
"""One point of the study: the same experiment with several seeds."""


def described(
    sync: Sync,
    compute_us: float,
    run: Keys,
    *,
    machine: Keys | None = None,
    workload: Keys | None = None,
) -> tb.Experiment:
    """Return the experiment at one compute period (us), refined by keys of its file."""
    return tb.Experiment.from_dict(
        {
            "machine": nested(
                {
                    "preset": "t9000_c104",
                    "topology.dims": [DIAMETER, DIAMETER],
                    "node_link.width": 4,
                    **(machine or {}),
                }
            ),
            "workload": {
                "preset": "tweedie",
                "radius": 8,
                "sync": sync,
                "compute_period": f"{compute_us:g} us",
                **(workload or {}),
            },
            "run": {"fidelity": "packet", **run},
        }
    )


def steady(
    sync: Sync,
    compute_us: float,
    mode: str = "full",
    *,
    seeds: tuple[int, ...] = SEEDS,
    precision: float = PRECISION,
    machine: Keys | None = None,
) -> Point:
    """Return runs until the message rate is known precisely, in one contention mode."""
    runs: list[Keys] = [{"mode": mode, "seed": seed, "precision": precision} for seed in seeds]
    return tuple(described(sync, compute_us, run, machine=machine) for run in runs)


def timed(
    compute_us: float,
    window_ms: tuple[float, float] = WINDOW_MS,
    *,
    seeds: tuple[int, ...] = SEEDS,
    machine: Keys | None = None,
    workload: Keys | None = None,
) -> Point:
    """Return asynchronous runs of fixed length.

    They are for saturation, where the network drifts for longer than an
    interval from within one run can tell.
    """
    begin, end = window_ms
    runs: list[Keys] = [
        {"seed": seed, "warmup": f"{begin:g} ms", "duration": f"{end:g} ms"} for seed in seeds
    ]
    return tuple(
        described("asynchronous", compute_us, run, machine=machine, workload=workload)
        for run in runs
    )


def entry(sync: Sync, compute_us: float, machine: Keys | None = None) -> Point:
    """Return what is run for one entry of the tables of rates and lifetimes."""
    if sync == "asynchronous":
        return timed(compute_us, machine=machine)
    return steady(sync, compute_us, machine=machine)
