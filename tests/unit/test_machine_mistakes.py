"""What is refused of a machine, each in one line that names the key."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from tailback.errors import UserError, listed
from tailback.experiment import Experiment
from tailback.machines import (
    Hypercube,
    Interface,
    Link,
    LinkClass,
    Machine,
    Mesh,
    NodeLink,
    Star,
    Switch,
    Valiant,
    machine_of,
)
from tailback.machines.kinds import KINDED, PLAIN
from tailback.machines.switch import Arbiter
from tailback.parts import Part, fields_of

BAD: list[tuple[type[Part], dict[str, Any], str]] = [
    (Mesh, {"dims": [0, 4]}, "machine.topology.dims[0] = 0: must be at least 1"),
    (Mesh, {"dims": [4, -1]}, "machine.topology.dims[1] = -1: must be at least 1"),
    (Mesh, {"dims": []}, "machine.topology.dims = []: must have at least 1 entries"),
    (Mesh, {"dims": 16}, "machine.topology.dims = 16: must be a list"),
    (Mesh, {"dims": [4.5]}, "machine.topology.dims[0] = 4.5: must be a whole number"),
    (Mesh, {"dims": ["4"]}, 'machine.topology.dims[0] = "4": must be a whole number'),
    (Mesh, {"dims": [True]}, "machine.topology.dims[0] = true: must be a whole number"),
    (
        Mesh,
        {"dims": [2048, 1024]},
        "machine.topology.dims = [2048, 1024]: must give at most 1048576 nodes",
    ),
    (Mesh, {"dims": [1, 1]}, "machine.topology.dims = [1, 1]: must give at least two nodes"),
    (Mesh, {"dims": [2] * 9}, "must have at most 8 entries"),
    (Star, {"nodes": 1}, "machine.topology.nodes = 1: must be at least 2"),
    (Star, {"nodes": 70_000}, "machine.topology.nodes = 70000: must be at most 65536"),
    (Hypercube, {"dimensions": 21}, "machine.topology.dimensions = 21: must be at most 20"),
    (
        NodeLink,
        {"width": 0},
        "machine.node_link.width = 0: must be a number of links, 1 to 255, or",
    ),
    (NodeLink, {"width": True}, "machine.node_link.width = true: must be a number of links"),
    (NodeLink, {"width": "degre"}, 'machine.node_link.width = "degre": must be a number of links'),
    (NodeLink, {"rate": 3}, 'machine.node_link.rate = 3: needs a unit: write "3 Gbit/s"'),
    (NodeLink, {"rate": "3 GBps"}, "unknown unit; a rate is in"),
    (Link, {"width": 0}, "machine.link.width = 0: must be at least 1"),
    (Link, {"data_token_bits": 0}, "machine.link.data_token_bits = 0: must be at least 1"),
    (Link, {"end_token": 1}, "machine.link.end_token = 1: must be true or false"),
    (
        Link,
        {"flow_control": "outofband"},
        'machine.link.flow_control = "outofband": must be "out_of_band", "in_band" or "stop_go"; '
        'did you mean "out_of_band"?',
    ),
    (
        Link,
        {"sharing": "round_robbin"},
        'machine.link.sharing = "round_robbin": must be "round_robin", "until_stall" or '
        '"separate"; did you mean "round_robin"?',
    ),
    (Interface, {"header": "0 B"}, 'machine.interface.header = "0 B": must be 1 B to 1000 B'),
    (
        Interface,
        {"packet_size": 0},
        'machine.interface.packet_size = "0 B": must be 1 B to 16',
    ),
    (Interface, {"packet_size": 32}, 'machine.interface.packet_size = 32: needs a unit: write "32'),
    (Interface, {"time_slice": "0 us"}, 'machine.interface.time_slice = "0 s": must be above zero'),
    (Interface, {"ack_priority": 1}, "machine.interface.ack_priority = 1: must be true or false"),
    (Interface, {"acknowledgements": "no"}, 'acknowledgements = "no": must be true or false'),
    (
        Interface,
        {"window": 0},
        'machine.interface.window = 0: must be a number of packets, 1 to 1048576, or "unlimited"',
    ),
    (Interface, {"window": "open"}, 'machine.interface.window = "open": must be a number of pack'),
    (
        Interface,
        {"packet_size": "16 B", "first_packet": "17 B"},
        'machine.interface.first_packet = "17 B": must be 1 B to packet_size = 16 B',
    ),
    (
        Switch,
        {"arbiter": "fifi"},
        f'machine.switch.arbiter = "fifi": must be {listed(map(json.dumps, get_args(Arbiter)))}; '
        'did you mean "fifo"?',
    ),
    (
        Switch,
        {"switching": "circut"},
        'machine.switch.switching = "circut": must be "cut_through", "wormhole", '
        '"store_and_forward" or "circuit"; did you mean "circuit"?',
    ),
    (Switch, {"input_buffer": 3}, 'machine.switch.input_buffer = 3: needs a unit: write "3 B"'),
    (Switch, {"input_buffer": "3 cm"}, ', or "unlimited"'),
    (
        Switch,
        {"virtual_channels": 256},
        "machine.switch.virtual_channels = 256: must be at most",
    ),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), BAD)
def test_a_part_is_refused_in_one_line(
    kind: type[Part], keys: dict[str, Any], expected: str
) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line


BAD_TOGETHER: list[tuple[dict[str, Any], str]] = [
    ({"link": {"delay": "2 s"}}, 'machine.link.delay = "2 s": must be at most 1 s'),
    ({"node_link": {"delay": "2 s"}}, 'machine.node_link.delay = "2 s": must be at most 1 s'),
    (
        {"link_classes": {"x": {"delay": "2 s"}}},
        'machine.link_classes.x.delay = "2 s": must be at most 1 s',
    ),
    ({"switch": {"delay": "2 s"}}, 'machine.switch.delay = "2 s": must be at most 1 s'),
    ({"link": {"packet_gap": "2 s"}}, 'machine.link.packet_gap = "2 s": must be at most 1 s'),
    ({"link": {"credit_delay": "2 s"}}, 'machine.link.credit_delay = "2 s": must be at most 1 s'),
    (
        {"link": {"credit_delay": "1 ns", "flow_control": "in_band"}},
        'machine.link.credit_delay = "1 ns": has no effect here; needs '
        'machine.link.flow_control = "out_of_band"',
    ),
    (
        {"routing": {"kind": "nearest_common_ancestor"}},
        'machine.routing.kind = "nearest_common_ancestor": must be "dimension_order"',
    ),
    (
        {"routing": {"order": ["x", "x"]}},
        'machine.routing.order = ["x", "x"]: must name each of x, y once',
    ),
    ({"routing": {"order": ["x"]}}, "must name each of x, y once"),
    ({"routing": {"order": [0, 2]}}, "must name each of x, y once"),
    ({"routing": {"order": "yx"}}, 'machine.routing.order = "yx": must be a list'),
    (
        {"topology": {"kind": "star", "dims": [2]}},
        'machine.topology.dims: has no effect with machine.topology.kind = "star"; needs kind = '
        '"mesh" or "torus"',
    ),
    (
        {"topology": {"kind": "star"}, "routing": {"hop_limit": 4}},
        'machine.routing.hop_limit = 4: has no effect with machine.topology.kind = "star": one '
        "way only",
    ),
    (
        {"topology": {"kind": "pair"}, "switch": {"arbiter": "random"}},
        'machine.switch.arbiter = "random": has no effect here; needs a machine.topology.kind '
        "with switches",
    ),
    (
        {
            "topology": {"kind": "pair"},
            "link": {"flow_control": "in_band"},
            "switch": {"output_buffer": "9 B"},
        },
        "with switches",
    ),
    (
        {"topology": {"kind": "star"}, "link": {"width": 2}},
        "machine.link.width = 2: has no effect here; needs a machine.topology.kind with links "
        "between switches",
    ),
    (
        {"topology": {"kind": "star"}, "switch": {"virtual_channels": 2}},
        "machine.switch.virtual_channels = 2: has no effect here; needs a machine.topology.kind",
    ),
    (
        {"topology": {"kind": "pair"}, "link_classes": {"x": {"rate": "1 Mbit/s"}}},
        'machine.link_classes.x: must be left out: machine.topology.kind = "pair" has no link',
    ),
    (
        {"topology": {"kind": "dragonfly"}, "link_classes": {"globl": {"rate": "1 Mbit/s"}}},
        'machine.link_classes.globl: must be "local" or "global" with machine.topology.kind = '
        '"dragonfly"; did you mean "global"?',
    ),
    (
        {"link_classes": {"x": "1 Mbit/s"}},
        'machine.link_classes.x = "1 Mbit/s": must be a table: [machine.link_classes.x]',
    ),
    (
        {"link_classes": {"x": {"rate": "0 Mbit/s"}}},
        'machine.link_classes.x.rate = "0 Mbit/s": must be at least 1 kbit/s',
    ),
    (
        {"switch": {"ack_priority": True}},
        "machine.switch.ack_priority = true: has no effect here; needs "
        "machine.interface.acknowledgements = true",
    ),
    (
        {"interface": {"ack_priority": False}},
        "machine.interface.ack_priority = false: has no effect here; needs",
    ),
    (
        {"interface": {"unit": "message", "packet_size": "9 B"}},
        'machine.interface.packet_size = "9 B": has no effect here; needs machine.interface.unit = '
        '"packet"',
    ),
    (
        {"interface": {"early": "9 B"}},
        'machine.interface.early = "9 B": has no effect here; needs machine.switch.integrated = tr',
    ),
    (
        {"switch": {"output_queue": 4}},
        "machine.switch.output_queue = 4: has no effect here; needs machine.switch.integrated = "
        'true and switching = "store_and_forward" or "cut_through"',
    ),
    (
        {"link": {"duplex": "half"}},
        'machine.link.duplex = "half": has no effect here; needs machine.switch.integrated = true '
        "and machine.switch.switching other than wormhole",
    ),
    (
        {"link": {"control_token_bits": 6}},
        "machine.link.control_token_bits = 6: has no effect here; needs machine.link.end_token = "
        'true or flow_control = "in_band"',
    ),
    (
        {"switch": {"integrated": True, "switching": "circuit"}, "node_link": {"width": 2}},
        "machine.node_link.width = 2: has no effect here; needs machine.switch.integrated = false",
    ),
    (
        {"topology": {"kind": "mesh"}, "routing": {"allow_deadlock": True}, "loggops": {}},
        "machine.routing.allow_deadlock = true: has no effect with [machine.loggops]",
    ),
    (
        {"topology": {"kind": "islands", "rails": 10**400}},
        ": must be at most 4096",
    ),
    (
        {"topology": {"kind": "mesh", "failed_links": [[10**400, 1]]}},
        ": must be a switch from 0 to 255",
    ),
    (
        {"topology": {"kind": "mesh", "failed_links": ["1:" + "9" * 5000]}},
        "must be two switches",
    ),
]


def test_a_usual_routing_beside_no_network_is_no_mistake() -> None:
    given = {"preset": "booksim_torus", "topology": {"kind": "mesh"}, "loggops": {}}
    assert machine_of(given).routing is None
    given = {"preset": "slingshot_like", "topology": {"kind": "dragonfly"}, "loggops": {}}
    assert machine_of(given).link_classes == {}


def test_without_a_network_only_traces_run_and_the_kind_is_named() -> None:
    given = {
        "machine": {"preset": "loggops", "topology": {"nodes": 4}},
        "workload": {"kind": "ring_allreduce", "size": "1 kB"},
    }
    with pytest.raises(UserError, match=r'^workload\.kind = "ring_allreduce": must be trace with'):
        Experiment.from_dict(given).spec()


def test_whole_numbers_have_bounds() -> None:
    """What is beyond 64 bits is refused by its key, and never seen by the engine."""
    without = [
        f"{part.section}.{name}"
        for part in (*PLAIN.values(), *(one for kinds in KINDED.values() for one in kinds.values()))
        for name, field in fields_of(part).items()
        if field.annotation in (int, int | None)
        and not any(hasattr(limit, "le") or hasattr(limit, "lt") for limit in field.metadata)
    ]
    assert without == []


def test_parts_are_checked_together_in_python_too() -> None:
    with pytest.raises(UserError, match=r'routing.kind = "valiant": has no effect with .*"star"'):
        Machine(topology=Star(), routing=Valiant())
    with pytest.raises(UserError, match=r'routing.kind = "valiant": has no effect with .*"star"'):
        machine_of({"topology": {"kind": "star"}, "routing": Valiant()})
    with pytest.raises(UserError, match=r"switch.output_queue = 3: has no effect here; needs"):
        Machine(switch=Switch(output_queue=3))
    with pytest.raises(UserError, match=r"link_classes\.z: must be"):
        Machine(link_classes={"z": LinkClass(delay="1 ns")})


@pytest.mark.parametrize(("tables", "expected"), BAD_TOGETHER)
def test_parts_that_do_not_fit_are_refused_in_one_line(
    tables: dict[str, Any], expected: str
) -> None:
    with pytest.raises(UserError) as caught:
        machine_of(tables)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line


def test_an_allocator_alone_says_what_it_needs() -> None:
    """It spoke of `queueing`, which was not given."""
    switch = {"allocator": "islip"}
    with pytest.raises(UserError, match=r'switching = "cut_through": must be wormhole with'):
        Experiment.from_dict({"machine": {"switch": switch}, "workload": {}, "run": {}})
