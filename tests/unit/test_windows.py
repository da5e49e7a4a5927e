"""What is said where sources limit the load, since few of their messages may be under way."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.answers.of_prediction import of_prediction
from tailback.answers.of_run import of_run
from tailback.answers.of_saturation import of_saturation


def long_links(**workload: Any) -> tb.Experiment:
    """Return an experiment with 64 bytes over two links of 100 ns, at 12.5 B/ns."""
    machine = {
        "topology": {"kind": "star", "nodes": 8},
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    }
    given = {"load": 0.8, "message_size": "64 B"} | workload
    run = {"warmup": "5 us", "duration": "20 us"}
    return tb.Experiment.from_dict({"machine": machine, "workload": given, "run": run})


def test_describe_says_what_sources_send_at_most() -> None:
    """A message of 72 B takes 206.4 ns: 5.76 ns to leave, 0.64 for its header, and the links."""
    found = tb.describe(long_links())
    assert found.window_messages_per_node_per_ms == pytest.approx(16 / 206.4 * 1e6)
    assert found.to_dict()["window_messages_per_node_per_ms"] == pytest.approx(16 / 206.4 * 1e6)
    told = "Sources send at most 77,519 messages per node and ms: 16 messages of a process"
    assert any(line.startswith(told) for line in of_prediction(found).lines)


def test_no_more_is_sent_and_the_network_is_not_blamed() -> None:
    asked = long_links()
    result = tb.run(asked)
    most = tb.describe(asked).window_messages_per_node_per_ms
    assert most is not None
    assert 0.85 * most < result["messages_per_node_per_ms"].value < most
    assert any("SATURATED at its sources" in line for line in of_run(result).lines)


def test_a_network_that_saturates_is_named() -> None:
    """All 64 bytes to one node: its link is what limits."""
    asked = long_links(pattern="hot_spot", hot_spots=[0], hot_spot_share=1.0)
    lines = of_run(tb.run(asked)).lines
    assert any(line.startswith("SATURATED: the network accepts") for line in lines)
    assert tb.describe(asked).window_messages_per_node_per_ms is None


def test_sources_that_do_not_wait_have_no_limit() -> None:
    asked = long_links(preset="uniform_open_loop")
    assert tb.describe(asked).window_messages_per_node_per_ms is None
    assert tb.run(asked).ending.saturated is False


def test_saturate_says_that_sources_limit_it() -> None:
    found = tb.saturate(long_links(), tolerance=0.2)
    assert any("Raise workload.max_outstanding" in line for line in of_saturation(found).lines)
    wide = tb.saturate(long_links(max_outstanding=1000), tolerance=0.2)
    assert wide.low is not None
    assert found.high is not None
    assert wide.low > found.high
    assert not any("max_outstanding" in line for line in of_saturation(wide).lines)
