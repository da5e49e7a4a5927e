"""Clusters of servers on rails: how they are wired, presets with counts of their sources, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.figures.placing import placed
from tailback.machines import PRESETS, GraphTopology, Machine, machine_of
from tailback.survey import ClusterSurvey, cluster_survey, survey
from tests.commands import tailback


def described(machine: Machine) -> ClusterSurvey:
    found = cluster_survey(machine, survey(machine))
    assert found is not None
    return found


def wired(**keys: Any) -> set[tuple[str, str, int, str | None]]:
    """Return the cables by the names of their ends, each once."""
    graph = tb.RailOptimised(**keys).graph
    return {
        (graph.switches[one.source], graph.switches[one.destination], one.width, one.link_class)
        for one in graph.links
        if one.source < one.destination
    }


def test_one_leaf_for_each_rail_of_a_segment() -> None:
    """Four servers in two segments, two rails for four GPUs: written out."""
    keys = {"servers": 4, "gpus": 4, "rails": 2, "servers_per_segment": 2}
    topology = tb.RailOptimised(**keys, spines=2, spine_links=3)
    graph = topology.graph
    assert graph.switches == ("leaf0.0", "leaf0.1", "leaf1.0", "leaf1.1", "spine0", "spine1")
    assert [graph.switches[home] for home in graph.enters[:8]] == ["leaf0.0", "leaf0.1"] * 4
    assert [graph.switches[home] for home in graph.enters[8:]] == ["leaf1.0", "leaf1.1"] * 4
    assert graph.nodes[5] == "server1.gpu1"
    leaves, spines = graph.switches[:4], graph.switches[4:]
    assert wired(**keys, spines=2, spine_links=3) == {
        (leaf, spine, 3, "uplinks") for leaf in leaves for spine in spines
    }
    assert topology.routings[0] == "up_down"
    assert tb.Machine(topology=topology).chosen_routing == tb.Ecmp()


def test_the_last_segment_has_the_servers_that_are_left() -> None:
    """Five servers in segments of two: the last server has leaves of its own."""
    keys = {"servers": 5, "gpus": 2, "servers_per_segment": 2}
    topology = tb.RailOptimised(**keys, spines=2)
    graph = topology.graph
    leaves = [f"leaf{segment}.{rail}" for segment in range(3) for rail in range(2)]
    assert graph.switches == (*leaves, "spine0", "spine1")
    homes = [*leaves[:2] * 2, *leaves[2:4] * 2, *leaves[4:]]
    assert [graph.switches[home] for home in graph.enters] == homes
    assert wired(**keys, spines=2) == {
        (leaf, spine, 1, "uplinks") for leaf in leaves for spine in graph.switches[6:]
    }
    assert topology.labels_by(topology.resolved()) == {
        "node": list(graph.nodes),
        "switch": list(graph.switches),
    }
    found = described(tb.Machine(topology=topology))
    assert (found.hosts, found.rails, found.tiers[0].switches) == (5, 2, 6)
    # Halves of ten nodes on leaves with 2, 2, 2, 2, 1 and 1 of them.
    assert found.bisection is None or not found.bisection.exact


@pytest.mark.parametrize(
    ("preset", "keys", "sizes"),
    [
        ("dgx_superpod_like", {"servers": 4}, (4, 8, 8)),
        ("dgx_superpod_like", {"servers": 4, "gpus": 4}, (4, 4, 4)),
        ("dgx_superpod_like", {"servers": 127}, (32, 8, 32)),
        ("dgx_superpod_like", {"servers": 48}, (32, 8, 16)),
        ("dgx_superpod_like", {"servers": 48, "servers_per_segment": 24}, (24, 8, 16)),
        ("spectrum_x_like", {"servers": 2, "gpus": 16}, (2, 16, 16)),
        ("hpn_like", {"servers": 6, "gpus": 4, "rails": 2}, (6, 2, 4)),
    ],
)
def test_presets_may_have_fewer_servers_and_gpus(
    preset: str, keys: dict[str, int], sizes: tuple[int, int, int]
) -> None:
    """Servers of a segment, rails and leaves follow unless they are given."""
    topology = machine_of({"preset": preset, "topology": keys}).topology
    found = topology.resolved()
    leaves = topology.tiers()[0]
    assert (found["servers_per_segment"], found["rails"], leaves) == sizes
    same = machine_of(
        {"preset": preset, "topology": {**keys, "servers_per_segment": sizes[0], "rails": sizes[1]}}
    )
    assert same.topology.resolved() == found


def test_two_leaves_for_each_rail_in_two_planes() -> None:
    keys = {"servers": 2, "gpus": 2, "leaves_per_rail": 2, "spines": 1}
    own = [f"server{server}.gpu{gpu} interface" for server in range(2) for gpu in range(2)]
    ports = {
        (f"leaf0.{gpu}.{j}", f"server{server}.gpu{gpu} interface", 1, "hosts")
        for server in range(2)
        for gpu in range(2)
        for j in range(2)
    }
    leaves = [(f"leaf0.{rail}.{j}", j) for rail in range(2) for j in range(2)]
    planes = {(leaf, f"spine{j}.0", 1, "uplinks") for leaf, j in leaves}
    assert wired(**keys, planes=2) == ports | planes
    assert wired(**keys, planes=1) == ports | {(leaf, "spine0", 1, "uplinks") for leaf, _ in leaves}
    graph = tb.RailOptimised(**keys, planes=2).graph
    assert [graph.switches[home] for home in graph.enters] == own


@pytest.mark.parametrize(("planes", "of_a_spine"), [(1, 4), (2, 2)])
def test_shortest_paths_do_not_pass_other_interfaces(planes: int, of_a_spine: int) -> None:
    """On one rail there are two, by either leaf; else one for each leaf, spine and leaf."""
    topology = tb.RailOptimised(servers=4, gpus=4, leaves_per_rail=2, planes=planes, spines=3)
    found = survey(tb.Machine(topology=topology))
    assert (found.paths_min, found.paths_max) == (2, of_a_spine * 3)
    assert (found.switch_diameter, found.diameter) == (4, 6)


def test_a_message_takes_its_rail_or_a_spine() -> None:
    topology = tb.RailOptimised(servers=4, gpus=4, servers_per_segment=2, spines=2)
    rows = [["0 ns", 0, 4, "1 kB"], ["0 ns", 9, 12, "1 kB"], ["0 ns", 10, 11, "1 kB"]]
    result = tb.run(tb.Machine(topology=topology), tb.Messages(messages=rows), keep_messages=True)
    assert result.messages is not None
    one, two, three = result.messages.sort_by("message")["latency_ps"].to_pylist()
    assert one < two == three


SIZES = {
    # Of [NVIDIA SuperPOD 2023]: leaves, spines, cables between them by scalable units.
    "dgx_superpod_like": [
        ({"servers": 32, "spines": 4, "spine_links": 8}, (8, 4, 256, 256)),
        ({"servers": 64, "spines": 8, "spine_links": 4}, (16, 8, 512, 512)),
        ({"servers": 96}, (24, 16, 768, 768)),
        ({}, (32, 16, 1024, 1024)),
    ],
    # Of the template of SimAI: 64 asw, 64 psw.
    "spectrum_x_like": [({}, (64, 64, 4096, 4096))],
    # Of a segment 16 leaves; of the template of SimAI 240 asw, 120 psw, each with 120 cables.
    "hpn_like": [
        ({"servers": 128}, (16, 120, 960, 2048)),
        ({"servers": 1920}, (240, 120, 14_400, 30_720)),
    ],
}


@pytest.mark.parametrize(
    ("preset", "keys", "expected"),
    [(preset, *one) for preset, cases in SIZES.items() for one in cases],
)
def test_presets_have_the_counts_of_their_sources(
    preset: str, keys: dict[str, int], expected: tuple[int, ...]
) -> None:
    given = {**PRESETS[preset]["topology"], **keys}
    graph = tb.RailOptimised(**{name: one for name, one in given.items() if name != "kind"}).graph
    leaves = sum(name.startswith("leaf") for name in graph.switches)
    spines = sum(name.startswith("spine") for name in graph.switches)
    up = sum(link.width for link in graph.links if link.link_class == "uplinks") // 2
    ports = sum(link.width for link in graph.links if link.link_class == "hosts") // 2
    assert (leaves, spines, up, ports or len(graph.nodes)) == expected


@pytest.mark.parametrize(
    ("preset", "over", "planes", "exact"),
    [
        ("dgx_superpod_like", 1, 1, True),
        ("spectrum_x_like", 1, 1, True),
        ("hpn_like", 16 / 15, 2, False),
    ],
)
def test_presets_have_the_oversubscription_of_their_sources(
    preset: str, over: float, planes: int, *, exact: bool
) -> None:
    """25.6 Tbit/s down and 24 up in a leaf of HPN [Qian et al. 2024]; nothing elsewhere."""
    found = described(machine_of({"preset": preset}))
    leaf, spine = found.tiers
    assert (leaf.name, spine.name, spine.oversubscription) == ("leaf", "spine", None)
    assert leaf.oversubscription == pytest.approx(over)
    assert leaf.oversubscription_max == pytest.approx(over)
    assert (found.rails, found.planes) == (8, planes)
    assert found.bisection is not None
    assert found.bisection.exact == exact
    assert found.bisection_share == (1 if exact else None)
    rates = [str(one.rate) for one in found.cables]
    assert rates == (["400 Gbit/s"] * 2 if exact else ["200 Gbit/s", "400 Gbit/s"])


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"gpus": 8, "rails": 3}, "rails = 3: must divide the GPUs of a server, 8"),
        ({"planes": 2}, "planes = 2: must be 1: needs two leaves_per_rail"),
        ({"servers": 1, "gpus": 1}, "servers = 1: must have at least two GPUs together"),
        ({"leaves_per_rail": 3}, "leaves_per_rail = 3: must be"),
        (
            {"servers": 65_536, "gpus": 64},
            "servers = 65536: must be at most 16384, of 64 GPUs each: "
            "a network has at most 1048576 nodes",
        ),
    ],
)
def test_impossible_sizes_are_named(keys: dict[str, int], message: str) -> None:
    with pytest.raises(UserError) as caught:
        tb.RailOptimised(**keys)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_leaf_fails_by_its_name() -> None:
    topology = tb.RailOptimised(servers=4, gpus=2, spines=2, failed_links=["leaf0.0 to spine1"])
    machine = tb.Machine(topology=topology)
    assert machine.topology.facts.failed_links == ((0, 3),)
    found = described(machine)
    assert found.tiers[0].oversubscription_max == 4
    assert found.bisection is not None
    assert not found.bisection.exact


def test_names_of_servers_are_in_tables_of_a_sweep() -> None:
    keys = tb.RailOptimised(servers=2, gpus=2, leaves_per_rail=2, planes=2)
    assert tb.RailOptimised.labels_by(keys.resolved()) == {
        "node": list(keys.graph.nodes),
        "switch": list(keys.graph.switches),
    }


class Pairs(GraphTopology):
    """Two switches."""

    kind = "pairs"

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield the one edge."""
        yield 0, 1


