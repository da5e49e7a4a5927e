"""Machines: what they become for the engine, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.machines import (
    PRESETS,
    TOPOLOGIES,
    Hypercube,
    Machine,
    Mesh,
    Pair,
    SwitchedMachine,
    Torus,
)
from tailback.units import Size, Time


def test_defaults_are_the_t9000_and_c104() -> None:
    assert Mesh(dims=[16, 16]).spec() == {
        "topology": {"kind": "mesh", "dims": [16, 16]},
        "routing": {"kind": "dimension_order", "order": [0, 1]},
        "link": {
            "bit_ps": 10_000,
            "data_token_bits": 10,
            "control_token_bits": 4,
            "header_bytes": 1,
            "wire_delay_ps": 0,
            "switch_delay_ps": 0,
        },
        "node": {
            "link_width": 4,
            "packet_bytes": 32,
            "ack_priority": True,
            "time_slice_ps": None,
        },
        "switch": {
            "input_buffer_tokens": 70,
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
        wire_delay="5 ns",
        switch_delay="7 ns",
        link_width=3,
        internal_link_width=2,
        input_buffer="200 B",
        queue_policy="oldest_first",
        switch_ack_priority=True,
        node_ack_priority=False,
        time_slice="1 us",
        dimension_order=["z", "x", "y"],
    )
    spec = machine.spec()
    assert spec["routing"]["order"] == [2, 0, 1]
    assert spec["link"] == {
        "bit_ps": 1000,
        "data_token_bits": 8,
        "control_token_bits": 2,
        "header_bytes": 2,
        "wire_delay_ps": 5000,
        "switch_delay_ps": 7000,
    }
    assert spec["node"] == {
        "link_width": 3,
        "packet_bytes": 64,
        "ack_priority": False,
        "time_slice_ps": 1_000_000,
    }
    assert spec["switch"] == {
        "input_buffer_tokens": 200,
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
    assert machine.spec()["node"]["link_width"] == degree


def test_topologies_for_the_engine() -> None:
    assert Hypercube(dimensions=3).spec()["topology"] == {"kind": "hypercube", "dimensions": 3}
    assert Pair().spec()["topology"] == {"kind": "pair"}


@pytest.mark.parametrize(
    ("order", "expected"),
    [(None, (0, 1)), (["y", "x"], (1, 0)), ([1, 0], (1, 0)), (["x", 1], (0, 1))],
)
def test_dimension_order(order: Any, expected: tuple[int, ...]) -> None:
    assert Mesh(dims=[4, 4], dimension_order=order).order == expected


def test_many_dimensions_are_named_by_number() -> None:
    machine = Mesh(dims=[2, 2, 2, 2], dimension_order=["x3", "y", "z", "x"])
    assert machine.order == (3, 1, 2, 0)
    assert machine.resolved()["dimension_order"] == ["x3", "y", "z", "x"]


def test_round_trip_of_one_packet_between_two_nodes() -> None:
    # 100 ns of header each way, 3340 ns of packet, 140 ns of acknowledgement.
    assert Pair().round_trip_ps(32) == 3_340_000 + 140_000 + 2 * 100_000
    assert Pair().round_trip_ps(33) == 2 * Pair().round_trip_ps(32)


def test_frozen() -> None:
    machine = Mesh()
    with pytest.raises(ValueError, match="frozen"):
        machine.dims = (3, 3)
    assert hash(machine) == hash(Mesh())


def test_resolved_says_units_and_defaults() -> None:
    resolved = Mesh(dims=[4, 4], wire_delay=Time(1500)).resolved()
    assert resolved["link_rate"] == "100 Mbit/s"
    assert resolved["packet_size"] == "32 B"
    assert resolved["wire_delay"] == "1.5 ns"
    assert resolved["link_width"] == 4
    assert resolved["dimension_order"] == ["x", "y"]
    assert Mesh(**resolved).spec() == Mesh(dims=[4, 4], wire_delay=Time(1500)).spec()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_name_only_keys_of_their_topology(name: str) -> None:
    preset = PRESETS[name]
    machine = TOPOLOGIES[preset["topology"]](**preset)
    machine.check("packet")


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
    (Hypercube, {"dimensions": 21}, "machine.dimensions = 21: must be at most 20"),
    (Pair, {"queue_policy": "fifo"}, "machine.queue_policy: unknown key"),
    (
        Torus,
        {"dims": [4, 4]},
        'machine.routing = "dimension_order": can deadlock on a torus: its rings need virtual '
        'channels, which are not available yet; use topology = "mesh"',
    ),
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
