"""Workloads: what they become for the engine, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import Machine
from tailback.workloads import (
    KINDS,
    PRESETS,
    Bandwidth,
    BoundaryExchange,
    ComputeOnly,
    Messages,
    Program,
    RingAllreduce,
    Synthetic,
    Workload,
)
from tests.machines import t9000

MESH = t9000("mesh", dims=[4, 4])


def refusal(workload: Workload, machine: Machine) -> str:
    """Return why the workload does not fit on the machine."""
    with pytest.raises(UserError) as caught:
        workload.check(machine)
    return str(caught.value)


def test_synthetic_defaults() -> None:
    assert Synthetic().spec(t9000("mesh", dims=[16, 16])) == {
        "kind": "synthetic",
        "processes_per_node": 1,
        "radius": 15,
        "compute": {"shape": "constant", "mean": 100_000_000, "relative_sigma": 0.0},
        "messages": 1,
        "bytes": {"shape": "constant", "mean": 32, "relative_sigma": 0.0},
        "sync": "loosely_synchronous",
        "throttle": {"kind": "outstanding", "limit": 16},
        "start": "random",
    }


def test_synthetic_keys_reach_the_engine() -> None:
    workload = Synthetic(
        processes_per_node=3,
        radius=2,
        compute_period="1 us",
        compute_distribution="normal",
        compute_sigma=0.25,
        messages=2,
        message_size="0 B",
        message_distribution="exponential",
        message_sigma=0.5,
        sync="asynchronous",
        throttle="queue_length",
        max_outstanding=7,
        max_queue=5,
        start="together",
    )
    workload.check(MESH)
    assert workload.spec(MESH) == {
        "kind": "synthetic",
        "processes_per_node": 3,
        "radius": 2,
        "compute": {"shape": "normal", "mean": 1_000_000, "relative_sigma": 0.25},
        "messages": 2,
        "bytes": {"shape": "exponential", "mean": 0, "relative_sigma": 0.0},
        "sync": "asynchronous",
        "throttle": {"kind": "queue_length", "limit": 5},
        "start": "together",
    }


@pytest.mark.parametrize(
    ("machine", "radius"),
    [
        (t9000("mesh", dims=[16, 8]), 15),
        (t9000("mesh", dims=[3]), 2),
        (t9000("hypercube", dimensions=4), 1),
    ],
)
def test_destinations_are_anywhere_by_default(machine: Machine, radius: int) -> None:
    Synthetic().check(machine)
    assert Synthetic().spec(machine)["radius"] == radius
    assert Synthetic().resolved(machine)["radius"] == radius


@pytest.mark.parametrize(
    ("machine", "radius"),
    [
        (t9000("mesh", dims=[16, 8]), 15),
        (t9000("mesh", dims=[3]), 2),
        (t9000("hypercube", dimensions=4), 1),
    ],
)
def test_a_radius_may_be_all_of_the_machine(machine: Machine, radius: int) -> None:
    workload = Synthetic(radius="all")
    workload.check(machine)
    assert workload.spec(machine)["radius"] == radius
    assert workload.resolved(machine)["radius"] == radius


def test_radius_larger_than_the_network() -> None:
    assert refusal(Synthetic(radius=40), t9000("mesh", dims=[16, 16])) == (
        "workload.radius = 40: must be at most 15 (the largest dimension less one)"
    )
    Synthetic(radius=15).check(t9000("mesh", dims=[16, 2]))


def test_nobody_to_send_to() -> None:
    assert refusal(Synthetic(radius=0), MESH) == (
        "workload.processes_per_node = 1: leaves a process nobody to send to (radius 0)"
    )
    Synthetic(radius=0, processes_per_node=2).check(MESH)


def test_a_radius_needs_coordinates() -> None:
    for machine in (t9000("pair"), t9000("star")):
        assert refusal(Synthetic(radius=1), machine) == (
            "workload.radius = 1: must be left out: the machine has no coordinates"
        )
        Synthetic().check(machine)


def test_nothing_takes_time() -> None:
    assert refusal(Synthetic(sync="asynchronous", compute_period="0 s"), MESH) == (
        'workload.compute_period = "0 s": must be above zero with sync = "asynchronous": '
        "nothing else takes time"
    )
    Synthetic(sync="asynchronous_blocking", compute_period=0).check(MESH)
    assert "must be above zero" in refusal(ComputeOnly(period=0), MESH)


def test_too_many_processes() -> None:
    large = t9000("mesh", dims=[1024, 1024])
    assert "must be at most 16777216" in refusal(Synthetic(processes_per_node=17), large)
    assert "must be at most 16777216" in refusal(ComputeOnly(processes_per_node=17), large)


def test_boundary_exchange_is_a_torus_of_processes_four_to_a_node() -> None:
    processes = BoundaryExchange(start="together").spec(t9000("mesh", dims=[3, 2]))["processes"]
    assert [process["node"] for process in processes] == [p // 4 for p in range(24)]
    for number, process in enumerate(processes):
        for socket, peer in enumerate(process["sockets"]):
            assert processes[peer]["sockets"][(socket + 2) % 4] == number
    compute, *sends_and_receives = processes[0]["steps"]
    assert compute["duration"]["mean"] == 3_500_000
    assert [step["op"] for step in sends_and_receives] == ["send"] * 4 + ["receive"] * 4
    # P(0, 0) sends to P(1, 0), P(0, 3), P(5, 0), P(0, 1); number = 4 node + i mod 2 + 2 (j mod 2).
    sent = [(step["process"], step["socket"]) for step in sends_and_receives[:4]]
    assert sent == [(1, 2), (4 * 3 + 2, 3), (4 * 2 + 1, 0), (2, 1)]
    assert not any(step["blocking"] for step in sends_and_receives[:4])


def test_what_is_sent_arrives_on_the_socket_of_its_sender() -> None:
    processes = BoundaryExchange().spec(t9000("mesh", dims=[2, 2]))["processes"]
    for number, process in enumerate(processes):
        for step in process["steps"]:
            if step["op"] == "send":
                assert processes[step["process"]]["sockets"][step["socket"]] == number


def test_boundary_exchange_keys() -> None:
    workload = BoundaryExchange(
        period="10 us", message_size="5 B", blocking_sends=True, repeat=7, start="random"
    )
    assert workload.finite
    assert not BoundaryExchange().finite
    process = workload.spec(t9000("mesh", dims=[2, 2]))["processes"][0]
    assert process["repeat"] == 7
    assert process["start_window_ps"] == 10_000_000
    assert all(step["blocking"] and step["bytes"] == 5 for step in process["steps"][1:5])


def test_boundary_exchange_needs_two_dimensions() -> None:
    assert refusal(BoundaryExchange(), t9000("mesh", dims=[4, 4, 4])) == (
        'workload.kind = "boundary_exchange": needs a machine of two dimensions, not 3'
    )


class TestRingAllreduce:
    def test_every_node_sends_equal_parts_to_the_next(self) -> None:
        spec = RingAllreduce(size="100 B", repeat=2).spec(t9000("mesh", dims=[3]))
        assert spec["kind"] == "program"
        for node, process in enumerate(spec["processes"]):
            assert (process["node"], process["sockets"]) == (node, [(node - 1) % 3])
            assert process["repeat"] == 2 * 2 * 2
            to = {"process": (node + 1) % 3, "socket": 0}
            assert process["steps"] == [
                {"op": "send", **to, "bytes": 34, "blocking": False},
                {"op": "receive", "socket": 0},
            ]

    def test_nothing_to_send_is_refused(self) -> None:
        allowed = 'workload.size = "0 B": must be at least 1 B'
        assert allowed in refusal(RingAllreduce(size="0 B"), MESH)

    def test_it_takes_twice_n_minus_1_messages_one_after_the_other(self) -> None:
        machine = tb.Machine(topology=tb.Star(nodes=5), link=tb.Link(rate="8 Gbit/s"))
        one = tb.Messages(messages=[["0 ns", 0, 1, "4 kB"]])
        alone = tb.run(machine, one)["completion_us"].value
        found = tb.run(machine, tb.RingAllreduce(size="20 kB"))
        assert found["completion_us"].value == pytest.approx(8 * alone, rel=1e-12)
        # At least twice the array but for its own part crosses the link of every node.
        assert found["completion_us"].value > 2 * 4 / 5 * 20


def test_compute_only() -> None:
    workload = ComputeOnly(period="2 us", processes_per_node=2, distribution="normal", sigma=0.5)
    workload.check(t9000("mesh", dims=[2]))
    assert not workload.sends_messages
    duration = {"shape": "normal", "mean": 2_000_000, "relative_sigma": 0.5}
    processes = workload.spec(t9000("mesh", dims=[2]))["processes"]
    assert [process["node"] for process in processes] == [0, 0, 1, 1]
    assert all(p["steps"] == [{"op": "compute", "duration": duration}] for p in processes)


def test_bandwidth_both_ways() -> None:
    workload = Bandwidth(message_size="100 B", direction="both_ways", offset="50 ns")
    workload.check(t9000("pair"))
    processes = workload.spec(t9000("pair"))["processes"]
    assert [process["node"] for process in processes] == [0, 1, 1, 0]
    assert [process["sockets"] for process in processes] == [[], [0], [], [2]]
    assert [process["start_ps"] for process in processes] == [0, 0, 50_000, 0]
    assert processes[2]["steps"] == [
        {"op": "send", "process": 3, "socket": 0, "bytes": 100, "blocking": True}
    ]
    assert processes[3]["steps"] == [{"op": "receive", "socket": 0}]
    assert len(Bandwidth().spec(t9000("pair"))["processes"]) == 2


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            {"destination": 2},
            "workload.destination = 2: must be at most 1 (there are 2 nodes)",
        ),
        ({"source": 1}, "workload.destination = 1: must not be the source"),
        ({"offset": "5 ns"}, 'workload.offset = "5 ns": must be 0 unless direction = "both_ways"'),
    ],
)
def test_bandwidth_refused(keys: dict[str, Any], expected: str) -> None:
    assert expected in refusal(Bandwidth(**keys), t9000("pair"))


PING = [{"send": 1, "bytes": "8 B"}, {"receive": "any"}]
PONG = [{"receive": 0}, {"compute": "1 us"}, {"send": 0, "blocking": False}]


def test_program() -> None:
    workload = Program(
        process=[
            {"node": 0, "steps": PING, "start": "1 us", "repeat": 3},
            {"node": 5, "steps": PONG, "sockets": [0], "start_window": "2 us"},
        ]
    )
    workload.check(MESH)
    assert not workload.finite
    assert workload.sends_messages
    assert workload.spec(MESH)["processes"] == [
        {
            "node": 0,
            "start_ps": 1_000_000,
            "start_window_ps": 0,
            "repeat": 3,
            "sockets": [None],
            "steps": [
                {"op": "send", "process": 1, "socket": 0, "bytes": 8, "blocking": True},
                {"op": "receive", "socket": None},
            ],
        },
        {
            "node": 5,
            "start_ps": 0,
            "start_window_ps": 2_000_000,
            "repeat": None,
            "sockets": [0],
            "steps": [
                {"op": "receive", "socket": 0},
                {
                    "op": "compute",
                    "duration": {"shape": "constant", "mean": 1_000_000, "relative_sigma": 0.0},
                },
                {"op": "send", "process": 0, "socket": 0, "bytes": 32, "blocking": False},
            ],
        },
    ]


def one(*steps: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Return the keys of a program of one process."""
    return {"process": [{"node": 0, "steps": list(steps)} | keys]}


