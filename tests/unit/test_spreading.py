"""Shortest ways by flow or packet, and ways by load: keys, virtual channels, refusals."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines.reading import machine_of
from tests.loads import accepted


def spec(topology: dict[str, Any], **routing: Any) -> Any:
    machine = machine_of({"topology": topology, "routing": routing})
    return machine.spec("packet")["routing"]["algorithm"]


POD = {"kind": "pod_fat_tree", "switch_ports": 4}


def test_keys_reach_the_engine() -> None:
    assert spec(POD, kind="ecmp") == {"kind": "ecmp", "flow": "pair", "seed": 1}
    assert spec(POD, kind="ecmp", flow="message", hash_seed=7) == {
        "kind": "ecmp",
        "flow": "message",
        "seed": 7,
    }
    assert spec(POD, kind="spray", turns="round_robin") == {"kind": "spray", "turns": "round_robin"}
    fly = {"kind": "dragonfly"}
    by_switch = spec(fly, kind="valiant", intermediate="switch")
    assert by_switch["kind"] == "valiant_by_switches"


@pytest.mark.parametrize(
    ("topology", "kind", "classes"),
    [
        (tb.PodFatTree(switch_ports=4), "ecmp", 1),
        (tb.Tree(), "spray", 1),
        (tb.SlimFly(q=5), "ecmp", 2),
        (tb.SlimFly(q=9), "hop_classes", 2),
        (tb.SlimFly(q=4), "valiant", 4),
        (tb.SlimFly(q=7), "ugal_g", 4),
        (tb.Jellyfish(), "valiant", 8),
        (tb.Torus(dims=(4, 4)), "spray", 4),
        (tb.HyperX(dims=(3, 3)), "dal", 4),
        (tb.HyperX(dims=(3, 3)), "minimal_adaptive", 2),
        (tb.Dragonfly(), "minimal_adaptive", 2),
        (tb.ConcentratedTorus(dims=(4, 4)), "minimal_adaptive", 3),
    ],
)
def test_every_routing_says_how_many_classes_it_needs(
    topology: Any, kind: str, classes: int
) -> None:
    machine = tb.Machine(topology=topology, routing=machine_routing(kind))
    assert machine.routing_classes == classes


def machine_routing(kind: str) -> Any:
    from tailback.machines.kinds import ROUTINGS

    return ROUTINGS[kind]()


def test_too_few_virtual_channels_are_refused_with_how_many_it_takes() -> None:
    tables = {
        "topology": {"kind": "hyperx", "dims": [3, 3], "nodes_per_switch": 2},
        "routing": {"kind": "dal"},
        "switch": {"virtual_channels": 2},
    }
    experiment = {"machine": tables, "workload": {"preset": "uniform_open_loop"}}
    with pytest.raises(UserError, match=r"kind = \"dal\": can deadlock: .* needs 4 virtual"):
        tb.describe(tb.Experiment.from_dict(experiment))


@pytest.mark.verify
def test_dal_goes_aside_where_all_nodes_of_a_switch_send_to_the_next() -> None:
    """Eight nodes share a direct link: one eighth; by way of six other switches below a half."""
    found = {}
    for kind in ("dimension_order", "dal", "valiant"):
        machine = machine_of(
            {
                "preset": "wormhole_mesh",
                "topology": {"kind": "hyperx", "dims": [8], "nodes_per_switch": 8},
                "routing": {"kind": kind},
                "switch": {"input_buffer": "32 B"},
                "interface": {"packet_size": "3 B"},
            }
        )
        found[kind] = accepted(machine, "flit", pattern="neighbour")
    assert 0.12 < found["dimension_order"] < 0.126
    assert 0.36 < found["valiant"] < 0.5
    assert 0.36 < found["dal"] < 0.5
