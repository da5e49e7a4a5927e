"""What `describe` says of machines with more pairs of nodes than are walked."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import engine, tables
from tailback.prediction import few_sources, lines, loads
from tailback.prediction.wires import by_wire
from tailback.survey import symmetry
from tests.commands import tailback

UNIFORM = {"preset": "uniform_open_loop", "message_size": "1000 B", "compute_period": "1 us"}
ALIKE: dict[str, dict[str, Any]] = {
    "star": {"kind": "star", "nodes": 7},
    "odd torus": {"kind": "torus", "dims": [5, 3]},
    "even torus": {"kind": "torus", "dims": [4, 6]},
    "two in a row": {"kind": "torus", "dims": [2, 4, 3]},
    "ring": {"kind": "torus", "dims": [8]},
    "concentrated": {"kind": "concentrated_torus", "dims": [4, 3], "nodes_per_switch": 2},
    "hypercube": {"kind": "hypercube", "dimensions": 4},
    "fully connected": {"kind": "fully_connected", "switches": 5, "nodes_per_switch": 2},
    "k-ary tree": {"kind": "fat_tree", "arity": 3, "levels": 3},
    "pods": {"kind": "pod_fat_tree", "switch_ports": 6},
    "leaves and spines": {"kind": "xgft", "children": [4, 5], "parents": [2]},
    "uneven tree": {"kind": "xgft", "children": [2, 4, 3], "parents": [2, 3]},
    "hyperx": {"kind": "hyperx", "dims": [3, 4], "nodes_per_switch": 2},
    "wide hyperx": {"kind": "hyperx", "dims": [2, 3, 2], "dimension_widths": [1, 2, 3]},
    "dragonfly": {"kind": "dragonfly", "groups": 9},
    "dragonfly of few groups": {"kind": "dragonfly", "groups": 4, "nodes_per_switch": 4},
    "dragonfly+": {"kind": "dragonfly_plus", "nodes_per_leaf": 4},
    "dragonfly+ of few groups": {
        "kind": "dragonfly_plus",
        "nodes_per_leaf": 6,
        "leaves": 2,
        "spines": 3,
        "groups": 4,
    },
}
#: Those whose packets may go several ways.
TREES = {"k-ary tree", "pods", "leaves and spines", "uneven tree"}


def experiment(topology: dict[str, Any], **machine: Any) -> tb.Experiment:
    return tb.Experiment.from_dict(
        {"machine": {"topology": topology, **machine}, "workload": UNIFORM}
    )


def channels_of(asked: tb.Experiment) -> Any:
    return tables.channel_ends(engine.Simulation(asked.spec()).channels())


@pytest.mark.parametrize("name", ALIKE)
def test_few_sources_say_what_all_do(name: str) -> None:
    asked = experiment(ALIKE[name])
    exact = engine.predict(asked.spec(), 10**6)
    assert exact["exact"]
    assert few_sources.sends_alike(asked)
    same = few_sources.moving_symmetry(asked)
    assert same is not None
    channels = channels_of(asked)
    predicted = few_sources.of_few_sources(asked, channels, same)
    assert predicted.exact
    found = predicted.predicted
    # All pairs are walked by ways that are drawn: sums of alike channels are exact, one is not.
    kinds = same.kinds(channels)
    mean = np.bincount(kinds, exact["channel_load"]) / np.bincount(kinds)
    one_way = name not in TREES
    assert bool(exact["routing_chooses"]) != one_way
    for key, value in exact.items():
        if key.startswith("zero_load") or key in {"mean_hops", "pairs"}:
            assert found[key] == pytest.approx(value), key
    assert found["channel_load_mean_internal"] == pytest.approx(exact["channel_load_mean_internal"])
    if one_way:
        for key in ("channel_load_max", "saturation_messages_per_node_per_ms"):
            assert found[key] == pytest.approx(exact[key]), key
    wires, _ = by_wire(asked, channels, found["channel_load"])
    means, _ = by_wire(asked, channels, mean[kinds])
    assert wires == pytest.approx(means)
    if one_way:
        walked, _ = by_wire(asked, channels, exact["channel_load"])
        assert wires == pytest.approx(walked)


@pytest.mark.parametrize(
    "topology", [{"kind": "torus", "dims": [4, 4]}, {"kind": "mesh", "dims": [3, 3]}]
)
def test_messages_to_the_own_node_load_no_link(topology: dict[str, Any]) -> None:
    workload = UNIFORM | {"processes_per_node": 2}
    machine = {"topology": topology}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    exact, channels = engine.predict(asked.spec(), 10**6), channels_of(asked)
    same = few_sources.moving_symmetry(asked)
    found = (
        lines.of_lines(asked, channels)
        if same is None
        else few_sources.of_few_sources(asked, channels, same)
    )
    assert found.predicted["channel_load_max"] == pytest.approx(exact["channel_load_max"])
    assert found.predicted["mean_hops"] == pytest.approx(exact["mean_hops"])


@pytest.mark.parametrize("routing", ["d_mod_k", "s_mod_k", "nearest_common_ancestor"])
@pytest.mark.parametrize(
    "topology",
    [
        ALIKE["k-ary tree"],
        ALIKE["pods"],
        {"kind": "xgft", "children": [2, 4, 3], "parents": [2, 4]},
    ],
)
def test_ways_by_numbers_load_full_trees_alike(topology: dict[str, Any], routing: str) -> None:
    fixed = {"adaptive": False} if routing == "nearest_common_ancestor" else {}
    asked = experiment(topology, routing={"kind": routing, **fixed})
    exact, channels = engine.predict(asked.spec(), 10**6), channels_of(asked)
    same = few_sources.moving_symmetry(asked)
    assert same is not None
    assert not exact["routing_chooses"]
    found = few_sources.of_few_sources(asked, channels, same).predicted
    assert found["channel_load"] == pytest.approx(exact["channel_load"])


@pytest.mark.parametrize("name", ["even torus", "hypercube", "hyperx"])
def test_any_nearer_way_loads_alike(name: str) -> None:
    asked = experiment(ALIKE[name], routing={"kind": "minimal_adaptive"})
    exact, channels = engine.predict(asked.spec(), 10**6), channels_of(asked)
    same = few_sources.moving_symmetry(asked)
    assert same is not None
    predicted = few_sources.of_few_sources(asked, channels, same)
    assert predicted.exact
    kinds = same.kinds(channels)
    sums = np.bincount(kinds, exact["channel_load"])
    assert np.bincount(kinds, predicted.predicted["channel_load"]) == pytest.approx(sums)
    assert predicted.predicted["mean_hops"] == pytest.approx(exact["mean_hops"])


@pytest.mark.parametrize(
    ("topology", "routing"),
    [
        ({"kind": "torus", "dims": [4, 4]}, {"kind": "up_down"}),
        ({"kind": "hypercube", "dimensions": 4}, {"kind": "west_first"}),
        ({"kind": "hyperx", "dims": [3, 3]}, {"kind": "ecmp"}),
        ({"kind": "hyperx", "dims": [3, 3], "classes_by_distance": True}, None),
        ({"kind": "xgft", "children": [2, 4, 3], "parents": [2, 3]}, {"kind": "d_mod_k"}),
        (
            {"kind": "xgft", "children": [4, 4], "parents": [2]},
            {"kind": "nearest_common_ancestor", "adaptive": False},
        ),
        # Which of two links packets take depends on the numbers of nodes: 3 are not 2.
        ({"kind": "dragonfly", "groups": 5, "nodes_per_switch": 3}, None),
        ({"kind": "torus", "dims": [4, 4], "failed_links": [[0, 1]]}, {"kind": "up_down"}),
        ({"kind": "mesh", "dims": [4, 4]}, None),
    ],
)
def test_routing_that_does_not_move_with_the_network_is_not_taken_for_it(
    topology: dict[str, Any], routing: dict[str, Any] | None
) -> None:
    asked = experiment(topology, **({} if routing is None else {"routing": routing}))
    assert few_sources.moving_symmetry(asked) is None


def test_links_of_a_group_are_told_from_each_other() -> None:
    """Loads of a dragonfly's links differ; each is as loaded as one of the first group's."""
    asked = experiment({"kind": "dragonfly"})
    same = symmetry(asked.machine)
    assert same is not None
    channels = channels_of(asked)
    kinds = same.kinds(channels)
    inside = channels["kind"].to_numpy() == "internal"
    first_group = inside & (channels["from_node"].to_numpy() < 4)
    assert set(kinds[inside]) == set(kinds[first_group])
    load = engine.predict(asked.spec(), 10**6)["channel_load"]
    assert len(np.unique(np.round(load[first_group]))) > 1


@pytest.mark.parametrize("name", ALIKE)
def test_few_switches_say_what_all_do(name: str) -> None:
    asked = experiment(ALIKE[name])
    same, topology = symmetry(asked.machine), json.dumps(asked.machine.topology.spec())
    assert same is not None
    everything = engine.survey(topology, 1, 10**9)
    few = engine.survey(topology, 1, 10**9, 0, same.switches)
    for key, value in everything.items():
        if isinstance(value, int | float | None) and key != "sources":
            assert few[key] == (pytest.approx(value) if isinstance(value, float) else value), key


@pytest.mark.parametrize(
    ("topology", "load_ns", "per_ms"),
    [
        # 1000 B and the header of 8 B at 100 Gbit/s: 80.64 ns. Links of nodes carry it once.
        ({"kind": "star", "nodes": 1500}, 80.64, 12_400.79),
        ({"kind": "hypercube", "dimensions": 11}, 80.64, 12_400.79),
        # A link of a ring of 40 carries 40 / 8 of it, times 1600 / 1599 as no node sends to itself.
        ({"kind": "torus", "dims": [40, 40]}, 80.64 * 5 * 1600 / 1599, 2_478.6),
        ({"kind": "xgft", "children": [32, 32, 4], "parents": [32, 32]}, 80.64, 12_400.79),
        # 3072 of 4095 others are under other spines: over half as many links.
        (
            {"kind": "xgft", "children": [32, 32, 4], "parents": [32, 16]},
            80.64 * 2 * 3072 / 4095,
            12_400.79 / 2 * 4095 / 3072,
        ),
        pytest.param(
            {"kind": "hyperx", "dims": [16, 16], "nodes_per_switch": 8},
            80.64,
            12_400.79,
            marks=pytest.mark.verify,
        ),
        # The 8 nodes of a switch send over a link along x to 8 nodes on each of 64 switches.
        (
            {"kind": "hyperx", "dims": [4, 64], "nodes_per_switch": 8},
            80.64 * 8 * 512 / 2047,
            12_400.79 * 2047 / 4096,
        ),
    ],
)
def test_large_machines_are_described_as_they_are(
    topology: dict[str, Any], load_ns: float, per_ms: float
) -> None:
    found = tb.describe(experiment(topology))
    assert found.load_max_us * 1e3 == pytest.approx(load_ns)
    assert found.saturation_messages_per_node_per_ms == pytest.approx(per_ms, rel=1e-5)
    assert (found.exact, found.load_is_exact) == (True, True)
    loads_us = found.channels["load_us"].to_numpy()
    outside = found.channels["kind"].to_numpy() == "injection"
    assert loads_us[outside] * 1e3 == pytest.approx(np.full(outside.sum(), 80.64))


@pytest.mark.parametrize(
    ("dims", "machine"),
    [
        ([6], {}),
        ([5, 4], {"interface": {"acknowledgements": True}}),
        (
            [3, 4, 2],
            {
                "link": {"width": 2},
                "routing": {"kind": "dimension_order", "order": ["z", "x", "y"]},
            },
        ),
        ([5, 4], {"link_classes": {"y": {"rate": "50 Gbit/s"}}}),
        ([4, 3], {"switch": {"integrated": True, "switching": "store_and_forward"}}),
    ],
)
def test_neighbours_on_a_line_say_what_a_mesh_carries(
    dims: list[int], machine: dict[str, Any]
) -> None:
    asked = experiment({"kind": "mesh", "dims": dims}, **machine)
    exact, channels = engine.predict(asked.spec(), 10**6), channels_of(asked)
    assert lines.is_of_lines(asked)
    found = lines.of_lines(asked, channels)
    assert found.max_exact
    keys = ("channel_load_max", "channel_load_mean_internal", "mean_hops", "channel_load")
    for key in (*keys, "saturation_messages_per_node_per_ms"):
        assert found.predicted[key] == pytest.approx(exact[key]), key
    assert found.predicted["zero_load_data_ps"] == pytest.approx(exact["zero_load_data_ps"], 0.01)


def test_a_large_mesh_is_described_as_it_is() -> None:
    found = tb.describe(experiment({"kind": "mesh", "dims": [46, 46]}))
    # A link in the middle of a line along x: its 23 nodes to the left send to 23 columns of 46, and
    # each node to 2115 others.
    assert found.load_max_us * 1e3 == pytest.approx(80.64 * 23 * 23 * 46 / 2115)
    assert (found.exact, found.load_is_exact) == (False, True)


def test_wires_of_their_own_are_told_apart() -> None:
    """Packets that cross the dateline of a ring leave one virtual channel for another."""
    link = {"sharing": "separate"}
    assert few_sources.moving_symmetry(experiment(ALIKE["odd torus"], link=link)) is None


def test_a_radius_is_kept_to_in_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = {"topology": {"kind": "torus", "dims": [9, 7]}}
    workload = UNIFORM | {"radius": 3}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    exact = engine.predict(asked.spec(), 10**6)
    assert loads._pairs_in_reach(asked) == exact["pairs"]
    monkeypatch.setattr(loads, "PAIRS", 1000)
    monkeypatch.setattr(loads, "_FEW_HOPS", 1000)
    found = tb.describe(asked)
    assert not found.exact
    assert found.mean_hops == pytest.approx(exact["mean_hops"], rel=0.01)
    load = found.channels["load_us"].to_numpy() * 1e6
    assert load == pytest.approx(exact["channel_load"], rel=0.1, abs=2000)
    assert found.load_max_us * 1e6 == pytest.approx(exact["channel_load_max"], rel=0.03)


def test_where_nodes_differ_node_links_are_known_and_others_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = experiment({"kind": "concentrated_mesh", "dims": [6, 6], "nodes_per_switch": 4})
    exact = engine.predict(asked.spec(), 10**6)
    monkeypatch.setattr(loads, "PAIRS", 4000)
    monkeypatch.setattr(loads, "_FEW_HOPS", 4000)
    monkeypatch.setattr(loads, "_DRAWN_HOPS", 1_000_000)
    found = tb.describe(asked)
    assert (found.exact, found.load_is_exact) == (False, False)
    load = found.channels["load_us"].to_numpy()
    outside = found.channels["kind"].to_numpy() != "internal"
    assert load[outside] == pytest.approx(exact["channel_load"][outside] / 1e6)
    # A scaled sample alone says 1.5 times as much.
    assert found.load_max_us == pytest.approx(exact["channel_load_max"] / 1e6, rel=0.05)


@pytest.mark.parametrize(
    "topology",
    [
        {"kind": "slim_fly", "q": 5},
        {"kind": "jellyfish", "switches": 20, "links_per_switch": 4, "nodes_per_switch": 3},
    ],
)
def test_one_node_of_each_switch_stands_for_all_of_it(
    topology: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = experiment(topology, routing={"kind": "hop_classes"})
    exact = tb.describe(asked)
    nodes, switches = exact.nodes, exact.switches
    assert exact.exact
    assert exact.pairs == nodes * (nodes - 1)
    monkeypatch.setattr(loads, "PAIRS", switches**2)
    monkeypatch.setattr(loads, "_FEW_HOPS", 1)
    found = tb.describe(asked)
    assert (found.exact, found.load_is_exact, found.pairs) == (True, True, exact.pairs)
    assert found.mean_hops == pytest.approx(exact.mean_hops)
    assert found.zero_load_data_us == pytest.approx(exact.zero_load_data_us)
    load, same = (p.channels["load_us"].to_numpy() for p in (found, exact))
    assert load == pytest.approx(same)


def test_links_of_a_butterfly_are_loaded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = experiment({"kind": "butterfly", "arity": 4, "stages": 4})
    exact = tb.describe(asked)
    assert exact.load_is_exact
    monkeypatch.setattr(loads, "PAIRS", 4000)
    monkeypatch.setattr(loads, "_FEW_HOPS", 4000)
    monkeypatch.setattr(loads, "_DRAWN_HOPS", 10_000)
    found = tb.describe(asked)
    assert found.load_max_us == pytest.approx(exact.load_max_us, rel=0.01)


def test_loads_of_routes_that_are_drawn_are_estimates(tmp_path: Any) -> None:
    torus = {"kind": "torus", "dims": [4, 4], "failed_links": [[0, 1]]}
    asked = experiment(torus, routing={"kind": "up_down"})
    found = tb.describe(asked)
    assert found.routing.chooses
    assert (found.exact, found.load_is_exact) == (True, False)
    text = """
        [machine]
        topology.kind = "torus"
        topology.dims = [4, 4]
        topology.failed_links = [[0, 1]]
        routing.kind = "up_down"
        [workload]
        preset = "uniform_open_loop"
        """
    (tmp_path / "failed.toml").write_text(text)
    done = tailback("describe", "failed.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "most loaded channel (estimate)" in done.stdout
    assert "an estimate from drawn routes" in done.stdout


def test_where_no_route_is_drawn_loads_of_networks_with_failed_links_are_exact() -> None:
    torus = {"kind": "torus", "dims": [4, 4], "failed_links": [[0, 1]]}
    found = tb.describe(experiment(torus, routing={"kind": "hop_classes"}))
    assert not found.routing.chooses
    assert (found.exact, found.load_is_exact) == (True, True)


def test_drawn_routes_do_not_matter_where_the_link_of_a_node_is_loaded_most() -> None:
    topology = {"kind": "fat_tree", "arity": 3, "levels": 2}
    found = tb.describe(experiment(topology))
    assert found.routing.chooses
    assert found.load_is_exact


def test_symmetry_makes_loads_of_drawn_routes_exact() -> None:
    """All links of a torus with sides alike are loaded alike."""
    asked = experiment({"kind": "torus", "dims": [9, 9]}, routing={"kind": "minimal_adaptive"})
    found = tb.describe(asked)
    assert found.routing.chooses
    assert (found.exact, found.load_is_exact) == (True, True)
    loads_us = by_wire(asked, channels_of(asked), found.channels["load_us"].to_numpy())
    internal = loads_us[0][loads_us[1] == "internal"]
    assert internal == pytest.approx(np.full(len(internal), internal[0]))


def test_the_terminal_says_what_is_an_estimate(tmp_path: Any) -> None:
    (tmp_path / "m.toml").write_text(
        """
        [machine]
        topology.kind = "concentrated_mesh"
        topology.dims = [23, 23]
        topology.nodes_per_switch = 4
        [workload]
        preset = "uniform_open_loop"
        compute_period = "1 us"
        """
    )
    done = tailback("describe", "m.toml", cwd=tmp_path)
    assert "most loaded channel (estimate)" in done.stdout
    assert "predicted saturation (estimate), messages per node and ms" in done.stdout
    assert "Most loaded channels, an estimate from two samples" in done.stdout


def _few(monkeypatch: pytest.MonkeyPatch, asked: tb.Experiment) -> tb.Prediction:
    """Return what is predicted if the pairs of nodes are too many to be walked."""
    monkeypatch.setattr(loads, "PAIRS", 1)
    monkeypatch.setattr(loads, "_FEW_HOPS", 1)
    return tb.describe(asked)


@pytest.mark.parametrize("q", [4, 5, 7, 9])
def test_two_switches_stand_for_all_of_a_slim_fly(q: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = experiment({"kind": "slim_fly", "q": q, "nodes_per_switch": 2})
    exact = tb.describe(asked)
    found = _few(monkeypatch, asked)
    assert not found.exact
    assert found.mean_hops == pytest.approx(exact.mean_hops)
    assert found.load_mean_internal_us == pytest.approx(exact.load_mean_internal_us)
    # Of several shortest paths routing takes one, by the lowest port.
    load, same = (p.channels["load_us"].to_numpy() for p in (found, exact))
    assert load.max() == pytest.approx(same.max(), rel=0.07)


@pytest.mark.parametrize("dual", [False, True])
@pytest.mark.parametrize("routing", ["spray", "ecmp"])
def test_one_interface_stands_for_all_of_a_cluster_with_rails(
    dual: bool, routing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 2 : 1 leaves the uplinks carry twice what a node sends: 80.64 ns for 1000 B, 7/8 of it."""
    doubled = {"leaves_per_rail": 2, "planes": 2} if dual else {}
    topology = {"kind": "rail_optimised", "servers": 32, "gpus": 4, "servers_per_segment": 8}
    asked = experiment({**topology, "spines": 4, **doubled}, routing={"kind": routing})
    exact = tb.describe(asked)
    found = _few(monkeypatch, asked)
    assert found.exact == (routing == "spray")
    assert found.mean_hops == pytest.approx(exact.mean_hops)
    assert found.load_mean_internal_us == pytest.approx(exact.load_mean_internal_us)
    wires, kinds = by_wire(asked, found.channels, found.channels["load_us"].to_numpy())
    walked, _ = by_wire(asked, exact.channels, exact.channels["load_us"].to_numpy())
    inside = kinds == "internal"
    # A hash of few pairs is uneven; on average it is not.
    assert walked[inside].mean() == pytest.approx(wires[inside].mean())
    assert walked[inside] == pytest.approx(wires[inside], rel=0.05 if routing == "spray" else 0.5)
    if not dual:
        assert wires[inside] == pytest.approx(120 / 127 * 2 * 0.08064)


