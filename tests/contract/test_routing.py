"""Every routing on every topology that may have it, through the engine; and what is refused."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.comparison import compare
from tailback.errors import CircleError, UserError
from tailback.machines import TOPOLOGIES
from tests.commands import tailback
from tests.machines import t9000

CAMPUS = Path(__file__).parents[2] / "examples" / "campus.graphml"
SMALL: dict[str, dict[str, Any]] = {
    **{kind: {} for kind in TOPOLOGIES},
    "mesh": {"dims": [4, 3]},
    "torus": {"dims": [4, 4]},
    "hypercube": {"dimensions": 4},
    "fat_tree": {"arity": 2, "levels": 3},
    "butterfly": {"arity": 2, "stages": 3},
    "tree": {"fan_out": 3, "depth": 3, "nodes_per_switch": 2},
    "fully_connected": {"switches": 5, "nodes_per_switch": 2},
    "dragonfly": {},
    "concentrated_mesh": {"dims": [3, 2], "nodes_per_switch": 2},
    "concentrated_torus": {"dims": [4, 3], "nodes_per_switch": 2},
    "slim_fly": {"nodes_per_switch": 2},
    "hyperx": {"dims": [3, 3], "nodes_per_switch": 2},
    "xgft": {"children": [3, 2, 2], "oversubscription": [3, 1]},
    "islands": {"islands": 3, "accelerators": 4, "rails": 2},
    "rail_optimised": {"servers": 2, "gpus": 4, "leaves_per_rail": 2, "spines": 2},
    "graph": {"file": str(CAMPUS)},
}
#: Shortest paths by the lowest port, which go round in cycles there.
CIRCLES = {("torus", "shortest"), ("dragonfly", "shortest")}
OUT_OF_BAND = {"flow_control": "out_of_band"}
#: Parts of machines whose nodes are their own switches, for routings that only these have.
_STORED = {"integrated": True, "switching": "store_and_forward"}
_INTERFACE = {"acknowledgements": False}
INTEGRATED: dict[str, dict[str, Any]] = {
    "profitable": {"switch": _STORED, "interface": {"unit": "message", **_INTERFACE}},
    "first_hop": {"switch": _STORED, "interface": {"window": "unlimited", **_INTERFACE}},
}


PAIR = ("full", "throttled")
ALL = (*PAIR, "endpoints", "free")


def _cases() -> Iterator[object]:
    """Yield topologies and routings, with one flow control in two modes; to verify, the other too.

    What is verified is run in all modes that cost compares.
    """
    for i, (topology, kind) in enumerate(TOPOLOGIES.items()):
        for j, routing in enumerate(kind.routings):
            if routing not in ("table", "source_routes", *INTEGRATED):
                for k, flow_control in enumerate(("in_band", "out_of_band")):
                    is_other = (i + j + k) % 2
                    marks, modes = ([pytest.mark.verify], ALL) if is_other else ([], PAIR)
                    case = f"{topology}-{routing}-{flow_control}"
                    yield pytest.param(topology, routing, flow_control, modes, marks=marks, id=case)


@cache
def _messages(nodes: int, count: int = 150) -> tb.Messages:
    """Return messages between random nodes, so many at once that they are in each other's way."""
    draw = random.Random(5)
    rows = []
    for _ in range(count):
        source = draw.randrange(nodes)
        destination = (source + draw.randrange(1, nodes)) % nodes
        rows.append([f"{draw.randrange(20_000)} ns", source, destination, "40 B"])
    return tb.Messages(messages=rows)


def _check(machine: tb.Machine, modes: tuple[str, ...] = ALL, **run: Any) -> None:
    """Run until all messages are there, and compare with the network without contention."""
    # Where queues at the ends hold packets back, `endpoints` may route them for longer than `full`.
    asked = tb.Run(**{"baseline": "throttled", **run})
    experiment = tb.Experiment(machine, _messages(machine.nodes), asked)
    cost = compare(experiment, modes, packets=True)
    assert set(cost.modes) == set(modes)
    for result in cost.modes.values():
        assert result.ending.stop_reason == "finished"
        packets = result.packets
        assert packets is not None
        # Two packets for 40 B, each with an acknowledgement.
        assert packets.num_rows == 150 * 2 * 2
    assert 0 < cost.theta_t.value <= 1


