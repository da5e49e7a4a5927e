"""What `describe` says of a network as a cluster, and where pictures place its switches."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import tailback as tb
from tailback import answers
from tailback.figures.placing import Placing, placed
from tailback.importing.cluster import import_network
from tailback.importing.cluster.description import Cable, Cluster
from tailback.importing.cluster.experiment import tables
from tailback.importing.cluster.graph_text import drawn
from tailback.machines import Machine, machine_of
from tailback.survey import (
    ClusterSurvey,
    Survey,
    cluster_survey,
    structure,
    survey,
    table_routes,
)
from tailback.survey.hosts import planes
from tailback.units import Rate
from tests.commands import tailback
from tests.unit.test_cluster_files import dragonfly

NETWORKS = Path(__file__).resolve().parents[1] / "networks"


def imported(folder: Path, path: Path) -> Machine:
    """Return the machine that a network of a file becomes."""
    found = import_network(path)
    (folder / "net.graphml").write_bytes(found.graph())
    if found.routes is not None:
        (folder / "routes.csv").write_bytes(found.routes)
    (folder / "net.toml").write_text(found.toml("net.graphml", "routes.csv"), encoding="utf-8")
    return tb.load(folder / "net.toml").machine


def described(machine: Machine, counted: Survey | None = None) -> ClusterSurvey:
    found = cluster_survey(machine, counted or survey(machine))
    assert found is not None
    return found


def tiers(found: ClusterSurvey) -> list[tuple[str, int, float | None]]:
    shares = ((one, one.oversubscription) for one in found.tiers)
    return [(one.name, one.switches, share and round(share, 4)) for one, share in shares]


def cables(found: ClusterSurvey) -> list[tuple[str, int, str]]:
    return [(one.joins, one.cables, str(one.rate)) for one in found.cables]


def test_a_cluster_of_infiniband(tmp_path: Path) -> None:
    """Counted by hand in X5: cables of 4x DDR and 4x QDR, some several between two switches."""
    found = described(imported(tmp_path, NETWORKS / "X5.topofile"))
    assert (found.hosts, found.interfaces, found.rails, found.planes) == (89, 89, None, 1)
    assert found.groups is None
    # Leaves: 66 x 32 + 23 x 16 down, 64 x 32 up. Two of four spines lead up: 26 and 6 cables.
    assert tiers(found) == [("leaf", 6, 1.2109), ("spine", 4, 4.3333), ("core", 1, None)]
    assert found.tiers[0].oversubscription_max == 2
    assert cables(found) == [
        ("hosts", 66, "32 Gbit/s"),
        ("hosts", 23, "16 Gbit/s"),
        ("leaf to spine", 64, "32 Gbit/s"),
        ("spine to core", 6, "32 Gbit/s"),
    ]
    assert sum(one.cables for one in found.cables) == 159
    assert found.bisection is not None
    assert (found.bisection.exact, found.bisection.method) == (False, "Kernighan & Lin 1970")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leaf_spine_tiny", [("leaf", 4, 4.0), ("spine", 2, None)]),
        ("leaf_spine_1024_oversub", [("leaf", 32, 4.0), ("spine", 8, None)]),
        ("fat_tree_128_1os", [("leaf", 32, 1.0), ("spine", 32, 1.0), ("core", 16, None)]),
        ("fat_tree_1024_4os", [("leaf", 128, 4.0), ("spine", 32, 1.0), ("core", 16, None)]),
    ],
)
def test_trees_of_htsim_have_the_oversubscription_in_their_names(
    tmp_path: Path, name: str, expected: list[Any]
) -> None:
    found = described(imported(tmp_path, NETWORKS / f"{name}.topo"))
    assert tiers(found) == expected
    assert found.bisection_share == pytest.approx(1 / max(one[2] or 1 for one in expected))


def test_hosts_of_two_planes_and_eight_rails(tmp_path: Path) -> None:
    """64 GPUs with NVLink and a port on each of two planes, of 8 rails."""
    found = described(imported(tmp_path, NETWORKS / "hpn_dual_plane.txt"))
    assert (found.hosts, found.interfaces, found.rails, found.planes) == (8, 64, 8, 2)
    assert found.switches_in_hosts == 8
    assert tiers(found) == [("leaf", 16, 1.0), ("spine", 8, None)]
    assert cables(found) == [
        ("inside hosts", 64, "2.88 Tbit/s"),
        ("hosts", 128, "200 Gbit/s"),
        ("leaf to spine", 64, "400 Gbit/s"),
    ]
    assert found.bisection_share is None


def test_a_dragonfly_of_codes_has_groups(tmp_path: Path) -> None:
    (tmp_path / "d.conf").write_text(dragonfly(tmp_path, 5, 3, 8), encoding="utf-8")
    machine = imported(tmp_path, tmp_path / "d.conf")
    counted = survey(machine)
    found = described(machine, counted)
    assert found.groups is not None
    assert (found.groups.groups, found.groups.switches) == (5, 24)
    assert [one[:2] for one in cables(found)] == [
        ("hosts", 480),
        ("within groups", 5 * (24 * 7 + 24 * 2 * 3) // 2),
        ("between groups", sum(one.link_class == "global" for one in _cables_of(tmp_path))),
    ]
    where = placed(machine.topology, counted.graph, 120)
    assert [group.name for group in where.groups] == [f"group {number}" for number in range(5)]
    for number, (x, y) in enumerate(where.switches):
        group = where.groups[number // 24]
        assert (x - group.centre[0]) ** 2 + (y - group.centre[1]) ** 2 <= group.radius**2


def _cables_of(folder: Path) -> Any:
    return import_network(folder / "d.conf").cluster.cables


def edges(folder: Path, machine: Machine) -> Machine:
    """Return the network of a family as one of a file without any classes."""
    graph = survey(machine).graph
    ends = zip(graph["link_from"].tolist(), graph["link_to"].tolist(), strict=True)
    lines = [f"{a} {b}" for a, b in ends if a < b]
    (folder / "net.edges").write_text("\n".join(lines) + "\n", encoding="utf-8")
    topology = {"kind": "graph", "file": str(folder / "net.edges"), "nodes_per_switch": 1}
    return machine_of({"topology": topology})


@pytest.mark.parametrize(
    ("topology", "groups"),
    [
        (tb.Dragonfly(), 9),
        (tb.Dragonfly(switches_per_group=6, global_links=1, groups=4), 4),
        (tb.DragonflyPlus(leaves=3, spines=3, global_links=2), 7),
        (tb.Torus(dims=(6, 6)), 0),
        (tb.Jellyfish(switches=30), 0),
        (tb.SlimFly(q=5), 0),
    ],
)
def test_groups_are_known_by_cables_alone(
    tmp_path: Path, topology: tb.machines.Topology, groups: int
) -> None:
    machine = edges(tmp_path, tb.Machine(topology=topology))
    found = structure(machine.topology, survey(machine).graph, machine.topology.switch_count)
    assert found.groups == groups
    assert not found.has_tiers
    if groups:
        # Switches of a group have successive numbers.
        size = machine.topology.switch_count // groups
        assert found.group is not None
        assert [place // size for place in range(groups * size)] == found.group.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_tiers_and_planes_are_those_of_a_plain_search(seed: int) -> None:
    """Random switches, in pieces too, of which some have nodes: held against NetworkX."""
    graph = nx.gnm_random_graph(30, 25 + 3 * seed, seed=seed)
    ends = np.array(graph.edges)
    nodes = np.random.default_rng(seed).integers(0, 30, 12)
    links = {
        "link_from": np.append(ends[:, 0], ends[:, 1]),
        "link_to": np.append(ends[:, 1], ends[:, 0]),
        "link_width": np.ones(2 * len(ends), np.int64),
        "node_enters": nodes,
        "node_leaves": nodes,
    }
    found = structure(tb.machines.Jellyfish(switches=30), links, 30)
    far = nx.multi_source_dijkstra_path_length(graph, set(nodes.tolist()))
    assert found.tier.tolist() == [1 + far.get(switch, -1) for switch in range(30)]
    reached = nx.subgraph(graph, far)
    assert planes(links, found) == nx.number_connected_components(reached)


@pytest.mark.parametrize(
    ("topology", "expected", "exact"),
    [
        (
            tb.Xgft(children=(8, 4, 2), parents=(2, 4)),
            [("leaf", 8, 4.0), ("spine", 4, 1.0), ("core", 8, None)],
            True,
        ),
        (tb.PodFatTree(), [("leaf", 8, 1.0), ("spine", 8, 1.0), ("core", 4, None)], True),
        (tb.DragonflyPlus(), [("leaf", 10, 1.0), ("spine", 10, None)], False),
        (tb.Islands(), [("leaf", 8, None)], False),
        (tb.Dragonfly(), [("switch", 36, None)], False),
        (tb.Tree(), [("leaf", 16, 4.0), ("spine", 4, 4.0), ("core", 1, None)], True),
    ],
)
def test_families_are_described_as_clusters(
    topology: tb.machines.Topology, expected: list[Any], *, exact: bool
) -> None:
    found = described(tb.Machine(topology=topology))
    assert tiers(found) == expected
    assert found.bisection is not None
    assert found.bisection.exact == exact
    assert found.interfaces == topology.node_count
    assert found.hosts == topology.node_count // (topology.host_nodes or 1)


def test_classes_of_a_family_have_their_rates() -> None:
    fly = {"topology": {"kind": "dragonfly"}, "link": {"rate": "100 Gbit/s"}}
    machine = machine_of(fly | {"link_classes": {"global": {"rate": "50 Gbit/s"}}})
    found = described(machine)
    assert cables(found) == [
        ("hosts", 72, "100 Gbit/s"),
        ("within groups", 54, "100 Gbit/s"),
        ("between groups", 36, "50 Gbit/s"),
    ]
    assert found.groups is not None
    assert found.groups.oversubscription == 2
    # Of cables of different rates the bisection has no rate.
    assert found.bisection_share is None


def test_grids_and_random_graphs_are_no_clusters() -> None:
    for topology in (tb.Torus(), tb.HyperX(), tb.Jellyfish(), tb.Star(), tb.Pair()):
        machine = tb.Machine(topology=topology)
        assert cluster_survey(machine, survey(machine)) is None


def place_of(machine: Machine) -> Placing:
    graph = survey(machine).graph
    return placed(machine.topology, graph, machine.topology.switch_count)


def test_a_fat_tree_of_a_file_is_drawn_as_the_family(tmp_path: Path) -> None:
    """Tier by tier, hosts below; within a tier no switch lies on another."""
    where = place_of(imported(tmp_path, NETWORKS / "fat_tree_128_1os.topo"))
    names = [group.name for group in where.groups]
    heights = {group.named_at[1]: group.name for group in where.groups}
    assert names == ["leaf", "spine", "core"]
    found = [heights[y] for _, y in where.switches]
    assert [len(list(same)) for _, same in itertools.groupby(found)] == [32, 32, 16]
    assert len(set(where.switches)) == 80
    family = place_of(tb.Machine(topology=tb.Xgft(children=(4, 4, 8), parents=(4, 4))))
    # Edge and aggregation switches lie where the family has them; core switches in another order.
    np.testing.assert_allclose(where.switches[:64], family.switches[:64])
    np.testing.assert_allclose(sorted(where.switches[64:]), sorted(family.switches[64:]))
    np.testing.assert_allclose(where.senders, family.senders)


def test_hosts_of_a_leaf_lie_below_it(tmp_path: Path) -> None:
    machine = imported(tmp_path, NETWORKS / "X5.topofile")
    where, homes = place_of(machine), survey(machine).graph["node_enters"].tolist()
    for switch in set(homes):
        own = sorted(x for (x, _), home in zip(where.senders, homes, strict=True) if home == switch)
        assert own[-1] - own[0] == len(own) - 1
        assert where.switches[switch][0] == pytest.approx(sum(own) / len(own))


def test_switches_of_hosts_lie_below_leaves(tmp_path: Path) -> None:
    where = place_of(imported(tmp_path, NETWORKS / "hpn_dual_plane.txt"))
    heights = sorted({round(y, 6) for _, y in where.switches})
    assert len(heights) == 4  # inside hosts, hosts, leaves, spines
    assert not where.senders
    assert len(set(where.switches)) == 96
    # Leaves of a plane lie together, below its spines.
    x = [where.switches[number][0] for number in range(8, 32)]
    assert max(*x[:8], *x[16:20]) < min(*x[8:16], *x[20:24])


def test_describe_says_what_the_network_is_made_of_first(tmp_path: Path) -> None:
    imported(tmp_path, NETWORKS / "X5.topofile")
    shown = tailback("describe", tmp_path / "net.toml").stdout
    head = "89 hosts on 6 leaf, 4 spine and 1 core switches, oversubscribed 1.21 to 1 in"
    assert head in " ".join(shown.split())
    assert "smallest cut found by" in shown
    answer = json.loads(tailback("describe", tmp_path / "net.toml", "--json").stdout)
    assert answer["cluster"]["tiers"][1] == {
        "name": "spine",
        "switches": 4,
        "oversubscription": pytest.approx(13 / 3),
        "oversubscription_max": pytest.approx(13 / 3),
    }
    assert answer["cluster"]["bisection"]["method"] == "Kernighan & Lin 1970"
    assert answer["cluster"]["cables"][3] == {
        "joins": "spine to core",
        "cables": 6,
        "rate_gbit_per_s": 32.0,
    }


def test_one_neighbour_stands_for_all_only_where_nodes_are_alike(tmp_path: Path) -> None:
    """In X5 two hosts with slow cables, over one link, had taken longer than hosts on average."""
    path = tmp_path / "n.topofile"
    for is_alike in (False, True):
        text = (NETWORKS / "X5.topofile").read_text()
        path.write_text(text.replace("4xDDR", "4xQDR") if is_alike else text)
        imported(tmp_path, path)
        found = tb.describe(tb.load(tmp_path / "net.toml"))
        head = " ".join(answers.of_prediction(found).lines)
        assert "on average if it meets no other" in head
        assert ("over one link between switches" in head) == is_alike


def _words(folder: Path, text: str) -> str:
    (folder / "net.toml").write_text(text, encoding="utf-8")
    return " ".join(tailback("describe", folder / "net.toml").stdout.split())


def test_more_upwards_than_down_is_no_oversubscription(tmp_path: Path) -> None:
    """Four servers below 16 spines of two cables: each leaf has 4 hosts and 32 cables up."""
    text = '[machine]\npreset = "dgx_superpod_like"\ntopology.servers = 4\n'
    assert "oversubscription none: 8.00 times as much up as down" in _words(tmp_path, text)
    fly = '[machine]\ntopology.kind = "dragonfly"\nlink_classes.global.rate = "400 Gbit/s"\n'
    more = 'link.rate = "100 Gbit/s"\n'
    # 72 hosts send 7.2 Tbit/s; 36 cables carry 28.8 both ways.
    expected = "oversubscription none: 4.00 times as much between groups as from hosts"
    assert expected in _words(tmp_path, fly + more)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("[0, 1, 2]", "for one message per node, the 5 that send nothing included."),
        ("[0, 1, 2, 3, 4, 5, 6]", "for one message per node, the 1 that sends nothing included."),
        ("[0, 1, 2, 3, 4, 5, 6, 7]", "for one message per node."),
    ],
)
def test_describe_says_of_which_nodes_a_load_is_the_mean(
    tmp_path: Path, nodes: str, expected: str
) -> None:
    text = f"""[machine]
