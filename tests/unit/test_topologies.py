"""Families of topologies: what they become, what is counted of them, how they are drawn."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.figures.canvas import Text, svg
from tailback.figures.maps import channel_form
from tailback.figures.naming import _box, placed_names
from tailback.figures.network import network_of
from tailback.figures.network_files import network_sheet
from tailback.figures.topology import picture
from tailback.machines import (
    TOPOLOGIES,
    Butterfly,
    ConcentratedMesh,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullyConnected,
    HyperX,
    Islands,
    Jellyfish,
    Machine,
    Pair,
    PodFatTree,
    SlimFly,
    Topology,
    Tree,
    Xgft,
    machine_of,
)
from tailback.survey import Bisection, bisection_found, survey
from tailback.terminal.predicted import prediction_report
from tailback.workloads import Messages
from tests.machines import t9000

SPECS: list[tuple[Machine, dict[str, Any]]] = [
    (t9000("fat_tree", arity=3, levels=2), {"kind": "fat_tree", "arity": 3, "levels": 2}),
    (t9000("butterfly", arity=2, stages=5), {"kind": "butterfly", "arity": 2, "stages": 5}),
    (
        t9000("tree", fan_out=3, depth=3, nodes_per_switch=2),
        {"kind": "tree", "children": [3, 3], "nodes_per_switch": 2, "widths": []},
    ),
    (
        t9000("tree", switches_per_level=[1, 2, 8], level_widths=[4, 2], nodes_per_switch=1),
        {"kind": "tree", "children": [2, 4], "nodes_per_switch": 1, "widths": [4, 2]},
    ),
    (
        t9000("fully_connected", switches=5, nodes_per_switch=3),
        {"kind": "fully_connected", "switches": 5, "nodes_per_switch": 3},
    ),
    (
        t9000("dragonfly", nodes_per_switch=1, switches_per_group=4, global_links=2),
        {
            "kind": "dragonfly",
            "nodes_per_switch": 1,
            "switches_per_group": 4,
            "global_links": 2,
            "groups": 9,
        },
    ),
    (
        t9000("concentrated_mesh", dims=[3, 2], nodes_per_switch=2),
        {"kind": "concentrated_mesh", "dims": [3, 2], "nodes_per_switch": 2},
    ),
    (
        t9000("concentrated_torus", dims=[4], nodes_per_switch=3),
        {"kind": "concentrated_torus", "dims": [4], "nodes_per_switch": 3},
    ),
    (
        t9000("hyperx", dims=[3, 4], nodes_per_switch=2, dimension_widths=[1, 2]),
        {"kind": "hyperx", "dims": [3, 4], "nodes_per_switch": 2, "widths": [1, 2]},
    ),
    (t9000("pod_fat_tree", switch_ports=6), {"kind": "pod_fat_tree", "switch_ports": 6}),
    (
        t9000("xgft", children=[4, 6, 2], oversubscription=[2, 3]),
        {"kind": "xgft", "children": [4, 6, 2], "parents": [2, 2], "widths": []},
    ),
    (
        t9000("xgft", children=[2, 2], parents=[3], level_widths=[2]),
        {"kind": "xgft", "children": [2, 2], "parents": [3], "widths": [2]},
    ),
    (
        t9000("dragonfly_plus", leaves=3, nodes_per_leaf=1),
        {
            "kind": "dragonfly_plus",
            "nodes_per_leaf": 1,
            "leaves": 3,
            "spines": 2,
            "global_links": 2,
            "groups": 5,
        },
    ),
    (
        t9000("jellyfish", switches=12, links_per_switch=3, wiring_seed=7),
        {
            "kind": "jellyfish",
            "switches": 12,
            "links_per_switch": 3,
            "nodes_per_switch": 2,
            "seed": 7,
        },
    ),
    (
        t9000("islands", accelerators=4, islands=3),
        {"kind": "islands", "accelerators": 4, "islands": 3, "rails": 4},
    ),
]


@pytest.mark.parametrize(("machine", "expected"), SPECS)
def test_every_key_reaches_the_engine(machine: Machine, expected: dict[str, Any]) -> None:
    assert machine.spec("packet")["topology"] == expected
    assert machine_of(machine.resolved("packet")).spec("packet")["topology"] == expected
    assert type(machine.topology)(**machine.topology.given()) == machine.topology


@pytest.mark.parametrize("machine", [machine for machine, _ in SPECS])
def test_both_sides_count_alike(machine: Machine) -> None:
    counted = survey(machine)
    assert counted.nodes == machine.nodes
    assert counted.degree == machine.degree
    assert machine.has_internal_channels == (counted.links > 0)
    assert machine.topology.facts.typical_hops <= counted.switch_diameter
    assert machine.shape == ()
    assert machine.node_links == 1


BAD: list[tuple[type[Topology], dict[str, Any], str]] = [
    (FatTree, {"arity": 1}, "machine.topology.arity = 1: must be at least 2"),
    (
        FatTree,
        {"arity": 16, "levels": 6},
        "machine.topology.levels = 6: must give at most 1048576 nodes",
    ),
    (Butterfly, {"stages": 0}, "machine.topology.stages = 0: must be at least 1"),
    (Butterfly, {"arity": 2, "stages": 21}, "machine.topology.stages = 21: must be at most 20"),
    (Tree, {"fan_out": 0}, "machine.topology.fan_out = 0: must be at least 1"),
    (
        Tree,
        {"fan_out": 2, "switches_per_level": [1, 2]},
        "machine.topology.fan_out = 2: must not be given together with switches_per_level",
    ),
    (
        Tree,
        {"switches_per_level": [1, 2, 3]},
        "machine.topology.switches_per_level[2] = 3: must be a multiple of the level above, 2",
    ),
    (
        Tree,
        {"switches_per_level": [2, 4]},
        "machine.topology.switches_per_level[0] = 2: must be 1, the root",
    ),
    (Tree, {"switches_per_level": []}, "must have at least 1 entries"),
    (
        Tree,
        {"level_widths": [2]},
        "machine.topology.level_widths = [2]: must be one for each level of links: 2",
    ),
    (
        Tree,
        {"level_widths": [2, 256]},
        "machine.topology.level_widths[1] = 256: must be at most",
    ),
    (
        Tree,
        {"depth": 1, "nodes_per_switch": 1},
        "machine.topology.nodes_per_switch = 1: must give at least two nodes",
    ),
    (FullyConnected, {"switches": 9000}, "machine.topology.switches = 9000: must be at most 8192"),
    (
        FullyConnected,
        {"switches": 1, "nodes_per_switch": 1},
        "machine.topology.switches = 1: must give at least two nodes",
    ),
    (
        Dragonfly,
        {"groups": 10},
        "machine.topology.groups = 10: must be 2 to switches_per_group · global_links + 1, 9",
    ),
    (Dragonfly, {"groups": 1}, "machine.topology.groups = 1: must be at least 2"),
    (Dragonfly, {"global_links": 0}, "machine.topology.global_links = 0: must be at least 1"),
    (
        Dragonfly,
        {"nodes_per_switch": 65_536},
        "machine.topology.groups = 9: must give at most 1048576 nodes",
    ),
    (
        Xgft,
        {"children": [4, 4], "oversubscription": [8]},
        "machine.topology.oversubscription[0] = 8: leaves level 1, of 4 children, without links to "
        "the next",
    ),
    (
        Xgft,
        {"children": [4, 6, 2], "oversubscription": [2, 4]},
        "machine.topology.oversubscription[1] = 4: must divide the 6 children of level 2",
    ),
    (
        Xgft,
        {"children": [2, 2], "oversubscription": [2, 2]},
        "machine.topology.oversubscription = [2, 2]: must be one for each level below the highest: "
        "1",
    ),
    (
        Xgft,
        {"parents": [2, 2], "oversubscription": [2, 2]},
        "machine.topology.oversubscription = [2, 2]: must not be given together with parents",
    ),
    (
        Xgft,
        {"parents": [2]},
        "machine.topology.parents = [2]: must be one for each level below the highest: 2",
    ),
    (
        Xgft,
        {"level_widths": [2]},
        "machine.topology.level_widths = [2]: must be one, above 0, for each level of links: 2",
    ),
    (PodFatTree, {"switch_ports": 5}, "machine.topology.switch_ports = 5: must be even"),
    (HyperX, {"dims": [4, 1]}, "machine.topology.dims[1] = 1: must be at least 2"),
    (
        HyperX,
        {"dims": [4, 4], "dimension_widths": [2]},
        "machine.topology.dimension_widths = [2]: must be one, above 0, for each dimension: 2",
    ),
    (
        DragonflyPlus,
        {"groups": 6},
        "machine.topology.groups = 6: must be 2 to spines · global_links + 1, 5",
    ),
    (
        Jellyfish,
        {"switches": 7, "links_per_switch": 3},
        "machine.topology.links_per_switch = 3: must be even with an odd number of switches",
    ),
    (
        SlimFly,
        {"q": 10},
        "machine.topology.q = 10: must be a power of a prime, such as 9 or 11",
    ),
    (SlimFly, {"q": 2}, "machine.topology.q = 2: must be at least 3"),
    (
        Islands,
        {"rails": 3},
        "machine.topology.rails = 3: must divide the accelerators of an island, 8",
    ),
    (
        ConcentratedMesh,
        {"dims": [1, 1]},
        "machine.topology.dims = [1, 1]: must give at least two switches",
    ),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), BAD)
def test_refused_in_one_line(kind: type[Topology], keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


KEYS_OF_OTHERS: list[tuple[dict[str, Any], str]] = [
    (
        {"topology": {"kind": "fat_tree", "stages": 2}},
        'machine.topology.stages: has no effect with machine.topology.kind = "fat_tree"; needs '
        'kind = "butterfly"',
    ),
    (
        {"topology": {"kind": "fat_tree"}, "routing": {"kind": "minimal"}},
        'machine.routing.kind = "minimal": must be "nearest_common_ancestor", "d_mod_k"',
    ),
    (
        {"topology": {"kind": "tree"}, "link_classes": {"local": {"rate": "1 Gbit/s"}}},
        "machine.link_classes.local: must be left out",
    ),
]


@pytest.mark.parametrize(("tables", "expected"), KEYS_OF_OTHERS)
def test_keys_of_other_kinds_are_refused_in_one_line(tables: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        machine_of(tables)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_every_topology_can_be_made_from_the_package(kind: str) -> None:
    made = TOPOLOGIES[kind]
    assert getattr(tb, made.__name__) is made
    if kind != "graph":
        assert tb.Machine(topology=made()).topology == made()
        assert machine_of({"topology": {"kind": kind}}).topology == made()


CLASSES = [
    (t9000("mesh", dims=[4, 4]), {"x", "y"}),
    (t9000("torus", dims=[4, 4, 4, 4]), {"x", "y", "z", "x3"}),
    (t9000("hypercube", dimensions=3), {"x", "y", "z"}),
    (t9000("dragonfly"), {"local", "global"}),
    (t9000("fat_tree"), set()),
    (t9000("concentrated_mesh"), {"x", "y"}),
    (t9000("hyperx", dims=[2, 2, 2]), {"x", "y", "z"}),
    (t9000("xgft"), {"level_1", "level_2"}),
    (t9000("pod_fat_tree"), {"level_1", "level_2"}),
    (t9000("dragonfly_plus"), {"local", "global"}),
    (t9000("islands"), {"scale_up", "scale_out"}),
    (t9000("rail_optimised"), {"uplinks"}),
    (t9000("rail_optimised", leaves_per_rail=2), {"uplinks", "hosts"}),
    (t9000("jellyfish"), set()),
]


@pytest.mark.parametrize(("machine", "names"), CLASSES)
def test_topologies_name_their_classes_of_links(machine: Machine, names: set[str]) -> None:
    assert set(machine.topology.link_classes) == names
    for name in names:
        tables = machine.written() | {"link_classes": {name: {"delay": "5 ns"}}}
        special = machine_of(tables)
        assert special.spec("packet")["link_classes"] == {name: {"delay_ps": 5000}}


def test_a_butterfly_has_no_way_back_for_tokens() -> None:
    t9000("butterfly").check("packet")
    with pytest.raises(UserError, match=r"needs one of as many wires back with fidelity token"):
        t9000("butterfly").check("token")
    t9000("fat_tree", routing={"adaptive": False}).check("token")


#: Nodes, switches, links, channels from node to node at most, and of the bisection.
COUNTED: list[tuple[Machine, tuple[int, int, int, int, int | None]]] = [
    (t9000("mesh", dims=[4, 4]), (16, 16, 48, 8, 8)),
    (t9000("mesh", dims=[4, 4], link={"width": 2}), (16, 16, 48, 8, 16)),
    (t9000("hypercube", dimensions=5), (32, 32, 160, 7, 32)),
    (t9000("star", nodes=9), (9, 1, 0, 2, None)),
    (t9000("pair"), (2, 0, 0, 1, None)),
    (t9000("fat_tree", arity=4, levels=2), (16, 8, 32, 4, 16)),
    (t9000("butterfly", arity=4, stages=2), (16, 8, 16, 3, 8)),
    (t9000("tree", fan_out=2, depth=4, nodes_per_switch=1), (8, 15, 28, 8, 2)),
    (t9000("fully_connected", switches=6, nodes_per_switch=2), (12, 6, 30, 3, 18)),
    (t9000("concentrated_mesh", dims=[4, 4], nodes_per_switch=2), (32, 16, 48, 8, 8)),
    (t9000("concentrated_torus", dims=[4, 4], nodes_per_switch=2), (32, 16, 64, 6, 16)),
    (t9000("hyperx", dims=[4, 4], nodes_per_switch=2), (32, 16, 96, 4, 32)),
    (t9000("pod_fat_tree"), (16, 20, 64, 6, 16)),
    (t9000("xgft", children=[4, 4], oversubscription=[2]), (16, 6, 16, 4, 8)),
    (t9000("rail_optimised", servers=4, gpus=4, spines=2), (16, 6, 16, 4, 8)),
]


@pytest.mark.parametrize(("machine", "expected"), COUNTED)
def test_networks_are_counted(machine: Machine, expected: tuple[int, ...]) -> None:
    counted = survey(machine)
    bisection = counted.bisection and counted.bisection.wires
    found = (counted.nodes, counted.switches, counted.links, counted.diameter, bisection)
    assert found == expected
    assert counted.exact


@pytest.mark.parametrize("machine", [machine for machine, _ in COUNTED])
def test_a_cut_that_is_found_is_as_good_as_the_formula(machine: Machine) -> None:
    """On these small networks the heuristic finds the smallest, never a smaller one."""
    counted = survey(machine)
    if counted.bisection is not None:
        found = bisection_found(counted.graph, counted.switches)
        assert found is not None
        assert found.wires == counted.bisection.wires
        assert found.halves == (machine.nodes // 2, machine.nodes // 2)


@pytest.mark.parametrize(("q", "degree"), [(4, 6), (5, 7), (7, 11), (8, 12), (9, 13)])
def test_slim_flies_of_any_order_have_two_links_between_switches_at_most(
    q: int, degree: int
) -> None:
    counted = survey(t9000("slim_fly", q=q, nodes_per_switch=1))
    assert (counted.switches, counted.switch_diameter) == (2 * q * q, 2)
    assert (counted.degree, counted.links) == (degree, 2 * q * q * degree)


def test_a_cut_that_is_found_is_said_to_be_an_upper_bound() -> None:
    counted = survey(t9000("dragonfly"))
    assert counted.bisection == Bisection(40, exact=False, halves=(36, 36))
    odd = survey(t9000("fat_tree", arity=3, levels=2)).bisection
    assert odd is not None
    assert odd.halves == (3, 6)
    assert not odd.exact


def test_channels_that_share_no_wire_have_one_each() -> None:
    keys: dict[str, Any] = {"dims": [4, 4], "switch": {"virtual_channels": 3}}
    for sharing, wires in (("round_robin", 8), ("separate", 24)):
        bisection = survey(t9000("mesh", **keys, link={"sharing": sharing})).bisection
        assert bisection == Bisection(wires, exact=True)


def test_switches_with_unequal_nodes_are_exchanged() -> None:
    """Computing and library on one side: 2 + 2 + 2 + 2 channels are cut."""
    found = survey(tb.load("examples/campus.toml").machine).bisection
    assert found == Bisection(8, exact=False, halves=(10, 10))


def one_message(machine: Machine) -> tb.Prediction:
    return tb.describe(machine, Messages(messages=[["0 ns", 0, 1, "32 B"]]))


def test_a_dragonfly_is_described() -> None:
    prediction = one_message(t9000("dragonfly"))
    answer = prediction.to_dict()
    assert (answer["nodes"], answer["channels"], answer["internal_channels"]) == (72, 504, 360)
    assert answer["topology"]["diameter"] == 5
    assert answer["topology"]["bisection"] == {"wires": 40, "exact": False, "halves": [36, 36]}
    from rich.console import Console

    console = Console(width=100)
    with console.capture() as captured:
        console.print(prediction_report(prediction, full=True))
    assert "at most 40" in captured.get()


def test_switches_without_coordinates_have_numbers() -> None:
    loaded = one_message(t9000("star", nodes=3)).most_loaded()
    assert {(c.source, c.destination) for c in loaded} == {
        ("node 0", "switch 0"),
        ("switch 0", "node 1"),
        ("node 1", "switch 0"),
        ("switch 0", "node 0"),
    }
    loaded = one_message(t9000("mesh", dims=[2, 2])).most_loaded()
    assert ((0, 0), (1, 0)) in {(c.source, c.destination) for c in loaded}


def test_loads_of_channels_between_switches_without_coordinates() -> None:
    """More switches than nodes; a column for each, and a row for each of its links."""
    network = network_of(
        {"node": np.arange(2)},
        {
            "kind": np.array(["injection"] * 2 + ["internal"] * 4 + ["ejection"] * 2),
            "from_node": np.array([0, 1, 0, 2, 2, 1, 0, 1]),
            "to_node": np.array([0, 1, 2, 0, 1, 2, 0, 1]),
            "dimension": np.full(8, -1),
            "direction": np.zeros(8, dtype=np.int64),
        },
    )
    form = channel_form(network)
    assert form is not None
    assert form.up == ["injection", "link 1", "link 2", "ejection"]
    assert form.at.reshape(form.shape).tolist() == [
        [0, 1, -1],
        [2, 5, 3],
        [-1, -1, 4],
        [6, 7, -1],
    ]
    assert form.table["from"][:3] == ["node 0", "node 1", "switch 0"]
    leads_to = ["switch 2", "switch 0", "switch 1", "switch 2", "node 0", "node 1"]
    assert form.table["to"][2:] == leads_to


DRAWN: list[Machine] = [machine for machine, _ in (*SPECS, *COUNTED)]


@pytest.mark.parametrize(
    "machine", [*DRAWN, t9000("mesh", dims=[3, 2, 4]), t9000("hypercube", dimensions=7)]
)
def test_every_family_is_drawn(machine: Machine) -> None:
    """All switches at places of their own, and a line for every link."""
    counted = survey(machine)
    seen = picture(machine, counted.graph, counted.switches, {})
    assert len({dot.point for dot in seen.switches}) == counted.switches
    drawn = 2 * machine.nodes if seen.nodes and counted.switches else 0
    drawn += 2 if isinstance(machine.topology, Pair) else 0
    assert len(seen.edges) == counted.links + drawn
    assert all(math.isnan(edge.value) for edge in seen.edges)
    ElementTree.fromstring(svg(network_sheet(seen)))


def test_lines_have_the_colours_of_their_loads() -> None:
    prediction = tb.describe(t9000("mesh", dims=[4, 4]), tb.Synthetic(radius=3))
    seen = prediction._picture()
    loads = {edge.text: edge.value for edge in seen.edges}
    expected = {
        f"({a[0]}, {a[1]}) to ({b[0]}, {b[1]})"
        for a in np.ndindex(4, 4)
        for b in np.ndindex(4, 4)
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
    }
    assert set(loads) == expected
    internal = prediction.channels.filter(
        prediction.channels["kind"].cast("string").to_numpy(zero_copy_only=False) == "internal"
    )
    assert seen.most == pytest.approx(max(internal["load_us"].to_pylist()))
    shares = [seen.share(edge) for edge in seen.edges]
    assert max(share for share in shares if share is not None) == 1
    figure = prediction.plot()
    assert figure.data[-3].marker.cmax * seen.unit.size == pytest.approx(seen.most)


def test_names_of_switches_never_lie_over_each_other() -> None:
    """In a row of dots 6 pixels apart only some have room."""
    dots = [((float(x), 0.0), f"switch {x}") for x in range(60)]
    for scale in (6.0, 30.0, 200.0):
        names = placed_names(dots, [], scale)
        boxes = [_box(n.point, n.text, n.right, n.up, scale) for n in names]
        for i, one in enumerate(boxes):
            for other in boxes[:i]:
                beside = one[1] <= other[0] or other[1] <= one[0]
                assert beside or one[3] <= other[2] or other[3] <= one[2]
    assert len(names) == 60


@pytest.mark.parametrize(
    ("topology", "names"),
    [
        (Dragonfly(), [f"group {n}" for n in range(9)]),
        (FatTree(arity=2, levels=3), ["level 0", "level 1", "level 2"]),
    ],
)
def test_groups_of_switches_are_named(topology: Topology, names: list[str]) -> None:
    machine = Machine(topology=topology)
    counted = survey(machine)
    seen = picture(machine, counted.graph, counted.switches, {})
    assert [group.name for group in seen.groups] == names
    text = svg(network_sheet(seen))
    assert all(f">{name}</text>" in text for name in names)
    assert "prefers-color-scheme: dark" in text


def test_no_name_is_cut_off_at_the_edge_of_a_picture(tmp_path: Path) -> None:
    """Names longer than the margin, of the outermost switches, and a title above few of them."""
    names = [f"leaf-switch-of-rack-number-{n}" for n in range(3)]
    (tmp_path / "net.edges").write_text("\n".join(" ".join(pair) for pair in pairwise(names)))
    sheet = network_sheet(one_message(t9000("graph", file=str(tmp_path / "net.edges")))._picture())
    texts = [shape for shape in sheet.shapes if isinstance(shape, Text)]
    shown = [text for text in texts if text.text in names]
    assert shown
    for text in shown:
        half = 3.5 * len(text.text)
        assert half <= text.at[0] <= sheet.width - half
    assert 40 + 7 * len(texts[0].text) <= sheet.width


def test_plots_are_pages_or_svg(tmp_path: Path) -> None:
    prediction = one_message(t9000("star", nodes=4))
    prediction.write_plot(tmp_path / "net.svg")
    assert "node 3 to switch 0" in (tmp_path / "net.svg").read_text()
    with pytest.raises(UserError, match=r"--plot = .*net.png: must end in .html or .svg"):
        prediction.write_plot(tmp_path / "net.png")
    with pytest.raises(UserError, match=r"--plot: cannot draw 4096 switches; at most 4000"):
        tb.describe(t9000("mesh", dims=[64, 64]), Messages(messages=[["0 ns", 0, 1, "1 B"]])).plot()


def test_names_of_a_file_are_shown(tmp_path: Path) -> None:
    (tmp_path / "net.edges").write_text("london paris\nparis rome")
    prediction = one_message(t9000("graph", file=str(tmp_path / "net.edges")))
    texts = [dot.text for dot in prediction._picture().switches]
    assert texts == [f"switch {i} ({n}), 1 node" for i, n in enumerate(("london", "paris", "rome"))]


def test_a_large_network_is_surveyed_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailback.survey.counting.MOST_LINKS", 20_000)
    prediction = tb.describe(
        t9000("mesh", dims=[16, 16]), Messages(messages=[["0 ns", 0, 1, "1 B"]])
    )
    assert not prediction.survey.exact
    assert prediction.survey.sources < 256
    assert prediction.to_dict()["topology"]["exact"] is False
