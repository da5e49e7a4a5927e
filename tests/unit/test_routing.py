"""Routing: its keys, what they become for the engine, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from tailback.machines.routed import RoutedMachine

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import (
    TOPOLOGIES,
    Butterfly,
    Dragonfly,
    FatTree,
    Fidelity,
    FullyConnected,
    Graph,
    Hypercube,
    Machine,
    Mesh,
    Star,
    Torus,
    Tree,
)
from tailback.machines.routing import OPTIONS, ROUTINGS

CAMPUS = Path(__file__).parents[2] / "examples" / "campus.graphml"
OUT_OF_BAND: dict[str, Any] = {"flow_control": "out_of_band"}

USUAL: list[tuple[RoutedMachine, str, int]] = [
    (Mesh(), "dimension_order", 1),
    (Torus(), "dimension_order", 2),
    (Torus(dims=[2, 2]), "dimension_order", 1),
    (Hypercube(), "dimension_order", 1),
    (FatTree(), "nearest_common_ancestor", 1),
    (Butterfly(), "destination_tag", 1),
    (Tree(), "up_down", 1),
    (FullyConnected(), "shortest", 1),
    (Dragonfly(), "minimal", 2),
    (Graph(file=str(CAMPUS)), "up_down", 1),
    (Mesh(routing="adaptive"), "adaptive", 2),
    (Torus(routing="adaptive"), "adaptive", 3),
    (Mesh(routing="two_phase"), "two_phase", 2),
    (Torus(routing="two_phase"), "two_phase", 4),
    (Dragonfly(routing="two_phase"), "two_phase", 4),
    (FatTree(routing="two_phase"), "two_phase", 2),
    (Torus(routing="chaos"), "chaos", 1),
    (Dragonfly(routing="up_down"), "up_down", 1),
    (Torus(virtual_channels=5), "dimension_order", 5),
]


@pytest.mark.parametrize(("machine", "routing", "channels"), USUAL)
def test_every_topology_has_a_usual_routing_and_the_channels_it_needs(
    machine: RoutedMachine, routing: str, channels: int
) -> None:
    assert (machine.chosen_routing, machine.channels_per_wire) == (routing, channels)
    spec, resolved = machine.spec("packet"), machine.resolved("packet")
    assert spec["routing"]["kind"] == resolved["routing"] == routing
    assert spec["switch"].get("virtual_channels", 1) == channels
    assert resolved["virtual_channels"] == channels


SPECS: list[tuple[Machine, dict[str, Any]]] = [
    (Torus(dims=[4, 4]), {"kind": "dimension_order", "order": [0, 1]}),
    (
        Torus(dims=[4, 4], balanced=True, dimension_order=["y", "x"]),
        {"kind": "dimension_order", "order": [1, 0], "balanced": True},
    ),
    (
        Mesh(dims=[4, 4], routing="two_phase", dimension_order=[1, 0]),
        {"kind": "two_phase", "order": [1, 0]},
    ),
    (Mesh(dims=[4, 4], routing="adaptive"), {"kind": "adaptive", "order": [0, 1]}),
    (Mesh(dims=[4, 4], routing="odd_even"), {"kind": "odd_even"}),
    (Mesh(routing="up_down"), {"kind": "up_down", "root": None, "adaptive": True}),
    (
        Tree(up_down_root=3, adaptive_ways=False),
        {"kind": "up_down", "root": 3, "adaptive": False},
    ),
    (FatTree(), {"kind": "nearest_common_ancestor", "adaptive": True}),
    (FatTree(adaptive_ways=False), {"kind": "nearest_common_ancestor", "adaptive": False}),
    (Dragonfly(routing="shortest"), {"kind": "shortest"}),
    (Star(), {"kind": "dimension_order", "order": []}),
]


@pytest.mark.parametrize(("machine", "routing"), SPECS)
def test_routing_for_the_engine(machine: Machine, routing: dict[str, Any]) -> None:
    assert machine.spec("packet")["routing"] == routing


def test_every_key_of_channels_reaches_the_engine() -> None:
    machine = Mesh(
        virtual_channels=4,
        sharing="until_stall",
        selection="most_credit",
        hop_limit=99,
        allow_deadlock=True,
    )
    spec = machine.spec("packet")
    assert spec["allow_deadlock"] is True
    keys = ("virtual_channels", "sharing", "selection", "hop_limit")
    assert [spec["switch"][key] for key in keys] == [4, "until_stall", "most_credit", 99]


def test_the_description_of_machines_without_these_keys_is_what_it_was() -> None:
    spec = Mesh().spec("packet")
    assert "allow_deadlock" not in spec
    assert not {"virtual_channels", "sharing", "selection", "hop_limit"} & spec["switch"].keys()


@pytest.mark.parametrize("routing", ["chaos", "deflection"])
def test_packets_that_go_anywhere_usually_go_by_any_output(routing: str) -> None:
    assert Mesh(routing=routing).spec("packet")["switch"]["selection"] == "random"
    first = Mesh(routing=routing, selection="first")
    assert "selection" not in first.spec("packet")["switch"]
    assert first.resolved("packet")["selection"] == "first"


def test_every_routing_is_on_some_topology() -> None:
    used = {w for k in TOPOLOGIES.values() if issubclass(k, RoutedMachine) for w in k.routings}
    assert used == set(ROUTINGS)
    for kind in TOPOLOGIES.values():
        if issubclass(kind, RoutedMachine):
            assert len(set(kind.routings)) == len(kind.routings) > 0


@pytest.mark.parametrize("key", OPTIONS)
def test_every_option_is_a_key(key: str) -> None:
    kinds = [k for k in TOPOLOGIES.values() if key in k.model_fields]
    assert kinds
    assert all(k.model_fields[key].default is None for k in kinds)


def test_resolved_parameters_are_keys_of_the_same_machine() -> None:
    for machine in (Torus(balanced=True), FatTree(), Mesh(routing="chaos"), Tree()):
        resolved = machine.resolved("packet")
        again = type(machine)(**resolved)
        for part in ("routing", "switch"):
            assert again.spec("packet")[part] == machine.spec("packet")[part]


BAD: list[tuple[type[Machine], dict[str, Any], str]] = [
    (
        Mesh,
        {"routing": "adaptve"},
        'machine.routing = "adaptve": must be "dimension_order", "west_first", "negative_first", '
        '"odd_even", "adaptive", "up_down", "shortest", "two_phase", "chaos", "deflection", '
        '"table" or "source_routes"; did you mean "adaptive"?',
    ),
    (
        Butterfly,
        {"routing": "chaos"},
        'machine.routing = "chaos": must be "destination_tag", "shortest", "table" or '
        '"source_routes"',
    ),
    (Torus, {"routing": "west_first"}, 'machine.routing = "west_first": must be "dimension_order"'),
    (
        Mesh,
        {"dims": [4, 4, 4], "routing": "odd_even"},
        'machine.routing = "odd_even": needs two dimensions; there are 3',
    ),
    (
        Mesh,
        {"routing": "chaos", "dimension_order": ["y", "x"]},
        'machine.dimension_order = ["y", "x"]: not an option with routing = "chaos", only with '
        '"dimension_order", "adaptive" or "two_phase"',
    ),
    (
        Torus,
        {"routing": "adaptive", "balanced": True},
        'machine.balanced = true: not an option with routing = "adaptive", only with '
        '"dimension_order"',
    ),
    (
        Mesh,
        {"up_down_root": 3},
        'machine.up_down_root = 3: not an option with routing = "dimension_order", only with '
        '"up_down"',
    ),
    (
        Dragonfly,
        {"adaptive_ways": False},
        'machine.adaptive_ways = false: not an option with routing = "minimal", only with '
        '"up_down"',
    ),
    (
        Mesh,
        {"routes_file": "routes.csv"},
        'machine.routes_file = "routes.csv": not an option with routing = "dimension_order", only '
        'with "table" or "source_routes"',
    ),
    (Mesh, {"routing": "table"}, 'machine.routes_file: must be given with routing = "table"'),
    (Mesh, {"virtual_channels": 0}, "machine.virtual_channels = 0: must be at least 1"),
    (Mesh, {"virtual_channels": 256}, "machine.virtual_channels = 256: must be at most 255"),
    (Mesh, {"hop_limit": 0}, "machine.hop_limit = 0: must be at least 1"),
    (Mesh, {"hop_limit": 65_535}, "machine.hop_limit = 65535: must be at most 65534"),
    (
        Mesh,
        {"sharing": "round_robbin"},
        'machine.sharing = "round_robbin": must be "round_robin", "until_stall" or "separate"; '
        'did you mean "round_robin"?',
    ),
    (
        Mesh,
        {"selection": "last"},
        'machine.selection = "last": must be "first", "random", "fewest_waiting" or "most_credit"',
    ),
    (Mesh, {"allow_deadlock": 1}, "machine.allow_deadlock = 1: must be true or false"),
    (Mesh, {"balanced": True}, "machine.balanced: unknown key"),
    (Star, {"routing": "shortest"}, "machine.routing: unknown key"),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), BAD)
def test_refused_in_one_line(kind: type[Machine], keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


FIDELITIES: list[tuple[Machine, Fidelity, Fidelity]] = [
    (Mesh(), "packet", "token"),
    (Mesh(**OUT_OF_BAND), "worm", "worm"),
    (Torus(), "packet", "packet"),
    (Torus(**OUT_OF_BAND), "flit", "flit"),
    (Torus(sharing="separate", **OUT_OF_BAND), "worm", "worm"),
    (Torus(sharing="separate"), "packet", "token"),
    (Mesh(virtual_channels=2, **OUT_OF_BAND), "flit", "flit"),
    (Mesh(routing="west_first", **OUT_OF_BAND), "worm", "worm"),
    (Mesh(routing="west_first"), "packet", "packet"),
    (FatTree(), "packet", "packet"),
    (Tree(), "packet", "token"),
    (FatTree(adaptive_ways=False), "packet", "token"),
    (Mesh(routing="adaptive", **OUT_OF_BAND), "flit", "flit"),
    (Mesh(routing="adaptive", sharing="separate", **OUT_OF_BAND), "flit", "flit"),
    (Mesh(routing="adaptive"), "packet", "packet"),
    (Mesh(routing="chaos", **OUT_OF_BAND), "packet", "packet"),
    (Torus(routing="deflection"), "packet", "packet"),
    (Tree(fan_out=1, depth=1, virtual_channels=3, **OUT_OF_BAND), "worm", "worm"),
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
        Torus(**OUT_OF_BAND),
        "worm",
        'run.fidelity = "worm": cannot do 2 virtual channels that share a wire, only '
        'machine.sharing = "separate"; use "flit"',
    ),
    (Torus(), "token", 'share a wire, only machine.sharing = "separate"; use "packet"'),
    (Torus(), "stream", 'share a wire, only machine.sharing = "separate"; use "packet"'),
    (
        Mesh(routing="west_first"),
        "token",
        'run.fidelity = "token": cannot do packets that have a choice of outputs; use "packet"',
    ),
    (FatTree(**OUT_OF_BAND), "stream", 'have a choice of outputs; use "worm"'),
    (
        Mesh(routing="chaos", **OUT_OF_BAND),
        "flit",
        'run.fidelity = "flit": cannot do machine.routing = "chaos": its switches store whole '
        'packets; use "packet"',
    ),
    (Mesh(routing="deflection"), "token", 'machine.routing = "deflection": its switches deflect'),
    (
        Mesh(routing="adaptive", sharing="separate", **OUT_OF_BAND),
        "worm",
        'run.fidelity = "worm": cannot do machine.routing = "adaptive": its packets may change to '
        'a virtual channel that is a way out; use "flit"',
    ),
    (
        Mesh(routing="deflection", input_buffer="67 B"),
        "packet",
        'machine.input_buffer = "67 B": must hold two packets with routing deflection, at least '
        "68 B with fidelity packet",
    ),
    (
        Torus(node_link_rate="1 Gbit/s"),
        "packet",
        "must be that of link_rate, 100 Mbit/s, with fidelity packet, the only one that can do "
        "this routing and its virtual channels",
    ),
    (
        Tree(up_down_root=21),
        "packet",
        "machine.up_down_root = 21: must be a switch, 0 to 20",
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


def _line(folder: Path, routing: str, text: str) -> Mesh:
    file = folder / "routes.csv"
    file.write_text(text, encoding="utf-8")
    return Mesh(dims=[3], routing=routing, routes_file=str(file))


def test_a_table_is_read(tmp_path: Path) -> None:
    machine = _line(tmp_path, "table", TABLE)
    none = 2**32 - 1
    assert machine.spec("packet")["routing"] == {
        "kind": "table",
        "hops": "switches",
        "next": [[none, 1, 1], [0, none, 2], [1, 1, none]],
        "classes": [],
    }
    assert machine.channels_per_wire == 1


def test_source_routes_are_read(tmp_path: Path) -> None:
    routing = _line(tmp_path, "source_routes", ROUTES).spec("packet")["routing"]
    assert routing["hops"] == "switches"
    assert len(routing["routes"]) == 6
    assert routing["routes"][1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": []}


def test_files_name_classes(tmp_path: Path) -> None:
    rows = TABLE.splitlines()
    table = "\n".join([f"{rows[0]},class", *(f"{row},0" for row in rows[1:-1]), f"{rows[-1]},2"])
    machine = _line(tmp_path, "table", table)
    assert machine.channels_per_wire == 3
    assert machine.spec("packet")["routing"]["classes"] == [[0, 0, 0], [0, 0, 0], [0, 2, 0]]
    routes = _line(tmp_path, "source_routes", ROUTES.replace("0,2,1,2", "0,2, 1:1 ,2,"))
    assert routes.channels_per_wire == 2
    written = routes.spec("packet")["routing"]["routes"]
    assert written[1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": [1, 0]}
    assert written[0]["classes"] == []


def test_links_that_lead_one_way_are_routed_by_shortest_paths(tmp_path: Path) -> None:
    (tmp_path / "ring.edges").write_text("a b\nb c\nc a", encoding="utf-8")
    ring = str(tmp_path / "ring.edges")
    assert Graph(file=ring, directed=True).chosen_routing == "shortest"
    with pytest.raises(UserError) as caught:
        Graph(file=ring, directed=True, routing="up_down").check("packet")
    assert f'needs links in both directions; {ring} has others (first: a to b); use "shortest"' in (
        str(caught.value)
    )


def test_files_name_the_switches_of_a_graph(tmp_path: Path) -> None:
    (tmp_path / "two.edgelist").write_text("left right\n", encoding="utf-8")
    (tmp_path / "routes.csv").write_text(
        "source,destination,hops\nleft,right,right\nright,left,left\n", encoding="utf-8"
    )
    machine = Graph(
        file=str(tmp_path / "two.edgelist"),
        routing="source_routes",
        routes_file=str(tmp_path / "routes.csv"),
    )
    hops = [route["hops"] for route in machine.spec("packet")["routing"]["routes"]]
    assert hops == [[1], [0]]


def test_what_the_file_says_is_part_of_the_identity(tmp_path: Path) -> None:
    def identity(text: str, name: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "x.toml").write_text(
            f'[machine]\ndims = [3]\nrouting = "table"\nroutes_file = "{name}"\n'
            "[workload]\nradius = 1\n",
            encoding="utf-8",
        )
        return Experiment.load(tmp_path / "x.toml").identity(1)

    first = identity(TABLE, "a.csv")
    assert identity(TABLE + "\n", "b.csv") == first
    assert identity(TABLE.replace("0,2,1\n", "0,2,2\n"), "c.csv") != first


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
    machine = _line(tmp_path, routing, text)
    with pytest.raises(UserError) as caught:
        machine.check("packet")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    machine = Mesh(routing="table", routes_file=str(tmp_path / "no.csv"))
    with pytest.raises(UserError, match=r"no\.csv: no such file"):
        machine.check("packet")
