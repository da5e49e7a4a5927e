"""STOP and GO, times of switches that go with them, and the preset ``myrinet``."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import Link, Machine, Switch, machine_of
from tailback.units import Time

#: What is simulated of it: a mesh of small switches.
BASE: dict[str, dict[str, Any]] = {
    "topology": {"kind": "mesh", "dims": [3, 3]},
    "link": {"rate": "8 Gbit/s", "delay": "22 flits", "flow_control": "stop_go"},
    "switch": {"switching": "wormhole"},
}


def _machine(**changes: dict[str, Any]) -> Machine:
    parts = {name: BASE.get(name, {}) | changes.get(name, {}) for name in {**BASE, **changes}}
    return machine_of(parts)


def _said(**changes: dict[str, Any]) -> str:
    def checked() -> None:
        machine = _machine(**changes)
        machine.check(machine.usual_fidelity)

    with pytest.raises(UserError) as caught:
        checked()
    return str(caught.value)


def test_myrinet_is_what_is_printed() -> None:
    machine = machine_of({"preset": "myrinet"})
    spec = machine.spec("flit")
    flit = 6250
    assert machine.nodes == 256
    assert machine.usual_fidelity == machine.exact_fidelity == "flit"
    assert (spec["link"]["flit_ps"], spec["link"]["delay_ps"]) == (flit, 22 * flit)
    assert spec["link"]["flow_control"] == {"stop_go": {"stop_flits": 96, "go_flits": 64}}
    switch = spec["switch"]
    assert switch["input_buffer_flits"] == 160
    assert (switch["fall_through_ps"], switch["regrant_delay_ps"]) == (16 * flit, 16 * flit)
    assert spec["routing"]["algorithm"]["kind"] == "dimension_order_one_way"
    assert spec["routing"]["parallel_links"] == "destination"


def test_what_is_left_out_is_what_a_round_trip_takes() -> None:
    assert _machine().marks == (44 + 32, 44)
    assert _machine().input_flits("flit") == 44 + 32 + 44
    assert _machine(link={"stop_mark": "30 B"}).marks == (30, 29)
    assert _machine(link={"go_mark": "10 B"}).marks == (42, 10)
    # Of the longest delay, and in flits.
    assert _machine(node_link={"delay": "30 flits"}).marks == (60 + 32, 60)
    wide = _machine(link={"flit": "4 B", "stop_mark": "400 B"})
    assert wide.marks == (100, 44)
    assert wide.resolved("flit")["link"]["go_mark"] == "176 B"
    for machine in (wide, _machine()):
        machine.check("flit")
        assert machine_of(machine.resolved("flit")).spec("flit") == machine.spec("flit")


def test_machines_without_know_nothing_of_it() -> None:
    machine = Machine()
    assert "fall_through_ps" not in machine.spec("packet")["switch"]
    assert "stop_mark" not in machine.resolved("packet")["link"]
    assert "regrant_delay" not in machine.resolved("packet")["switch"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"switch": {"input_buffer": "118 B"}},
            'machine.switch.input_buffer = "118 B": must be at least 119 B with flow control '
            "stop_go: the mark for STOP, 76 B, and 43 B that come before the STOP is there",
        ),
        (
            {"link": {"stop_mark": "64 B", "go_mark": "96 B"}},
            'machine.link.go_mark = "96 B": must be below the mark for STOP, 64 B',
        ),
        ({"link": {"delay": "0 s"}}, 'machine.link.delay = "0 s": must be above 0'),
        (
            {"link": {"flow_control": "out_of_band", "stop_mark": "9 B"}},
            'machine.link.stop_mark = "9 B": has no effect here; needs '
            'machine.link.flow_control = "stop_go"',
        ),
        (
            {"switch": {"switching": "cut_through"}},
            'machine.link.flow_control = "stop_go": must be out_of_band or in_band with switching',
        ),
        (
            {"switch": {"fall_through": "0.5 ns"}},
            'machine.switch.fall_through = "500 ps": must be 1 ns to 1 s',
        ),
        (
            {"switch": {"regrant_delay": "2 s"}},
            'machine.switch.regrant_delay = "2 s": must be at most 1 s',
        ),
        (
            {"routing": {"kind": "dimension_order", "parallel_links": "destination"}},
            'machine.routing.parallel_links = "destination": has no effect here; needs '
            "machine.link.width above 1",
        ),
        (
            {"routing": {"kind": "dimension_order", "ties": "down"}},
            'machine.routing.ties = "down": has no effect here; needs machine.topology.kind',
        ),
        (
            {
                "topology": {"kind": "torus", "dims": [4, 4]},
                "routing": {"kind": "dimension_order", "ties": "up", "balanced": True},
            },
            'machine.routing.ties = "up": must be spread with balanced = true',
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(changes: dict[str, Any], expected: str) -> None:
    said = _said(**changes)
    assert expected in said
    assert "\n" not in said


@pytest.mark.parametrize("fidelity", ["worm", "packet", "token", "stream"])
def test_other_fidelities_are_refused(fidelity: Any) -> None:
    with pytest.raises(UserError, match=r'machine.link.flow_control = "stop_go": must be '):
        _machine().check(fidelity)


class TestFlits:
    def test_times_in_flits_are_those_of_the_link(self) -> None:
        machine = Machine(
            link=Link(rate="1280 Mbit/s", delay="22 flits"), switch=Switch(delay="1 flit")
        )
        assert machine.link.delay == Time(137_500)
        assert machine.switch.delay == Time(6_250)
        assert str(Time.parse("2.5 flits")) == "2.5 flits"
        assert str(Time.parse("1 flits")) == "1 flit"

    def test_elsewhere_they_mean_nothing(self) -> None:
        workload = {"kind": "compute_only", "period": "3 flits"}
        with pytest.raises(UserError, match="is in flits; only links, switches and interfaces"):
            tb.Experiment.from_dict({"workload": workload})

    def test_a_rate_without_whole_flits_is_refused_as_ever(self) -> None:
        with pytest.raises(UserError, match=r"takes 7\.27273 ps") as caught:
            Machine(link=Link(rate="1.1 Tbit/s", flit="1 B", delay="3 flits"))
        assert caught.value.field == "machine.link.rate"


def _latency(rows: list[tuple[int, str]]) -> list[int]:
    """Return the latencies of messages from node 0 of ``myrinet``, each alone, in ps."""
    messages = [[f"{100 * at} us", 0, to, size] for at, (to, size) in enumerate(rows)]
    described = {
        "machine": {"preset": "myrinet"},
        "workload": {"kind": "messages", "messages": messages},
        "run": {"keep_messages": True},
    }
    table = tb.run(tb.Experiment.from_dict(described)).messages
    assert table is not None
    found = table.sort_by("message").to_pylist()
    return [row["latency_ps"] for row in found]


def test_a_message_alone_takes_22_and_16_flits_for_each_cable_and_switch() -> None:
    """0.388 us with one switch, 0.58 and 13.18 for 32 and 2048 bytes, 0.869 with three."""
    found = _latency([(1, "1 B"), (1, "32 B"), (1, "2048 B"), (8, "1 B"), (16, "1 B")])
    assert found == [387_500, 581_250, 13_181_250, 625_000, 862_500]
