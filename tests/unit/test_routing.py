"""Routing: its keys, and what they become for the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import ROUTINGS, TOPOLOGIES, Fidelity, Machine, Routing, machine_of
from tests.machines import OUT_OF_BAND, SEPARATE, routed, t9000

CAMPUS = Path(__file__).parents[2] / "examples" / "campus.graphml"


USUAL: list[tuple[Machine, str, int]] = [
    (t9000("mesh"), "dimension_order", 1),
    (t9000("torus"), "dimension_order", 2),
    (t9000("torus", dims=[2, 2]), "dimension_order", 1),
    (t9000("hypercube"), "dimension_order", 1),
    (t9000("fat_tree"), "nearest_common_ancestor", 1),
    (t9000("butterfly"), "destination_tag", 1),
    (t9000("tree"), "up_down", 1),
    (t9000("fully_connected"), "shortest", 1),
    (t9000("dragonfly"), "minimal", 2),
    (t9000("graph", file=str(CAMPUS)), "up_down", 1),
    (routed("mesh", "minimal_adaptive"), "minimal_adaptive", 2),
    (routed("torus", "minimal_adaptive"), "minimal_adaptive", 3),
    (routed("mesh", "valiant"), "valiant", 2),
    (routed("torus", "valiant"), "valiant", 4),
    (routed("dragonfly", "valiant"), "valiant", 4),
    (routed("fat_tree", "valiant"), "valiant", 2),
    (routed("torus", "chaos"), "chaos", 1),
    (routed("dragonfly", "up_down"), "up_down", 1),
    (t9000("torus", switch={"virtual_channels": 5}), "dimension_order", 5),
]


@pytest.mark.parametrize(("machine", "routing", "channels"), USUAL)
def test_every_topology_has_a_usual_routing_and_the_channels_it_needs(
    machine: Machine, routing: str, channels: int
) -> None:
    assert machine.chosen_routing is not None
    assert (machine.chosen_routing.kind, machine.channels_per_wire) == (routing, channels)
    spec, resolved = machine.spec("packet"), machine.resolved("packet")
    assert spec["routing"]["algorithm"]["kind"] == resolved["routing"]["kind"] == routing
    assert spec["switch"]["virtual_channels"] == channels
    assert resolved["switch"]["virtual_channels"] == channels


SPECS: list[tuple[Machine, dict[str, Any]]] = [
    (t9000("torus", dims=[4, 4]), {"kind": "dimension_order", "order": [0, 1]}),
    (
        t9000("torus", dims=[4, 4], routing={"balanced": True, "order": ["y", "x"]}),
        {"kind": "dimension_order", "order": [1, 0], "balanced": True},
    ),
    (routed("mesh", "two_phase", order=[1, 0]), {"kind": "valiant", "order": [1, 0]}),
    (routed("mesh", "adaptive"), {"kind": "minimal_adaptive", "order": [0, 1]}),
    (routed("mesh", "odd_even"), {"kind": "odd_even"}),
    (routed("mesh", "up_down"), {"kind": "up_down", "root": None, "adaptive": True}),
    (
        t9000("tree", routing={"root": 3, "adaptive": False}),
        {"kind": "up_down", "root": 3, "adaptive": False},
    ),
    (t9000("fat_tree"), {"kind": "nearest_common_ancestor", "adaptive": True}),
    (
        t9000("fat_tree", routing={"adaptive": False}),
        {"kind": "nearest_common_ancestor", "adaptive": False},
    ),
    (routed("dragonfly", "shortest"), {"kind": "shortest"}),
    (t9000("star"), {"kind": "dimension_order", "order": []}),
]


@pytest.mark.parametrize(("machine", "routing"), SPECS)
def test_routing_for_the_engine(machine: Machine, routing: dict[str, Any]) -> None:
    assert machine.spec("packet")["routing"]["algorithm"] == routing


def test_every_key_of_channels_reaches_the_engine() -> None:
    machine = t9000(
        "mesh",
        switch={"virtual_channels": 4},
        link={"sharing": "until_stall"},
        routing={"selection": "most_credit", "hop_limit": 99, "allow_deadlock": True},
    )
    spec = machine.spec("packet")
    assert spec["switch"]["virtual_channels"] == 4
    assert spec["link"]["sharing"] == "until_stall"
    routing = spec["routing"]
    assert (routing["selection"], routing["hop_limit"]) == ("most_credit", 99)
    assert routing["allow_deadlock"] is True


@pytest.mark.parametrize("routing", ["chaos", "deflection"])
def test_packets_that_go_anywhere_usually_go_by_any_output(routing: str) -> None:
    assert routed("mesh", routing).spec("packet")["routing"]["selection"] == "random"
    first = routed("mesh", routing, selection="first")
    assert first.spec("packet")["routing"]["selection"] == "first"
    assert first.resolved("packet")["routing"]["selection"] == "first"


def test_every_routing_is_on_some_topology() -> None:
    used = {word for kind in TOPOLOGIES.values() for word in kind.routings}
    assert used == set(ROUTINGS)
    for kind in TOPOLOGIES.values():
        assert len(set(kind.routings)) == len(kind.routings)
        assert bool(kind.routings) is (kind.kind not in ("star", "pair"))


@pytest.mark.parametrize("kind", ROUTINGS)
def test_every_routing_can_be_made_from_the_package(kind: str) -> None:

    made = ROUTINGS[kind]
    assert getattr(tb, made.__name__) is made
    assert issubclass(made, Routing)
    if "file" not in made.key_names:
        assert made().given() == {}
        assert {"selection", "allow_deadlock", "hop_limit"} <= set(made.key_names)


def test_resolved_parameters_are_keys_of_the_same_machine() -> None:
    balanced = t9000("torus", routing={"balanced": True})
    machines = (balanced, t9000("fat_tree"), routed("mesh", "chaos"), t9000("tree"))
    for machine in machines:
        again = machine_of(machine.resolved("packet"))
        assert again.spec("packet") == machine.spec("packet")


@pytest.mark.parametrize(
    ("given", "change", "kept"),
    [
        ({"topology": {"kind": "torus"}, "routing": {"balanced": True}}, "mesh", {}),
        ({"routing": {"order": ["y", "x"]}}, "hypercube", {}),
        ({"routing": {"order": ["y", "x"]}}, "torus", {"order": ("y", "x")}),
        ({"routing": {"kind": "valiant", "order": ["y", "x"]}}, "fat_tree", {}),
        ({"routing": {"kind": "west_first", "hop_limit": 9}}, "butterfly", {}),
        ({"routing": {"kind": "up_down", "hop_limit": 9}}, "tree", {"hop_limit": 9}),
        ({"routing": {"kind": "up_down", "hop_limit": 9}}, "star", None),
    ],
)
def test_another_topology_drops_what_it_cannot_have(
    given: dict[str, Any], change: str, kept: dict[str, Any] | None
) -> None:
    machine = machine_of(given, {"topology": {"kind": change}})
    found = None if machine.routing is None else machine.routing.given()
    assert (found or {}) == (kept or {})
    assert (machine.chosen_routing is None) is (kept is None)


def test_another_topology_keeps_the_classes_of_links_it_has_too() -> None:
    given = {"link_classes": {"x": {"delay": "3 ns"}, "y": {"delay": "4 ns"}}}
    assert set(machine_of(given, {"topology": {"kind": "torus"}}).link_classes) == {"x", "y"}
    flat = machine_of(given, {"topology": {"kind": "torus", "dims": [9]}})
    assert set(flat.link_classes) == {"x"}
    assert not machine_of(given, {"topology": {"kind": "dragonfly"}}).link_classes
    both = {"topology": {"kind": "dragonfly"}, "link_classes": {"x": {"delay": "1 ns"}}}
    with pytest.raises(UserError, match=r'link_classes\.x: must be "local" or "global" with'):
        machine_of(given, both)


FIDELITIES: list[tuple[Machine, Fidelity, Fidelity]] = [
    (t9000("mesh"), "packet", "token"),
    (t9000("mesh", link=OUT_OF_BAND), "worm", "worm"),
    (t9000("torus"), "packet", "packet"),
    (t9000("torus", link=OUT_OF_BAND), "flit", "flit"),
    (t9000("torus", link=SEPARATE | OUT_OF_BAND), "worm", "worm"),
    (t9000("torus", link=SEPARATE), "packet", "token"),
    (t9000("mesh", switch={"virtual_channels": 2}, link=OUT_OF_BAND), "flit", "flit"),
    (routed("mesh", "west_first", OUT_OF_BAND), "worm", "worm"),
    (routed("mesh", "west_first"), "packet", "packet"),
    (t9000("fat_tree"), "packet", "packet"),
    (t9000("tree"), "packet", "token"),
    (t9000("fat_tree", routing={"adaptive": False}), "packet", "token"),
    (routed("mesh", "minimal_adaptive", OUT_OF_BAND), "flit", "flit"),
    (routed("mesh", "minimal_adaptive", SEPARATE | OUT_OF_BAND), "flit", "flit"),
    (routed("mesh", "minimal_adaptive"), "packet", "packet"),
    (routed("mesh", "chaos", OUT_OF_BAND), "packet", "packet"),
    (routed("torus", "deflection"), "packet", "packet"),
    (
        t9000("tree", fan_out=1, depth=1, switch={"virtual_channels": 3}, link=OUT_OF_BAND),
        "worm",
        "worm",
    ),
    (machine_of({"topology": {"kind": "torus"}}), "packet", "packet"),
    (machine_of({"routing": {"kind": "adaptive"}}), "packet", "packet"),
]


@pytest.mark.parametrize(("machine", "usual", "exact"), FIDELITIES)
def test_the_fidelity_can_simulate_the_routing(
    machine: Machine, usual: Fidelity, exact: Fidelity
) -> None:
    assert (machine.usual_fidelity, machine.exact_fidelity) == (usual, exact)
    for fidelity in get_args(Fidelity):
        if fidelity in (usual, exact):
            machine.check(fidelity)
