"""Where there is no memory for all turns, nobody is charged for what is not known."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tailback import Experiment, UserError
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
    "run": {"blame": True, "duration": "20 us"},
}
END_PS, MANY = 20_000_000, 10**12


@cache
def told(memory: str | None) -> dict[str, Any]:
    """Return what blame says of a run, which may take so many bytes for it."""
    given = {} if memory is None else {"blame_memory": memory}
    experiment = Experiment.from_dict({**CROWDED, "run": {**CROWDED["run"], **given}})
    simulation = Simulation(experiment.spec("full"))
    simulation.advance(END_PS, MANY)
    found = simulation.blame()
    assert found is not None
    return found


def charges(found: dict[str, Any]) -> Counter[tuple[int, ...]]:
    """Return how much is charged, in picoseconds, by who is late, to whom, and where."""
    pairs = found["pairs"]
    columns = (pairs[name].tolist() for name in ("channel", "victim", "culprit", "cause"))
    sums = pairs["batches"].reshape(len(pairs["channel"]), -1).sum(axis=1).tolist()
    return Counter(dict(zip(zip(*columns, strict=True), sums, strict=True)))


def lateness(found: dict[str, Any]) -> int:
    """Return all lateness, in picoseconds."""
    return charges(found).total() + int(found["unattributed_ps"])


@pytest.mark.parametrize("memory", ["0 B", "50 kB", "200 kB"])
def test_what_is_forgotten_is_unattributed(memory: str) -> None:
    whole, bounded = told(None), told(memory)
    assert whole["unattributed_ps"] == 0
    assert bounded["unattributed_ps"] > 0
    assert lateness(bounded) == lateness(whole) > 0
    assert int(bounded["victims"]["batches"].sum()) == int(whole["victims"]["batches"].sum()) > 1000
    # Nobody is charged who would not be with memory for all, nor for more.
    assert charges(bounded) <= charges(whole)


def test_the_engine_takes_as_much_as_is_said() -> None:
    assert told("1 GB")["pairs"]["batches"].tolist() == told(None)["pairs"]["batches"].tolist()
    assert "memory" not in json.loads(Experiment.from_dict(CROWDED).spec("full"))["blame"]
    given = {"blame": True, "blame_memory": "16 GB"}
    spec = json.loads(Experiment.from_dict({**CROWDED, "run": given}).spec("full"))
    assert spec["blame"]["memory"] == 16 * 10**9


def test_memory_is_said_with_a_unit() -> None:
    for wrong, why in ((1000, "needs a unit"), ("2 s", "is a time"), ("-1 B", "negative")):
        with pytest.raises(UserError, match=f"run.blame_memory.*{why}"):
            Experiment.from_dict({**CROWDED, "run": {"blame_memory": wrong}})
