"""Machines: what they become for the engine, and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tailback.errors import UserError
from tailback.importing.toml import to_toml
from tailback.machines import (
    PRESETS,
    Fidelity,
    Hypercube,
    Interface,
    Link,
    LinkClass,
    Machine,
    Mesh,
    Pair,
    Star,
    Switch,
    machine_of,
)
from tailback.machines.kinds import KINDED, PLAIN
from tailback.machines.reading import PARTS
from tailback.since311 import tomllib
from tailback.units import Rate, Time
from tests.machines import t9000, t9000_tables

OUT_OF_BAND: dict[str, Any] = {"flow_control": "out_of_band"}


def test_a_machine_that_says_nothing_is_a_modern_one() -> None:
    assert Machine().spec("packet") == {
        "topology": {"kind": "mesh", "dims": [16, 16]},
        "link": {
            "flit_bytes": 1,
            "flit_ps": 80,
            "control_ps": 1,
            "delay_ps": 0,
            "width": 1,
            "end_token": False,
            "packet_gap_ps": 0,
            "flow_control": "out_of_band",
            "credit_delay_ps": 0,
            "sharing": "round_robin",
            "half_duplex": False,
        },
        "node_link": {"width": 1},
        "link_classes": {},
        "switch": {
            "integrated": False,
            "switching": "cut_through",
            "input_buffer_flits": 16 * 1008,
            "output_buffer_flits": 35,
            "output_queue_packets": None,
            "reserve": False,
            "overtaking": False,
            "delay_ps": 0,
            "virtual_channels": 1,
            "queueing": "output",
            "arbiter": "fifo",
            "ack_priority": False,
        },
        "routing": {
            "algorithm": {"kind": "dimension_order", "order": [0, 1]},
            "selection": "first",
            "hop_limit": 65_534,
            "allow_deadlock": False,
        },
        "interface": {
            "unit": "packet",
            "packet_bytes": 1000,
            "first_packet_bytes": None,
            "header_bytes": 8,
            "acknowledges": False,
            "ack_priority": True,
            "window": None,
            "message_order": "fifo",
            "time_slice_ps": None,
            "early_bytes": 0,
        },
    }


def test_the_t9000_and_c104() -> None:
    spec = t9000("mesh").spec("packet")
    assert spec["link"] | {"sharing": ""} == {
        "flit_bytes": 1,
        "flit_ps": 100_000,
        "control_ps": 40_000,
        "delay_ps": 0,
        "width": 1,
        "end_token": True,
        "packet_gap_ps": 0,
        "flow_control": "in_band",
        "credit_delay_ps": 0,
        "sharing": "",
        "half_duplex": False,
    }
    assert spec["node_link"] == {"width": 4}
    assert (spec["switch"]["input_buffer_flits"], spec["switch"]["output_buffer_flits"]) == (70, 35)
    assert (spec["switch"]["switching"], spec["switch"]["arbiter"]) == ("wormhole", "fifo")
    assert spec["interface"] | {"message_order": ""} == {
        "unit": "packet",
        "packet_bytes": 32,
        "first_packet_bytes": None,
        "header_bytes": 1,
        "acknowledges": True,
        "ack_priority": True,
        "window": 1,
        "message_order": "",
        "time_slice_ps": None,
        "early_bytes": 0,
    }


def test_every_key_reaches_the_engine() -> None:
    machine = machine_of(
        {
            "topology": {"kind": "mesh", "dims": [4, 3, 2]},
            "link": {
                "rate": "1 Gbit/s",
                "data_token_bits": 8,
                "control_token_bits": 2,
                "packet_gap": "9 ns",
                "end_token": True,
                "flow_control": "out_of_band",
                "credit_delay": "3 ns",
                "delay": "5 ns",
                "width": 2,
                "sharing": "until_stall",
            },
            "node_link": {"rate": "500 Mbit/s", "delay": "11 ns", "width": 3},
            "link_classes": {
                "x": {"rate": "2 Gbit/s"},
                "y": {"delay": "6 ns"},
                "z": {"rate": "250 Mbit/s", "delay": "5 ns"},
            },
            "switch": {
                "switching": "wormhole",
                "delay": "7 ns",
                "input_buffer": "200 B",
                "virtual_channels": 2,
                "arbiter": "oldest_first",
                "ack_priority": True,
            },
            "routing": {"order": ["z", "x", "y"], "hop_limit": 9, "allow_deadlock": True},
            "interface": {
                "header": "2 B",
                "packet_size": "64 B",
                "first_packet": "60 B",
                "window": 5,
                "message_order": "round_robin",
                "acknowledgements": True,
                "ack_priority": False,
                "time_slice": "1 us",
            },
        }
    )
    spec = machine.spec("flit")
    assert spec["routing"] == {
        "algorithm": {"kind": "dimension_order", "order": [2, 0, 1]},
        "selection": "first",
        "hop_limit": 9,
        "allow_deadlock": True,
    }
    assert spec["link"] == {
        "flit_bytes": 1,
        "flit_ps": 8000,
        "control_ps": 2000,
        "delay_ps": 5000,
        "width": 2,
        "end_token": True,
        "packet_gap_ps": 9000,
        "flow_control": "out_of_band",
        "credit_delay_ps": 3000,
        "sharing": "until_stall",
        "half_duplex": False,
    }
    assert spec["node_link"] == {
        "flit_ps": 16_000,
        "control_ps": 4000,
        "delay_ps": 11_000,
        "width": 3,
    }
    assert spec["link_classes"] == {
        "x": {"flit_ps": 4000, "control_ps": 1000},
        "y": {"delay_ps": 6000},
        "z": {"flit_ps": 32_000, "control_ps": 8000},
    }
    assert spec["switch"] == {
        "integrated": False,
        "switching": "wormhole",
        "input_buffer_flits": 200,
        "output_buffer_flits": 35,
        "output_queue_packets": None,
        "reserve": False,
        "overtaking": False,
        "delay_ps": 7000,
        "virtual_channels": 2,
        "arbiter": "oldest_first",
        "ack_priority": True,
    }
    assert spec["interface"] == {
        "unit": "packet",
        "packet_bytes": 64,
        "first_packet_bytes": 60,
        "header_bytes": 2,
        "acknowledges": True,
        "ack_priority": False,
        "window": 5,
        "message_order": "round_robin",
        "time_slice_ps": 1_000_000,
        "early_bytes": 0,
    }


SIZES: list[tuple[Machine, int, int, tuple[int, ...], bool]] = [
    (t9000("mesh", dims=[16, 16]), 256, 4, (16, 16), True),
    (t9000("mesh", dims=[5]), 5, 2, (5,), True),
    (t9000("mesh", dims=[4, 3, 2]), 24, 6, (4, 3, 2), True),
    (t9000("hypercube", dimensions=6), 64, 6, (2,) * 6, True),
    (t9000("pair"), 2, 1, (), False),
    (t9000("star", nodes=5), 5, 1, (), False),
]


@pytest.mark.parametrize(("machine", "nodes", "degree", "shape", "internal"), SIZES)
def test_sizes(
    machine: Machine, nodes: int, degree: int, shape: tuple[int, ...], internal: bool
) -> None:
    assert machine.nodes == nodes
    assert machine.degree == degree
    assert machine.shape == shape
    assert machine.has_internal_channels is internal
    # The preset says "degree".
    assert machine.node_links == degree
    assert machine.spec("packet")["node_link"]["width"] == degree


def test_a_switch_without_others_has_a_link_to_its_nodes_all_the_same() -> None:
    machine = t9000("fully_connected", switches=1, node_link={"width": "degree"})
    assert machine.degree == 0
    assert machine.spec("packet")["node_link"]["width"] == 1


def test_topologies_for_the_engine() -> None:
    kinds = (
        (Hypercube(dimensions=3), {"kind": "hypercube", "dimensions": 3}),
        (Pair(), {"kind": "pair"}),
        (Star(nodes=3), {"kind": "star", "nodes": 3}),
    )
    for topology, expected in kinds:
        assert Machine(topology=topology).spec("packet")["topology"] == expected


def test_a_star_is_a_c104_with_nothing_to_route() -> None:
    spec, mesh = (t9000(kind).spec("token") for kind in ("star", "mesh"))
    assert spec["topology"]["nodes"] == 32
    assert spec["routing"]["algorithm"] == {"kind": "dimension_order", "order": []}
    for part in ("link", "link_classes", "switch", "interface"):
        assert spec[part] == mesh[part]
    assert spec["node_link"] == mesh["node_link"] | {"width": 1}


@pytest.mark.parametrize(
    ("order", "expected"),
    [(None, [0, 1]), (["y", "x"], [1, 0]), ([1, 0], [1, 0]), (["x", 1], [0, 1])],
)
def test_dimension_order(order: Any, expected: list[int]) -> None:
    machine = t9000("mesh", dims=[4, 4], routing={"order": order})
    assert machine.spec("packet")["routing"]["algorithm"]["order"] == expected


def test_many_dimensions_are_named_by_number() -> None:
    order = ["x3", "y", "z", "x"]
    machine = t9000("mesh", dims=[2, 2, 2, 2], routing={"order": order})
    assert machine.spec("packet")["routing"]["algorithm"]["order"] == [3, 1, 2, 0]
    assert machine.resolved("packet")["routing"]["order"] == order
    classes = {"x3": {"delay": "1 ns"}}
    special = t9000("mesh", dims=[2, 2, 2, 2], link_classes=classes)
    assert special.spec("packet")["link_classes"] == {"x3": {"delay_ps": 1000}}


def test_round_trip_of_one_packet_between_two_nodes() -> None:
    # 100 ns of header each way, 3340 ns of packet, 140 ns of acknowledgement.
    pair = t9000("pair")
    assert pair.round_trip_ps(32) == 3_340_000 + 140_000 + 2 * 100_000
    assert pair.round_trip_ps(33) == 2 * pair.round_trip_ps(32)


def test_a_round_trip_without_acknowledgements_is_one_way() -> None:
    pair = t9000("pair", interface={"acknowledgements": False})
    assert pair.round_trip_ps(32) == 3_340_000 + 100_000
    assert pair.round_trip_ps(33) == 2 * pair.round_trip_ps(32)


def test_an_unlimited_window_is_a_stream_of_packets() -> None:
    pair = Machine(topology=Pair())
    packet_ps, header_ps = 1008 * 80, 8 * 80
    assert pair.round_trip_ps(1000) == packet_ps + header_ps
    assert pair.round_trip_ps(5000) == 5 * packet_ps + header_ps
    two = Machine(topology=Pair(), interface=Interface(window=2))
    assert two.round_trip_ps(5000) == 3 * pair.round_trip_ps(1000)


@pytest.mark.parametrize(
    ("keys", "packets"),
    [
        ({}, None),
        ({"window": 7}, 7),
        ({"window": "unlimited"}, None),
        ({"acknowledgements": True}, 1),
        ({"acknowledgements": True, "window": "unlimited"}, None),
    ],
)
def test_the_window_is_open_unless_packets_are_acknowledged(
    keys: dict[str, Any], packets: int | None
) -> None:
    machine = Machine(interface=Interface(**keys))
    assert machine.spec("packet")["interface"]["window"] == packets
    shown = "unlimited" if packets is None else packets
    assert machine.resolved("packet")["interface"]["window"] == shown


def test_a_packet_without_an_end_token() -> None:
    assert t9000("mesh").packet_flits(32) == 34
    without = t9000("mesh", link={"end_token": False})
    assert without.packet_flits(32) == 33
    assert without.packet_ps(32) == 3_300_000
    assert without.packet_ps(0) == 100_000


def test_a_gap_makes_the_first_token_longer() -> None:
    gap = {"packet_gap": "50 ns"}
    assert t9000("mesh", link=gap).packet_ps(32) == 3_390_000
    pairs = [t9000("pair", link=link).round_trip_ps(32) for link in ({}, gap)]
    assert pairs[1] == pairs[0] + 4 * 50_000
    out_of_band = t9000("mesh", link=gap | OUT_OF_BAND)
    assert (out_of_band.usual_fidelity, out_of_band.exact_fidelity) == ("flit", "flit")
    assert t9000("mesh", link=gap).exact_fidelity == "token"


def test_a_packet_takes_as_long_as_the_slowest_channel_needs() -> None:
    assert t9000("mesh", node_link={"rate": "50 Mbit/s"}).packet_ps(32) == 6_680_000
    classes = {"x": {"rate": "20 Mbit/s"}, "y": {"rate": "200 Mbit/s"}}
    assert t9000("mesh", dims=[4, 4], link_classes=classes).packet_ps(0) == 700_000
    assert t9000("mesh", node_link={"rate": "200 Mbit/s"}).packet_ps(32) == 3_340_000


@pytest.mark.parametrize(("fidelity", "room"), [("packet", 70), ("stream", 70), ("token", 35)])
def test_the_default_buffers_are_those_of_the_c104(fidelity: Fidelity, room: int) -> None:
    machine = t9000("mesh", dims=[4, 4])
    machine.check(fidelity)
    switch = machine.spec(fidelity)["switch"]
    assert (switch["input_buffer_flits"], switch["output_buffer_flits"]) == (room, 35)
    assert machine.resolved(fidelity)["switch"]["input_buffer"] == f"{room} B"
    given = t9000("mesh", switch={"input_buffer": "99 B"})
    assert given.spec(fidelity)["switch"]["input_buffer_flits"] == 99


def test_the_buffer_of_a_pair_counts_where_tokens_do() -> None:
    pair = t9000("pair", switch={"input_buffer": "8 B"}, interface={"packet_size": "100 B"})
    assert pair.spec("token")["switch"]["input_buffer_flits"] == 8
    assert pair.spec("packet")["switch"]["input_buffer_flits"] == 102
    fidelities: tuple[Fidelity, ...] = ("token", "packet", "stream")
    for fidelity in fidelities:
        pair.check(fidelity)
    assert t9000("pair").spec("token")["switch"]["input_buffer_flits"] == 35


def test_unlimited_buffers() -> None:
    machine = Machine(switch=Switch(input_buffer="unlimited"))
    assert machine.spec("packet")["switch"]["input_buffer_flits"] is None
    assert machine.resolved("packet")["switch"]["input_buffer"] == "unlimited"
    machine.check("packet")
    fidelities: tuple[Fidelity, ...] = ("token", "stream", "packet")
    for fidelity in fidelities:
        t9000("mesh", switch={"input_buffer": "unlimited"}).check(fidelity)
    with pytest.raises(UserError, match=r"output_buffer = \"unlimited\": must be"):
        machine_of({"switch": {"output_buffer": "unlimited"}})


def test_equal_rates_are_no_other_machine() -> None:
    written = t9000(
        "mesh",
        dims=[4, 4],
        node_link={"rate": "100 Mbit/s", "delay": "0 s"},
        link_classes={"x": {"rate": "100 Mbit/s"}, "y": {"rate": "0.1 Gbit/s", "delay": "0 ps"}},
    )
    written.check("packet")
    assert written.spec("packet") == t9000("mesh", dims=[4, 4]).spec("packet")


def test_frozen() -> None:
    machine = Machine()
    for part, name in ((machine, "clock"), (machine.link, "rate"), (machine.topology, "dims")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, name, None)
    assert Machine() == machine
    assert hash(Link(rate="1 Gbit/s")) == hash(Link(rate="1 Gbps"))


def test_parts_keep_what_was_meant() -> None:
    link = Link(rate="400 Gbit/s", delay="5 ns")
    assert (link.rate, link.delay) == (Rate(4 * 10**11), Time(5000))
    assert link == Link(rate=Rate(4 * 10**11), delay=Time(5000))
    assert link.given() == {"rate": Rate(4 * 10**11), "delay": Time(5000)}
    assert link.written()["rate"] == "400 Gbit/s"


def test_help_on_a_part_names_every_key_and_fits_on_a_page() -> None:
    for part in (*PLAIN.values(), LinkClass, Machine, *KINDED["topology"].values()):
        told = str(part.__doc__)
        assert all(f"\n{name}: " in told for name in part.key_names)
        assert len(told.splitlines()) <= 50


def test_resolved_says_units_and_defaults() -> None:
    machine = t9000("mesh", dims=[4, 4], link={"delay": Time(1500)})
    resolved = machine.resolved("packet")
    assert list(resolved) == [
        *(part for part in PARTS if part not in ("hosts", "loggops")),
        "clock",
    ]
    assert resolved["link"]["rate"] == "100 Mbit/s"
    assert resolved["link"]["delay"] == "1.5 ns"
    assert resolved["interface"]["packet_size"] == "32 B"
    assert resolved["node_link"] == {"rate": "100 Mbit/s", "delay": "1.5 ns", "width": 4}
    assert resolved["routing"]["order"] == ["x", "y"]
    assert resolved["switch"]["input_buffer"] == "70 B"
    assert machine_of(resolved).spec("packet") == machine.spec("packet")


def test_parts_may_stand_for_their_tables() -> None:
    classes = {"x": LinkClass(delay="3 ns")}
    parts = {"topology": Mesh(dims=(4, 4)), "link": Link(rate="1 Gbit/s"), "link_classes": classes}
    machine = machine_of(parts)
    assert machine == Machine(
        topology=Mesh(dims=(4, 4)), link=Link(rate="1 Gbit/s"), link_classes=classes
    )
    assert machine_of(parts, {"topology": {"kind": "star"}}).link == machine.link


def test_written_is_what_was_given() -> None:
    tables = {
        "topology": {"kind": "torus", "dims": [4, 4]},
        "link": {"rate": "25 Gbit/s"},
        "link_classes": {"x": {"delay": "3 ns"}},
        "routing": {"kind": "dimension_order", "balanced": True},
        "clock": "2 GHz",
    }
    assert machine_of(tables).written() == tables
    assert machine_of(machine_of(t9000_tables()).written()) == t9000()


COLLECTIVES: list[dict[str, Any]] = [
    {"interface": {"collectives": "open_mpi"}},
    {"interface": {"collectives": {"all_reduce": "ring", "broadcast": "free"}, "barrier": "free"}},
    {"interface": {"collectives": {"reduce": {"base": "-3 us", "per_byte": "2 ns/B"}}}},
]


@pytest.mark.parametrize("tables", [*({"preset": name} for name in PRESETS), *COLLECTIVES], ids=str)
def test_what_is_written_is_the_same_machine(tables: dict[str, Any]) -> None:
    machine = machine_of(tables)
    written = tomllib.loads(to_toml({"machine": machine.written()}))
    assert machine_of(written["machine"]) == machine


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_simulated(name: str) -> None:
    machine = machine_of({"preset": name})
    machine.check(machine.usual_fidelity)
    machine.check(machine.exact_fidelity)
    fidelity = machine.usual_fidelity
    assert machine_of(machine.resolved(fidelity)).spec(fidelity) == machine.spec(fidelity)
    # A preset has no key without effect: it means the same without being one.
    assert machine_of(PRESETS[name]) == machine


def test_the_t9000_may_be_simulated_by_packets_or_exactly() -> None:
    for name in ("t9000_c104", "t9000_pair"):
        machine = machine_of({"preset": name})
        assert (machine.usual_fidelity, machine.exact_fidelity) == ("packet", "token")
        machine.check("packet")


def test_the_wormhole_mesh_sends_a_flit_per_nanosecond() -> None:
    machine = machine_of({"preset": "wormhole_mesh"})
    assert (machine.usual_fidelity, machine.exact_fidelity) == ("worm", "worm")
    assert machine.spec("worm")["link"]["flit_ps"] == 1000
    assert machine.packet_flits(31) == 32
    assert machine.packet_ps(31) == 32_000
