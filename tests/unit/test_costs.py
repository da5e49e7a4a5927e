"""What messages cost in software, as users write it and are told of it."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import Interface, machine_of
from tailback.machines.costs import KEYS
from tailback.runner import run_mode

MACHINE: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [3]}}
#: The Symult 2010, as it is read.
SYMULT: dict[str, Any] = {
    "topology": {"kind": "mesh", "dims": [12, 12]},
    "link": {"flit": "1 B", "rate": "20 MB/s"},
    "interface": {
        "packet_size": "256 B",
        "header": "1 B",
        "send_overhead": "105 us",
        "send_overhead_per_packet": "24.55 us",
        "send_overhead_after": "179 us",
        "receive_overhead_per_packet": "32 us",
        "receive_overhead_after": "101 us",
        "receive_preempts": True,
        "overlap": False,
        "multi_packet_only": True,
    },
}


def experiment(machine: dict[str, Any], **run: Any) -> Experiment:
    workload = {
        "kind": "synthetic",
        "compute_period": "200 us",
        "message_size": "1000 B",
        "radius": 2,
    }
    return Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def with_interface(**keys: Any) -> dict[str, Any]:
    return MACHINE | {"interface": keys}


class TestKeys:
    def test_without_costs_nothing_is_said_of_them(self) -> None:
        for keys in ({}, {"send_overhead": "0 us", "packet_interval_per_byte": 0}):
            machine = machine_of(with_interface(**keys))
            assert "costs" not in machine.spec("packet")["interface"]
            assert not set(KEYS) & set(machine.resolved("packet")["interface"])

    def test_costs_of_nothing_change_no_identity(self) -> None:
        plain, zero = (with_interface(**keys) for keys in ({}, {"send_overhead": 0}))
        assert experiment(plain).identity(1) == experiment(zero).identity(1)
        assert experiment(plain).identity(1) != experiment(with_interface(o="1 ns")).identity(1)

    def test_they_get_to_the_engine(self) -> None:
        keys = {
            "send_overhead": "10 us",
            "receive_overhead_per_byte": "1.5 ps/B",
            "packet_interval": "3 us",
            "overhead_variation": 0.2,
        }
        costs = machine_of(with_interface(**keys)).spec("packet")["interface"]["costs"]
        assert costs["send"]["before_ps"] == 10_000_000
        assert costs["receive"]["per_byte_fs"] == 1500
        assert costs["packet_interval_ps"] == 3_000_000
        assert costs["variation_ps"] == 2_000_000
        assert (costs["overlap"], costs["receive_preempts"]) == (True, False)

    def test_the_names_of_log_gp_are_understood(self) -> None:
        named = machine_of(with_interface(o="1 us", O="2 ns/B", g="5 us", G="0.5 ns/B"))
        spelled = Interface(
            send_overhead="1 us",
            receive_overhead_after="1 us",
            send_overhead_per_byte="2 ns/B",
            receive_overhead_per_byte="2 ns/B",
            packet_interval="5 us",
            packet_interval_per_byte="0.5 ns/B",
        )
        assert named.interface == spelled
        assert Interface.loggp(o="1 us", O="2 ns/B", g="5 us", G="0.5 ns/B") == spelled
        again = machine_of(named.resolved("packet"))
        assert again.interface.send_overhead == spelled.send_overhead
        assert again.spec("packet") == named.spec("packet")

    def test_a_time_in_cycles_is_at_hand(self) -> None:
        machine = machine_of(with_interface(o="20 cycles") | {"clock": "1 GHz"})
        assert str(machine.interface.send_overhead) == "20 ns"


MISTAKES = (
    ({"send_overhead": "-1 us"}, 'machine.interface.send_overhead = "-1 us": must not be negative'),
    ({"send_overhead": "2 s"}, 'machine.interface.send_overhead = "2 s": must be 0 s to 1 s'),
    (
        {"send_overhead_per_byte": "3 us"},
        'machine.interface.send_overhead_per_byte = "3 us": is a time; a time per byte is needed, '
        'such as "22 ns/B"',
    ),
    (
        {"send_overhead_per_byte": "2 us/B"},
        'machine.interface.send_overhead_per_byte = "2 us/B": must be at most 1 us/B',
    ),
    (
        {"o": "1 us", "send_overhead": "2 us"},
        'machine.interface.o = "1 us": is send_overhead too, which is given',
    ),
    (
        {"overlap": False},
        "machine.interface.overlap = false: has no effect here; needs "
        "machine.interface.send_overhead, packet_interval or another cost",
    ),
    (
        {"packet_interval": "1 us", "receive_preempts": True},
        "machine.interface.receive_preempts = true: has no effect here; needs "
        "machine.interface.send_overhead or another overhead",
    ),
    (
        {"packet_interval": "1 us", "overhead_variation": 0.1},
        "machine.interface.overhead_variation = 0.1: has no effect here; needs "
        "machine.interface.send_overhead",
    ),
    (
        {"send_overhead": "1 us", "multi_packet_only": True},
        "machine.interface.multi_packet_only = true: has no effect here; needs "
        "machine.interface.send_overhead_per_packet or receive_overhead_per_packet",
    ),
    (
        {"send_overhead": "1 us", "overhead_variation": 1.5},
        "machine.interface.overhead_variation = 1.5: must be at most 1.0",
    ),
)


@pytest.mark.parametrize(("keys", "line"), MISTAKES)
def test_mistakes_are_one_line(keys: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        tb.describe(experiment(with_interface(**keys)))
    assert str(caught.value) == line


def test_a_metric_of_costs_needs_costs() -> None:
    with pytest.raises(UserError, match="no message costs anything in software here"):
        experiment(MACHINE, metric="cpu_idle")
    experiment(with_interface(o="1 us"), metric="cpu_idle")


def test_the_law_of_a_message_is_told() -> None:
    """206 us and 50 ns a byte for a packet; s, r and 256 bytes for each of many."""
    law = tb.describe(experiment(SYMULT)).law
    assert law is not None
    assert law.one_packet is not None
    assert law.several is not None
    assert law.one_packet.start_us == pytest.approx(206 + 3 * 0.05)
    assert law.one_packet.per_byte_us == pytest.approx(0.05)
    assert law.several.per_byte_us == pytest.approx((24.55 + 257 * 0.05) / 256)
    assert tb.describe(experiment(MACHINE)).law is None


def test_latencies_and_processors_are_told_apart() -> None:
    cost = tb.cost(experiment(SYMULT, duration="20 ms", warmup="2 ms"))
    for result in cost.modes.values():
        parts = ("overhead", "wire", "throttling", "contention")
        sum_us = sum(result[f"latency_{part}_us"].value for part in parts)
        assert sum_us == pytest.approx(result["message_latency_us"].value)
        spent = ("cpu_utilisation", "cpu_sending", "cpu_receiving", "cpu_idle")
        assert sum(result[name].value for name in spent) == pytest.approx(1)
        assert {"cpu_sending_ps", "cpu_receiving_ps"} <= set(result.nodes.column_names)
    assert cost.modes["full"]["latency_contention_us"].value > 0
    without = tb.cost(experiment(MACHINE, duration="1 ms")).modes["full"]
    assert not any(name.startswith("latency_") for name in without.estimates)
    assert "cpu_sending_ps" not in without.nodes.column_names
    assert not any(name.startswith("latency_") for name in without.samples.column_names)


@pytest.mark.parametrize("mode", ["full", "endpoints", "free", "throttled", "ideal"])
def test_messages_to_oneself_cost_what_others_do_if_they_cross_the_switch(mode: str) -> None:
    costs = {"packet_size": "64 B", "send_overhead": "1 us", "receive_overhead": "300 ns"}
    rows = [["0 ns", 0, 0, "64 B"], ["10 us", 0, 1, "64 B"], ["20 us", 0, 0, "200 B"]]
    found = {}
    for local in ("switch", "memory"):
        given = {
            "machine": with_interface(local=local, **costs) | {"link": {"rate": "8 Gbit/s"}},
            "workload": {"kind": "messages", "messages": rows},
        }
        result = run_mode(Experiment.from_dict(given), mode)
        histogram = result.histograms.filter(pc.field("variable") == "message_latency")
        found[local] = (histogram["count"].to_numpy().sum(), result["message_latency_us"].value)
    if mode == "ideal":
        assert found == {"switch": (3, 1.3), "memory": (1, 1.3)}
    else:
        assert found["memory"] == (1, pytest.approx(1.388))
        # 72 bytes over two links, or so many and one more switch; a CPU takes packets in meanwhile.
        assert found["switch"] == (3, pytest.approx((1.380 + 1.388 + 1.380) / 3))


OVERLAPPED = {
    "topology": {"kind": "star", "nodes": 2},
    "link": {"rate": "100 Gbit/s", "delay": "500 ns"},
    "interface": {"send_overhead": "1 us", "receive_overhead": "1 us"},
}


@pytest.mark.parametrize("size", [1, 1000, 8000, 37_500, 1_000_000])
def test_zero_load_latency_has_what_software_costs(size: int) -> None:
    """Of 37.5 kB it was said to be 3.02 us, and a run took 5.02."""
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, f"{size} B"]]}
    asked = tb.Experiment.from_dict({"machine": OVERLAPPED, "workload": workload})
    [alone] = tb.describe(asked).zero_loads
    assert alone.latency_us == pytest.approx(tb.run(asked)["completion_us"].value, rel=1e-6)


def test_long_messages_take_what_their_bytes_take() -> None:
    """The last packets hide what the receiver does: the law was 2.58 us + 62 ps per byte."""
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, "1 B"]]}
    asked = tb.Experiment.from_dict({"machine": OVERLAPPED, "workload": workload})
    law = tb.describe(asked).law
    assert law is not None
    assert law.several is not None
    assert law.several.per_byte_us == pytest.approx(1008 / 1000 / 12_500, rel=1e-6)
    # What is sent first, and two wires.
    assert law.several.start_us == pytest.approx(2, rel=1e-3)
