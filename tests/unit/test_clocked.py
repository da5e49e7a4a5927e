"""Switches that run by a clock: what is said about what they cannot do."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.prediction import Prediction

BASE: dict[str, dict[str, Any]] = {
    "topology": {"kind": "mesh", "dims": [3, 3]},
    "link": {"flit": "8 B"},
    "switch": {"switching": "wormhole", "allocator": "islip", "virtual_channels": 2},
}


def _said(part: str, keys: dict[str, str]) -> str:
    machine = {**BASE, part: {**BASE.get(part, {}), **keys}}
    description = {"machine": machine, "workload": {"kind": "synthetic"}}
    with pytest.raises(UserError) as refused:
        tb.run(tb.Experiment.from_dict(description))
    return str(refused.value)


@pytest.mark.parametrize(
    ("part", "keys", "said"),
    [
        (
            "routing",
            {"kind": "minimal_adaptive", "selection": "random"},
            'machine.routing.selection = "random": must be first with switch.allocator',
        ),
        (
            "switch",
            {"route_delay": "1 s"},
            'machine.switch.route_delay = "1 s": must be at most 64 cycles: 40.96 ns',
        ),
        (
            "switch",
            {"shared_buffer": "20 B"},
            'machine.switch.shared_buffer = "20 B": must be whole flits of 8 B',
        ),
        (
            "switch",
            {"shared_buffer": "1 MB"},
            'machine.switch.shared_buffer = "1000000 B": must be 0 B to 524288 B',
        ),
        (
            "switch",
            {"input_buffer": "0 B"},
            'machine.switch.input_buffer = "0 B": must hold a header, at least 8 B with fidelity '
            "flit",
        ),
        (
            "switch",
            {"arbiter": "matrix"},
            'machine.switch.arbiter = "least_recently_granted": needs allocators that can have it '
            "(separable_input_first, separable_output_first) with switch.allocator",
        ),
    ],
)
def test_mistakes_are_named_by_the_keys_of_users(
    part: str, keys: dict[str, str], said: str
) -> None:
    assert _said(part, keys) == said


def test_shared_buffers_need_a_clock() -> None:
    switch = {"switching": "wormhole", "virtual_channels": 2, "shared_buffer": "32 B"}
    description = {"machine": {**BASE, "switch": switch}, "workload": {"kind": "synthetic"}}
    with pytest.raises(UserError, match=r"has no effect here; needs machine\.switch\.allocator"):
        tb.Experiment.from_dict(description)


def _described(**changes: Any) -> Prediction:
    routing = {"kind": "minimal_adaptive", **changes.pop("routing", {})}
    machine = {**BASE, "routing": routing}
    machine |= {part: {**machine[part], **keys} for part, keys in changes.items()}
    workload = {"kind": "synthetic"}
    return tb.describe(tb.Experiment.from_dict({"machine": machine, "workload": workload}))


def test_a_way_out_needs_buffers_that_packets_have_to_themselves() -> None:
    with pytest.raises(UserError) as refused:
        _described()
    assert str(refused.value) == (
        'machine.routing.kind = "minimal_adaptive": can deadlock: channel (0, 0)->(1, 0) waits for '
        "channel (1, 0)->(1, 1) (class 1) waits for channel (1, 1)->(0, 1) waits for channel "
        "(0, 1)->(0, 0) (class 1) waits for the first; routes (0, 0)->(1, 1), (1, 0)->(0, 1), "
        '(1, 1)->(0, 0), (0, 1)->(1, 0); needs switch.vc_reuse = "after_credits", or '
        "allow_deadlock = true"
    )
    with pytest.raises(UserError, match=r'needs 2 virtual channels and switch.vc_reuse = "after_c'):
        _described(switch={"virtual_channels": 1})
    found = _described(switch={"vc_reuse": "after_credits"})
    assert found.routing.free_by == "argument"
    assert _described(routing={"allow_deadlock": True}).routing.free_by is None
    # On a line there is no circle to close.
    assert _described(topology={"dims": [4]}).routing.free_by == "search"


def test_a_way_out_of_a_network_too_large_to_look_at_is_refused_with_what_would_do() -> None:
    with pytest.raises(UserError) as refused:
        _described(topology={"dims": [48, 48]})
    assert str(refused.value) == (
        'machine.routing.kind = "minimal_adaptive": may deadlock, and the network is too large to '
        'find out; needs switch.vc_reuse = "after_credits", or allow_deadlock = true'
    )
