"""Flits, rates that are no round numbers, and times in cycles of a clock."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

import tailback as tb
from tailback.errors import UserError
from tailback.machines import Interface, Link, Machine, Switch, machine_of
from tailback.terminal.measured import measured_table
from tailback.units import Time


class TestFlits:
    def test_header_and_data_are_rounded_up_to_whole_flits(self) -> None:
        machine = Machine(link=Link(flit="64 B"), interface=Interface(packet_size="100 B"))
        assert machine.link.flit_ps() == 64 * 80
        # 8 B of header are a flit, 100 B of data two.
        assert machine.packet_flits(100) == 3
        assert machine.packet_ps(100) == 3 * 64 * 80
        switch = machine.spec("packet")["switch"]
        assert switch["input_buffer_flits"] == 16 * 3
        assert machine.resolved("packet")["switch"]["input_buffer"] == f"{16 * 3 * 64} B"

    def test_a_buffer_has_room_for_whole_flits_only(self) -> None:
        machine = Machine(
            link=Link(flit="16 B"),
            switch=Switch(input_buffer="100 B"),
            interface=Interface(packet_size="32 B"),
        )
        assert machine.spec("packet")["switch"]["input_buffer_flits"] == 6

    @pytest.mark.parametrize(
        ("rate", "flit", "flit_ps"),
        [
            ("1 kbit/s", "1 B", 8 * 10**9),
            ("56 Gbit/s", "1 B", 143),
            ("25.78125 Gbit/s", "1 B", 310),
            ("25.78125 Gbit/s", "64 B", 19_859),
            ("400 Gbit/s", "1 B", 20),
            ("800 Gbit/s", "1 B", 10),
            ("1600 Gbit/s", "1 B", 5),
            ("1.6 Tbit/s", "64 B", 320),
            ("1.2 Tbit/s", "64 B", 427),
            ("3 Gbit/s", "1 B", 2667),
        ],
    )
    def test_rates_of_today(self, rate: str, flit: str, flit_ps: int) -> None:
        machine = Machine(link=Link(rate=rate, flit=flit))
        assert machine.spec("packet")["link"]["flit_ps"] == flit_ps
        assert abs(machine.link.rounding(machine.link.rate)) <= Fraction(1, 1000)

    @pytest.mark.parametrize(
        ("rate", "flit", "flit_ps"),
        [
            ("1.6 Tbit/s", 1, 5),
            ("106.25 Gbit/s", 3, 226),
            ("400 GB/s", 2, 5),  # UCIe
            ("7.2 Tbit/s", 9, 10),  # NVLink
            ("100 Tbit/s", 25, 2),
        ],
    )
    def test_a_flit_that_is_not_given_fits_the_rate(
        self, rate: str, flit: int, flit_ps: int
    ) -> None:
        machine = Machine(link=Link(rate=rate))
        assert machine.link.flit.bytes == flit
        assert machine.spec("packet")["link"]["flit_ps"] == flit_ps

    @pytest.mark.parametrize(
        ("link", "expected"),
        [
            (
                {"rate": "1.1 Tbit/s", "flit": "1 B"},
                'machine.link.rate = "1.1 Tbit/s": a flit of 1 B takes 7.27273 ps; must be a whole '
                "number of ps, or nearly (0.1 %); machine.link.flit = 11 B would do",
            ),
            ({"rate": "101 Tbit/s"}, "must be at most 100 Tbit/s"),
            ({"rate": "999 bit/s"}, 'machine.link.rate = "999 bit/s": must be at least 1 kbit/s'),
            ({"rate": 0}, "machine.link.rate = 0: must be at least 1 kbit/s"),
            ({"flit": "0 B"}, 'machine.link.flit = "0 B": must be 1 B to 65536 B'),
            ({"flit": "70 kB"}, 'machine.link.flit = "70000 B": must be 1 B to 65536 B'),
            ({"flit": "2 B", "end_token": True}, "must be 1 B with end tokens"),
            ({"flit": "2 B", "flow_control": "in_band"}, "and with flow-control tokens (in_band)"),
        ],
    )
    def test_others_are_refused(self, link: dict[str, Any], expected: str) -> None:
        with pytest.raises(UserError) as caught:
            Machine(link=Link(**link))
        assert expected in str(caught.value)

    def test_every_rate_of_the_machine_is_looked_at(self) -> None:
        for keys, field in (
            ({"node_link": {"rate": "1.1 Tbit/s"}}, "machine.node_link.rate"),
            ({"link_classes": {"y": {"rate": "1.1 Tbit/s"}}}, "machine.link_classes.y.rate"),
        ):
            with pytest.raises(UserError, match=r"takes 7\.27273 ps") as caught:
                machine_of(keys)
            assert caught.value.field == field

    def test_a_control_token_is_looked_at_where_there_are_any(self) -> None:
        Machine(link=Link(rate="70 Gbit/s", flit="7 B"))
        with pytest.raises(UserError, match=r"a control token takes 57\.1429 ps"):
            Machine(link=Link(rate="70 Gbit/s", data_token_bits=7, end_token=True))


class TestClock:
    @pytest.mark.parametrize(
        ("clock", "cycle_ps"), [("1 GHz", 1000), ("1.2 GHz", 833), ("500 MHz", 2000)]
    )
    def test_a_cycle_is_nearly_a_whole_number_of_ps(self, clock: str, cycle_ps: int) -> None:
        machine = Machine(clock=clock, link=Link(delay="3 cycles"))
        assert machine.cycle() == Time(cycle_ps)
        assert machine.link.delay == Time(3 * cycle_ps)
        assert machine.resolved("packet")["link"]["delay"] == str(Time(3 * cycle_ps))

    def test_parts_of_cycles(self) -> None:
        machine = Machine(clock="1 GHz", switch=Switch(delay="2.5 cycles"))
        assert machine.switch.delay == Time(2500)

    @pytest.mark.parametrize(
        ("clock", "expected"),
        [
            ("0 GHz", 'machine.clock = "0 GHz": must be at least 1 kHz'),
            ("70 GHz", "one cycle takes 14.2857 ps; must be a whole number of ps, or nearly"),
            ("1 Gbit/s", "is a rate; a frequency is needed"),
            (1, 'machine.clock = 1: needs a unit: write "1 GHz" if that is meant'),
        ],
    )
    def test_refused(self, clock: Any, expected: str) -> None:
        with pytest.raises(UserError) as caught:
            Machine(clock=clock)
        assert expected in str(caught.value)
        assert caught.value.field == "machine.clock"

    def test_times_that_are_too_long_are_refused_when_they_are_times(self) -> None:
        with pytest.raises(UserError, match=r"machine.link.delay = .*must be at most 1 s"):
            Machine(clock="1 kHz", link=Link(delay="1001 cycles"))


class TestResultsInCycles:
    """Times of results are told in cycles too where there is a clock."""

    def _result(self, **machine: Any) -> tb.Result:
        asked = {
            "machine": {"topology": {"kind": "pair"}, "link": {"rate": "10 Gbit/s"}, **machine},
            "workload": {"kind": "messages", "messages": [["0 ns", 0, 1, "992 B"]]},
        }
        return tb.run(tb.Experiment.from_dict(asked))

    def test_of_a_clock_of_500_mhz(self) -> None:
        # 992 B and a header of 8 B take 800 ns on the link: 400 cycles of 2 ns.
        result = self._result(clock="500 MHz")
        assert result["message_latency_us"].value == pytest.approx(0.8, rel=1e-12)
        assert result.cycles["message_latency"].value == pytest.approx(400, rel=1e-12)
        assert result.to_dict()["message_latency_cycles"]["value"] == pytest.approx(400, rel=1e-12)
        table = printed(measured_table({"full": result}))
        assert "time, ns" in table
        assert "time, cycles" in table

    def test_without_a_clock_there_are_none(self) -> None:
        result = self._result()
        assert result.cycles == {}
        assert not any(name.endswith("_cycles") for name in result.to_dict())
        assert "cycles" not in printed(measured_table({"full": result}))


def printed(table: Table) -> str:
    with io.StringIO() as out:
        Console(file=out, width=100).print(table)
        return out.getvalue()


@pytest.mark.parametrize("queueing", ["fifo", "voq", "output"])
def test_a_packet_of_one_flit_waits_for_no_other_on_a_slower_link(queueing: str) -> None:
    machine = {
        "topology": {"kind": "mesh", "dims": [3]},
        "link": {"rate": "128 Gbit/s", "flit": "16 B"},
        "node_link": {"rate": "12.8 Gbit/s"},
        "switch": {"queueing": queueing},
    }
    workload = {"kind": "messages", "messages": [["0 ns", 0, 2, "0 B"]]}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload})
    # A flit takes 10 ns from and to a node, 1 ns on each of two links between.
    assert tb.run(asked)["completion_us"].value == pytest.approx(0.022)
