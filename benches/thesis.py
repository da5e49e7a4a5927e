"""The cases on T9000/C104 meshes: table 3.1 at every fidelity, and every size."""

from __future__ import annotations

from typing import Any

from benches.case import FIDELITIES, Case, Goal


def c104(side: int, fidelity: str = "packet", **workload: Any) -> dict[str, dict[str, Any]]:
    """Return the experiment of one square mesh of T9000s and C104s.

    `worm` and `flit` cannot have flow-control tokens: theirs is out of band.
    """
    band = "out_of_band" if fidelity in ("worm", "flit") else "in_band"
    return {
        "machine": {
            "preset": "t9000_c104",
            "topology": {"dims": [side, side]},
            "link": {"flow_control": band},
            "switch": {"input_buffer": "35 B" if fidelity == "token" else "70 B"},
        },
        "workload": {"kind": "synthetic", "radius": side // 2} | workload,
        "run": {"seed": 1, "fidelity": fidelity},
    }


def table_3_1(fidelity: str) -> Case:
    """Return the run of table 3.1 [Tweedie, section 3.5.5] at one fidelity.

    32 x 32 nodes, any destination within 16, one message tried every
    microsecond, 20 ms.
    """
    goals = {
        "packet": (Goal("cpu_s", 1.3, 2.0), Goal("added_mb", 64, 64)),
        "token": (Goal("cpu_s", 15, 30),),
    }
    return Case(
        f"table 3.1 {fidelity}",
        c104(32, fidelity, compute_period="1 us", sync="asynchronous"),
        simulated_us=20_000,
        goals=goals.get(fidelity, ()),
    )


TABLE_3_1 = [table_3_1(fidelity) for fidelity in FIDELITIES]

# Meshes of every size with blocking sends near saturation, over about ten million
# packet-hops each. Destinations lie within half the side, as in the thesis, or
# within 4: then most of the work is not hops but packets and messages.
SIDES = (8, 16, 32, 64, 128)


def size_case(side: int, radius: int) -> Case:
    """Return the case of one size and radius."""
    workload = {"compute_period": "2 us", "sync": "asynchronous_blocking"}
    rate = {8: 1.5, 16: 1.3, 32: 0.9, 64: 0.5, 128: 0.3}[side] if radius > 4 else 1.5
    return Case(
        f"{side}x{side} r {radius}",
        c104(side, radius=radius, **workload),
        simulated_us=round(1e7 / (side**2 * 0.5 * rate), 3),
    )


SIZES = [size_case(side, side // 2) for side in SIDES]
LOCAL = [size_case(side, 4) for side in SIDES[1:]]

#: The cost of a packet-hop may differ by this factor over `SIZES`.
SIZE_FACTOR_LIMIT = 2.0