@pytest.mark.parametrize(("topology", "routing", "flow_control", "modes"), list(_cases()))
def test_all_packets_arrive(
    topology: str, routing: str, flow_control: str, modes: tuple[str, ...]
) -> None:
    """What is not free of deadlock by its own argument may be refused, with the cycle."""
    link = {"flow_control": flow_control}
    machine = t9000(topology, **SMALL[topology], routing={"kind": routing}, link=link)
    assert machine.routing is not None
    is_free = machine.routing.facts(machine.topology).is_known_free
    with nullcontext() if is_free else suppress(CircleError):
        _check(machine, modes)


def _integrated() -> Iterator[tuple[str, str]]:
    for topology, kind in TOPOLOGIES.items():
        for routing in kind.routings:
            if routing in INTEGRATED:
                yield topology, routing


@pytest.mark.parametrize(("topology", "routing"), list(_integrated()))
def test_all_packets_arrive_where_nodes_are_switches(topology: str, routing: str) -> None:
    keys = {**SMALL[topology], **INTEGRATED[routing], "routing": {"kind": routing}}
    link = {"flow_control": "out_of_band", "end_token": False}
    machine = t9000(topology, **keys, link=link)
    for result in tb.cost(machine, _messages(machine.nodes)).modes.values():
        assert result.ending.stop_reason == "finished"
        assert sum(result.nodes["messages_delivered"].to_pylist()) == 150


@pytest.mark.parametrize(("topology", "routing"), sorted(CIRCLES))
def test_what_can_deadlock_is_refused(topology: str, routing: str) -> None:
    machine = t9000(topology, **SMALL[topology], routing={"kind": routing})
    with pytest.raises(CircleError, match="can deadlock") as caught:
        tb.describe(machine, _messages(machine.nodes))
    assert "\n" not in str(caught.value)
    ends = [(held["from"], held["to"]) for held in caught.value.circle]
    assert [to for _, to in ends] == [from_ for from_, _ in [*ends[1:], ends[0]]]


CHANNELS: list[dict[str, Any]] = [
    {"switch": {"virtual_channels": 4}},
    {"switch": {"virtual_channels": 4}, "routing": {"balanced": True}},
    {"switch": {"virtual_channels": 3}, "link": {"sharing": "until_stall", **OUT_OF_BAND}},
    {"switch": {"virtual_channels": 4}, "link": {"sharing": "separate", **OUT_OF_BAND}},
    {
        "routing": {"kind": "minimal_adaptive", "selection": "most_credit"},
        "switch": {"virtual_channels": 5},
        "link": OUT_OF_BAND,
    },
    {"routing": {"kind": "minimal_adaptive", "selection": "fewest_waiting"}},
    {"routing": {"kind": "valiant", "order": ["y", "x"]}, "link": OUT_OF_BAND},
    {"routing": {"kind": "up_down", "root": 5, "adaptive": False}},
    {"routing": {"kind": "chaos", "selection": "first"}},
]


@pytest.mark.parametrize("keys", CHANNELS)
def test_every_key_of_channels_is_simulated(keys: dict[str, Any]) -> None:
    _check(t9000("torus", dims=[4, 4], **keys))


@pytest.mark.parametrize("fidelity", ["worm", "flit", "packet"])
def test_separate_wires_suit_every_fidelity(fidelity: str) -> None:
    link = {"sharing": "separate", **OUT_OF_BAND}
    _check(t9000("torus", dims=[4, 4], link=link), fidelity=fidelity)


