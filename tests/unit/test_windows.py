"""What is said where sources limit the load, since few of their messages may be under way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.answers.of_prediction import of_prediction
from tailback.answers.of_run import of_run
from tailback.answers.of_saturation import of_saturation
from tailback.wording.saturated import are_sources
from tests.commands import tailback


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


#: Classes of which the first is asked for 1,388,889 messages per node and ms on the same links.
CLASSES = {
    "kind": "traffic",
    "traffic_class": [
        {"name": "a", "load": 0.8, "message_size": "64 B"},
        {"name": "b", "period": "1 us", "message_size": "64 B"},
    ],
}


def of_classes(*classes: dict[str, Any]) -> tb.Experiment:
    asked = {"machine": {}, "workload": CLASSES | {"traffic_class": [*classes]}}
    run = {"warmup": "5 us", "duration": "20 us"}
    machine = {
        "topology": {"kind": "star", "nodes": 8},
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    }
    return tb.Experiment.from_dict(asked | {"machine": machine, "run": run})


def test_sources_of_traffic_classes_are_told_one_by_one() -> None:
    """Of class a 16 messages of 206.4 ns each are under way at most; class b needs few."""
    asked = of_classes(*CLASSES["traffic_class"])
    found = tb.describe(asked)
    (window,) = found.class_windows
    assert (window.name, window.most) == ("a", pytest.approx(16 / 206.4 * 1e6))
    assert window.asked == pytest.approx(0.8 / 5.76e-6)
    assert found.to_dict()["class_windows"][0]["class"] == "a"
    told = "Sources of a send at most 77,519 of the 138,889 messages per node and ms"
    assert any(line.startswith(told) for line in of_prediction(found).lines)
    lines = of_run(tb.run(asked)).lines
    assert any(line.startswith("SATURATED at its sources: they send 5") for line in lines)
    assert any("of a, because" in line for line in lines)


def test_a_request_counts_until_its_reply_is_there() -> None:
    """A reply takes as long as its request."""
    request = {"name": "a", "period": "10 ns", "message_size": "64 B", "reply": "b"}
    asked = of_classes(request, {"name": "b", "message_size": "64 B"})
    (window,) = tb.describe(asked).class_windows
    assert window.most == pytest.approx(16 / (2 * 206.4) * 1e6)
    wide = of_classes(request | {"max_outstanding": 1000}, {"name": "b", "message_size": "64 B"})
    assert tb.describe(wide).class_windows == ()


def test_a_sweep_and_its_report_name_sources(tmp_path: Path) -> None:
    text = """
        [machine]
        topology.kind = "star"
        topology.nodes = 8
        link.rate = "100 Gbit/s"
        link.delay = "100 ns"
        [workload]
        load = 0.8
        message_size = "64 B"
        [run]
        warmup = "5 us"
        duration = "20 us"
        [sweep]
        modes = ["full"]
        [sweep.workload]
        pattern = ["uniform", "hot_spot"]
        """
    (tmp_path / "one.toml").write_text(text)
    hot = ("--set", "workload.hot_spots=[0]", "--set", "workload.hot_spot_share=1.0")
    done = tailback("sweep", "one.toml", "--out", "o", *hot, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 saturated (the network accepts less than it is offered): " in done.stdout
    told = "1 saturated (sources drop messages although packets hardly wait: "
    assert told in done.stdout
    assert tailback("report", "o", "--out", "o.html", cwd=tmp_path).returncode == 0
    page = (tmp_path / "o.html").read_text()
    assert "sources drop messages although packets hardly wait" in page
    assert "the network accepts less than it is offered, in full" in page


@pytest.mark.parametrize("lacking", ["throttling_us", "message_latency_us"])
def test_what_is_not_known_is_not_put_down_to_sources(lacking: str) -> None:
    known = {
        "failed_messages_per_node_per_ms": 5.0,
        "throttling_us": 0.1,
        "internal_contention_us": 0.1,
        "message_latency_us": 1.0,
    }
    assert are_sources(known)
    assert not are_sources(known | {lacking: None})
    assert not are_sources(known | {"failed_messages_per_node_per_ms": 0.0})
    assert not are_sources(known | {"throttling_us": 0.2})
