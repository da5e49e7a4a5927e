"""Switched Ethernet in descriptions: the preset against printed numbers, keys and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.machines import Machine, machine_of


def ethernet(**parts: Any) -> Machine:
    return machine_of({"preset": "gigabit_ethernet", **parts})


def test_the_preset_is_described_in_the_words_of_the_engine() -> None:
    spec = ethernet().spec("packet")
    assert spec["switch"]["frames"] == {
        "minimum_bytes": 64,
        "preamble_bytes": 8,
        "gap_bytes": 12,
        "engine": "per_switch",
        "forwarding_ps": 384_000,
        "memory_bytes": None,
        "pause": "off",
        "pause_high_bytes": 0,
        "pause_low_bytes": 0,
    }
    assert spec["link"]["flit_ps"] == 8_000
    assert spec["interface"]["header_bytes"] == 18


def test_other_machines_say_nothing_of_frames() -> None:
    machine = machine_of({"topology": {"kind": "star", "nodes": 4}})
    assert "frames" not in machine.spec("packet")["switch"]


def test_marks_follow_from_the_memory() -> None:
    machine = ethernet(switch={"memory": "64 KiB", "pause": "all"})
    frames = machine.spec("packet")["switch"]["frames"]
    assert (frames["pause_high_bytes"], frames["pause_low_bytes"]) == (49_152, 24_576)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            {"switch": {"memory": "1000 B"}},
            'machine.switch.memory = "1000 B": must hold a frame, at least 1518 B with its header',
        ),
        (
            {"switch": {"pause": "all"}},
            "machine.switch.pause_high: must be given with pause, where memory is unlimited",
        ),
        (
            {"switch": {"pause": "all", "pause_high": "9 KiB", "pause_low": "9 KiB"}},
            'machine.switch.pause_low = "9216 B": must be less than pause_high, 9216 B',
        ),
        (
            {"switch": {"pause_high": "9 KiB"}},
            'machine.switch.pause_high = "9216 B": has no effect here; needs '
            'machine.switch.pause = "all" or "per_priority"',
        ),
        (
            {"interface": {"minimum_packet": "2000 B"}},
            'machine.interface.minimum_packet = "2000 B": must be at most the longest frame, '
            "1518 B with its header",
        ),
        (
            {"switch": {"arbiter": "round_robin"}},
            'machine.switch.arbiter = "round_robin": must be fifo or priority with '
            "switch.forwarding",
        ),
    ],
)
def test_impossible_frames_are_refused_in_one_line(parts: dict[str, Any], text: str) -> None:
    with pytest.raises(UserError) as caught:
        ethernet(**parts).check("packet")
    assert str(caught.value) == text
