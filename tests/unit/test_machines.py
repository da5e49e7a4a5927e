"""Machines: what they become for the engine, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.machines import (
    PRESETS,
    TOPOLOGIES,
    Fidelity,
    Hypercube,
    Machine,
    Mesh,
    Pair,
    Star,
    SwitchedMachine,
)
from tailback.units import Size, Time


def test_defaults_are_the_t9000_and_c104() -> None:
    assert Mesh(dims=[16, 16]).spec("packet") == {
        "topology": {"kind": "mesh", "dims": [16, 16]},
        "routing": {"kind": "dimension_order", "order": [0, 1]},
        "link": {
            "bit_ps": 10_000,
            "data_token_bits": 10,
            "control_token_bits": 4,
            "header_bytes": 1,
            "packet_gap_ps": 0,
            "end_token": True,
            "flow_control": "in_band",
            "credit_delay_ps": 0,
            "wire_delay_ps": 0,
            "switch_delay_ps": 0,
        },
        "rates": {"external_bit_ps": None, "dimension_bit_ps": []},
        "node": {
            "link_width": 4,
            "packet_bytes": 32,
            "acknowledges": True,
            "ack_priority": True,
            "time_slice_ps": None,
        },
        "switch": {
            "input_buffer_tokens": 70,
            "output_buffer_tokens": 35,
            "link_width": 1,
            "policy": "fifo",
            "ack_priority": False,
        },
    }


def test_every_key_reaches_the_engine() -> None:
    machine = Mesh(
        dims=[4, 3, 2],
        link_rate="1 Gbit/s",
        data_token_bits=8,
        control_token_bits=2,
        header="2 B",
        packet_size="64 B",
        packet_gap="9 ns",
        end_token=False,
        flow_control="out_of_band",
        credit_delay="3 ns",
        wire_delay="5 ns",
        switch_delay="7 ns",
        link_width=3,
        internal_link_width=2,
        node_link_rate="500 Mbit/s",
        dimension_rates=["2 Gbit/s", "1 Gbit/s", "250 Mbit/s"],
        input_buffer="200 B",
        output_buffer="20 B",
        acknowledgements=False,
        queue_policy="oldest_first",
        switch_ack_priority=True,
        node_ack_priority=False,
        time_slice="1 us",
        dimension_order=["z", "x", "y"],
    )
    spec = machine.spec("flit")
    assert spec["routing"]["order"] == [2, 0, 1]
    assert spec["link"] == {
        "bit_ps": 1000,
        "data_token_bits": 8,
        "control_token_bits": 2,
        "header_bytes": 2,
        "packet_gap_ps": 9000,
        "end_token": False,
        "flow_control": "out_of_band",
        "credit_delay_ps": 3000,
        "wire_delay_ps": 5000,
        "switch_delay_ps": 7000,
    }
    assert spec["rates"] == {"external_bit_ps": 2000, "dimension_bit_ps": [500, 1000, 4000]}
    assert spec["node"] == {
        "link_width": 3,
        "packet_bytes": 64,
        "acknowledges": False,
        "ack_priority": False,
        "time_slice_ps": 1_000_000,
    }
    assert spec["switch"] == {
        "input_buffer_tokens": 200,
        "output_buffer_tokens": 20,
        "link_width": 2,
        "policy": "oldest_first",
        "ack_priority": True,
    }


SIZES: list[tuple[Machine, int, int, tuple[int, ...], bool]] = [
    (Mesh(dims=[16, 16]), 256, 4, (16, 16), True),
    (Mesh(dims=[5]), 5, 2, (5,), True),
    (Mesh(dims=[4, 3, 2]), 24, 6, (4, 3, 2), True),
    (Hypercube(dimensions=6), 64, 6, (2,) * 6, True),
    (Pair(), 2, 1, (), False),
    (Star(nodes=5), 5, 1, (), False),
]


@pytest.mark.parametrize(("machine", "nodes", "degree", "shape", "internal"), SIZES)
def test_sizes(
    machine: Machine, nodes: int, degree: int, shape: tuple[int, ...], internal: bool
) -> None:
    assert machine.nodes == nodes
    assert machine.degree == degree
    assert machine.shape == shape
    assert machine.has_internal_channels is internal
    assert machine.node_links == degree
    assert machine.spec("packet")["node"]["link_width"] == degree


def test_topologies_for_the_engine() -> None:
    assert Hypercube(dimensions=3).spec("packet")["topology"] == {
        "kind": "hypercube",
        "dimensions": 3,
    }
    assert Pair().spec("packet")["topology"] == {"kind": "pair"}
    assert Star(nodes=3).spec("packet")["topology"] == {"kind": "star", "nodes": 3}


def test_a_star_is_a_c104_with_nothing_to_route() -> None:
    spec, mesh = (machine.spec("token") for machine in (Star(), Mesh()))
    assert spec["topology"]["nodes"] == 32
    assert spec["routing"]["order"] == []
    for part in ("link", "rates", "switch"):
        assert spec[part] == mesh[part]
    assert spec["node"] == mesh["node"] | {"link_width": 1}


@pytest.mark.parametrize(
    ("order", "expected"),
    [(None, (0, 1)), (["y", "x"], (1, 0)), ([1, 0], (1, 0)), (["x", 1], (0, 1))],
)
def test_dimension_order(order: Any, expected: tuple[int, ...]) -> None:
    assert Mesh(dims=[4, 4], dimension_order=order).order == expected


def test_many_dimensions_are_named_by_number() -> None:
    machine = Mesh(dims=[2, 2, 2, 2], dimension_order=["x3", "y", "z", "x"])
    assert machine.order == (3, 1, 2, 0)
    assert machine.resolved("packet")["dimension_order"] == ["x3", "y", "z", "x"]


def test_round_trip_of_one_packet_between_two_nodes() -> None:
    # 100 ns of header each way, 3340 ns of packet, 140 ns of acknowledgement.
    assert Pair().round_trip_ps(32) == 3_340_000 + 140_000 + 2 * 100_000
    assert Pair().round_trip_ps(33) == 2 * Pair().round_trip_ps(32)


def test_a_round_trip_without_acknowledgements_is_one_way() -> None:
    pair = Pair(acknowledgements=False)
    assert pair.round_trip_ps(32) == 3_340_000 + 100_000
    assert pair.round_trip_ps(33) == 2 * pair.round_trip_ps(32)


def test_a_packet_without_an_end_token() -> None:
    assert Mesh().packet_tokens(32) == 34
    assert Mesh(end_token=False).packet_tokens(32) == 33
    assert Mesh(end_token=False).packet_ps(32) == 3_300_000
    assert Mesh(end_token=False).packet_ps(0) == 100_000


def test_a_gap_makes_the_first_token_longer() -> None:
    assert Mesh(packet_gap="50 ns").packet_ps(32) == 3_390_000
    assert Pair(packet_gap="50 ns").round_trip_ps(32) == Pair().round_trip_ps(32) + 4 * 50_000
    out_of_band = Mesh(packet_gap="50 ns", flow_control="out_of_band")
    assert (out_of_band.usual_fidelity, out_of_band.exact_fidelity) == ("flit", "flit")
    assert Mesh(packet_gap="50 ns").exact_fidelity == "token"


def test_a_packet_takes_as_long_as_the_slowest_channel_needs() -> None:
    assert Mesh(node_link_rate="50 Mbit/s").packet_ps(32) == 6_680_000
    assert Mesh(dims=[4, 4], dimension_rates=["20 Mbit/s", "200 Mbit/s"]).packet_ps(0) == 700_000
    assert Mesh(node_link_rate="200 Mbit/s").packet_ps(32) == 3_340_000


@pytest.mark.parametrize(("fidelity", "room"), [("packet", 70), ("stream", 70), ("token", 35)])
def test_the_default_buffers_are_those_of_the_c104(fidelity: Fidelity, room: int) -> None:
    machine = Mesh(dims=[4, 4])
    machine.check(fidelity)
    switch = machine.spec(fidelity)["switch"]
    assert (switch["input_buffer_tokens"], switch["output_buffer_tokens"]) == (room, 35)
    assert machine.resolved(fidelity)["input_buffer"] == f"{room} B"
    given = Mesh(input_buffer="99 B")
    assert given.spec(fidelity)["switch"]["input_buffer_tokens"] == 99


def test_the_buffer_of_a_pair_counts_where_tokens_do() -> None:
    pair = Pair(input_buffer="8 B", packet_size="100 B")
    assert pair.spec("token")["switch"]["input_buffer_tokens"] == 8
    assert pair.spec("packet")["switch"]["input_buffer_tokens"] == 102
    for fidelity in ("token", "packet", "stream"):
        pair.check(fidelity)
    assert Pair().spec("token")["switch"]["input_buffer_tokens"] == 35


def test_equal_rates_are_no_other_machine() -> None:
    written = Mesh(
        dims=[4, 4], node_link_rate="100 Mbit/s", dimension_rates=["100 Mbit/s", "0.1 Gbit/s"]
    )
    written.check("packet")
    assert written.spec("packet") == Mesh(dims=[4, 4]).spec("packet")


def test_frozen() -> None:
    machine = Mesh()
    with pytest.raises(ValueError, match="frozen"):
        machine.dims = (3, 3)
    assert hash(machine) == hash(Mesh())


def test_resolved_says_units_and_defaults() -> None:
    resolved = Mesh(dims=[4, 4], wire_delay=Time(1500)).resolved("packet")
    assert resolved["link_rate"] == "100 Mbit/s"
    assert resolved["packet_size"] == "32 B"
    assert resolved["wire_delay"] == "1.5 ns"
    assert resolved["link_width"] == 4
    assert resolved["dimension_order"] == ["x", "y"]
    assert resolved["input_buffer"] == "70 B"
    assert resolved["node_link_rate"] == "100 Mbit/s"
    assert resolved["dimension_rates"] == ["100 Mbit/s", "100 Mbit/s"]
    plain = Mesh(dims=[4, 4], wire_delay=Time(1500))
    assert Mesh(**resolved).spec("packet") == plain.spec("packet")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_name_only_keys_of_their_topology(name: str) -> None:
    preset = PRESETS[name]
    machine = TOPOLOGIES[preset["topology"]](**preset)
    machine.check(machine.usual_fidelity)
    machine.check(machine.exact_fidelity)


def test_the_t9000_may_be_simulated_by_packets_or_exactly() -> None:
    for name in ("t9000_c104", "t9000_pair"):
        machine = TOPOLOGIES[PRESETS[name]["topology"]](**PRESETS[name])
        assert (machine.usual_fidelity, machine.exact_fidelity) == ("packet", "token")
        machine.check("packet")


def test_the_wormhole_mesh_sends_a_flit_per_nanosecond() -> None:
    machine = Mesh(**PRESETS["wormhole_mesh"])
    assert (machine.usual_fidelity, machine.exact_fidelity) == ("worm", "worm")
    link = machine.spec("worm")["link"]
    assert link["bit_ps"] * link["data_token_bits"] == 1000
    assert machine.packet_tokens(31) == 32
    assert machine.packet_ps(31) == 32_000


BAD: list[tuple[type[Machine], dict[str, Any], str]] = [
    (Mesh, {"link_widht": 4}, "machine.link_widht: unknown key; did you mean machine.link_width?"),
    (Mesh, {"dims": [0, 4]}, "machine.dims[0] = 0: must be at least 1"),
    (Mesh, {"dims": [4, -1]}, "machine.dims[1] = -1: must be at least 1"),
    (Mesh, {"dims": []}, "machine.dims = []: must have at least 1 entries"),
    (Mesh, {"dims": 16}, "machine.dims = 16: must be a list"),
    (Mesh, {"dims": [4.5]}, "machine.dims[0] = 4.5: must be a whole number"),
    (Mesh, {"dims": ["4"]}, 'machine.dims[0] = "4": must be a whole number'),
    (Mesh, {"dims": [True]}, "machine.dims[0] = true: must be a whole number"),
    (
        Mesh,
        {"dims": [2048, 1024]},
        "machine.dims = [2048, 1024]: is 2097152 nodes; must be at most 1048576",
    ),
    (Mesh, {"dims": [1, 1]}, "machine.dims = [1, 1]: is one node; must be at least 2"),
    (Mesh, {"wire_delay": "2 s"}, 'machine.wire_delay = "2 s": must be at most 1 s'),
    (Mesh, {"switch_delay": "2 s"}, 'machine.switch_delay = "2 s": must be at most 1 s'),
    (Mesh, {"dims": [2] * 9}, "must have at most 8 entries"),
    (Mesh, {"link_width": 0}, "machine.link_width = 0: must be at least 1"),
    (Mesh, {"internal_link_width": 0}, "machine.internal_link_width = 0: must be at least 1"),
    (Mesh, {"header": "0 B"}, 'machine.header = "0 B": must be 1 B to 255 B'),
    (Mesh, {"packet_size": 0}, 'machine.packet_size = "0 B": must be 1 B to 1000000 B'),
    (Mesh, {"packet_size": 32}, 'machine.packet_size = 32: needs a unit: write "32 B" if that'),
    (Mesh, {"time_slice": "0 us"}, 'machine.time_slice = "0 s": must be above zero'),
    (Mesh, {"data_token_bits": 0}, "machine.data_token_bits = 0: must be at least 1"),
    (Mesh, {"node_ack_priority": 1}, "machine.node_ack_priority = 1: must be true or false"),
    (
        Mesh,
        {"queue_policy": "fifi"},
        'machine.queue_policy = "fifi": must be "fifo", "random", "net_first", "oldest_first" '
        'or "hops_first"; did you mean "fifo"?',
    ),
    (Mesh, {"routing": "valiant"}, 'machine.routing = "valiant": must be "dimension_order"'),
    (
        Mesh,
        {"dimension_order": ["x", "x"]},
        'machine.dimension_order = ["x", "x"]: must name each of x, y once',
    ),
    (Mesh, {"dimension_order": ["x"]}, "must name each of x, y once"),
    (Mesh, {"dimension_order": [0, 2]}, "must name each of x, y once"),
    (
        Mesh,
        {"dimension_order": "yx"},
        'machine.dimension_order = "yx": must be a list',
    ),
    (
        Mesh,
        {"credit_delay": "1 ns"},
        'machine.credit_delay = "1 ns": must be 0 with flow_control = "in_band"',
    ),
    (
        Mesh,
        {"credit_delay": "2 s", "flow_control": "out_of_band"},
        'machine.credit_delay = "2 s": must be at most 1 s',
    ),
    (
        Mesh,
        {"flow_control": "outofband"},
        'machine.flow_control = "outofband": must be "in_band" or "out_of_band"; '
        'did you mean "out_of_band"?',
    ),
    (Mesh, {"packet_gap": "2 s"}, 'machine.packet_gap = "2 s": must be at most 1 s'),
    (Star, {"nodes": 1}, "machine.nodes = 1: must be at least 2"),
    (Star, {"nodes": 70_000}, "machine.nodes = 70000: must be at most 65536"),
    (Star, {"dims": [2]}, "machine.dims: unknown key"),
    (Mesh, {"end_token": 1}, "machine.end_token = 1: must be true or false"),
    (Mesh, {"acknowledgements": "no"}, 'machine.acknowledgements = "no": must be true or false'),
    (
        Mesh,
        {"acknowledgments": False},
        "machine.acknowledgments: unknown key; did you mean machine.acknowledgements?",
    ),
    (Mesh, {"node_link_rate": 3}, 'machine.node_link_rate = 3: needs a unit: write "3 Mbit/s"'),
    (Mesh, {"input_buffer": 3}, 'machine.input_buffer = 3: needs a unit: write "3 B"'),
    (
        Mesh,
        {"dims": [4, 4], "dimension_rates": ["1 Mbit/s"]},
        'machine.dimension_rates = ["1 Mbit/s"]: must be 2 rates, one for each dimension',
    ),
    (Mesh, {"dimension_rates": []}, "machine.dimension_rates = []: must be 2 rates"),
    (Mesh, {"dimension_rates": "1 Mbit/s"}, 'machine.dimension_rates = "1 Mbit/s": must be a list'),
    (
        Mesh,
        {"dimension_rates": ["1 Mbit/s", "0 Mbit/s"]},
        'machine.dimension_rates[1] = "0 Mbit/s": must be above zero',
    ),
    (
        Hypercube,
        {"dimensions": 3, "dimension_rates": ["1 Mbit/s"] * 2},
        "must be 3 rates, one for each dimension",
    ),
    (Pair, {"node_link_rate": "1 Mbit/s"}, "machine.node_link_rate: unknown key"),
    (Pair, {"output_buffer": "9 B"}, "machine.output_buffer: unknown key"),
    (Hypercube, {"dimensions": 21}, "machine.dimensions = 21: must be at most 20"),
    (Pair, {"queue_policy": "fifo"}, "machine.queue_policy: unknown key"),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), BAD)
def test_refused_in_one_line(kind: type[Machine], keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line


@pytest.mark.parametrize(("buffer", "fits"), [("33 B", False), ("34 B", True)])
def test_a_buffer_holds_a_whole_packet(buffer: str, fits: bool) -> None:
    machine = Mesh(input_buffer=buffer)
    assert isinstance(machine, SwitchedMachine)
    assert machine.input_buffer == Size.parse(buffer)
    if fits:
        machine.check("packet")
    else:
        with pytest.raises(UserError, match=r'input_buffer = "33 B": must hold .* at least 34 B'):
            machine.check("packet")


OUT_OF_BAND: dict[str, Any] = {"flow_control": "out_of_band"}

IMPOSSIBLE: list[tuple[Machine, Fidelity, str]] = [
    (
        Mesh(),
        "worm",
        'run.fidelity = "worm": cannot do in-band flow control: its tokens share the wire with '
        'data; use "token", or machine.flow_control = "out_of_band"',
    ),
    (Mesh(), "flit", 'run.fidelity = "flit": cannot do in-band flow control'),
    (Pair(), "worm", 'run.fidelity = "worm": cannot do in-band flow control'),
    (
        Mesh(**OUT_OF_BAND),
        "token",
        'run.fidelity = "token": has flow-control tokens, which share the wire with data; '
        'use "worm", or machine.flow_control = "in_band"',
    ),
    (
        Mesh(packet_gap="1 ns", **OUT_OF_BAND),
        "worm",
        'machine.packet_gap = "1 ns": must be 0 with fidelity worm; use run.fidelity = "flit"',
    ),
    (
        Mesh(packet_gap="1 ns", **OUT_OF_BAND),
        "token",
        'has flow-control tokens, which share the wire with data; use "flit", or',
    ),
    (Star(input_buffer="7 B"), "token", "must hold a header (room is granted 8 B at a time)"),
    (Star(header="3 B", input_buffer="9 B"), "token", "at least 10 B with fidelity token"),
    (
        Mesh(input_buffer="2 B", packet_gap="101 ns"),
        "stream",
        'machine.input_buffer = "2 B": must hold a header, at least 3 B with fidelity stream',
    ),
    (
        Mesh(input_buffer="32 B", end_token=False),
        "packet",
        'machine.input_buffer = "32 B": must hold a whole packet, at least 33 B',
    ),
    (
        Mesh(packet_size="100 B"),
        "packet",
        'machine.input_buffer = "70 B": must hold a whole packet, at least 102 B',
    ),
    (
        Mesh(header="3 B", input_buffer="2 B", **OUT_OF_BAND),
        "worm",
        'machine.input_buffer = "2 B": must hold a header, at least 3 B with fidelity worm',
    ),
    (
        Mesh(input_buffer="0 B", **OUT_OF_BAND),
        "flit",
        'machine.input_buffer = "0 B": must hold a header, at least 1 B with fidelity flit',
    ),
    (
        Mesh(input_buffer="7 B"),
        "token",
        'machine.input_buffer = "7 B": must hold a header (room is granted 8 B at a time), '
        "at least 8 B with fidelity token",
    ),
    (Mesh(input_buffer="17 B", header="17 B"), "token", "at least 24 B with fidelity token"),
    (
        Pair(input_buffer="7 B"),
        "token",
        'machine.input_buffer = "7 B": must hold the 8 B that a flow-control token grants, '
        "at least 8 B with fidelity token",
    ),
    (
        Mesh(output_buffer="0 B"),
        "token",
        'machine.output_buffer = "0 B": must be at least 1 B with fidelity token',
    ),
    (
        Mesh(node_link_rate="50 Mbit/s"),
        "packet",
        'machine.node_link_rate = "50 Mbit/s": must be that of link_rate, 100 Mbit/s, '
        'with fidelity packet; use run.fidelity = "token"',
    ),
    (
        Mesh(dimension_rates=["100 Mbit/s", "50 Mbit/s"], **OUT_OF_BAND),
        "stream",
        'machine.dimension_rates = ["100 Mbit/s", "50 Mbit/s"]: must be that of link_rate, '
        '100 Mbit/s, with fidelity stream; use run.fidelity = "worm"',
    ),
]


@pytest.mark.parametrize(("machine", "fidelity", "expected"), IMPOSSIBLE)
def test_a_fidelity_may_be_impossible(machine: Machine, fidelity: Fidelity, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        machine.check(fidelity)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


POSSIBLE: list[tuple[Machine, Fidelity]] = [
    (Mesh(input_buffer="8 B", output_buffer="1 B"), "token"),
    (Mesh(input_buffer="24 B", header="17 B"), "token"),
    (Mesh(node_link_rate="50 Mbit/s"), "token"),
    (Mesh(input_buffer="3 B", header="3 B", **OUT_OF_BAND), "flit"),
    (Mesh(dimension_rates=["1 Gbit/s", "50 Mbit/s"], **OUT_OF_BAND), "worm"),
    (Mesh(credit_delay="5 ns", **OUT_OF_BAND), "worm"),
    (Mesh(packet_gap="5 ns", **OUT_OF_BAND), "flit"),
    (Mesh(packet_gap="5 ns"), "packet"),
    (Star(), "token"),
    (Star(), "packet"),
    (Mesh(**OUT_OF_BAND), "packet"),
    (Mesh(**OUT_OF_BAND), "stream"),
    (Mesh(input_buffer="3 B", packet_gap="101 ns"), "stream"),
    (Mesh(output_buffer="0 B"), "packet"),
    (Pair(**OUT_OF_BAND), "worm"),
]


@pytest.mark.parametrize(("machine", "fidelity"), POSSIBLE)
def test_a_fidelity_may_be_just_possible(machine: Machine, fidelity: Fidelity) -> None:
    machine.check(fidelity)
