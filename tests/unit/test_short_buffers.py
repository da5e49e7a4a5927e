"""What `describe` says of input buffers that are shorter than a round trip of credits."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.answers.of_prediction import of_prediction
from tailback.units import Size

LONG = {
    "topology": {"kind": "xgft", "children": [2, 2], "parents": [2]},
    "link": {"rate": "100 Gbit/s", "delay": "1 us"},
}
UNIFORM = {
    "preset": "uniform_open_loop",
    "message_size": "1000 B",
    "compute_period": "200 ns",
}


def described(buffer: str | None, workload: dict[str, Any]) -> tb.Prediction:
    machine = LONG | ({} if buffer is None else {"switch": {"input_buffer": buffer}})
    return tb.describe(tb.Experiment.from_dict({"machine": machine, "workload": workload}))


def test_a_short_buffer_bounds_what_links_carry() -> None:
    found = described("2016 B", UNIFORM)
    assert [one.kind for one in found.short_buffers] == ["injection", "internal"]
    # 12,500 B pass in 1 us, and 1008 B while a packet leaves: links carry 2016 / 13508.
    for one in found.short_buffers:
        assert (one.flits * one.flit_bytes, one.needed * one.flit_bytes) == (2016, 13508)
    assert found.saturation_messages_per_node_per_ms == pytest.approx(1e6 / 80.64 * 2016 / 13508)
    told = found.to_dict()["short_buffers"]
    assert [row["share_of_rate"] for row in told] == pytest.approx([2016 / 13508] * 2)


def test_one_message_takes_as_long_as_is_said() -> None:
    machine = LONG | {"switch": {"input_buffer": "2016 B"}}
    workload = {"kind": "messages", "messages": [["0 ns", 0, 2, "10 MB"]]}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    took_ms = tb.run(asked)["completion_us"].value / 1e3
    # 10,000 packets of 1008 B at 12.5 B/ns alone take 0.8064 ms.
    assert took_ms == pytest.approx(0.8064 * 13508 / 2016, rel=0.01)


def test_credits_that_take_no_time_are_named() -> None:
    """A wire of 100 m takes 0.5 us; whoever gives that alone has credits that return at once."""
    machine = LONG | {"switch": {"input_buffer": "2016 B"}}
    for delay, named in (("0 ns", True), ("1 us", False)):
        machine["link"] = LONG["link"] | {"credit_delay": delay}
        asked = tb.Experiment.from_dict({"machine": machine, "workload": UNIFORM})
        told = of_prediction(tb.describe(asked)).lines
        [between] = [line for line in told if line.startswith("links between switches")]
        assert ("at once (link.credit_delay = 0 s)" in between) == named


def test_many_packets_that_wait_in_groups_for_credits_take_as_long_as_is_said() -> None:
    """Three packets of 4 kB fit into 16 kB: 10 MB were said to take 493 us, and took 484."""
    machine = {
        "topology": {"kind": "concentrated_mesh", "dims": [2], "nodes_per_switch": 1},
        "link": {"rate": "400 Gbit/s", "delay": "500 ns"},
        "node_link": {"delay": "10 ns"},
        "interface": {"packet_size": "4 kB"},
        "switch": {"input_buffer": "16 kB"},
    }
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, "10 MB"]]}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    took_us = tb.run(asked)["completion_us"].value
    # Three packets of 4008 B in each 500 ns and the time of one.
    assert took_us == pytest.approx(2500 / 3 * (0.5 + 4008 / 50e3), rel=0.002)
    [alone] = tb.describe(asked).zero_loads
    assert alone.latency_us == pytest.approx(took_us, rel=1e-3)


@pytest.mark.parametrize(
    ("packet", "message", "buffer"),
    [
        # Three of 4008 B fit, not 3.99: 41.5 %, not 55 %.
        ("4 kB", "10 MB", "16 kB"),
        ("4 kB", "1001 kB", "16 kB"),
        # Packets of 100 B return their credit earlier than full ones of 4 kB would.
        ("4 kB", "92 B", "16 kB"),
    ],
)
def test_whole_packets_bound_what_links_carry(packet: str, message: str, buffer: str) -> None:
    machine = {
        "topology": {"kind": "concentrated_mesh", "dims": [2], "nodes_per_switch": 1},
        "link": {"rate": "400 Gbit/s", "delay": "500 ns"},
        "interface": {"packet_size": packet},
        "switch": {"input_buffer": buffer},
    }
    size = Size.parse(message).bytes
    count = -(-10_000_000 // size)
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, message]] * count}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    found = tb.describe(asked)
    [between] = [one for one in found.short_buffers if one.kind == "internal"]
    each = min(size, Size.parse(packet).bytes) + 8
    room = 16_000 // each
    assert between.packets is not None
    assert (between.packets[0], between.packets[1] * between.flit_bytes) == (room, each)
    assert between.share == pytest.approx(room * each / (25_000 + each))
    told = [line for line in of_prediction(found).lines if line.startswith("links between")]
    assert f"{room} packets of {each} B" in told[0]
    took_us = tb.run(asked)["completion_us"].value
    carried = count * (size + -(-size // Size.parse(packet).bytes) * 8) / took_us / 50_000
    assert carried == pytest.approx(between.share, rel=0.01)


@pytest.mark.parametrize("mode", ["full", "endpoints", "free"])
def test_the_usual_buffers_let_one_message_use_all_of_a_long_link(mode: str) -> None:
    """10,000 packets of 1008 B at 12.5 B/ns over four links of 1 us; two packets took 5.41 ms."""
    workload = {"kind": "messages", "messages": [["0 ns", 0, 2, "10 MB"]]}
    asked = tb.Experiment.from_dict({"machine": LONG, "workload": workload})
    # At each of three switches a packet's header of 8 B comes before it goes on.
    expected = 10_000 * 0.08064 + 4 + 3 * 8 / 12_500
    assert tb.run(asked, mode=mode)["completion_us"].value == pytest.approx(expected, abs=1e-6)


def test_a_round_trip_that_is_no_whole_number_of_packets_is_a_little_short() -> None:
    """13 of 13.4 packets: 10 MB take 835.75 us, with room for a fourteenth 810.40."""
    found = described("13508 B", UNIFORM)
    assert [one.share for one in found.short_buffers] == pytest.approx([13 * 1008 / 13508] * 2)
    machine = LONG | {"switch": {"input_buffer": "13508 B"}}
    workload = {"kind": "messages", "messages": [["0 ns", 0, 2, "10 MB"]]}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    took_us = tb.run(asked)["completion_us"].value
    assert took_us - 4 == pytest.approx(806.4 * 13508 / (13 * 1008), rel=1e-3)


@pytest.mark.parametrize("buffer", ["14112 B", "64 kB", "unlimited"])
def test_a_longer_one_does_not(buffer: str) -> None:
    found = described(buffer, UNIFORM)
    assert found.short_buffers == ()
    assert found.saturation_messages_per_node_per_ms == pytest.approx(1e6 / 80.64)


def test_a_buffer_for_the_round_trip_and_16_packets_is_long_enough() -> None:
    machine = tb.Experiment.from_dict({"machine": LONG, "workload": UNIFORM}).machine
    flits = machine.input_flits("packet")
    assert flits is not None
    assert flits * machine.link.flit.bytes == 12500 + 16 * 1008
    assert described(None, UNIFORM).short_buffers == ()


def test_a_switch_that_looks_for_long_counts_as_a_long_link() -> None:
    machine = {"topology": {"kind": "star", "nodes": 2}, "switch": {"delay": "1 us"}}
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, "10 MB"]]}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    assert asked.machine.input_flits("packet") == 12500 + 16 * 1008
    # 10,000 packets of 80.64 ns, a header on a link and the switch.
    assert tb.run(asked)["completion_us"].value == pytest.approx(806.4 + 0.00064 + 1)
    machine["switch"] |= {"input_buffer": "2016 B"}
    short = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    share = tb.describe(short).short_buffers[0].share
    assert tb.run(short)["completion_us"].value == pytest.approx(806.4 / share, rel=0.01)
