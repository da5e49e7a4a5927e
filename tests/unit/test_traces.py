"""Programs from traces: placed, run and refused."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.answers import of_run
from tailback.conversion import convert
from tailback.errors import RunFailure, UserError
from tailback.experiment import Experiment
from tailback.workloads.placement import Placement, Placing

PAIR = "num_ranks 2\nrank 0 {{\n{}\n}}\nrank 1 {{\n{}\n}}\n"


def experiment(path: Path, text: str, **workload: Any) -> Experiment:
    """Return a small machine on which a trace of this text runs."""
    path.write_text(text)
    return Experiment.from_dict(
        {
            "machine": {"topology": {"kind": "mesh", "dims": [2, 2]}},
            "workload": {"kind": "trace", "file": str(path), **workload},
        }
    )


@pytest.fixture
def goal(tmp_path: Path) -> Path:
    return tmp_path / "a.goal"


def test_a_program_runs_in_every_mode(goal: Path) -> None:
    text = PAIR.format("a: calc 5000\nb: send 1000b to 1\nb requires a", "recv 1000b from 0")
    made = experiment(goal, text)
    assert made.finite
    results = {mode: tb.run(made, mode=mode) for mode in ("full", "free", "ideal")}
    counted = {mode: result["completion_us"].value for mode, result in results.items()}
    assert counted["ideal"] == 5.0 < counted["free"] == counted["full"] < 6.0


def test_computing_is_scaled_and_ranks_share_nodes(goal: Path) -> None:
    text = PAIR.format("a: calc 5000\nb: send 1000b to 1\nb requires a", "recv 1000b from 0")
    changed = {
        "compute_scale": 2.0,
        "speed_factors": [4.0, 1.0],
        "ranks_per_node": 2,
        "memory_latency": "100 ns",
        "memory_rate": "10 GB/s",
    }
    result = tb.run(experiment(goal, text, **changed))
    assert result["completion_us"].value == pytest.approx(2.5 + 0.1 + 0.1)


def test_long_messages_wait_for_their_receiver(goal: Path) -> None:
    text = PAIR.format("send 5000b to 1", "a: calc 9000\nb: recv 5000b from 0\nb requires a")
    times = [
        tb.run(experiment(goal, text, eager_limit=limit))["completion_us"].value
        for limit in ("5 kB", "4999 B")
    ]
    assert times[0] == 9.0 < times[1]


@pytest.mark.parametrize(
    ("texts", "kind", "told"),
    [
        (
            ("send 64b to 1 tag 7\nsend 64b to 1 tag 7", "calc 1"),
            "messages left",
            "rank 1: 2 messages from rank 0, tag 7, 64 B that nobody received",
        ),
        (("calc 1", "recv 64b from 0 tag 3"), "deadlock", "a message from rank 0, tag 3"),
        (
            (
                "a: send 9b to 1\nb: recv 9b from 1\nb requires a",
                "a: send 9b to 0\nb: recv 9b from 0\nb requires a",
            ),
            "deadlock",
            "deadlock of rendezvous sends at",
        ),
    ],
)
def test_what_never_ends_is_told(goal: Path, texts: tuple[str, str], kind: str, told: str) -> None:
    with pytest.raises(RunFailure) as failure:
        tb.run(
            experiment(
                goal, PAIR.format(*texts), eager_limit="0 B" if kind == "deadlock" else "1 kB"
            )
        )
    assert failure.value.kind == kind
    assert told in str(failure.value)


@pytest.mark.parametrize(
    ("text", "keys", "told"),
    [
        ("num_ranks 1\nrank 0 {\nclac 5\n}\n", {}, "a.goal: line 3: "),
        ("nothing", {}, "a.goal: has none of the formats that are known: goal, "),
        ("num_ranks 1\nrank 0 {\n}\n", {"format": "gaol"}, "did you mean goal?"),
        (
            "num_ranks 1\nrank 0 {\n}\n",
            {"speed_factors": [1.0, 2.0]},
            "workload.speed_factors = 2 factors: must be one for each rank: 1",
        ),
        (
            "num_ranks 1\nrank 0 {\n}\n",
            {"placement": "blocks"},
            'workload.ranks_per_node: must be given with placement = "blocks"',
        ),
    ],
)
def test_mistakes_are_told_in_a_line(
    goal: Path, text: str, keys: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError) as mistake:
        experiment(goal, text, **keys)
    assert told in str(mistake.value)
    assert "\n" not in str(mistake.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"b\.goal: "):
        Experiment.from_dict({"workload": {"kind": "trace", "file": str(tmp_path / "b.goal")}})


def test_identity_is_that_of_the_content(goal: Path, tmp_path: Path) -> None:
    text = PAIR.format("send 64b to 1", "recv 64b from 0")
    one, same = experiment(goal, text), experiment(tmp_path / "c.goal", text)
    other = experiment(tmp_path / "d.goal", text.replace("64", "65"))
    assert one.identity(1) == same.identity(1) != other.identity(1)


@pytest.mark.parametrize(
    ("placement", "per_node", "nodes"),
    [
        ("linear", None, [0, 0, 1, 1, 2, 2, 3]),
        ("linear", 3, [0, 0, 0, 1, 1, 1, 2]),
        ("round_robin", None, [0, 1, 2, 3, 0, 1, 2]),
        ("round_robin", 4, [0, 1, 0, 1, 0, 1, 0]),
        ("blocks", 1, [0, 1, 2, 3, 0, 1, 2]),
        ("blocks", 3, [0, 0, 0, 1, 1, 1, 2]),
    ],
)
def test_placements(placement: Placement, per_node: int | None, nodes: list[int]) -> None:
    assert Placing(placement, per_node, 1, None).nodes(7, 4) == nodes


def test_random_placements_use_every_place_at_most_once() -> None:
    drawn = [Placing("random", 2, seed, None).nodes(7, 4) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(nodes.count(node) <= 2 for nodes in drawn for node in nodes)
    with pytest.raises(UserError, match="must be at least 2 for 7 ranks on 4 nodes"):
        Placing("linear", 1, 1, None).nodes(7, 4)


def test_placement_files(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("node,rank\n3,0\n3,1\n0,2\n")
    placing = Placing("file", None, 1, path)
    assert placing.nodes(3, 4) == [3, 3, 0]
    for ranks, nodes, told in (
        (4, 4, "has no row for rank 3 of 4"),
        (2, 4, "rank in line 4 = 2: must be a rank, 0 to 1"),
        (3, 3, "node in line 2 = 3: must be at most 2"),
    ):
        with pytest.raises(UserError, match=told):
            placing.nodes(ranks, nodes)


@pytest.mark.parametrize(("program", "ms"), [("p2p", 1.002), ("inc", 3.002)])
def test_flows_share_a_star_as_in_simgrid_s_cm02(program: str, ms: float) -> None:
    """1 MB over two links of 1 us and 1 GB/s, alone and three to one, as SimGrid 3.32 has it."""
    machine = {
        "topology": {"kind": "star", "nodes": 4},
        "link": {"rate": "8 Gbit/s", "delay": "1 us", "end_token": False},
        "switch": {"switching": "cut_through", "delay": "0 ns"},
        "interface": {"header": "1 B", "packet_size": "1 MB", "acknowledgements": False},
    }
    file = Path(__file__).parents[1] / "traces" / "simgrid_ti" / "plain" / f"{program}.files"
    workload = {"kind": "trace", "file": str(file), "compute_speed": 1e9, "eager_limit": "1 GB"}
    run = {"fidelity": "fluid"}
    result = tb.run(tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run}))
    # A header of one byte is what is more.
    assert result["completion_us"].value == pytest.approx(ms * 1000, abs=0.005)


def _varint(number: int) -> bytes:
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _chakra(path: Path, *nodes: tuple[int, int, list[int], dict[str, int]]) -> None:
    """Write a trace of Chakra: number and type of each node, what it is after, and attributes."""
    found = b""
    for number, kind, after, attributes in [(None, 0, [], {}), *nodes]:
        one = _field(1, b"0.0.4") if number is None else _field(1, number) + _field(3, kind)
        one += b"".join(_field(5, bytes([earlier])) for earlier in after)
        if kind == 4:
            one += _field(7, 1000)
        for name, value in attributes.items():
            one += _field(10, _field(1, name.encode()) + _field(9, value))
        found += _varint(len(one)) + one
    path.write_bytes(found)


@pytest.mark.parametrize("target", ["et", "goal", "bin"])
def test_what_waits_for_another_cpu_waits_without_a_network(tmp_path: Path, target: str) -> None:
    """A GPU computes for 1 ms and sends by another CPU; whoever receives computes for 1 ms more.

    By hand: o + L before the message, of which the receiver takes in 1 B in o.
    """
    to, back = {"comm_dst": 1, "comm_size": 1}, {"comm_src": 0, "comm_size": 1}
    _chakra(tmp_path / "p.0.et", (1, 4, [], {}), (2, 5, [1], to))
    _chakra(tmp_path / "p.1.et", (1, 6, [], back), (2, 4, [1], {}))
    file = tmp_path / "p.0.et"
    if target != "et":
        file = tmp_path / f"p.{target}"
        convert(tmp_path / "p.0.et", file)
    law = {"latency": "2 us", "overhead": "1 us", "gap": "1 us", "gap_per_byte": "1 ns/B"}
    tables = {
        "machine": {"preset": "loggops", "loggops": law},
        "workload": {"kind": "trace", "file": str(file)},
    }
    assert tb.run(Experiment.from_dict(tables))["completion_us"].value == 1000 + 1 + 2 + 1 + 1000


def test_a_packet_of_netrace_waits_for_its_cycle_without_a_network(tmp_path: Path) -> None:
    """Node 1 has packet 0 at 101 + o + L + o = 221, and sends packet 1 in cycle 235."""
    file = tmp_path / "a.tra"
    head = bytearray(72)
    head[:4], head[38] = (0x484A5455).to_bytes(4, "little"), 2
    head[48:56] = (2).to_bytes(8, "little")
    first = struct.pack("<QI4xBBBBBI", 101, 0, 1, 0, 1, 2, 1, 1)
    second = struct.pack("<QI4xBBBBB", 235, 1, 1, 1, 0, 2, 0)
    file.write_bytes(bytes(head) + first + second)
    law = {"latency": "100 ns", "overhead": "10 ns", "gap": "7 ns", "gap_per_byte": "0 ns/B"}
    tables = {
        "machine": {"preset": "loggops", "loggops": law},
        "workload": {"kind": "trace", "file": str(file), "format": "netrace"},
    }
    found = tb.run(Experiment.from_dict(tables)).processes["completed_ps"].to_pylist()
    assert found == [355_000, 245_000]


@pytest.mark.parametrize("dims", [[2, 1], [2, 2]])
def test_nodes_without_ranks_are_told(goal: Path, dims: list[int]) -> None:
    text = PAIR.format("send 1000b to 1", "recv 1000b from 0")
    made = experiment(goal, text)
    made = tb.Experiment(tb.Machine(topology=tb.Mesh(dims=dims)), made.workload)
    told = "2 of 4 nodes have no rank; rates per node count them as well."
    assert (told in of_run(tb.run(made)).sentences) == (dims == [2, 2])
