"""Networks of today as presets: numbers that their sources print."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tailback.experiment import Experiment
from tailback.machines import Machine, machine_of
from tailback.prediction import Prediction, describe


def _machine(name: str, **changes: Any) -> Machine:
    return machine_of({"preset": name, **changes})


def _predicted(name: str, flits: int) -> Prediction:
    """Return what is said of uniform traffic, the node itself included, of so many flits."""
    size = f"{8 * (flits - 1)} B"
    return describe(
        Experiment.from_dict(
            {
                "machine": {"preset": name, "interface": {"packet_size": size}},
                "workload": {
                    "preset": "uniform_open_loop",
                    "includes_self": True,
                    "message_size": size,
                },
            }
        )
    )


@pytest.mark.parametrize(
    ("name", "flits", "cycles"), [("booksim_mesh", 5, 37.25), ("booksim_torus", 4, 34.0)]
)
def test_booksim_has_the_latency_measured_without_contention(
    name: str, flits: int, cycles: float
) -> None:
    # The latencies of studies/booksim/published, whose pipelines and links are the same.
    assert _predicted(name, flits).zero_load_data_us == pytest.approx(cycles / 1000)


def test_garnet_has_flits_of_16_bytes_and_hops_of_two_cycles() -> None:
    machine = _machine("garnet_like")
    # "control messages fit within 1 flit, and data messages fit within 5" [Garnet 2020].
    assert machine.packet_flits(0) == 1
    assert machine.packet_flits(64) == 5
    spec = json.loads(Experiment.from_dict({"machine": {"preset": "garnet_like"}}).spec("full"))
    switch = spec["machine"]["switch"]
    assert (switch["virtual_channels"], switch["input_buffer_flits"]) == (4, 4)


def test_slingshot_has_64_ports_and_at_most_279040_nodes() -> None:
    machine = _machine("slingshot_like")
    fly = machine.topology.written()
    ports = fly["nodes_per_switch"] + fly["switches_per_group"] - 1 + fly["global_links"]
    assert ports == 64
    largest = machine_of({"preset": "slingshot_like", "topology": {"groups": 545}})
    assert (largest.nodes, largest.nodes // 512) == (279_040, 545)
    assert str(machine.switch.delay) == "350 ns"


def test_infiniband_has_648_nodes_on_switches_of_36_ports() -> None:
    machine = _machine("infiniband_like")
    assert machine.nodes == 648
    assert machine.topology.switch_count == 36 + 18
    assert str(machine.switch.delay) == "90 ns"


def test_a_chip_of_the_tpu_has_6_links_of_50_gigabytes_per_second() -> None:
    machine = _machine("tpu_torus_like")
    experiment = Experiment.from_dict({"machine": {"preset": "tpu_torus_like"}})
    # In both virtual channels.
    assert (machine.nodes, describe(experiment).internal_channels) == (64, 64 * 6 * 2)
    # 50 GB/s: a flit of 32 B in 640 ps.
    assert machine.link.flit_ps() == 640
