"""Keys that stand in the wrong table."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.keys import parameters_called


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ({"topology": {"kind": "mesh"}}, "topology: unknown key; did you mean [machine.topology]?"),
        ({"routing": {"kind": "xy"}}, "routing: unknown key; did you mean [machine.routing]?"),
        ({"seed": 3}, "seed: unknown key; did you mean run.seed?"),
        (
            {"machine": {"link": {"seed": 3}}},
            "machine.link.seed: unknown key; did you mean run.seed?",
        ),
        ({"run": {"load": 3}}, "run.load: unknown key; did you mean workload.load?"),
        ({"run": {"time": "3 us"}}, "run.time: unknown key; did you mean run.duration?"),
        (
            {"workload": {"packet_size": "1 kB"}},
            "workload.packet_size: unknown key; did you mean machine.interface.packet_size?",
        ),
        (  # of another parameter's name: too many have it
            {"run": {"kind": "mesh"}},
            "run.kind: unknown key; known here: seed, mode",
        ),
        (  # nothing is meant by a dragonfly's letter
            {"a": 3},
            "a: unknown key; known here: machine, workload, run, job",
        ),
    ],
)
def test_a_key_of_another_table_is_told_its_place(
    description: dict[str, Any], expected: str
) -> None:
    with pytest.raises(UserError) as caught:
        Experiment.from_dict(description)
    assert str(caught.value).startswith(expected)


def test_a_letter_alone_stands_for_no_parameter() -> None:
    assert parameters_called("k") == parameters_called("a") == []
    assert parameters_called("radix") == ["machine.topology.dims"]
