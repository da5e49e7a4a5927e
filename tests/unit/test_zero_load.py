"""What `describe` says of packets that are alone: of those that somebody sends."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb

MESH = {"topology": {"kind": "mesh", "dims": [4, 4]}}


def described(workload: dict[str, Any], **machine: Any) -> tb.Prediction:
    return tb.describe(tb.Experiment.from_dict({"machine": MESH | machine, "workload": workload}))


def offering(size: str) -> dict[str, Any]:
    return {"preset": "uniform_open_loop", "compute_period": "100 us", "message_size": size}


def test_a_short_message_is_a_short_packet() -> None:
    found = described({"preset": "uniform_open_loop", "compute_period": "100 us"})
    [packet] = found.zero_loads
    # 31 B and 8 B of header take 3.12 ns at 100 Gbit/s; each of 3.67 further channels waits for
    # 0.64 ns of header.
    assert packet.data_bytes == 31
    assert packet.latency_us * 1e3 == pytest.approx(3.12 + 0.64 * (4 + 2 / 3 - 1))
    assert found.zero_load_data_us == packet.latency_us
    told = found.to_dict()["zero_load"]
    assert [row["message_bytes"] for row in told] == [31]


@pytest.mark.parametrize("size", ["1008 B", "4 kB", "10 kB", "1 MB"])
def test_a_long_message_is_told_whole(size: str) -> None:
    """Packets of 1,008 B follow each other; of the last the header goes on at each switch."""
    [message] = described(offering(size)).zero_loads
    sent = message.data_bytes + 8 * -(-message.data_bytes // 1000)
    assert message.latency_us * 1e3 == pytest.approx(0.08 * sent + 0.64 * (4 + 2 / 3 - 1))
    assert message.neighbour_us * 1e3 == pytest.approx(0.08 * sent + 0.64 * 2)


def test_a_long_message_takes_what_a_run_without_contention_says() -> None:
    """Links of several rates: the pairs simulated are all there are."""
    rows = [["0 ns", 0, 5, "7 kB"], ["0 ns", 3, 12, "7 kB"], ["0 ns", 9, 8, "7 kB"]]
    machine = MESH | {"link_classes": {"x": {"rate": "25 Gbit/s"}}, "interface": {"window": 2}}
    asked = tb.Experiment.from_dict(
        {"machine": machine, "workload": {"kind": "messages", "messages": rows}}
    )
    alone = tb.run(asked, mode="free")["message_latency_us"].value
    [message] = tb.describe(asked).zero_loads
    assert message.latency_us == pytest.approx(alone)


def test_listed_messages_of_each_length_go_their_own_ways() -> None:
    rows = [["0 ns", 0, 1, "16 B"], ["1 us", 0, 15, "99 B"]]
    near, far = described({"kind": "messages", "messages": rows}).zero_loads
    # Three channels, and eight.
    assert near.latency_us * 1e3 == pytest.approx(0.08 * 24 + 2 * 0.64)
    assert far.latency_us * 1e3 == pytest.approx(0.08 * 107 + 7 * 0.64)


def test_each_length_of_mixed_messages_has_its_own() -> None:
    mixed = offering("32 B") | {
        "message_distribution": "mixed",
        "message_sizes": ["16 B", "512 B"],
        "message_weights": [1, 3],
    }
    mixed.pop("message_size")
    found = described(mixed).zero_loads
    assert [packet.data_bytes for packet in found] == [512, 16]
    alone = [described(offering(size)).zero_load_data_us for size in ("512 B", "16 B")]
    assert [packet.latency_us for packet in found] == alone


def test_each_traffic_class_has_its_own() -> None:
    classes: list[dict[str, Any]] = [
        {"name": "request", "period": "10 us", "message_size": "16 B", "reply": "reply"},
        {"name": "reply", "message_size": "64 B"},
        {"name": "other", "period": "1 us", "message_size": "32 B", "pattern": "neighbour"},
    ]
    classes[0]["radius"] = "all"
    workload = {"kind": "traffic", "traffic_class": classes}
    found = described(workload)
    told = [(packet.traffic_class, packet.data_bytes) for packet in found.zero_loads]
    assert told == [("request", 16), ("reply", 64), ("other", 32)]
    for packet, size in zip(found.zero_loads, ("16 B", "64 B"), strict=False):
        assert packet.latency_us == pytest.approx(described(offering(size)).zero_load_data_us)


def test_of_messages_in_a_list_too() -> None:
    rows = [["0 ns", 0, 1, "16 B"], ["0 ns", 0, 1, "16 B"], ["1 us", 0, 1, "99 B"]]
    found = described({"kind": "messages", "messages": rows}).zero_loads
    assert [packet.data_bytes for packet in found] == [16, 99]
    # Three channels; 24 B at 100 Gbit/s.
    assert found[0].latency_us * 1e3 == pytest.approx(1.92 + 2 * 0.64)


def test_of_messages_without_data_nothing_is_told() -> None:
    rows = [["0 ns", 0, 1, "0 B"], ["1 us", 0, 1, "99 B"]]
    found = described({"kind": "messages", "messages": rows}).zero_loads
    assert [packet.data_bytes for packet in found] == [99]
