"""Configurations of BookSim2 become experiments, or are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tailback.engine import Simulation
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.importing import read_booksim
from tests.commands import tailback

MESH = """
// A mesh of 8 x 8.
topology = mesh;  k = 8; n = 2;
routing_function = dor;
num_vcs = 4; vc_buf_size = 4; credit_delay = 2;
traffic = transpose; packet_size = 5;
injection_rate_uses_flits = 1; injection_rate = 0.2;
alloc_iters = 3; arb_type = matrix;
"""


def _read(tmp_path: Path, text: str, *changes: str) -> Any:
    file = tmp_path / "config"
    file.write_text(text)
    return read_booksim(file, changes)


def _refusal(tmp_path: Path, text: str, *changes: str) -> str:
    with pytest.raises(UserError) as caught:
        _read(tmp_path, text, *changes)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_mesh_becomes_an_experiment(tmp_path: Path) -> None:
    found = _read(tmp_path, MESH)
    spec = json.loads(Experiment.from_dict(found.experiment).spec("full"))
    machine, workload = spec["machine"], spec["workload"]
    assert machine["topology"] == {"kind": "mesh", "dims": [8, 8]}
    assert machine["link"]["credit_delay_ps"] == 2000
    assert machine["switch"]["input_buffer_flits"] == 4
    assert machine["switch"]["pipeline"]["allocator"] == "islip"
    assert machine["switch"]["pipeline"]["iterations"] == 1
    assert machine["interface"]["local"] == "switch"
    # 5 flits, the first the header; 0.2 flits in a cycle: a packet in 25 of them.
    assert workload["bytes"]["mean"] == 4 * 8
    assert workload["compute"]["mean"] == 25_000
    assert workload["includes_self"] is True
    assert found.without_effect == ["alloc_iters", "arb_type"]
    assert found.taken["num_vcs"] == "4"
    assert found.assumed["routing_delay"] == "1"
    # Of what is assumed, what differs among versions is said.
    assert any("warmup_periods" in note for note in found.notes)
    assert not any("credit_delay" in note for note in found.notes)


def test_what_is_printed_is_an_experiment(tmp_path: Path) -> None:
    found = _read(tmp_path, MESH, "packet_size={{1,5}}", "packet_size_rate={{3,1}}")
    file = tmp_path / "mesh.toml"
    file.write_text(found.toml())
    mix = json.loads(Experiment.load(file).spec("full"))["workload"]["mix"]
    assert mix == [{"bytes": 0, "weight": 3}, {"bytes": 32, "weight": 1}]
    # (3 · 1 + 5) / 4 flits on average, 0.2 in a cycle.
    assert json.loads(Experiment.load(file).spec("full"))["workload"]["compute"]["mean"] == 10_000


@pytest.mark.parametrize(
    ("changes", "key", "value"),
    [
        (["sw_allocator=islip(2)", "vc_allocator=islip(2)"], "iterations", 2),
        (["sw_allocator=max_size"], "allocator", "maximum_size"),
        (["st_prepare_delay=1"], "traversal_cycles", 2),
        (["routing_delay=0"], "route_cycles", 0),
        (["speculative=1"], "speculative", True),
        (["wait_for_tail_credit=1"], "atomic", True),
        (["internal_speedup=2.0"], "internal_speedup", 2),
        (["output_buffer_size=3"], "output_buffer_flits", 3),
        (["buffer_policy=shared"], "shared_buffer_flits", 12),
        (["buffer_policy=shared", "buf_size=9"], "shared_buffer_flits", 5),
        (["buffer_policy=shared", "private_buf_size=3"], "shared_buffer_flits", 4),
    ],
)
def test_routers(tmp_path: Path, changes: list[str], key: str, value: object) -> None:
    found = _read(tmp_path, MESH, *changes)
    spec = json.loads(Experiment.from_dict(found.experiment).spec("full"))
    assert spec["machine"]["switch"]["pipeline"][key] == value


@pytest.mark.parametrize(
    ("changes", "own"),
    [
        ("buf_size=22", 5),
        ("buf_size=0", 4),
        ("buffer_policy=shared", 1),
        ("buffer_policy=shared private_buf_size=2 private_bufs=4", 2),
        ("buffer_policy=shared private_buf_size=-1 buf_size=13", 3),
    ],
)
def test_buffers(tmp_path: Path, changes: str, own: int) -> None:
    found = _read(tmp_path, MESH, *changes.split())
    spec = json.loads(Experiment.from_dict(found.experiment).spec("full"))
    assert spec["machine"]["switch"]["input_buffer_flits"] == own


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("buf_size=3", 'buf_size on the command line = "3": must be at least num_vcs, 4'),
        ("buffer_policy=dynamic", 'buffer_policy on the command line = "dynamic": cannot be done'),
        (
            "buffer_policy=shared private_bufs=2",
            'private_bufs on the command line = "2": cannot be done; must be num_vcs',
        ),
        (
            "buffer_policy=shared private_buf_size=0",
            'private_buf_size on the command line = "0": must be at least 1',
        ),
        (
            "buffer_policy=shared private_buf_size=5",
            '= "5": times num_vcs, 4, must be at most buf_size, 16',
        ),
    ],
)
def test_buffers_that_cannot_be_done(tmp_path: Path, changes: str, said: str) -> None:
    assert said in _refusal(tmp_path, MESH, *changes.split())


@pytest.mark.parametrize(
    ("changes", "kind", "algorithm"),
    [
        (
            [
                "topology=flatfly",
                "routing_function=ugal",
                "k=4",
                "c=4",
                "x=4",
                "y=4",
                "xr=2",
                "yr=2",
                "traffic=uniform",
            ],
            "hyperx",
            "ugal_l",
        ),
        (["topology=torus", "routing_function=dim_order"], "torus", "dimension_order_by_wrapping"),
        (["topology=fattree", "routing_function=nca", "n=3", "k=4"], "fat_tree", "random_ancestor"),
        (
            [
                "topology=dragonflynew",
                "routing_function=min",
                "k=2",
                "n=1",
                "num_vcs=2",
                "traffic=uniform",
            ],
            "dragonfly",
            "minimal_by_crossing",
        ),
    ],
)
def test_networks(tmp_path: Path, changes: list[str], kind: str, algorithm: str) -> None:
    found = _read(tmp_path, MESH, *changes)
    machine = json.loads(Experiment.from_dict(found.experiment).spec("full"))["machine"]
    assert machine["topology"]["kind"] == kind
    assert machine["routing"]["algorithm"]["kind"] == algorithm


def test_rows_of_a_flattened_butterfly_send_to_columns(tmp_path: Path) -> None:
    fly = ["topology=flatfly", "routing_function=ran_min", "k=2", "c=4", "x=2", "y=2"]
    found = _read(tmp_path, MESH, *fly, "xr=2", "yr=2", "traffic=badperm_yarc")
    # A grid of 4 x 4 nodes; that at (1, 0) is node 1 of router 0 and sends to those at x = 0:
    # nodes 0 and 2 of the routers 0 and 2.
    assert sorted(found.matrix[1]) == [0, 2, 8, 10]
    # That at (0, 3) is node 2 of router 2 and sends to those at x = 3.
    assert sorted(found.matrix[10]) == [5, 7, 13, 15]
    assert found.experiment["machine"]["link_classes"]["x_1"] == {"delay": "2 cycles"}


def test_routers_with_a_clock_weigh_ways_against_each_other(tmp_path: Path) -> None:
    fly = "topology=flatfly routing_function=ugal k=4 c=4 x=4 y=4 xr=2 yr=2 traffic=badperm_yarc"
    light = "packet_size=1 injection_rate=0.15 routing_delay=0 speculative=1 vc_buf_size=16"
    found = _read(tmp_path, MESH, *fly.split(), *light.split())
    file = tmp_path / "fly.toml"
    file.write_text(found.toml())
    (tmp_path / "traffic.csv").write_text(found.matrix_csv())
    simulation = Simulation(Experiment.load(file).spec("full"))
    simulation.advance(2_000_000, 1 << 62)
    counters = simulation.counters()
    # BookSim2 measured 2.84 routers on average; directly it is 2.5. Links are one more.
    hops = counters["hops_data"] / counters["packets_delivered_data"] - 1
    assert 2.75 < hops < 2.9


def test_an_older_name_of_packet_size(tmp_path: Path) -> None:
    text = MESH.replace("packet_size = 5", "const_flits_per_packet = 3")
    assert _read(tmp_path, text).lengths == ([3], [1])


def test_traffic_by_weights_is_a_file(tmp_path: Path) -> None:
    configuration = tmp_path / "config"
    configuration.write_text(MESH)
    hot = ["traffic=hotspot", "hotspot_nodes={{1,9}}", "hotspot_rates={{1,3}}"]
    refused = tailback("import", "booksim", configuration, *hot)
    assert refused.returncode == 2
    assert "--out" in refused.stderr
    out = tmp_path / "hot.toml"
    told = tailback("import", "booksim", configuration, *hot, "--out", out)
    assert told.returncode == 0, told.stderr
    rows = (tmp_path / "hot.traffic.csv").read_text().splitlines()
    assert rows[:3] == ["source,destination,weight", "0,1,1", "0,9,3"]
    Experiment.load(out).spec("full")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("topology mesh;", 'line 1 = "topology mesh;": must be a statement, such as k = 8;'),
        ("k = 8\nn = 2;", "must end with a semicolon before the next key"),
        ("k = 8;\nn = 2", 'line 2 = "n = 2": must end with a semicolon'),
        ("\n\nk = ;", "k in line 3: must have a value"),
        ("packet_size = {{1,5};", 'packet_size in line 1 = "{{1,5}": must close its braces'),
        ("// nothing", "has no statements"),
        ("num_vc = 3;", "num_vc in line 1: is no key that is known; did you mean num_vcs?"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in _refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "topology=anynet",
            "cannot be done; must be mesh, torus, fattree, flatfly or dragonflynew",
        ),
        ("routing_function=romm", "cannot be done; must be dor or dim_order"),
        (
            "routing_function=min_adapt",
            "cannot be done: who takes the way out stays on it, unlike with minimal_adaptive; must "
            "be dor or dim_order",
        ),
        ("sw_allocator=pim", "cannot be done; must be islip"),
        ("priority=age", "cannot be done; must be none"),
        ("vc_alloc_delay=2", "cannot be done; must be 1"),
        ("internal_speedup=1.5", "cannot be done; must be a whole number"),
        ("k=many", "must be a whole number, 2 to 1024"),
        ("packet_size={{0}}", "must be 1 to 65536 flits"),
        ("packet_size={{2},{3}}", "traffic classes cannot be done"),
        ("injection_rate=0", "must be a number above 0"),
        ("traffic=tornado(2)", "must be a word"),
        ("traffic=bad_dragon", "cannot be done"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, change: str, expected: str) -> None:
    refused = _refusal(tmp_path, MESH, change)
    assert expected in refused
    assert change.partition("=")[0] in refused


def test_an_odd_torus_can_deadlock(tmp_path: Path) -> None:
    torus = ["topology=torus", "routing_function=dim_order", "num_vcs=3"]
    assert "num_vcs" in _refusal(tmp_path, MESH, *torus)
