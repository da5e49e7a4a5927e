"""Routing: its keys, what they become for the engine, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

import tailback as tb
from tailback.errors import UserError, listed
from tailback.experiment import Experiment
from tailback.machines import ROUTINGS, TOPOLOGIES, Fidelity, Machine, Routing, machine_of
from tests.machines import t9000

CAMPUS = Path(__file__).parents[2] / "examples" / "campus.graphml"
OUT_OF_BAND: dict[str, Any] = {"flow_control": "out_of_band"}
SEPARATE: dict[str, Any] = {"sharing": "separate"}


def routed(topology: str, routing: str, link: dict[str, Any] | None = None, **keys: Any) -> Machine:
    """Return a T9000 machine with a kind of routing and more of its keys."""
    more = {"link": link} if link else {}
    return t9000(topology, routing={"kind": routing, **keys}, **more)


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


def accepted(machine: Machine, fidelity: Any, **pattern: Any) -> float:
    """Return the load that a machine accepts of one that it cannot carry."""
    workload = tb.Synthetic(
        **pattern,
        sync="asynchronous",
        throttle="queue_length",
        max_queue=32,
        compute_period="5 ns",
        compute_distribution="exponential",
        message_size="3 B",
    )
    run = {"mode": "full", "fidelity": fidelity, "warmup": "5 us", "duration": "15 us"}
    return tb.run(machine, workload, **run)["accepted_load"].value


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "fidelity", "next_group", "uniform"),
    [
        # One link of a flit per cycle between every two groups, for 8 nodes.
        ("minimal", "flit", (0.12, 0.126), (0.6, 0.7)),
        # Twice as many hops between groups: at most one half.
        ("valiant", "flit", (0.36, 0.5), (0.36, 0.5)),
        # As the better of both, within 10 %.
        ("ugal_l", "flit", (0.4, 0.5), (0.56, 0.7)),
        ("ugal_g", "flit", (0.4, 0.5), (0.56, 0.7)),
        ("par", "flit", (0.4, 0.5), (0.5, 0.7)),
        # With a channel for each class a clocked switch carries less: this is what differs.
        ("minimal", "clocked", (0.05, 0.06), (0.28, 0.33)),
        ("ugal_l", "clocked", (0.1, 0.13), (0.15, 0.2)),
        # Every class of channels has a wire of its own.
        ("ugal_l", "worm", (0.5, 0.75), (0.6, 1.0)),
        ("ugal_l", "packet", (0.36, 0.5), (0.5, 0.75)),
    ],
)
def test_loads_of_a_dragonfly_are_within_the_known_bounds(
    kind: str, fidelity: str, next_group: tuple[float, float], uniform: tuple[float, float]
) -> None:
    keys = {"intermediate": "group"} if kind == "valiant" else {}
    clocked = {"allocator": "islip", "arbiter": "round_robin"} if fidelity == "clocked" else {}
    fidelity = "flit" if clocked else fidelity
    machine = machine_of(
        {
            "preset": "wormhole_mesh",
            "topology": {"kind": "dragonfly"},
            "routing": {"kind": kind, **keys},
            "switch": {"input_buffer": "32 B", **clocked},
            **({"clock": "1 GHz"} if clocked else {}),
            "interface": {"packet_size": "3 B"},
            **({"link": {"sharing": "separate"}} if fidelity == "worm" else {}),
        }
    )
    for pattern, (low, high) in (("next_group", next_group), ("uniform", uniform)):
        assert low < accepted(machine, fidelity, pattern=pattern) < high, pattern


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "failed", "adversarial", "uniform"),
    [
        # One link of a flit per cycle for the four nodes of a switch.
        ("dimension_order", 0.0, (0.24, 0.251), (0.5, 0.7)),
        # Twice as many hops: at most one half.
        ("valiant", 0.0, (0.33, 0.5), (0.33, 0.5)),
        # As the better of both, within 10 %.
        ("ugal_l", 0.0, (0.33, 0.5), (0.5, 0.7)),
        ("ugal_g", 0.0, (0.33, 0.5), (0.5, 0.7)),
        # Aside in a line takes two of its links for one: at most one half.
        ("dal", 0.0, (0.4, 0.5), (0.45, 0.7)),
        # A twentieth of all links has failed.
        ("ugal_l", 0.05, (0.33, 0.5), (0.48, 0.65)),
        ("dal", 0.05, (0.4, 0.5), (0.43, 0.65)),
    ],
)
def test_loads_of_a_hyperx_are_within_the_known_bounds(
    tmp_path: Path,
    kind: str,
    failed: float,
    adversarial: tuple[float, float],
    uniform: tuple[float, float],
) -> None:
    side, nodes = 4, 4
    machine = machine_of(
        {
            "preset": "wormhole_mesh",
            "topology": {
                "kind": "hyperx",
                "dims": [side, side],
                "nodes_per_switch": nodes,
                "failed_share": failed,
            },
            "routing": {"kind": kind},
            "switch": {"input_buffer": "32 B"},
            "interface": {"packet_size": "3 B"},
        }
    )
    # All nodes of a switch send to those of the next along x.
    path = tmp_path / "next.csv"
    rows = ["source,destination"]
    for source in range(machine.nodes):
        switch, lane = divmod(source, nodes)
        following = switch - switch % side + (switch + 1) % side
        rows.append(f"{source},{following * nodes + lane}")
    path.write_text("\n".join(rows) + "\n")
    for keys, (low, high) in (
        ({"pattern": "permutation", "file": str(path)}, adversarial),
        ({"pattern": "uniform"}, uniform),
    ):
        assert low < accepted(machine, "flit", **keys) < high, keys


def test_what_compares_loads_is_refused_where_they_are_not_known() -> None:
    ways: dict[str, Any] = {"routing": {"kind": "ugal_l"}, "link": SEPARATE}
    machine = machine_of({"preset": "wormhole_mesh", **ways})
    for fidelity in ("stream", "fluid"):
        with pytest.raises(UserError, match="must be one that does not compare loads"):
            machine.check(fidelity)
    with pytest.raises(UserError, match=r"routing.intermediate = .group.: must be node"):
        routed("mesh", "valiant", intermediate="group")


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


IMPOSSIBLE: list[tuple[Machine, Fidelity, str]] = [
    (
        t9000("torus", link=OUT_OF_BAND),
        "worm",
        'machine.link.sharing = "round_robin": must be separate with fidelity worm: flits of '
        "several packets take turns on a wire; use flit or packet, or sharing = separate",
    ),
    (t9000("torus"), "token", "must be separate with fidelity token"),
    (t9000("torus"), "stream", "must be separate with fidelity stream"),
    (
        routed("mesh", "west_first"),
        "token",
        'machine.routing.kind = "west_first": must be one that gives a packet one output with '
        "fidelities stream and token; use worm, flit or packet",
    ),
    (t9000("fat_tree", link=OUT_OF_BAND), "stream", "must be one that gives a packet one output"),
    (
        routed("mesh", "chaos", OUT_OF_BAND),
        "flit",
        'machine.routing.kind = "chaos": needs fidelity packet: packets that cannot go on are '
        "moved as a whole",
    ),
    (
        routed("mesh", "deflection"),
        "token",
        'machine.routing.kind = "deflection": needs fidelity packet',
    ),
    (
        routed("mesh", "minimal_adaptive", SEPARATE | OUT_OF_BAND),
        "worm",
        'machine.routing.kind = "minimal_adaptive": must be one without a way out with fidelity '
        "worm, which does not look again when flits leave a buffer; use flit or packet",
    ),
    (
        t9000("mesh", routing={"kind": "deflection"}, switch={"input_buffer": "67 B"}),
        "packet",
        'machine.switch.input_buffer = "67 B": must hold two packets with routing deflection, at '
        "least 68 B with fidelity packet",
    ),
    (
        t9000("torus", node_link={"rate": "1 Gbit/s"}),
        "stream",
        "machine.node_link = different rates: must be the same everywhere with fidelity stream",
    ),
]


@pytest.mark.parametrize(("machine", "fidelity", "expected"), IMPOSSIBLE)
def test_a_fidelity_may_be_impossible(machine: Machine, fidelity: Fidelity, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        machine.check(fidelity)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


TABLE = "switch,destination,next_switch\n0,1,1\n0,2,1\n1,0,0\n1,2,2\n2,0,1\n2,1,1\n"
ROUTES = "source,destination,hops\n0,1,1\n0,2,1,2\n1,0,0\n1,2,2\n2,0,1,0\n2,1,1\n"


def _line(folder: Path, routing: str, text: str) -> Machine:
    file = folder / "routes.csv"
    file.write_text(text, encoding="utf-8")
    return t9000("mesh", dims=[3], routing={"kind": routing, "file": str(file)})


def test_a_table_is_read(tmp_path: Path) -> None:
    machine = _line(tmp_path, "table", TABLE)
    none = 2**32 - 1
    assert machine.spec("packet")["routing"]["algorithm"] == {
        "kind": "table",
        "hops": "switches",
        "next": [[none, 1, 1], [0, none, 2], [1, 1, none]],
        "classes": [],
    }
    assert machine.channels_per_wire == 1


def test_source_routes_are_read(tmp_path: Path) -> None:
    routing = _line(tmp_path, "source_routes", ROUTES).spec("packet")["routing"]["algorithm"]
    assert routing["hops"] == "switches"
    assert len(routing["routes"]) == 6
    assert routing["routes"][1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": []}


def test_files_name_classes(tmp_path: Path) -> None:
    rows = TABLE.splitlines()
    table = "\n".join([f"{rows[0]},class", *(f"{row},0" for row in rows[1:-1]), f"{rows[-1]},2"])
    machine = _line(tmp_path, "table", table)
    assert machine.channels_per_wire == 3
    assert machine.spec("packet")["routing"]["algorithm"]["classes"] == [
        [0, 0, 0],
        [0, 0, 0],
        [0, 2, 0],
    ]
    routes = _line(tmp_path, "source_routes", ROUTES.replace("0,2,1,2", "0,2, 1:1 ,2,"))
    assert routes.channels_per_wire == 2
    written = routes.spec("packet")["routing"]["algorithm"]["routes"]
    assert written[1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": [1, 0]}
    assert written[0]["classes"] == []


def test_links_that_lead_one_way_are_routed_by_shortest_paths(tmp_path: Path) -> None:
    (tmp_path / "ring.edges").write_text("a b\nb c\nc a", encoding="utf-8")
    ring = str(tmp_path / "ring.edges")
    keys: dict[str, Any] = {"file": ring, "directed": True}
    chosen = t9000("graph", **keys).chosen_routing
    assert chosen is not None
    assert chosen.kind == "shortest"
    with pytest.raises(UserError) as caught:
        t9000("graph", **keys, routing={"kind": "up_down"}).check("packet")
    assert str(caught.value) == (
        'machine.routing.kind = "up_down": needs links in both directions: switch a has one to '
        "switch b, which has none back; use shortest"
    )


def test_files_name_the_switches_of_a_graph(tmp_path: Path) -> None:
    (tmp_path / "two.edgelist").write_text("left right\n", encoding="utf-8")
    (tmp_path / "routes.csv").write_text(
        "source,destination,hops\nleft,right,right\nright,left,left\n", encoding="utf-8"
    )
    machine = t9000(
        "graph",
        file=str(tmp_path / "two.edgelist"),
        routing={"kind": "source_routes", "file": str(tmp_path / "routes.csv")},
    )
    hops = [route["hops"] for route in machine.spec("packet")["routing"]["algorithm"]["routes"]]
    assert hops == [[1], [0]]


def test_what_the_file_says_is_part_of_the_identity(tmp_path: Path) -> None:
    def identity(text: str, name: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "x.toml").write_text(
            f'[machine]\ntopology.dims = [3]\nrouting.kind = "table"\nrouting.file = "{name}"\n'
            "[workload]\nradius = 1\n",
            encoding="utf-8",
        )
        return Experiment.load(tmp_path / "x.toml").identity(1)

    first = identity(TABLE, "a.csv")
    assert identity(TABLE + "\n", "b.csv") == first
    header, *rows = TABLE.splitlines()
    with_classes = "\n".join([f"{header},class", *(f"{row},1" for row in rows)])
    assert identity(with_classes, "c.csv") != first


WRONG_FILES: list[tuple[str, str, str]] = [
    ("table", "", "routes.csv: has no rows"),
    (
        "table",
        "switch,destination,next\n",
        "routes.csv: has no column next_switch; must have switch, destination, next_switch",
    ),
    ("table", TABLE + "3,0,1\n", 'routes.csv: switch in line 8 = "3": must be a switch, 0 to 2'),
    ("table", TABLE + "0,x,1\n", 'destination in line 8 = "x": must be a node, 0 to 2'),
    ("table", TABLE + "0,0\n", 'next_switch in line 8 = "": must be a switch, 0 to 2'),
    (
        "table",
        TABLE + "0,1,2\n",
        "routes.csv: switch, destination in line 8 = 0, 1: has a row already, line 2",
    ),
    (
        "table",
        "switch,destination,next_switch,class\n0,1,1,-1\n",
        'class in line 2 = "-1": must be a class of virtual channels, 0 to 254',
    ),
    (
        "source_routes",
        "destination,source,hops\n",
        'routes.csv = "destination,source,hops": must begin with the columns source,destination,',
    ),
    ("source_routes", ROUTES + "0,3,1\n", 'destination in line 8 = "3": must be a node, 0 to 2'),
    ("source_routes", "source,destination,hops\n0,1,9\n", 'hops in line 2 = "9": must be a switch'),
    (
        "source_routes",
        "source,destination,hops\n0,1,1:300\n",
        'hops in line 2 = "300": must be a class of virtual channels, 0 to 254',
    ),
    (
        "source_routes",
        ROUTES + "0,1,1\n",
        "source, destination in line 8 = 0, 1: has a row already, line 2",
    ),
]


@pytest.mark.parametrize(("routing", "text", "expected"), WRONG_FILES)
def test_mistakes_in_files_are_one_line(
    tmp_path: Path, routing: str, text: str, expected: str
) -> None:
    with pytest.raises(UserError) as caught:
        _line(tmp_path, routing, text).check("packet")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    routing = {"kind": "table", "file": str(tmp_path / "no.csv")}
    with pytest.raises(UserError, match=r"no\.csv: no such file"):
        t9000("mesh", routing=routing).check("packet")
