"""Which fidelities can simulate a machine, and with which buffers."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.machines import Fidelity, Link, Machine, Switch
from tailback.units import Size
from tests.machines import OUT_OF_BAND, SEPARATE, routed, t9000


@pytest.mark.parametrize(("buffer", "fits"), [("33 B", False), ("34 B", True)])
def test_a_buffer_holds_a_whole_packet(buffer: str, fits: bool) -> None:
    machine = t9000("mesh", switch={"input_buffer": buffer})
    assert machine.switch.input_buffer == Size.parse(buffer)
    if fits:
        machine.check("packet")
    else:
        with pytest.raises(UserError, match=r'input_buffer = "33 B": must hold .* at least 34 B'):
            machine.check("packet")


def wired(kind: str = "mesh", out_of_band: bool = False, **keys: Any) -> Machine:
    """Return a T9000 machine; `keys` are of the part that has them."""
    homes = {
        "packet_gap": "link",
        "end_token": "link",
        "credit_delay": "link",
        "input_buffer": "switch",
        "output_buffer": "switch",
        "header": "interface",
        "packet_size": "interface",
    }
    parts: dict[str, Any] = {"link": OUT_OF_BAND} if out_of_band else {}
    for key, value in keys.items():
        home = homes.get(key)
        parts |= {key: value} if home is None else {home: {**parts.get(home, {}), key: value}}
    return t9000(kind, **parts)


IMPOSSIBLE: list[tuple[Machine, Fidelity, str]] = [
    (
        wired(),
        "worm",
        'machine.link.flow_control = "in_band": must be out_of_band with fidelities flit and worm: '
        "flow-control tokens in band delay the data of the other direction; use fidelity token",
    ),
    (wired(), "flit", "must be out_of_band with fidelities flit and worm"),
    (wired("pair"), "worm", "must be out_of_band with fidelities flit and worm"),
    (
        wired(out_of_band=True),
        "token",
        'machine.link.flow_control = "out_of_band": must be in_band with fidelity token; use worm '
        "or flit",
    ),
    (
        wired(packet_gap="1 ns", out_of_band=True),
        "worm",
        'machine.link.packet_gap = "1 ns": must be 0 s with fidelity worm, which needs flits at '
        "equal distances; use flit",
    ),
    (
        wired(packet_gap="1 ns", out_of_band=True),
        "token",
        "must be in_band with fidelity token; use worm or flit",
    ),
    (wired("star", input_buffer="7 B"), "token", "must hold a header (room is granted 8 B at a"),
    (wired("star", header="3 B", input_buffer="9 B"), "token", "at least 10 B with fidelity token"),
    (
        wired(input_buffer="2 B", packet_gap="101 ns"),
        "stream",
        'machine.switch.input_buffer = "2 B": must hold a header, at least 3 B with fidelity',
    ),
    (
        wired(input_buffer="32 B", end_token=False),
        "packet",
        'machine.switch.input_buffer = "32 B": must hold a whole packet, at least 33 B',
    ),
    (
        wired(packet_size="100 B"),
        "packet",
        'machine.switch.input_buffer = "70 B": must hold a whole packet, at least 102 B',
    ),
    (
        wired(header="3 B", input_buffer="2 B", out_of_band=True),
        "worm",
        'machine.switch.input_buffer = "2 B": must hold a header, at least 3 B with fidelity worm',
    ),
    (
        wired(input_buffer="0 B", out_of_band=True),
        "flit",
        'machine.switch.input_buffer = "0 B": must hold a header, at least 1 B with fidelity flit',
    ),
    (
        wired(input_buffer="7 B"),
        "token",
        'machine.switch.input_buffer = "7 B": must hold a header (room is granted 8 B at a time), '
        "at least 8 B with fidelity token",
    ),
    (wired(input_buffer="17 B", header="17 B"), "token", "at least 24 B with fidelity token"),
    (
        wired("pair", input_buffer="7 B"),
        "token",
        'machine.switch.input_buffer = "7 B": must hold a header (room is granted 8 B at a time), '
        "at least 8 B with fidelity token",
    ),
    (
        wired(output_buffer="0 B"),
        "token",
        'machine.switch.output_buffer = "0 B": must be at least 1 B with fidelity token',
    ),
    (
        wired(node_link={"rate": "50 Mbit/s"}),
        "stream",
        "machine.node_link = different rates: must be the same everywhere with fidelity stream; "
        "use another",
    ),
    (
        wired(link_classes={"y": {"rate": "50 Mbit/s"}}, out_of_band=True),
        "stream",
        "machine.link_classes.y = different rates: must be the same everywhere with fidelity "
        "stream; use another",
    ),
    (
        Machine(switch=Switch(input_buffer="1007 B")),
        "packet",
        'machine.switch.input_buffer = "1007 B": must hold a whole packet, at least 1008 B with '
        "fidelity packet",
    ),
    (
        Machine(link=Link(flit="64 B"), switch=Switch(input_buffer="1087 B")),
        "packet",
        "must hold a whole packet, at least 1088 B with fidelity packet",
    ),
    (
        Machine(),
        "worm",
        'run.fidelity = "worm": must be packet with switching cut_through',
    ),
    (
        t9000("torus", link=OUT_OF_BAND),
        "worm",
        'machine.link.sharing = "round_robin": must be separate with fidelity worm: flits of '
        "several packets take turns on a wire; use flit or packet, or sharing = separate",
    ),
    (t9000("torus"), "token", "must be separate with fidelity token"),
    (t9000("torus"), "stream", "must be separate with fidelity stream"),
    (
        routed("mesh", "west_first"),
        "token",
        'machine.routing.kind = "west_first": must be one that gives a packet one output with '
        "fidelities stream and token; use worm, flit or packet",
    ),
    (t9000("fat_tree", link=OUT_OF_BAND), "stream", "must be one that gives a packet one output"),
    (
        routed("mesh", "chaos", OUT_OF_BAND),
        "flit",
        'machine.routing.kind = "chaos": needs fidelity packet: packets that cannot go on are '
        "moved as a whole",
    ),
    (
        routed("mesh", "deflection"),
        "token",
        'machine.routing.kind = "deflection": needs fidelity packet',
    ),
    (
        routed("mesh", "minimal_adaptive", SEPARATE | OUT_OF_BAND),
        "worm",
        'machine.routing.kind = "minimal_adaptive": must be one without a way out with fidelity '
        "worm, which does not look again when flits leave a buffer; use flit or packet",
    ),
    (
        t9000("mesh", routing={"kind": "deflection"}, switch={"input_buffer": "67 B"}),
        "packet",
        'machine.switch.input_buffer = "67 B": must hold two packets with routing deflection, at '
        "least 68 B with fidelity packet",
    ),
    (
        t9000("torus", node_link={"rate": "1 Gbit/s"}),
        "stream",
        "machine.node_link = different rates: must be the same everywhere with fidelity stream",
    ),
]


@pytest.mark.parametrize(("machine", "fidelity", "expected"), IMPOSSIBLE)
def test_a_fidelity_may_be_impossible(machine: Machine, fidelity: Fidelity, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        machine.check(fidelity)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


POSSIBLE: list[tuple[Machine, Fidelity]] = [
    (wired(input_buffer="8 B", output_buffer="1 B"), "token"),
    (wired(input_buffer="24 B", header="17 B"), "token"),
    (wired(node_link={"rate": "50 Mbit/s"}), "token"),
    (wired(node_link={"rate": "50 Mbit/s"}), "packet"),
    (wired(input_buffer="3 B", header="3 B", out_of_band=True), "flit"),
    (
        wired(
            link_classes={"x": {"rate": "1 Gbit/s"}, "y": {"rate": "50 Mbit/s"}}, out_of_band=True
        ),
        "worm",
    ),
    (wired(credit_delay="5 ns", out_of_band=True), "worm"),
    (wired(packet_gap="5 ns", out_of_band=True), "flit"),
    (wired(packet_gap="5 ns"), "packet"),
    (wired("star"), "token"),
    (wired("star"), "packet"),
    (wired(out_of_band=True), "packet"),
    (wired(out_of_band=True), "stream"),
    (wired(input_buffer="3 B", packet_gap="101 ns"), "stream"),
    (wired(output_buffer="0 B"), "packet"),
    (wired("pair", out_of_band=True), "worm"),
    (Machine(), "packet"),
    (Machine(switch=Switch(input_buffer="1008 B")), "packet"),
    (Machine(link=Link(flit="64 B"), switch=Switch(input_buffer="1088 B")), "packet"),
    (Machine(switch=Switch(switching="wormhole")), "worm"),
]


@pytest.mark.parametrize(("machine", "fidelity"), POSSIBLE)
def test_a_fidelity_may_be_just_possible(machine: Machine, fidelity: Fidelity) -> None:
    machine.check(fidelity)
