"""The runs that are timed, and their goals.

All are synthetic workloads on T9000/C104 meshes with every measure on, as
``tailback run`` does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One timed run and what it should cost at most.

    ``goal_cpu_s`` and ``limit_cpu_s`` are processor seconds of the whole run,
    ``limit_mb`` megabytes (10^6 bytes) that building and running it adds.
    """

    name: str
    experiment: dict[str, dict[str, Any]]
    simulated_ms: float
    goal_cpu_s: float | None = None
    limit_cpu_s: float | None = None
    limit_mb: float | None = None


def mesh(side: int, **workload: Any) -> dict[str, dict[str, Any]]:
    """Return the experiment of one square mesh."""
    defaults = {"kind": "synthetic", "radius": side // 2}
    return {
        "machine": {"preset": "t9000_c104", "dims": [side, side]},
        "workload": defaults | workload,
        "run": {"seed": 1},
    }


# The run of the thesis' table 3.1 [Tweedie, section 3.5.5]: 32 x 32 nodes, any
# destination within 16, one message tried every microsecond, 20 ms.
TABLE_3_1 = Case(
    "table 3.1",
    mesh(32, compute_period="1 us", sync="asynchronous"),
    simulated_ms=20,
    goal_cpu_s=1.3,
    limit_cpu_s=2.5,
    limit_mb=64,
)

# Meshes of every size with blocking sends near saturation, over about ten million
# packet-hops each. Destinations lie within half the side, as in the thesis, or
# within 4: then most of the work is not hops but packets and messages.
SIDES = (8, 16, 32, 64, 128)


def size_case(side: int, radius: int) -> Case:
    """Return the case of one size and radius."""
    workload = {"compute_period": "2 us", "sync": "asynchronous_blocking"}
    rate = {8: 1.5, 16: 1.3, 32: 0.9, 64: 0.5, 128: 0.3}[side] if radius > 4 else 1.5
    return Case(
        f"{side} x {side}, r {radius}",
        mesh(side, radius=radius, **workload),
        simulated_ms=round(1e7 / (side**2 * 0.5e3 * rate), 3),
    )


SIZES = [size_case(side, side // 2) for side in SIDES]
LOCAL = [size_case(side, 4) for side in SIDES[1:]]

CASES = [TABLE_3_1, *SIZES, *LOCAL]

#: The cost of a packet-hop may differ by this factor over `SIZES`.
SIZE_FACTOR_LIMIT = 2.0
