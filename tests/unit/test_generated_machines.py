"""Machines at random: what is accepted the schema accepts, and it means the same when written."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from tailback.errors import UserError
from tailback.machines import PRESETS, ROUTINGS, TOPOLOGIES, Machine, machine_of
from tailback.machines.kinds import KINDED, PLAIN
from tailback.machines.words import ALIASES
from tests.random_cases import random_cases
from tests.schemas import SCHEMA

MACHINE = SCHEMA["properties"]["machine"]
VALIDATOR = jsonschema.Draft202012Validator(MACHINE)

TIMES = st.sampled_from(
    ["0 s", 0, "1 ns", "2.5 ns", "3 µs", "4 cycles", "0.5 cycles", "7 ps", "22 flits"]
)
SIZES = st.sampled_from(["1 B", "16 B", "64 B", "100 bytes", "1 kB", "4 KiB"])
RATES = st.sampled_from(["1 kbit/s", "100 Mbit/s", "25.78125 Gbit/s", "400 Gbps", "1.6 Tbit/s"])
SMALL = st.integers(1, 3)

#: Values of keys that are no choice of words, by name.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "rate": RATES,
    "delay": TIMES,
    "credit_delay": TIMES,
    "fall_through": TIMES,
    "regrant_delay": TIMES,
    "stop_mark": SIZES,
    "go_mark": SIZES,
    "packet_gap": TIMES,
    "preamble": SIZES,
    "frame_gap": SIZES,
    "minimum_packet": SIZES,
    "memory": SIZES,
    "pause_high": SIZES,
    "pause_low": SIZES,
    "segmentation": SIZES,
    "cell_time": st.sampled_from(["1 ns", "2.5 ns", "4 cycles"]),
    "card_delay": TIMES,
    "fabric_delay": TIMES,
    "hop_delay": TIMES,
    "time_slice": st.sampled_from(["1 us", "9 cycles"]),
    "flit": SIZES,
    "header": SIZES,
    "packet_size": SIZES,
    "first_packet": SIZES,
    "early": SIZES,
    "input_buffer": SIZES | st.just("unlimited"),
    "output_buffer": SIZES,
    "shared_buffer": SIZES,
    "output_queue": SMALL | st.just("unlimited"),
    "window": SMALL | st.just("unlimited"),
    "width": SMALL,
    "virtual_channels": SMALL,
    "data_token_bits": st.sampled_from([8, 10]),
    "control_token_bits": st.sampled_from([3, 4]),
    "dims": st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda dims: max(dims) > 1),
    "q": st.sampled_from([5, 13]),
    "switch_ports": st.sampled_from([2, 4]),
    "dimensions": SMALL,
    "hop_limit": st.integers(1, 65_534),
    "root": st.integers(0, 4),
    "order": st.sampled_from([["x"], ["y", "x"], [1, 0], ["z", "x", "y"]]),
    "flow": st.sampled_from(["pair", "message", "process_pair"]),
    "turns": st.sampled_from(["random", "round_robin"]),
    "parallel_links": st.sampled_from(["any", "destination"]),
    "ties": st.sampled_from(["spread", "up", "down"]),
    "latency": TIMES,
    "overhead": TIMES,
    "gap": TIMES,
    "gap_per_byte": st.just("6 ns/B"),
    "eager_limit": SIZES,
    "intermediate": st.sampled_from(["node", "switch", "group"]),
    "islands": st.integers(2, 3),
    "rule": st.sampled_from(["hops", "double"]),
    "switches_per_level": st.sampled_from([[1, 2], [1, 3, 6]]),
    "level_widths": st.lists(SMALL, min_size=1, max_size=2),
}
FAILURES = [
    {"failed_share": 0.1},
    {"failed_share": 0.05, "failed_seed": 3},
    {"failed_links": [[0, 1]]},
    {"failed_links": ["1:1", "(0, 0) to (1, 0)"]},
]
FLAGS = ("integrated", "reserve", "overtaking", "ack_priority", "acknowledgements", "end_token")
FLAGS += ("allow_deadlock", "adaptive", "balanced", "directed")

#: Keys that go with few others, of links and of switches.
STOP_GO = ("stop_mark", "go_mark", "fall_through", "regrant_delay")

#: Keys of kinds that need a file.
FILES = ("graph", "table", "source_routes")


def words_of(part: str, key: str) -> list[str]:
    """Return the words a key may be, aliases included."""
    described = MACHINE["properties"][part]["properties"][key]
    # Of switches also those that may be left out.
    left_out = described.get("anyOf", ()) if part == "switch" else ()
    return [word for choice in (described, *left_out) for word in choice.get("enum", ())]


WORDS = {
    (part, key): words
    for part, made in PLAIN.items()
    for key in made.key_names
    if (words := words_of(part, key))
}
SELECTIONS = ["first", "random", "fewest_waiting", "most_credit"]


def value_of(part: str, key: str) -> st.SearchStrategy[Any]:
    """Return what a key of a part may be."""
    if (part, key) in WORDS:
        return st.sampled_from(WORDS[part, key])
    if key in FLAGS:
        return st.booleans()
    if key == "selection":
        return st.sampled_from(SELECTIONS)
    return VALUES.get(key, SMALL)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the tables of a machine: most of them can be simulated."""
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["clock"] = draw(st.sampled_from(["1 GHz", "1.2 GHz", "500 MHz"]))
    if draw(st.integers(0, 4)) == 0:
        found["preset"] = draw(st.sampled_from(sorted(PRESETS)))
    kind = draw(st.sampled_from([kind for kind in TOPOLOGIES if kind not in FILES]))
    names = [kind, *(word for word, meant in ALIASES["topology.kind"].items() if meant == kind)]
    found["topology"] = {"kind": draw(st.sampled_from(names))}
    keys = tuple(key for key in TOPOLOGIES[kind].key_names if not key.startswith("failed"))
    found["topology"] |= draw(some(keys, "topology"))
    routings = [word for word in TOPOLOGIES[kind].routings if word not in FILES]
    if routings and draw(st.booleans()):
        routing = draw(st.sampled_from(routings))
        found["routing"] = {"kind": routing}
        found["routing"] |= draw(some(ROUTINGS[routing].key_names, "routing"))
    elif routings and draw(st.integers(0, 9)) == 0:
        # Most algorithms know no way round.
        found["routing"] = {"kind": "up_down"}
        found["topology"] |= draw(st.sampled_from(FAILURES))
    if draw(st.integers(0, 19)) == 0:
        # There is nothing beside a machine without a network, but what is left of a preset.
        found.pop("routing", None)
        return found | {"loggops": draw(some(PLAIN["loggops"].key_names, "loggops"))}
    for part, made in PLAIN.items():
        if part != "loggops" and draw(st.booleans()):
            usual = tuple(key for key in made.key_names if key not in STOP_GO)
            found[part] = draw(some(usual, part))
    if draw(st.integers(0, 9)) == 0:
        marks = {"flow_control": "stop_go", "delay": "3 ns", **draw(some(STOP_GO[:2], "link"))}
        times = {"switching": "wormhole", **draw(some(STOP_GO[2:], "switch"))}
        found["link"], found["switch"] = marks, times
    return found