@pytest.mark.parametrize("nodes", [1, 3])
def test_shortest_paths_of_a_random_graph_are_followed_together(
    nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"switches": 150, "links_per_switch": 5, "nodes_per_switch": nodes}
    asked = experiment({"kind": "jellyfish", **keys})
    walked = tb.describe(asked)
    found = _few(monkeypatch, asked)
    assert (found.exact, found.load_is_exact, found.pairs) == (True, True, walked.pairs)
    assert found.mean_hops == pytest.approx(walked.mean_hops)
    assert found.load_mean_internal_us == pytest.approx(walked.load_mean_internal_us)
    load, same = (
        by_wire(asked, p.channels, p.channels["load_us"].to_numpy())[0] for p in (found, walked)
    )
    # Walked are some of the paths of each pair, drawn at random.
    assert load == pytest.approx(same, rel=0.2)
    assert np.abs(load / same - 1).mean() < 0.03


def test_a_random_graph_spreads_packets_over_all_shortest_paths() -> None:
    """By the lowest port some links would be loaded nearly three times as much as by all paths."""
    keys = {"switches": 100, "links_per_switch": 12, "nodes_per_switch": 6}
    asked = experiment({"kind": "jellyfish", **keys})
    by_port = experiment({"kind": "jellyfish", **keys}, routing={"kind": "hop_classes"})
    assert asked.machine.routing is None or asked.machine.routing.kind == "spray"
    assert tb.describe(by_port).load_max_us > 2.5 * tb.describe(asked).load_max_us
