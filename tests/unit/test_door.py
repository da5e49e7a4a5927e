"""What the engine says of descriptions, and its errors in the words of users."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, get_args

import pytest

from tailback import door
from tailback.door.facts import _answer
from tailback.errors import UserError
from tailback.machines import TOPOLOGIES, Dragonfly, Machine, Mesh, Pair, Torus, Tree
from tests.machines import t9000

TORUS = {"kind": "torus", "dims": [4, 4]}


def test_networks_are_counted_once() -> None:
    found = door.network(Mesh(dims=(4, 3)).spec())
    assert (found.nodes, found.switches, found.degree, found.links) == (12, 12, 4, 34)
    assert (found.shape, found.link_classes) == ((4, 3), ("x", "y"))
    assert (found.is_direct, found.typical_hops, found.one_way) == (True, 3, None)
    before = _answer.cache_info().misses
    assert Mesh(dims=(4, 3)).facts == found
    assert _answer.cache_info().misses == before


@pytest.mark.parametrize(
    ("topology", "nodes", "switches", "degree", "hops"),
    [
        (Torus(dims=(4, 4)), 16, 16, 4, 3),
        (Pair(), 2, 0, 1, 0),
        (Tree(fan_out=2, depth=3, nodes_per_switch=2), 8, 7, 3, 2),
        (Dragonfly(), 72, 36, 5, 2),
    ],
)
def test_the_numbers_of_a_topology(
    topology: Any, nodes: int, switches: int, degree: int, hops: int
) -> None:
    found = topology.facts
    assert (found.nodes, found.switches, found.degree) == (nodes, switches, degree)
    assert found.typical_hops == hops


def test_a_routing_says_what_it_needs() -> None:
    found = door.routing(TORUS, {"kind": "minimal_adaptive"})
    assert (found.classes, found.escapes, found.chooses, found.draws) == (3, 2, True, False)
    with pytest.raises(UserError, match=r'routing.kind = "destination_tag": needs'):
        door.routing(TORUS, {"kind": "destination_tag"})


def test_every_routing_that_suits_a_topology_has_a_class() -> None:
    from tailback.machines import ROUTINGS

    for kind, topology in TOPOLOGIES.items():
        words = tuple(suited.kind for suited in door.routings(topology.family or kind))
        assert topology.routings == words
        assert set(words) <= set(ROUTINGS)
    assert door.routings("ring") == ()


def test_every_arbiter_of_the_engine_has_a_word() -> None:
    from tailback.machines.switch import Arbiter

    assert get_args(Arbiter) == door.arbiters()


def test_fidelities_are_refused_by_the_engine() -> None:
    machine = t9000("mesh").spec("token")
    door.check(machine, "token")
    assert door.exact(machine).fidelity == "token"
    with pytest.raises(UserError, match=r'link.flow_control = "in_band": must be out_of_band'):
        door.check(machine, "worm")


class TestUnits:
    """The engine's numbers are told as quantities."""

    def error(self, machine: dict[str, Any], change: dict[str, dict[str, Any]]) -> str:
        changed = {name: part | change.get(name, {}) for name, part in machine.items()}
        with pytest.raises(UserError) as caught:
            door.check(changed, "packet")
        return str(caught.value)

    def test_of_times_sizes_and_flits(self) -> None:
        machine = Machine().spec("packet") | {"link_classes": {}}
        told = self.error(machine, {"link": {"delay_ps": 2 * 10**12}})
        assert told == 'machine.link.delay = "2 s": must be 0 s to 1 s'
        told = self.error(machine, {"interface": {"header_bytes": 0}})
        assert told == 'machine.interface.header = "0 B": must be 1 B to 1000 B'
        told = self.error(machine, {"link": {"flit_bytes": 16}, "switch": SMALL})
        assert told == (
            'machine.switch.input_buffer = "48 B": must hold a whole packet, at least 1024 B with '
            "fidelity packet"
        )

    def test_numbers_without_unit_stay(self) -> None:
        machine = Machine().spec("packet") | {"link_classes": {}}
        told = self.error(machine, {"interface": {"window": 0}})
        assert told == "machine.interface.window = 0: must be 1 to 1048576"


SMALL = {"input_buffer_flits": 3}


def test_importing_tailback_does_not_load_the_engine() -> None:
    code = "import sys, tailback, json; print(json.dumps('tailback._engine' in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) is False
