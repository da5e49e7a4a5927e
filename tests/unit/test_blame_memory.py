"""Where there is no memory for all turns, nobody is charged for what is not known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tailback import Experiment
from tailback.engine import Simulation

CROWDED = {
    "machine": {
        "topology": {"kind": "mesh", "dims": [4, 4]},
        "interface": {"packet_size": "64 B"},
    },
    "workload": {
        "preset": "uniform_open_loop",
        "message_size": "256 B",
        "compute_period": "20 ns",
    },
    "run": {"blame": True, "duration": "50 us"},
}
END_PS, MANY = 50_000_000, 10**12


def told(memory: int | None) -> dict[str, Any]:
    """Return what blame says of a run, which may take so many bytes for it."""
    spec = json.loads(Experiment.from_dict(CROWDED).spec("full"))
    if memory is not None:
        spec["blame"]["memory"] = memory
    simulation = Simulation(json.dumps(spec))
    simulation.advance(END_PS, MANY)
    found = simulation.blame()
    assert found is not None
    return found


def charged(found: dict[str, Any]) -> int:
    """Return how much lateness is charged to somebody, in picoseconds."""
    return int(found["pairs"]["batches"].sum())


def lateness(found: dict[str, Any]) -> int:
    """Return all lateness, in picoseconds."""
    return charged(found) + int(found["unattributed_ps"])


@pytest.mark.parametrize("memory", [0, 50_000, 200_000])
def test_what_is_forgotten_is_unattributed(memory: int) -> None:
    whole, bounded = told(None), told(memory)
    assert whole["unattributed_ps"] == 0
    assert lateness(bounded) == lateness(whole) > 0
    assert charged(bounded) < charged(whole)
    assert int(bounded["victims"]["batches"].sum()) == int(whole["victims"]["batches"].sum()) > 1000
