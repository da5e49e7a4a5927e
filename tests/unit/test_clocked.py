"""Switches that run by a clock: what is said about what they cannot do."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError

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