def some(keys: tuple[str, ...], part: str) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a few keys of a part and their values."""
    few = st.lists(st.sampled_from(keys), max_size=2, unique=True) if keys else st.just([])
    return few.flatmap(lambda names: st.fixed_dictionaries({n: value_of(part, n) for n in names}))


def made(given: dict[str, Any]) -> Machine | None:
    """Return the machine, if there is one; a mistake is one line that names a key."""
    mistake = None
    try:
        machine = machine_of(given)
        machine.check(machine.usual_fidelity)
    except UserError as error:
        mistake = error
    if mistake is None:
        return machine
    assert "\n" not in str(mistake)
    assert mistake.field.startswith("machine.")
    return None


COUNTED = {"made": 0, "refused": 0}


#: Fewer would be too few for shares of them.
EXAMPLES = max(150, random_cases(200))


@settings(max_examples=EXAMPLES)
@given(given=tables())
def check_machine(given: dict[str, Any]) -> None:
    """What is accepted validates, and is the same when it is written out, or resolved."""
    machine = made(given)
    COUNTED["refused" if machine is None else "made"] += 1
    if machine is None:
        return
    VALIDATOR.validate(given)
    written = machine.written()
    VALIDATOR.validate(written)
    json.dumps(written)
    assert machine_of(written) == machine
    assert machine_of(machine_of(written).written()) == machine
    for fidelity in {machine.usual_fidelity, machine.exact_fidelity}:
        try:
            machine.check(fidelity)
        except UserError:
            # What would be exact may be impossible: tokens that have no way back.
            assert fidelity != machine.usual_fidelity
            continue
        again = machine_of(json.loads(json.dumps(machine.resolved(fidelity))))
        assert again.spec(fidelity) == machine.spec(fidelity)


def test_whatever_is_accepted_means_the_same_when_it_is_written() -> None:
    check_machine()
    assert COUNTED["made"] > EXAMPLES / 5
    assert COUNTED["refused"] > EXAMPLES / 20


@settings(max_examples=random_cases(100))
@given(given=tables(), change=tables())
def test_changes_of_kinds_never_trip_over_keys_of_the_old_ones(
    given: dict[str, Any], change: dict[str, Any]
) -> None:
    """Kinds alone can be changed on any machine, to any of which the new kind has the keys."""
    if made(given) is None:
        return
    kinds = {part: {"kind": change[part]["kind"]} for part in KINDED if part in change}
    kinds.pop("routing", None)
    mistake = ""
    try:
        machine_of(given, kinds)
    except UserError as error:
        mistake = str(error)
    # What a key is worth on the new kind may still be impossible, but not that it is there.
    assert "has no effect" not in mistake
    assert "must be left out" not in mistake
