"""Loads are those of nodes' links, whatever the number of virtual channels."""

from __future__ import annotations

import pytest

import tailback as tb
from tailback.answers.lateness import Lateness
from tailback.answers.of_cost import of_cost


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


def test_parallel_cables_are_loaded_each_by_itself() -> None:
    # Requests and replies have virtual channels of their own on each of two cables.
    topology = {"kind": "rail_optimised", "servers": 8, "gpus": 4, "spines": 2, "spine_links": 2}
    machine = {"topology": topology}
    asked = {"machine": machine, "workload": {"kind": "synthetic", "load": 0.3}}
    found = tb.describe(tb.Experiment.from_dict(asked))
    assert found.most_loaded()[0].load_us == pytest.approx(found.load_max_us)


def crowded() -> tb.Experiment:
    run = {"warmup": "2 us", "duration": "6 us", "blame": True}
    return tb.Experiment.from_dict(
        {
            "machine": {
                "preset": "booksim_mesh",
                "topology": {"dims": [2, 2]},
                "switch": {"virtual_channels": 4},
            },
            "workload": {"preset": "uniform_open_loop", "message_size": "64 B", "load": 0.6},
            "run": run,
        }
    )


def test_waits_for_virtual_channels_of_a_link_count_together() -> None:
    cost = tb.cost(crowded())
    every = cost.channels_waiting_most(1000)
    assert len({(c.kind, c.source, c.destination) for c in every}) == len(every) > 8
    assert sum(c.share for c in every) == pytest.approx(1)
    channels = cost.modes["full"].channels.to_pylist()
    for one in every:
        assert 0 < one.utilisation <= 1
        first = channels[one.channel]
        ends = [(c["kind"], c["from_node"], c["to_node"]) for c in channels]
        rows = [c for c, at in zip(channels, ends, strict=True) if at == ends[first["channel"]]]
        assert len(rows) == 4
        assert one.packets == sum(c["packets"] for c in rows)
        waited = sum(c["wait_throttling_ps"] + c["wait_internal_ps"] for c in rows)
        assert one.waiting_us == pytest.approx(waited / 1e6)


def test_lateness_begins_at_links() -> None:
    roots = Lateness.of(tb.run(crowded())).roots(1000, 0)
    assert len({row.words[0] for row in roots.shown}) == len(roots.shown) == 16
    assert sum(row.share for row in roots.shown) == pytest.approx(1)


@pytest.mark.parametrize("mode", ["full", "endpoints", "throttled", "free"])
@pytest.mark.parametrize("channels", [4, 8])
def test_a_message_leaves_its_node_no_faster_than_its_link(channels: int, mode: str) -> None:
    """32 kB over 64 Gbit/s: 1000 packets of five flits, of which the first takes 8 cycles more."""
    sent = tb.Messages(messages=[["0 ns", 0, 1, "32 kB"]])
    found = tb.run(half_busy(channels).machine, sent, mode=mode)
    assert found["completion_us"].value == pytest.approx(5.008)


def sentences_of_cost(experiment: tb.Experiment) -> list[str]:
    return list(of_cost(tb.cost(experiment)).sentences)


def test_cost_says_where_endpoints_is_free() -> None:
    """Fidelity stream has no mode with contention for the links of nodes alone."""
    streams = {
        "machine": {"preset": "t9000_c104", "topology": {"kind": "mesh", "dims": [2, 2]}},
        "workload": {"preset": "uniform_open_loop", "message_size": "64 B", "load": 0.5},
        "run": {"warmup": "100 us", "duration": "1 ms", "fidelity": "stream"},
    }
    sentences = sentences_of_cost(tb.Experiment.from_dict(streams))
    assert any("endpoints is the same as free" in sentence for sentence in sentences)
    assert not any(sentence.startswith("The links of nodes") for sentence in sentences)


def test_cost_of_clocked_switches_tells_links_of_nodes_from_the_network() -> None:
    sentences = sentences_of_cost(crowded())
    assert not any("endpoints is the same as free" in sentence for sentence in sentences)
    assert any(sentence.startswith("The links of nodes") for sentence in sentences)
    assert any(sentence.startswith("The network") for sentence in sentences)


@pytest.mark.parametrize("reuse", ["after_tail", "after_credits"])
@pytest.mark.parametrize(("channels", "size"), [(1, "8 B"), (2, "8 B"), (4, "56 B")])
def test_endpoints_of_clocked_switches_accepts_what_links_of_nodes_carry(
    channels: int, size: str, reuse: str
) -> None:
    """Both neighbours of a node send to it: nobody else is on the links between switches."""
    experiment = tb.Experiment.from_dict(
        {
            "machine": {
                "preset": "booksim_mesh",
                "topology": {"dims": [3]},
                "switch": {"virtual_channels": channels, "vc_reuse": reuse},
            },
            "workload": {
                "kind": "messages",
                "messages": [["0 ns", node, 1, size] for node in (0, 2) for _ in range(45)],
            },
        }
    )
    cost = tb.cost(experiment)
    took = {mode: cost.modes[mode]["completion_us"].value for mode in ("full", "endpoints", "free")}
    # Cycles of 1 ns, flits of 8 B of which one is the header.
    flits = 90 * (1 + int(size.split(maxsplit=1)[0]) // 8)
    assert took["endpoints"] * 1e3 > flits
    # In `full` messages of a node also wait for channels of the link between switches.
    assert 0.85 * took["full"] < took["endpoints"] <= took["full"]
    assert took["free"] < 0.2 * took["endpoints"]
