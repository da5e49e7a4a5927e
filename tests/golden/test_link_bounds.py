"""What the most loaded link allows, and how near a network with many virtual channels comes.

A packet of 32 bytes takes 3.34 us on a link of the T9000. Where theory gives the
highest rate of a traffic pattern, it is met within 3 %, or the test says how far from it
packets that wait behind each other keep the network.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tailback as tb
from studies.adaptive.theory import link_bound

LINK = 1000 / 3.34
"""Packets per ms on one link."""

RING: dict[str, Any] = {"topology": {"kind": "torus", "dims": [8]}}
MESH: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [8, 8]}}
MANY: dict[str, Any] = {"switch": {"virtual_channels": 16, "input_buffer": "140 B"}}
"""Sixteen virtual channels of four packets each on every link."""


def overloaded(machine: dict[str, Any], pattern: str, period: str = "3 us") -> tb.Experiment:
    """Return an experiment in which all nodes send without acknowledgements, all they can."""
    return tb.Experiment.from_dict(
        {
            "machine": {
                "preset": "t9000_c104",
                "node_link": {"width": 4},
                "interface": {"acknowledgements": False},
                **machine,
            },
            "workload": {
                "preset": "uniform_open_loop",
                "message_size": "32 B",
                "pattern": pattern,
                "radius": "all" if pattern == "uniform" else None,
                "compute_period": period,
                "max_outstanding": 16,
            },
            "run": {"fidelity": "packet", "warmup": "1 ms", "duration": "6 ms"},
        }
    )


def delivered(experiment: tb.Experiment) -> float:
    """Return messages that arrive per node and ms."""
    return tb.run(experiment).estimates["delivered_messages_per_node_per_ms"].value


GREEDY_RING = {**RING, **MANY, "routing": {"kind": "dimension_order", "balanced": True}}

REACHED: list[tuple[str, dict[str, Any], str, float]] = [
    # Every packet goes 3 links the same way.
    ("tornado on a ring", GREEDY_RING, "tornado", LINK / 3),
    # Every packet has a link of its own.
    ("neighbours on a torus", {"topology": {"kind": "torus", "dims": [8, 8]}}, "neighbour", LINK),
    (
        "two nodes on one link",
        {"topology": {"kind": "mesh", "dims": [2]}, "node_link": {"width": 1}},
        "uniform",
        LINK,
    ),
]


@pytest.mark.parametrize(
    ("machine", "pattern", "bound"), [case[1:] for case in REACHED], ids=[c[0] for c in REACHED]
)
def test_the_most_loaded_link_is_the_bound_and_is_reached(
    machine: dict[str, Any], pattern: str, bound: float
) -> None:
    experiment = overloaded(machine, pattern, "2 us")
    assert link_bound(experiment) == pytest.approx(bound, rel=1e-9)
    # A window may begin or end within a packet of each node.
    assert 0.97 < delivered(experiment) / bound < 1.003


def test_virtual_channels_of_a_link_have_no_more_than_its_wire() -> None:
    one, four = (
        link_bound(overloaded({**MESH, "switch": {"virtual_channels": count}}, "transpose"))
        for count in (1, 4)
    )
    # Seven nodes of a row send over its last link, and eight of all nodes send nothing.
    assert one == pytest.approx(four) == pytest.approx(LINK / 7 * 56 / 64)


def test_the_transpose_keeps_its_worst_link_busy_under_dimension_order() -> None:
    result = tb.run(overloaded({**MESH, **MANY}, "transpose", "15 us"))
    busy = link_loads(result)
    assert 0.97 < max(busy.values()) < 1.003


def link_loads(result: tb.Result) -> dict[tuple[int, int], float]:
    """Return for every link the share of time that its wire is busy."""
    loads: dict[tuple[int, int], float] = {}
    for row in result.channels.to_pylist():
        if row["kind"] == "internal":
            link = (row["from_node"], row["to_node"])
            share = row["busy_ps"] / (result.ending.window_ms * 1e9)
            loads[link] = loads.get(link, 0.0) + share
    return loads


def test_two_phases_make_every_pattern_uniform_at_half_the_capacity() -> None:
    """Two random ways of a ring of k are k/2 links long together, whatever the pattern.

    Over both directions that is k/4 for each link: a bound of 4/k, half of what uniform
    traffic has. Packets that wait behind each other keep the network 4 to 5 % below it,
    and greedy routing 7 % below its own.
    """
    half = LINK / 2
    machine = {**RING, **MANY, "routing": {"kind": "valiant"}}
    rates = np.array([delivered(overloaded(machine, p)) for p in ("uniform", "tornado")])
    assert ((rates / half > 0.93) & (rates < half)).all()
    assert rates.max() / rates.min() < 1.03
    # Uniform over all other nodes: 16/7 links, in both directions.
    whole = LINK * 7 / 8
    greedy = delivered(overloaded(GREEDY_RING, "uniform"))
    assert 0.9 < greedy / whole < 1
    assert link_bound(overloaded(GREEDY_RING, "uniform")) == pytest.approx(whole)