def _x_first(at: int, to: int) -> int:
    """Return the next switch on a 4 x 3 mesh, x first."""
    (x, y), (to_x, to_y) = (at % 4, at // 4), (to % 4, to // 4)
    if x != to_x:
        return at + (1 if x < to_x else -1)
    return at + (4 if y < to_y else -4)


def _table() -> str:
    pairs = [(at, to) for at in range(12) for to in range(12) if at != to]
    rows = [f"{at},{to},{_x_first(at, to)}" for at, to in pairs]
    return "\n".join(["switch,destination,next_switch", *rows])


def _routes() -> str:
    rows = ["source,destination,hops"]
    for source in range(12):
        for to in range(12):
            way = [source]
            while way[-1] != to:
                way.append(_x_first(way[-1], to))
            if source != to:
                rows.append(",".join(map(str, [source, to, *way[1:]])))
    return "\n".join(rows)


@pytest.mark.parametrize(("routing", "text"), [("table", _table()), ("source_routes", _routes())])
def test_written_routes_are_those_of_dimension_order(
    tmp_path: Path, routing: str, text: str
) -> None:
    (tmp_path / "routes.csv").write_text(text, encoding="utf-8")
    file = str(tmp_path / "routes.csv")
    written = t9000("mesh", dims=[4, 3], routing={"kind": routing, "file": file})
    results = [
        tb.run(machine, _messages(12), packets=True).packets
        for machine in (written, t9000("mesh", dims=[4, 3]))
    ]
    assert results[0] is not None
    assert results[0] == results[1]
    assert tb.describe(written, _messages(12)).to_dict()["routing"]["free_of_deadlock_by"] == (
        "search"
    )


WRONG: list[tuple[str, str, str]] = [
    (
        "table",
        _table().replace("5,11,6", "5,11,7"),
        "routing table: node 4 to node 11: switch 5 has no link to switch 7",
    ),
    (
        "table",
        _table().replace("\n5,11,6", ""),
        "routing table: node 5 to node 11: switch 5 has no hop for it, and a message needs it",
    ),
    (
        "table",
        _table().replace("6,11,7", "6,11,5"),
        "routing table: node 4 to node 11: comes to switch 5 again",
    ),
    (
        "source_routes",
        _routes().replace("\n0,11,1,2,3,7,11", "\n0,11,1,2,3,7"),
        "source routes: node 0 to node 11: ends at switch 7, not at switch 11",
    ),
    (
        "source_routes",
        _routes().replace("\n0,11,1,2,3,7,11", ""),
        "source routes: node 0 to node 11: is missing",
    ),
]


@pytest.mark.parametrize(("routing", "text", "expected"), WRONG)
def test_the_first_wrong_route_is_named(
    tmp_path: Path, routing: str, text: str, expected: str
) -> None:
    (tmp_path / "routes.csv").write_text(text, encoding="utf-8")
    (tmp_path / "x.toml").write_text(
        '[machine]\npreset = "t9000_c104"\ntopology.dims = [4, 3]\n'
        f'routing.kind = "{routing}"\nrouting.file = "routes.csv"\n'
        "[workload]\nradius = 2\n",
        encoding="utf-8",
    )
    with pytest.raises(UserError) as caught:
        tb.describe(tmp_path / "x.toml")
    assert str(caught.value) == f"machine.routing.kind = {expected}"


def _tailback(*arguments: str) -> subprocess.CompletedProcess[str]:
    return tailback(*arguments, env={"COLUMNS": "100", "NO_COLOR": "1"})


@pytest.fixture
def torus(tmp_path: Path) -> str:
    file = tmp_path / "torus.toml"
    file.write_text(
        '[machine]\npreset = "t9000_c104"\ntopology.kind = "torus"\ntopology.dims = [4, 4]\n'
        "switch.virtual_channels = 1\n"
        '[workload]\nsync = "asynchronous"\ncompute_period = "1 us"\n'
        '[run]\nduration = "2 ms"\n',
        encoding="utf-8",
    )
    return str(file)


class TestDeadlock:
    @pytest.mark.parametrize("command", ["run", "cost", "describe", "saturate"])
    def test_is_refused_with_the_circle(self, torus: str, command: str) -> None:
        done = _tailback(command, torus)
        assert done.returncode == 2
        first, title, *rows = done.stderr.splitlines()
        assert first.startswith('error: machine.routing.kind = "dimension_order": can deadlock: ')
        assert first.endswith("; needs 2 virtual channels, or allow_deadlock = true")
        assert title.strip() == "Channels that wait for each other"
        assert "(0, 0) to (3, 0)" in rows[2]
        assert len(rows) == 2 + 4

    def test_is_refused_in_json(self, torus: str) -> None:
        done = _tailback("run", torus, "--json")
        assert done.returncode == 2
        answer = json.loads(done.stdout)
        assert answer["error"] == "can deadlock"
        assert answer["circle"][0] == {
            "from": 0,
            "to": 3,
            "class": 0,
            "source": 0,
            "destination": 6,
            "channel": "(0, 0) to (3, 0)",
            "packet": "(0, 0) to (2, 1)",
        }

    def test_long_circles_are_counted_in_the_line(self, torus: str) -> None:
        done = _tailback("describe", torus, "--set", "machine.topology.dims=[8, 8]")
        assert done.stderr.splitlines()[0] == (
            'error: machine.routing.kind = "dimension_order": can deadlock: 8 channels wait for '
            "each other in a cycle; needs 2 virtual channels, or allow_deadlock = true"
        )

    def test_happens_where_it_is_allowed(self, torus: str) -> None:
        done = _tailback("run", torus, "--allow-deadlock")
        assert done.returncode == 3
        assert done.stderr.startswith("error: deadlock at ")
        assert "Packets that wait for each other" in done.stderr
        assert "holds (" in done.stderr.splitlines()[0]

    def test_happens_in_json(self, torus: str) -> None:
        done = _tailback("cost", torus, "--allow-deadlock", "--json")
        assert done.returncode == 3
        answer = json.loads(done.stdout)
        assert answer["error"] == "deadlock"
        circle = answer["circle"]
        assert len(circle) > 2
        following = [*circle[1:], circle[0]]
        for blocked, other in zip(circle, following, strict=True):
            assert blocked["waits_for"] in other["holds"]
            assert blocked["waits_for"]["name"].startswith("(")

    def test_is_allowed_in_sweeps(self, torus: str, tmp_path: Path) -> None:
        out = str(tmp_path / "out")
        assert _tailback("sweep", torus, "--out", out, "--jobs", "1").returncode in (2, 3)
        done = _tailback("sweep", torus, "--out", f"{out}2", "--jobs", "1", "--allow-deadlock")
        assert done.returncode == 3
        assert "1 failed" in done.stdout

    def test_two_channels_are_enough(self, torus: str) -> None:
        done = _tailback("describe", torus, "--set", "machine.switch.virtual_channels=2", "--json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["routing"] == {
            "virtual_channels_per_class": [1, 1],
            "chooses": False,
            "free_of_deadlock_by": "argument",
            "ways_per_pair": 1,
        }


def test_a_packet_that_goes_too_far_is_a_livelock(torus: str) -> None:
    changes = ["--set", "machine.switch.virtual_channels=2", "--set", "machine.routing.hop_limit=4"]
    done = _tailback("run", torus, *changes, "--json")
    assert done.returncode == 3
    assert "livelock at " in done.stderr
    assert "has crossed more than 4 channels" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["error"] == "livelock"
    assert answer["at_ns"] > 0


def test_describe_says_how_packets_are_routed(torus: str) -> None:
    adaptive = [
        "--set",
        "machine.switch.virtual_channels=4",
        "--set",
        "machine.routing.kind=adaptive",
    ]
    words = _tailback("describe", torus, *adaptive).stdout
    for expected in (
        "4 (1 + 1 + 2, by class)",
        "round_robin",
        "free, by the algorithm's own argument",
        "channels that are alike by symmetry",
    ):
        assert expected in words
    mesh = [*adaptive, "--set", "machine.topology.kind=mesh"]
    assert (
        "up to 64 routes of each packet, drawn at random"
        in _tailback("describe", torus, *mesh).stdout
    )
    assert "allowed, not searched for" in _tailback("describe", torus, "--allow-deadlock").stdout
