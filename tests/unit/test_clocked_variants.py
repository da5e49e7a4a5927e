"""Keys of clocked switches and sources for what BookSim2 does otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.prediction import describe

MACHINE: dict[str, Any] = {
    "clock": "1 GHz",
    "topology": {"kind": "mesh", "dims": [4, 4]},
    "link": {"rate": "64 Gbit/s", "flit": "8 B", "delay": "1 cycle", "credit_delay": "0 cycles"},
    "interface": {"packet_size": "152 B", "header": "8 B"},
    "switch": {"switching": "wormhole", "allocator": "islip", "virtual_channels": 2},
}
NEIGHBOURS = {"preset": "uniform_open_loop", "pattern": "neighbour", "radius": None}


def experiment(**switch: Any) -> Experiment:
    machine = MACHINE | {"switch": MACHINE["switch"] | switch}
    return Experiment.from_dict(
        {"machine": machine, "workload": NEIGHBOURS | {"message_size": "152 B"}}
    )


def pipeline(**switch: Any) -> dict[str, Any]:
    spec = json.loads(experiment(**switch).spec("full"))
    found: dict[str, Any] = spec["machine"]["switch"]["pipeline"]
    return found


def test_keys_that_are_not_given_leave_no_trace() -> None:
    usual = {"internal_speedup", "speedup_cycles", "in_batches", "keeps_channel", "port_order"}
    assert usual & set(pipeline()) == {"internal_speedup"}


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"internal_speedup": 1.7}, "speedup_cycles", 10),
        ({"internal_speedup": 1.5}, "internal_speedup", 3),
        ({"stages": "batched"}, "in_batches", True),
        ({"delivery": "same_channel"}, "keeps_channel", True),
        ({"port_order": "nodes_then_dimensions"}, "port_order", "nodes_then_dimensions"),
        ({"output_buffer": "8 B", "output_buffer_view": "request"}, "sees_output_buffer", True),
        ({"iterations": 2}, "vc_iterations", 2),
        ({"iterations": 2, "vc_iterations": 3}, "vc_iterations", 3),
    ],
)
def test_what_the_engine_is_told(given: dict[str, Any], name: str, value: object) -> None:
    assert pipeline(**given)[name] == value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"internal_speedup": 0.5}, "internal_speedup = 0.5: must be a number from 1 to 64"),
        ({"internal_speedup": "fast"}, "must be a number from 1 to 64"),
        (
            {"delivery": "same_channel", "node_virtual_channels": 1},
            "machine.switch.delivery",
        ),
    ],
)
def test_refusals(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as caught:
        tb.run(experiment(**given), duration="1 us")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ports_by_dimension_need_a_grid() -> None:
    machine = MACHINE | {"topology": {"kind": "fat_tree"}}
    machine |= {"switch": MACHINE["switch"] | {"port_order": "dimensions"}}
    asked = {"machine": machine, "workload": {"preset": "uniform_open_loop"}}
    with pytest.raises(UserError, match=r"machine\.switch\.port_order.*there is no grid"):
        tb.run(Experiment.from_dict(asked), duration="1 us")


@pytest.mark.parametrize(
    ("switch", "flits", "cycles"),
    [
        # BookSim2 (28f43299) at a load of 0.004 measured 40.99, 45.09, 65.47 and 23.01 cycles with
        # buffers of 8 flits, of 4, of 3 with a credit delay of 2, and of 4 with look-ahead routing.
        ({"input_buffer": "64 B"}, 20, 41.0),
        ({"input_buffer": "32 B"}, 20, 45.0),
        ({"input_buffer": "24 B", "credits": 2}, 20, 65.0),
        ({"input_buffer": "32 B", "route_delay": "0 cycles"}, 5, 23.0),
    ],
)
def test_packets_wait_for_credits_of_short_buffers(
    switch: dict[str, Any], flits: int, cycles: float
) -> None:
    size = f"{8 * (flits - 1)} B"
    credits = f"{switch.pop('credits', 0)} cycles"
    machine = MACHINE | {
        "switch": MACHINE["switch"] | switch,
        "link": MACHINE["link"] | {"credit_delay": credits},
        "interface": MACHINE["interface"] | {"packet_size": size},
    }
    workload = NEIGHBOURS | {"message_size": size}
    found = describe(Experiment.from_dict({"machine": machine, "workload": workload}))
    assert found.zero_load_data_us * 1000 == pytest.approx(cycles)


def test_sources_that_are_on_or_off() -> None:
    asked = {"compute_distribution": "modulated", "compute_slot": "1 ns", "compute_period": "9 ns"}
    workload = tb.Synthetic(compute_turn_on=0.25, compute_turn_off=0.125, **asked)
    mesh = Experiment.from_dict({"machine": MACHINE, "workload": NEIGHBOURS}).machine
    shape = workload.spec(mesh)["compute"]["shape"]
    assert shape == {"modulated": {"slot": 1000, "turn_on": 0.25, "turn_off": 0.125}}
    with pytest.raises(UserError, match="compute_turn_on"):
        tb.Synthetic(compute_turn_on=0, **asked)
    too_fast = asked | {"compute_period": "2 ns", "sync": "asynchronous", "compute_turn_on": 0.1}
    with pytest.raises(UserError, match=r"workload\.compute_slot"):
        tb.run(Experiment.from_dict({"machine": MACHINE, "workload": too_fast}), duration="1 us")