BAD: list[tuple[type[Workload], dict[str, Any], str]] = [
    (Synthetic, {"processes_per_node": 0}, "workload.processes_per_node = 0: must be at least 1"),
    (Synthetic, {"messages": 0}, "workload.messages = 0: must be at least 1"),
    (Synthetic, {"max_outstanding": 0}, "workload.max_outstanding = 0: must be at least 1"),
    (Synthetic, {"radius": -1}, "workload.radius = -1: must be at least 0"),
    (Synthetic, {"radius": "al"}, 'workload.radius = "al": must be a whole number, or "all"'),
    (Synthetic, {"radius": 2.5}, 'workload.radius = 2.5: must be a whole number, or "all"'),
    (Synthetic, {"radius": True}, "workload.radius = true: must be a whole number"),
    (Synthetic, {"compute_sigma": float("nan")}, "workload.compute_sigma"),
    (Synthetic, {"compute_sigma": float("inf")}, "workload.compute_sigma"),
    (
        Synthetic,
        {"compute_period": "32 B"},
        'workload.compute_period = "32 B": is a number of bytes; a time is needed',
    ),
    (
        Synthetic,
        {"sync": "asynchronus"},
        'workload.sync = "asynchronus": must be "loosely_synchronous", "asynchronous_blocking" '
        'or "asynchronous"; did you mean "asynchronous"?',
    ),
    (Synthetic, {"raduis": 3}, "workload.raduis: unknown key; did you mean workload.radius?"),
    (Program, {}, "workload.process: must be given"),
    (Program, {"process": []}, "workload.process = []: must have at least 1 entries"),
    (Program, {"process": [3]}, "workload.process[0] = 3: must be a table"),
    (Program, {"process": [{"node": 0, "steps": []}]}, "workload.process[0].steps = []: must have"),
    (Program, {"process": [{"steps": PING}]}, "workload.process[0].node: must be given"),
    (
        Program,
        {"process": [{"nod": 0, "steps": PING}]},
        "workload.process[0].nod: unknown key; did you mean workload.process[0].node?",
    ),
    (
        Program,
        one({"compte": "1 us"}),
        'workload.process[0].steps[0] = "compte": must be "compute", "send", "multicast", '
        '"receive", "barrier", "broadcast", "reduce", "all_reduce", "gather", "scatter", '
        '"all_gather", "reduce_scatter" or "all_to_all"; did you mean "compute"?',
    ),
    (Program, one({"send": 0, "receive": 0}), "must be one step, such as"),
    (Program, one({}), "must be one step, such as"),
    (
        Program,
        one({"send": 0, "size": "3 B"}),
        "workload.process[0].steps[0].size: unknown key",
    ),
    (
        Program,
        one({"send": 0, "bytes": 3}),
        'workload.process[0].steps[0].bytes = 3: needs a unit: write "3 B" if that is meant',
    ),
    (
        Program,
        one({"compute": "1 us"}, {"send": 4}),
        "workload.process[0].steps[1].send = 4: must be at most 0, the last process",
    ),
    (
        Program,
        one({"receive": 1}, sockets=["any"]),
        "workload.process[0].steps[0].receive = 1: no such socket; there are 1",
    ),
    (
        Program,
        one({"send": 0, "socket": 2}, sockets=["any"]),
        "workload.process[0].steps[0].socket = 2: no such socket; there are 1",
    ),
    (
        Program,
        one({"receive": 0}, sockets=[3]),
        'workload.process[0].sockets[0] = 3: must be "any" or a process, 0 to 0',
    ),
    (
        Program,
        {
            "process": [
                {"node": 0, "steps": [{"send": 1}]},
                {"node": 1, "steps": [{"receive": 0}], "sockets": [1]},
            ]
        },
        "workload.process[0].steps[0].socket = 0: socket 0 of process 1 is for process 1 only",
    ),
    (Program, one({"compute": "1 us"}, repeat=0), "workload.process[0].repeat = 0: must be at"),
    (Messages, {}, "workload.messages: must have at least one row, or a file must be given"),
    (
        Messages,
        {"messages": [["0 ns", 0, 1]]},
        'workload.messages[0] = ["0 ns", 0, 1]: must be [time, source, destination, bytes]',
    ),
    (
        Messages,
        {"messages": [["0 ns", 0, 1, 32]]},
        'workload.messages[0].bytes = 32: needs a unit: write "32 B" if that is meant',
    ),
    (
        Messages,
        {"messages": [["0 ns", -1, 1, "32 B"]]},
        "workload.messages[0].source = -1: must be at least 0",
    ),
    (
        Messages,
        {"messages": [{"time": 0, "source": 0, "destination": 1, "byte": "1 B"}]},
        "workload.messages[0].byte: unknown key; did you mean workload.messages[0].bytes?",
    ),
    (
        Messages,
        {"messages": [[0, 0, 1, "1 B"]], "file": "a.csv"},
        'workload.file = "a.csv": must not be given together with messages',
    ),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), BAD)
