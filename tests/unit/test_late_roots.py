"""Roots of lateness where packets wait for more than a channel: small cases worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import engine
from tailback.experiment import Experiment

KINDS = ("source", "destination", "network", "spread", "detour")
BYTE_A_NS = {"rate": "8 Gbit/s", "flit": "1 B"}

Late = tuple[int, list[tuple[int, str, int]]]
"""How late a message was, in ns, and its charges: culprit, kind, ns."""


def late(machine: dict[str, Any], *rows: list[Any]) -> dict[int, Late]:
    """Return how late each message was, and who is charged at what kind of place."""
    experiment = Experiment.from_dict(
        {
            "machine": machine,
            "workload": {"kind": "messages", "messages": list(rows)},
            "run": {"seed": 1, "keep_messages": True, "blame": True},
        }
    )
    labels = range(len(rows))
    messages, classes = experiment.messages_arrays(), np.array(labels, dtype=np.uint32)
    sim = engine.Simulation(experiment.spec("full"), messages, classes)
    assert sim.advance(10**13, 10**6) == "finished"
    told, first, found = sim.take_late(), 0, {}
    for row, label in enumerate(told["label"].tolist()):
        last = first + int(told["charges"][row])
        charges = [
            (int(told["culprit"][n]), KINDS[told["kind"][n]], int(told["late_ps"][n]) // 1000)
            for n in range(first, last)
        ]
        latency = int(told["delivered_ps"][row]) - int(told["queued_ps"][row])
        found[label] = ((latency - int(told["alone_ps"][row])) // 1000, charges)
        first = last
    return found


def test_a_circuit_waits_for_whoever_holds_its_channel() -> None:
    machine = {
        "link": BYTE_A_NS,
        "interface": {"header": "1 B"},
        "topology": {"kind": "mesh", "dims": [3]},
        "switch": {"switching": "circuit"},
    }
    first, second, third = (
        ["0 ns", 0, 2, "1000 B"],
        ["100 ns", 1, 2, "100 B"],
        ["100 ns", 0, 1, "100 B"],
    )
    found = late(machine, first, second, third)
    # The first has its four channels until 1004 ns. The header of the second is at its switch
    # at 101 ns; the third waits at its node.
    assert found == {0: (0, []), 1: (903, [(0, "network", 903)]), 2: (904, [(0, "source", 904)])}


def test_a_frame_waits_for_the_engine_of_its_switch() -> None:
    machine = {
        "preset": "gigabit_ethernet",
        "topology": {"kind": "star", "nodes": 4},
        "switch": {"forwarding_time": "10 us"},
    }
    found = late(machine, ["0 ns", 0, 2, "1000 B"], ["0 ns", 1, 3, "1000 B"])
    assert found == {0: (0, []), 1: (10_000, [(0, "network", 10_000)])}


@pytest.mark.parametrize("queueing", ["fifo", "voq", "output"])
def test_a_packet_waits_until_its_receive_fifo_is_drained(queueing: str) -> None:
    machine = {
        "link": BYTE_A_NS,
        "interface": {"header": "1 B", "drain_rate": "4 Gbit/s"},
        "topology": {"kind": "star", "nodes": 4},
        "switch": {"switching": "store_and_forward", "queueing": queueing},
    }
    found = late(machine, ["0 ns", 0, 2, "1000 B"], ["0 ns", 1, 2, "1000 B"])
    # Each packet is drained for 2000 ns, twice as long as it is sent.
    assert found == {0: (0, []), 1: (2000, [(0, "destination", 2000)])}


def test_a_paused_sender_waits_for_those_who_fill_the_memory() -> None:
    machine = {
        "preset": "gigabit_ethernet",
        "topology": {"kind": "star", "nodes": 5},
        "switch": {"memory": "32 kB", "pause": "all", "forwarding_time": 0},
    }
    incast = [["0 ns", 0, 3, "60 kB"], ["0 ns", 1, 3, "60 kB"]]
    found = late(machine, *incast, ["200 us", 2, 4, "3000 B"])
    lateness, charges = found[2]
    # Node 2 sends to an idle node, and is told to pause: the queue of the incast has reached it.
    assert lateness > 100_000
    assert {(culprit, kind) for culprit, kind, _ in charges} == {(0, "spread"), (1, "spread")}
    assert abs(sum(ns for *_, ns in charges) - lateness) <= 1
    assert [kind for _, kind, _ in found[0][1]] == ["destination"]


def test_a_message_is_late_by_what_stopped_its_own_packet_before() -> None:
    """Its second packet waits only for its first, which holds a link while it waits at the next."""
    machine = {
        "link": BYTE_A_NS,
        "interface": {"header": "1 B", "packet_size": "100 B"},
        "topology": {"kind": "mesh", "dims": [3]},
        "switch": {"switching": "wormhole", "input_buffer": "4 B"},
    }
    found = late(machine, ["0 ns", 1, 2, "100 B"], ["10 ns", 0, 2, "200 B"])
    lateness, charges = found[1]
    assert lateness > 50
    assert charges == [(0, "network", lateness)]


def test_flits_that_share_a_wire_on_the_way_make_each_other_late() -> None:
    """The wire is shared between switches; flits are late on the last link for that."""
    machine = {
        "link": {**BYTE_A_NS, "sharing": "round_robin"},
        "interface": {"header": "1 B", "packet_size": "1000 B"},
        "topology": {"kind": "fully_connected", "switches": 2, "nodes_per_switch": 2},
        "switch": {"switching": "wormhole", "input_buffer": "8 B", "virtual_channels": 2},
    }
    found = late(machine, ["0 ns", 0, 2, "1000 B"], ["0 ns", 1, 3, "1000 B"])
    for lateness, charges in found.values():
        assert lateness > 900
        assert {kind for _, kind, _ in charges} == {"network"}
        assert sum(ns for *_, ns in charges) >= lateness - 2


def test_a_message_behind_another_in_its_nodes_list_waits_for_what_that_waits_for() -> None:
    machine = {"preset": "buzzard_mudge_wormhole", "topology": {"dimensions": 3}}
    found = late(
        machine, ["0 ns", 0, 4, "6000 B"], ["16 ns", 0, 4, "100 B"], ["96 ns", 0, 1, "600 B"]
    )
    # The third goes by another link, but the second stands before it and waits for the first.
    lateness, charges = found[2]
    assert lateness > 11_000
    assert [(culprit, kind) for culprit, kind, _ in charges] == [(0, "source")]
    assert charges[0][2] == lateness


@pytest.mark.parametrize("mode", ["full", "endpoints", "free"])
def test_alone_is_by_the_route_of_each_message(tmp_path: Path, mode: str) -> None:
    """ECMP sends some messages by a link of 1 us: that is not contention."""
    file = tmp_path / "square.edgelist"
    file.write_text("a b {}\na c {'delay': '1 us'}\nb d {}\nc d {}\n", encoding="utf-8")
    topology = {"kind": "graph", "file": str(file)}
    machine = {"topology": topology, "routing": {"kind": "ecmp", "flow": "message"}}
    messages = [(f"{10 * number} us", 0, 3, "1 kB") for number in range(8)]
    tables = {
        "machine": machine,
        "workload": {"kind": "messages", "messages": messages},
        "run": {"mode": mode, "keep_messages": True},
    }
    result = tb.run(tb.Experiment.from_dict(tables))
    assert result.messages is not None
    latencies = result.messages["latency_ps"].to_pylist()
    assert set(latencies) == {82_560, 1_082_560}
    assert result.messages["alone_ps"].to_pylist() == latencies
