"""What `describe` says of the share of their links that switches carry."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.answers.of_prediction import of_prediction
from tailback.prediction.switch_limit import share_of_links
from tests.commands import tailback

STAR = {"kind": "star", "nodes": 32}
TREE = {"kind": "xgft", "children": [8, 4], "parents": [8]}
UNIFORM = {"preset": "uniform_open_loop", "message_size": "1000 B", "compute_period": "81 ns"}
#: A full packet: data and a header.
PACKET = 1008


def experiment(switch: dict[str, Any], **parts: Any) -> tb.Experiment:
    machine: dict[str, Any] = {
        "topology": STAR,
        "link": {"rate": "100 Gbit/s", "delay": "0 ns"},
        "switch": {"switching": "cut_through", "input_buffer": f"{2 * PACKET} B", **switch},
        **parts.pop("machine", {}),
    }
    run = {"mode": "full", "warmup": "20 us", "duration": "200 us"}
    return tb.Experiment.from_dict(
        {"machine": machine, "workload": UNIFORM | parts.pop("workload", {}), "run": run}
    )


def limit_of(switch: dict[str, Any], **parts: Any) -> Any:
    return tb.describe(experiment(switch, **parts)).switch_limit


@pytest.mark.parametrize(
    ("packets", "share"),
    [(1, 0.586), (2, 0.764), (4, 0.877), (8, 0.938), (16, 0.969), (32, 0.984), (math.inf, 1)],
)
def test_the_buffer_of_output_queues_limits(packets: float, share: float) -> None:
    assert share_of_links("output", packets) == pytest.approx(share, abs=5e-4)
    if packets < math.inf:
        exact = (packets + 1) - math.sqrt(packets**2 + 1)
        assert share_of_links("output", packets) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("switch", "share"),
    [
        ({"queueing": "fifo"}, 2 - math.sqrt(2)),
        ({"queueing": "fifo", "input_buffer": "64 kB"}, 2 - math.sqrt(2)),
        ({"queueing": "output"}, 3 - math.sqrt(5)),
        ({"queueing": "output", "input_buffer": f"{16 * PACKET} B"}, 17 - math.sqrt(257)),
        ({"queueing": "output", "input_buffer": "unlimited"}, 1.0),
        ({"queueing": "voq"}, 3 - math.sqrt(5)),
        # One place is lost to the packet that arrives.
        ({"queueing": "output", "switching": "store_and_forward"}, 2 - math.sqrt(2)),
    ],
)
def test_the_limit_of_a_star_bounds_what_is_predicted(
    switch: dict[str, Any], share: float, tmp_path: Path
) -> None:
    found = tb.describe(experiment(switch))
    by_channel = found.saturation_messages_per_node_per_ms
    assert by_channel is not None
    assert by_channel == pytest.approx(1e6 / 80.64)
    limit = found.switch_limit
    assert limit is not None
    assert limit.share == pytest.approx(share)
    assert limit.share - limit.least == pytest.approx(0.04 if switch["queueing"] == "voq" else 0)
    assert found.limited_saturation_messages_per_node_per_ms == pytest.approx(by_channel * share)
    assert limit.is_exceeded == (share < 1)
    page = tmp_path / "star.html"
    found.write_plot(page)
    assert ("switches carry" in page.read_text()) == (share < 1)
    told = json.loads(json.dumps(found.to_dict()))["switch_limit"]
    assert told["saturation_messages_per_node_per_ms"] == pytest.approx(by_channel * share)


@pytest.mark.parametrize(
    ("queueing", "packets"), [("fifo", 2), ("fifo", 8), ("output", 2), ("output", 8), ("voq", 4)]
)
def test_a_star_accepts_about_as_much(queueing: str, packets: int) -> None:
    asked = experiment({"queueing": queueing, "input_buffer": f"{packets * PACKET} B"})
    limit = tb.describe(asked).switch_limit
    assert limit is not None
    accepted = tb.run(asked)["accepted_load"].value
    assert limit.least - 0.03 < accepted < limit.share + 0.015


def test_what_passes_in_a_round_trip_of_credits_holds_no_packet_that_waits() -> None:
    # 12,500 B pass in 1 us.
    switch = {"queueing": "output", "input_buffer": f"{12_500 + 4 * PACKET} B"}
    limit = limit_of(switch, machine={"link": {"rate": "100 Gbit/s", "delay": "1 us"}})
    assert limit.packets == pytest.approx(16 - 12_500 / PACKET)


def test_shorter_packets_have_more_places() -> None:
    limit = limit_of({"queueing": "output"}, workload={"message_size": "500 B"})
    assert limit.packets == 3
    assert not limit.is_bound


@pytest.mark.parametrize("packets", [4, 16, 64])
@pytest.mark.parametrize("order", ["fifo", "round_robin"])
def test_messages_that_do_not_fit_into_a_buffer_wait_for_each_other(
    packets: int, order: str
) -> None:
    """Of 64 packets each, a star carries 0.58; it was said to carry 0.97 of its links."""
    machine = {"topology": {"kind": "star", "nodes": 32}, "interface": {"message_order": order}}
    workload = {
        "preset": "uniform_open_loop",
        "load": 0.95,
        "message_size": f"{packets} kB",
        "compute_distribution": "exponential",
    }
    run = {"warmup": "300 us", "duration": "1 ms"}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
    found = tb.describe(asked)
    limit = found.switch_limit
    assert limit is not None
    accepted = tb.run(asked)["accepted_load"].value
    long = [line for line in of_prediction(found).lines if line.startswith("messages of")]
    if order == "fifo":
        assert limit.least - 0.03 < accepted < limit.share + 0.015
        assert len(long) == (packets > 16)
        assert limit.is_exceeded
    else:
        assert accepted < limit.share
        assert limit.is_bound
        assert long == []


@pytest.mark.parametrize(
    "workload",
    [
        {"message_size": "4000 B"},
        {"message_distribution": "mixed", "message_sizes": ["100 B", "1 kB"], "message_size": None},
    ],
)
def test_long_and_mixed_messages_are_carried_less(workload: dict[str, Any]) -> None:
    given = {k: v for k, v in (UNIFORM | workload).items() if v is not None}
    asked = tb.Experiment.from_dict(
        {"machine": {"topology": STAR, "switch": {"queueing": "fifo"}}, "workload": given}
    )
    limit = tb.describe(asked).switch_limit
    assert limit is not None
    assert limit.is_bound


@pytest.mark.parametrize(
    ("switch", "parts"),
    [
        ({"queueing": "output"}, {"workload": {"pattern": "random_permutation"}}),
        ({"queueing": "fifo"}, {"workload": {"pattern": "hot_spot", "hot_spots": [0]}}),
        # Worms that stand in several switches.
        ({"switching": "wormhole", "input_buffer": "64 kB"}, {"machine": {"topology": TREE}}),
        # Two queues at every input.
        ({"queueing": "fifo", "virtual_channels": 2}, {"machine": {"topology": TREE}}),
    ],
)
def test_nothing_is_said_where_it_does_not_hold(
    switch: dict[str, Any], parts: dict[str, Any]
) -> None:
    found = tb.describe(experiment(switch, **parts))
    assert found.switch_limit is None
    assert "switch_limit" not in found.to_dict()
    limited = found.limited_saturation_messages_per_node_per_ms
    assert limited == found.saturation_messages_per_node_per_ms


@pytest.mark.parametrize("room", ["256 B", "64 kB"])
def test_worms_in_one_switch_wait_for_the_head_of_a_queue(room: str) -> None:
    switch = {"switching": "wormhole", "input_buffer": room}
    asked = experiment(switch, machine={"topology": STAR | {"nodes": 64}})
    limit = tb.describe(asked).switch_limit
    assert limit is not None
    assert limit.is_exceeded
    assert limit.share == pytest.approx(2 - math.sqrt(2))
    assert limit.share < tb.run(asked)["accepted_load"].value < limit.share + 0.03


def test_where_nodes_are_not_the_bottleneck_inputs_are_not_full() -> None:
    tree = TREE | {"parents": [2]}
    routing = {"kind": "nearest_common_ancestor", "selection": "random"}
    found = tb.describe(
        experiment({"queueing": "fifo"}, machine={"topology": tree, "routing": routing})
    )
    assert found.switch_limit is not None
    assert found.switch_limit.saturation_messages_per_node_per_ms is None
    assert not found.switch_limit.is_exceeded


STAR_FILE = """
[machine]
topology.kind = "star"
topology.nodes = 32
switch.queueing = "fifo"
switch.input_buffer = "2016 B"
[workload]
preset = "uniform_open_loop"
message_size = "1000 B"
compute_period = "{period}"
"""


def test_the_terminal_warns_of_more_than_switches_carry(tmp_path: Any) -> None:
    for period, warned in (("90 ns", True), ("200 ns", False)):
        (tmp_path / "star.toml").write_text(STAR_FILE.format(period=period))
        shown = " ".join(tailback("describe", "star.toml", cwd=tmp_path).stdout.split())
        assert ("one queue at every input (head-of-line blocking) carry about" in shown) == warned
        assert "of which switches carry (fifo) about 59 %" in shown
        assert "predicted saturation, messages per node and ms 7,264.2" in shown
        assert "by the most loaded channel alone 12,401" in shown


#: Nodes that send to each other only: two never meet, and of three the known value for two ports.
@pytest.mark.parametrize(
    ("nodes", "share"), [(2, 1), (3, 0.75), (4, 0.6904), (8, 0.6255), (9, 2 - math.sqrt(2))]
)
def test_one_queue_at_every_input_costs_little_with_few_nodes(nodes: int, share: float) -> None:
    star = {"topology": {"kind": "star", "nodes": nodes}}
    found = limit_of({"queueing": "fifo"}, machine=star)
    assert found.share == pytest.approx(share)
    # With other queues a switch carries no less.
    assert limit_of({"queueing": "output"}, machine=star).share >= share


@pytest.mark.parametrize(("nodes", "share"), [(2, 0.75), (4, 0.6553), (8, 0.6184)])
def test_of_packets_to_all_ports_the_published_shares_are_told(nodes: int, share: float) -> None:
    """Table I of [Karol et al. 1987]: an input sends to its own port, too."""
    machine = {"topology": {"kind": "star", "nodes": nodes}, "interface": {"local": "switch"}}
    found = limit_of({"queueing": "fifo"}, machine=machine, workload={"includes_self": True})
    assert found.share == share


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_the_shares_of_few_nodes_are_those_of_a_run(nodes: int) -> None:
    asked = experiment(
        {"queueing": "fifo", "input_buffer": "64 kB"},
        machine={"topology": {"kind": "star", "nodes": nodes}},
        workload={"compute_period": "60 ns"},
    )
    limit = tb.describe(asked).switch_limit
    assert limit is not None
    # A run is not in slots of one packet.
    assert tb.run(asked)["accepted_load"].value == pytest.approx(limit.share, rel=0.02)