def test_refused_in_one_line(kind: type[Workload], keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line


def test_program_outside_the_machine() -> None:
    workload = Program(**one({"compute": "1 us"}, node=99))
    assert refusal(workload, MESH) == (
        "workload.process[0].node = 99: must be at most 15 (there are 16 nodes)"
    )


ROWS = [["2 us", 1, 2, "5 B"], ["0 ns", 0, 3, "32 B"], ["2 us", 0, 1, "0 B"], ["1 us", 3, 0, 0]]


def test_messages_are_sorted_by_time_and_stay_in_order_within_an_instant() -> None:
    workload = Messages(messages=ROWS)
    time_ps, source, destination, length = workload.messages_arrays()
    assert time_ps.tolist() == [0, 1_000_000, 2_000_000, 2_000_000]
    assert source.tolist() == [0, 3, 1, 0]
    assert destination.tolist() == [3, 0, 2, 1]
    assert length.tolist() == [32, 0, 5, 0]
    assert [c.dtype for c in (time_ps, source, destination, length)] == [
        np.uint64,
        np.uint32,
        np.uint32,
        np.uint32,
    ]
    assert workload.finite
    assert workload.spec(MESH) == {
        "kind": "messages",
        "time_ps": [],
        "source": [],
        "destination": [],
        "bytes": [],
    }


def test_messages_outside_the_machine_are_named_by_the_row_as_written() -> None:
    workload = Messages(messages=[["5 us", 16, 0, "1 B"], ["0 us", 0, 1, "1 B"]])
    assert refusal(workload, MESH) == (
        "workload.messages[0].source = 16: must be at most 15 (there are 16 nodes)"
    )


def test_the_hash_of_messages_is_of_their_content(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("time_us,source,destination,bytes\n2,1,2,5\n0,0,3,32\n2,0,1,0\n1,3,0,0\n")
    inline = Messages(messages=ROWS)
    from_file = Messages(file=str(file))
    assert inline.digest() == from_file.digest()
    assert inline.resolved(MESH)["messages"] == 4
    assert inline.digest() != Messages(messages=ROWS[:3]).digest()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_name_only_keys_of_their_kind(name: str) -> None:
    preset = PRESETS[name]
    KINDS[preset["kind"]](**preset).check(t9000("mesh", dims=[16, 16]))


@pytest.mark.parametrize(
    ("workload", "expected_ps"),
    [
        (Synthetic(compute_period="100 us", processes_per_node=2), 200_000_000 + 4_280_000),
        (Synthetic(compute_period="100 us", sync="asynchronous"), 100_000_000),
        (BoundaryExchange(period="1 us"), 4_000_000 + 4_280_000),
        (ComputeOnly(period="1 us", processes_per_node=3), 3_000_000),
        (Bandwidth(), 4_280_000),
        (Program(**one({"compute": "1 us"}, {"send": 0})), 1_000_000 + 4_280_000),
        (Messages(messages=[["0 s", 0, 1, 0], ["500 us", 0, 1, 0]]), 1_000_000),
    ],
)
def test_time_of_an_iteration(workload: Workload, expected_ps: int) -> None:
    # The round trip: 3340 + 140 ns and twice four hops (half the diameter and one) of 100 ns.
    assert workload.iteration_ps(MESH) == expected_ps


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (
            {"kind": "uniform"},
            'did you mean "synthetic", the default, with workload.pattern = "uniform"?',
        ),
        (
            {"kind": "hot_spot"},
            'did you mean "synthetic", the default, with workload.pattern = "hot_spot"?',
        ),
        ({"message_bytes": "1 kB"}, "unknown key; did you mean workload.message_size?"),
        (
            {"kind": "program", "steps": []},
            "did you mean workload.process.steps, in each [[workload.process]]?",
        ),
        (
            {"steps": []},
            "did you mean workload.process.steps, in each [[workload.process]], "
            'with workload.kind = "program"?',
        ),
        (
            {"process": []},
            'workload.process: not a key with kind = "synthetic", but with "program"',
        ),
    ],
)
def test_a_word_in_the_wrong_place_is_put_right(written: dict[str, object], told: str) -> None:
    with pytest.raises(tb.UserError) as caught:
        tb.Experiment.from_dict({"machine": {"topology": {"kind": "star"}}, "workload": written})
    assert told in str(caught.value)