def test_a_kind_of_a_plugin_may_have_any_routing_of_graphs() -> None:
    machine = tb.Machine(topology=Pairs(), routing=tb.Ecmp())
    assert machine.chosen_routing == tb.Ecmp()


def test_leaves_of_a_plane_are_drawn_together() -> None:
    machine = tb.Machine(topology=tb.RailOptimised(servers=2, gpus=4, leaves_per_rail=2, planes=2))
    where = placed(machine.topology, survey(machine).graph, machine.topology.switch_count)
    first, second = ([where.switches[leaf][0] for leaf in range(j, 8, 2)] for j in range(2))
    assert max(first) < min(second)


def test_interfaces_of_hosts_are_drawn_side_by_side() -> None:
    """With two ports each, and links inside of servers, which are switches with all GPUs."""
    hosts = {"rule": "rail", "inner_rate": "2 Tbit/s"}
    topology = {"servers": 4, "servers_per_segment": 2, "spines": 4}
    machine = machine_of({"preset": "hpn_like", "topology": topology, "hosts": hosts})
    where = placed(machine.topology, survey(machine).graph, machine.topology.facts.switches)
    assert len(set(where.switches)) == machine.topology.facts.switches


def test_describe_says_rails_and_planes(tmp_path: Path) -> None:
    (tmp_path / "rails.toml").write_text(
        '[machine.topology]\nkind = "rail_optimised"\nservers = 4\ngpus = 4\nleaves_per_rail = 2\n'
        "planes = 2\nspines = 1\n",
        encoding="utf-8",
    )
    shown = tailback("describe", "rails.toml", cwd=tmp_path).stdout
    assert (
        "4 hosts with 16 interfaces on 8 leaf and 2 spine switches, oversubscribed 4.00 to 1"
        in " ".join(shown.split())
    )
    rows = [line.split() for line in shown.splitlines()]
    assert ["rails", "4"] in rows
    assert ["planes", "2"] in rows
