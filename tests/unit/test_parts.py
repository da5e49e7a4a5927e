"""Keys of descriptions: what follows from the one place where a key stands."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any, ClassVar, Literal

import pytest

import tailback as tb
from tailback import door
from tailback.errors import UserError
from tailback.machines import ROUTINGS, TOPOLOGIES, Machine
from tailback.machines.kinds import PLAIN
from tailback.parts import Part, SizeKey, TimeKey, key
from tailback.parts.keys import USER_NAMES
from tailback.units import Size, Time
from tailback.workloads import KINDS


class Valve(Part):
    """A part for these tests."""

    section: ClassVar[str] = "valve"
    removed: ClassVar[dict[str, str]] = {"colour": "is no key any more"}

    width: int = key(engine=True, between=(1, 9), default=2, description="How wide.")
    delay: TimeKey = key(engine="times.delay_ps", default=Time(0), description="How late.")
    room: SizeKey = key(engine="room_bytes", added=True, shown="given", default=Size(4))
    kind: Literal["ball", "gate"] = key(engine="/pipe.kind", description="Which.")


class Narrow(Valve):
    """A valve that is narrow unless it is said otherwise."""

    width: int = key(engine=True, default=1, description="How wide.")


PARTS = [*PLAIN.values(), *TOPOLOGIES.values(), *ROUTINGS.values(), *KINDS.values(), tb.Run, tb.Job]


def test_values_are_what_is_meant() -> None:
    valve = Valve(kind="ball", delay="3 ns")  # type: ignore[arg-type]
    assert (valve.width, valve.delay, valve.room) == (2, Time(3000), Size(4))
    assert valve.given() == {"delay": Time(3000), "kind": "ball"}
    assert valve.written() == {"width": 2, "delay": "3 ns", "room": "4 B", "kind": "ball"}
    assert valve.listed() == {"width": 2, "delay": "3 ns", "kind": "ball"}


def test_what_was_given_is_known_even_if_it_is_the_default() -> None:
    assert Valve(kind="ball", width=2).named() == {"width": 2, "kind": "ball"}


def test_the_engine_is_told_in_its_words_and_units() -> None:
    valve = Valve(kind="ball", delay=Time(7))
    assert valve.engine_keys() == {"width": 2, "times": {"delay_ps": 7}}
    assert Valve(kind="ball", room=Size(8)).engine_keys()["room_bytes"] == 8
    assert valve.engine_keys({"width": (3, 4)})["width"] == [3, 4]


def test_names_of_the_engine_lead_back_to_keys() -> None:
    assert USER_NAMES["valve.times.delay_ps"] == "valve.delay"
    assert USER_NAMES["pipe.kind"] == "valve.kind"
    assert "valve.kind" not in USER_NAMES


def test_a_key_of_a_base_keeps_its_place() -> None:
    assert Narrow.key_names == Valve.key_names
    assert Narrow(kind="gate").width == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": "ball", "widht": 1}, "valve.widht: unknown key; did you mean valve.width?"),
        ({}, "valve.kind: must be given"),
        ({"kind": "ball", "width": 10}, "valve.width = 10: must be at most 9"),
        ({"kind": "bal"}, 'valve.kind = "bal": must be "ball" or "gate"; did you mean "ball"?'),
        ({"kind": "ball", "colour": "red"}, "valve.colour: is no key any more"),
        ({"kind": "ball", "delay": 3}, 'valve.delay = 3: needs a unit: write "3 us" if'),
    ],
)
def test_a_mistake_is_one_line(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as caught:
        Valve(**given)
    assert str(caught.value).startswith(told)


def test_parts_are_values() -> None:
    valve = Valve(kind="gate", width=3)
    assert valve == Valve(kind="gate", width=3) != Narrow(kind="gate", width=3)
    assert hash(valve) == hash(Valve(kind="gate", width=3))
    assert pickle.loads(pickle.dumps(valve)) == copy.copy(valve) == valve
    assert repr(Narrow(kind="gate")).startswith("Narrow(width=1, delay=")
    with pytest.raises(AttributeError, match="cannot assign"):
        valve.width = 4  # type: ignore[misc]


def test_the_signature_and_the_help_text_have_all_keys() -> None:
    parameters = inspect.signature(Valve).parameters
    assert [*parameters] == ["width", "delay", "room", "kind"]
    assert parameters["kind"].default is inspect.Parameter.empty
    assert "\nwidth: How wide." in str(Valve.__doc__)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_errors_of_the_engine_name_the_key(part: type[Part]) -> None:
    """Except for keys of several kinds of which the engine has one name for all."""
    shared = {"machine.topology.widths", "machine.topology.children"}
    for name, one in part.keys.items():
        path = one.path(name)
        whole = path[1:] if path.startswith("/") else f"{part.section}.{path}"
        if path and whole not in shared and USER_NAMES[whole] == f"{part.section}.{name}":
            assert door.user_field(whole) == f"{part.section}.{name}"


@pytest.mark.parametrize("name", ["link", "switch", "interface"])
def test_a_name_in_the_engine_is_a_name_in_its_description(name: str) -> None:
    """Of keys that a plain machine has, and those that only some have, on such machines."""
    machines = [
        Machine(),
        tb.Machine(switch=tb.Switch(switching="wormhole", allocator="islip")),
        *(tb.Machine(**keys) for keys in _SPECIAL),
    ]
    told: set[str] = set()
    for machine in machines:
        told |= set(_paths(machine.spec("packet")[name]))
    part = PLAIN[name]
    paths = {one.path(word) for word, one in part.keys.items()}
    assert {path for path in paths if path and path[0] != "/"} - told == set()


_SPECIAL: list[dict[str, Any]] = [
    {
        "switch": tb.Switch(
            switching="store_and_forward",
            forwarding="per_port",
            memory="1 MB",
            fall_through=None,
            regrant_delay="1 ns",
        )
    },
    {"switch": tb.Switch(queueing="voq", fall_through="1 ns")},
    {
        "switch": tb.Switch(arbiter="deficit_round_robin", shares=["1 kB"], edge_delay="1 ns"),
    },
    {
        "switch": tb.Switch(
            switching="store_and_forward", segmentation="64 B", cell_time="30 ns", cell_pacing=4
        )
    },
    {
        "interface": tb.Interface(
            send_overhead="1 us",
            multicast="tree",
            local="switch",
            receive_fifo=2,
            drain_rate="1 Gbit/s",
        )
    },
    {"interface": tb.Interface(reply_queue=3)},
]


def _paths(table: dict[str, Any], above: str = "") -> list[str]:
    found = []
    for name, value in table.items():
        found.append(f"{above}{name}")
        if isinstance(value, dict):
            found += _paths(value, f"{above}{name}.")
    return found
