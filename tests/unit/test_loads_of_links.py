"""Loads are those of nodes' links, whatever the number of virtual channels."""

from __future__ import annotations

import pytest

import tailback as tb


def half_busy(channels: int, **workload: object) -> tb.Experiment:
    machine = {
        "clock": "1 GHz",
        "topology": {"kind": "mesh", "dims": [2]},
        "link": {"rate": "64 Gbit/s", "flit": "8 B"},
        "switch": {
            "switching": "wormhole",
            "allocator": "islip",
            "virtual_channels": channels,
        },
        "interface": {"header": "8 B", "packet_size": "32 B"},
    }
    # A packet of 32 B and its header is five flits; one is sent in ten cycles.
    offering = {
        "preset": "uniform_open_loop",
        "message_size": "32 B",
        "compute_period": "10 ns",
        "compute_distribution": "constant",
    }
    run = {"duration": "20 us"}
    return tb.Experiment.from_dict(
        {"machine": machine, "workload": offering | workload, "run": run}
    )


@pytest.mark.parametrize("channels", [1, 2, 4, 8])
def test_a_wire_that_is_half_busy_is_loaded_by_half(channels: int) -> None:
    result = tb.run(half_busy(channels))
    for name in (
        "offered_load",
        "accepted_load",
        "injection_utilisation",
        "ejection_utilisation",
        "internal_utilisation",
        "offered_flits_per_node_per_cycle",
    ):
        assert result[name].value == pytest.approx(0.5, rel=0.01), name


@pytest.mark.parametrize("channels", [1, 4])
def test_channels_loaded_most_are_links(channels: int) -> None:
    found = tb.describe(half_busy(channels))
    loaded = found.most_loaded()
    # Two nodes, two links of nodes each way, and one between the switches each way.
    assert len({(c.kind, c.source, c.destination) for c in loaded}) == len(loaded)
    assert [c.load_us * 1e3 for c in loaded] == pytest.approx([5] * len(loaded))
    assert found.load_max_us * 1e3 == pytest.approx(5)