topology = {{kind = "star", nodes = 8}}

[[job]]
name = "some"
nodes = {nodes}
workload = {{kind = "complete_exchange", message_size = "2 kB"}}
"""
    assert expected in _words(tmp_path, text)


def test_routes_of_a_rail_are_dealt_out_to_all_spines(tmp_path: Path) -> None:
    """Of each plane of HPN a leaf has 8 interfaces and 4 spines: in no shift more than 2 on one."""
    machine = imported(tmp_path, NETWORKS / "hpn_dual_plane.txt")
    routes = table_routes(machine, survey(machine).graph)
    assert routes is not None
    assert (routes.longer, routes.missing, routes.shifts) == (0, 0, 63)
    assert routes.shift_most == 2


@pytest.mark.parametrize(
    ("name", "load"),
    [
        # 8 hosts of 100 Gbit/s below two uplinks: a quarter of 0.3.
        ("leaf_spine_tiny.topo", 0.075),
        # No leaf has fewer uplinks than hosts.
        ("fat_tree_128_1os.topo", 0.3),
        # 200 Gbit/s of a port beside 2,880 inside a host.
        ("hpn_dual_plane.txt", 0.0208),
        # A leaf of 21 hosts with two uplinks.
        ("X5.topology.conf", 0.0286),
    ],
)
def test_the_load_of_an_import_fits_the_uplinks_of_leaves(name: str, load: float) -> None:
    found = import_network(NETWORKS / name).experiment("n.graphml", "r.csv")
    assert found["workload"]["load"] == load


def test_the_load_of_an_import_fits_the_cables_between_groups() -> None:
    """Two groups of two switches with a host each, four of 100 Gbit/s, and one of 50 between."""
    cluster = Cluster(Path("none"))
    for number in range(4):
        cluster.add_switch(f"s{number}", 1)
        cluster.add_host(f"h{number}", 1)
        cluster.join(1, Cable((f"h{number}", f"s{number}"), rate=Rate(100 * 10**9)))
    for group in (0, 2):
        inside = (f"s{group}", f"s{group + 1}")
        cluster.join(1, Cable(inside, rate=Rate(400 * 10**9), link_class="local"))
    cluster.join(1, Cable(("s0", "s2"), rate=Rate(50 * 10**9), link_class="global"))
    network = drawn(cluster)
    found = tables(cluster, network, 8, ("n.graphml", None))
    # 200 Gbit/s of a group on 50.
    assert found["workload"]["load"] == 0.075
