"""Routing that does not fit its network, its switches or the fidelity: one line each."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError, listed
from tailback.machines import ROUTINGS, TOPOLOGIES, machine_of
from tests.machines import SEPARATE, routed


def test_what_compares_loads_is_refused_where_they_are_not_known() -> None:
    ways: dict[str, Any] = {"routing": {"kind": "ugal_l"}, "link": SEPARATE}
    machine = machine_of({"preset": "wormhole_mesh", **ways})
    for fidelity in ("stream", "fluid"):
        with pytest.raises(UserError, match="must be one that does not compare loads"):
            machine.check(fidelity)
    with pytest.raises(UserError, match=r"routing.intermediate = .group.: must be node"):
        routed("mesh", "valiant", intermediate="group")


@pytest.mark.parametrize("kind", ["ugal_l", "ugal_g", "par"])
@pytest.mark.parametrize("queueing", ["fifo", "voq", "output"])
def test_loads_are_compared_where_cables_between_groups_are_slower(
    kind: str, queueing: str
) -> None:
    tables: dict[str, Any] = {
        "topology": {"kind": "dragonfly"},
        "routing": {"kind": kind},
        "link_classes": {"global": {"rate": "25 Gbit/s"}},
        "switch": {"switching": "cut_through", "queueing": queueing, "input_buffer": "8 KiB"},
    }
    rows = [["0 ns", node, (node + 8) % 72, "4 KiB"] for node in range(72)]
    result = tb.run(machine_of(tables), tb.Messages(messages=rows), fidelity="packet")
    assert sum(result.nodes["messages_delivered"].to_pylist()) == 72


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"routing": {"kind": "adaptve"}},
        f'machine.routing.kind = "adaptve": must be {listed(map(json.dumps, ROUTINGS))}; ',
    ),
    (
        {"topology": {"kind": "butterfly"}, "routing": {"kind": "chaos"}},
        'machine.routing.kind = "chaos": must be '
        f"{listed(map(json.dumps, TOPOLOGIES['butterfly'].routings))} with "
        'machine.topology.kind = "butterfly"',
    ),
    (
        {"topology": {"kind": "torus"}, "routing": {"kind": "west_first"}},
        'machine.routing.kind = "west_first": must be "dimension_order", "minimal_adaptive"',
    ),
    (
        {"topology": {"dims": [4, 4, 4]}, "routing": {"kind": "odd_even"}},
        'machine.routing.kind = "odd_even": needs a mesh of two dimensions',
    ),
    (
        {"routing": {"kind": "chaos", "order": ["y", "x"]}},
        'machine.routing.order: has no effect with machine.routing.kind = "chaos"; needs kind = '
        '"dimension_order" or "valiant" or "ugal_l" or "ugal_g" or "minimal_adaptive" or '
        '"first_hop"',
    ),
    (
        {"topology": {"kind": "torus"}, "routing": {"kind": "adaptive", "balanced": True}},
        'machine.routing.balanced: has no effect with machine.routing.kind = "minimal_adaptive"; '
        'needs kind = "dimension_order"',
    ),
    (
        {"routing": {"balanced": True}},
        "machine.routing.balanced = true: has no effect here; needs machine.topology.kind = "
        '"torus"',
    ),
    (
        {"routing": {"root": 3}},
        'machine.routing.root: has no effect with machine.routing.kind = "dimension_order"; needs '
        'kind = "up_down"',
    ),
    (
        {"topology": {"kind": "dragonfly"}, "routing": {"adaptive": False}},
        'machine.routing.adaptive: has no effect with machine.routing.kind = "minimal"; needs kind '
        '= "up_down" or "nearest_common_ancestor"',
    ),
    (
        {"routing": {"file": "routes.csv"}},
        'machine.routing.file: has no effect with machine.routing.kind = "dimension_order"; needs '
        'kind = "table" or "source_routes"',
    ),
    (
        {"routing": {"kind": "table"}},
        'machine.routing.file: must be given with machine.routing.kind = "table"',
    ),
    (
        {"topology": {"kind": "tree"}, "routing": {"root": 21}},
        "machine.routing.root = 21: must be a switch, 0 to 20",
    ),
    ({"routing": {"hop_limit": 0}}, "machine.routing.hop_limit = 0: must be at least 1"),
    ({"routing": {"hop_limit": 65_535}}, "machine.routing.hop_limit = 65535: must be at most 65"),
    (
        {"routing": {"selection": "last"}},
        'machine.routing.selection = "last": must be "first", "random", "fewest_waiting" or '
        '"most_credit"',
    ),
    ({"routing": {"allow_deadlock": 1}}, "machine.routing.allow_deadlock = 1: must be true or fal"),
    (
        {"topology": {"kind": "star"}, "routing": {"kind": "shortest"}},
        'machine.routing.kind = "shortest": has no effect with machine.topology.kind = "star": one '
        "way only",
    ),
    (
        {"topology": {"kind": "hypercube", "dimensions": 3}, "routing": {"order": ["x", "y"]}},
        'machine.routing.order = ["x", "y"]: must name each of x, y, z once',
    ),
    (
        {"topology": {"kind": "fat_tree"}, "routing": {"kind": "valiant", "order": ["x"]}},
        'machine.routing.order = ["x"]: must be left out',
    ),
]


@pytest.mark.parametrize(("tables", "expected"), BAD)
def test_refused_in_one_line(tables: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        machine_of(tables)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_routing_is_named_that_no_fidelity_of_a_clocked_switch_can_do() -> None:
    machine = machine_of({"preset": "booksim_mesh", "routing": {"kind": "chaos"}})
    with pytest.raises(
        UserError, match=r"chaos.: must be one whose packets wait with switch\.alloc"
    ):
        machine.check(machine.usual_fidelity)
