"""Messages of nodes to themselves, mixed lengths, and classes of virtual channels of BookSim2."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.prediction import describe as predict
from tailback.runner.open_loop import open_loop


def _experiment(**changes: dict[str, Any]) -> Experiment:
    machine = {
        "topology": {"kind": "torus", "dims": [4, 4]},
        "link": {"rate": "64 Gbit/s", "flit": "8 B"},
        "switch": {"switching": "wormhole"},
        "clock": "1 GHz",
    }
    workload = {"preset": "uniform_open_loop", "compute_period": "100 ns"}
    parts = {"interface", "routing", "topology", "switch"}
    machine |= {part: value for part, value in changes.items() if part in parts}
    return Experiment.from_dict(
        {"machine": machine, "workload": workload | changes.get("workload", {})}
    )


def _spec(**changes: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(_experiment(**changes).spec("full"))
    return spec


def _refusal(**changes: dict[str, Any]) -> str:
    with pytest.raises(UserError) as caught:
        _experiment(**changes).spec("full")
    return str(caught.value)


def test_a_node_may_send_to_itself_over_its_switch() -> None:
    usual = _spec()
    assert "local" not in usual["machine"]["interface"]
    assert "includes_self" not in usual["workload"]
    own = _experiment(interface={"local": "switch"}, workload={"includes_self": True})
    spec = json.loads(own.spec("full"))
    assert spec["machine"]["interface"]["local"] == "switch"
    assert spec["workload"]["includes_self"] is True
    # 16 pairs of each node, one of them of two channels; without it 15.
    others = predict(_experiment()).mean_hops
    assert predict(own).mean_hops == pytest.approx((15 * others + 2) / 16)


def test_where_there_is_no_switch_to_cross() -> None:
    no_switch = _refusal(topology={"kind": "pair"}, interface={"local": "switch"}, switch={})
    assert "machine.interface.local" in no_switch
    assert "machine.topology.kind with switches" in no_switch
    hot = {"pattern": "hot_spot", "hot_spots": [1], "includes_self": True}
    assert "workload.includes_self" in _refusal(workload=hot)


def test_mixed_lengths_have_weights() -> None:
    mixed = {"message_distribution": "mixed", "message_sizes": ["0 B", "32 B"]}
    experiment = _experiment(workload=mixed)
    assert json.loads(experiment.spec("full"))["workload"]["mix"] == [
        {"bytes": 0, "weight": 1},
        {"bytes": 32, "weight": 1},
    ]
    load = open_loop(experiment)
    # A header is a flit: (1 + 5) / 2 of them, 10 ns each cycle apart.
    assert load is not None
    assert load.flits == pytest.approx(3 * 1000.0)
    weighted = _spec(workload=mixed | {"message_weights": [3, 1]})
    assert weighted["workload"]["bytes"]["mean"] == 8


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({"message_distribution": "mixed"}, "workload.message_sizes"),
        ({"message_sizes": ["8 B"]}, 'needs message_distribution = "mixed"'),
        (
            {"message_distribution": "mixed", "message_sizes": ["8 B"], "message_weights": [1, 2]},
            "must be one, not all 0, for each of message_sizes: 1",
        ),
        (
            {"message_distribution": "mixed", "message_sizes": ["8 B"], "message_weights": [0]},
            "not all 0",
        ),
    ],
)
def test_mixed_lengths_that_are_none(workload: dict[str, Any], expected: str) -> None:
    assert expected in _refusal(workload=workload)


def test_classes_by_wrapping_are_for_rings() -> None:
    wrapping = {"kind": "dimension_order", "ring_classes": "wrapping"}
    algorithm = _spec(routing=wrapping)["machine"]["routing"]["algorithm"]
    assert algorithm["kind"] == "dimension_order_by_wrapping"
    mesh = _refusal(routing=wrapping, topology={"kind": "mesh", "dims": [4, 4]})
    assert "machine.routing.ring_classes" in mesh
    assert 'needs machine.topology.kind = "torus"' in mesh
    assert "machine.routing.balanced" in _refusal(routing=wrapping | {"balanced": True})


def test_classes_by_crossing_are_for_dragonflies() -> None:
    fly: dict[str, Any] = {
        "kind": "dragonfly",
        "nodes_per_switch": 2,
        "switches_per_group": 4,
        "global_links": 2,
    }
    crossing = {"kind": "minimal", "group_classes": "crossing"}
    algorithm = _spec(routing=crossing, topology=fly)["machine"]["routing"]["algorithm"]
    assert algorithm == {"kind": "minimal_by_crossing"}
    parity = _spec(routing=crossing | {"group_classes": "parity"}, topology=fly)
    assert parity == _spec(routing={"kind": "minimal"}, topology=fly)
    islands = {"kind": "islands"}
    refused = _refusal(routing=crossing, topology=islands)
    assert "machine.routing.group_classes" in refused
    assert 'needs machine.topology.kind = "dragonfly"' in refused
    failed = _refusal(routing=crossing, topology=fly | {"failed_share": 0.02})
    assert "must be parity where links have failed" in failed
