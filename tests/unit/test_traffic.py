"""Traffic of several classes: what reaches the engine, what is measured, what is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console, RenderableType

import tailback as tb
from tailback.charging import KINDS
from tailback.errors import RunFailure, UserError
from tailback.experiment import Experiment
from tailback.report.content import Table
from tailback.report.of_store import page_of
from tailback.runner.open_loop import class_metrics
from tailback.store.columns import INNER, TRAFFIC_TABLE
from tailback.terminal.failed import failure_report
from tailback.terminal.predicted import prediction_report
from tests.stores import Here

ASK = {
    "name": "ask",
    "virtual_channels": [0, 0],
    "period": "50 ns",
    "message_distribution": "mixed",
    "message_sizes": ["8 B", "64 B"],
    "message_weights": [3, 1],
    "reply": "answer",
    "reply_sizes": ["64 B", "8 B"],
    "max_outstanding": 4,
}
ANSWER = {"name": "answer", "virtual_channels": [1, 1]}
OPEN = {"name": "open", "period": "80 ns", "pattern": "transpose", "message_size": "16 B"}


def _experiment(classes: list[dict[str, Any]], **changes: Any) -> Experiment:
    machine = {
        "preset": "booksim_mesh",
        "topology": {"kind": "mesh", "dims": [3, 3]},
        "switch": {"virtual_channels": 2},
        "interface": {"packet_size": "64 B"},
    }
    machine |= changes.get("machine", {})
    workload = {"kind": "traffic", "traffic_class": classes} | changes.get("workload", {})
    return Experiment.from_dict(
        {"machine": machine, "workload": workload, "run": {"duration": "4 us"}}
    )


def _refusal(*classes: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(UserError) as caught:
        _experiment(list(classes), **changes)
    return str(caught.value)


def test_what_reaches_the_engine() -> None:
    spec = json.loads(_experiment([ASK, ANSWER], workload={"rate_factor": 2.0}).spec("full"))
    assert spec["machine"]["routing"]["traffic_classes"] == [
        {"name": "ask", "virtual_channels": [0, 0], "priority": 0},
        {"name": "answer", "virtual_channels": [1, 1], "priority": 0},
    ]
    ask, answer = spec["workload"]["classes"]
    assert (ask["reply"], ask["reply_bytes"]) == (1, [64, 8])
    messages = ask["messages"]
    assert messages["compute"] == {"shape": "constant", "mean": 25_000, "relative_sigma": 0.0}
    assert messages["mix"] == [{"bytes": 8, "weight": 3}, {"bytes": 64, "weight": 1}]
    assert messages["throttle"] == {"kind": "outstanding", "limit": 4}
    assert "reply" not in answer


def test_other_workloads_know_of_no_classes() -> None:
    spec = json.loads(Experiment.from_dict({}).spec("full"))
    assert "traffic_classes" not in spec["machine"]["routing"]


def test_every_class_is_measured_by_itself(tmp_path: Path) -> None:
    experiment = _experiment([ASK, ANSWER])
    result = tb.run(experiment)
    assert (
        result["classes.ask.round_trip_us"].value > result["classes.ask.message_latency_us"].value
    )
    rates = [result[f"classes.{name}.messages_per_node_per_ms"].value for name in ("ask", "answer")]
    assert rates[0] == pytest.approx(rates[1], rel=0.02)
    assert sum(rates) == pytest.approx(result["delivered_messages_per_node_per_ms"].value)
    told = result.to_dict()
    assert (
        told["classes"]["ask"]["round_trip_us"]["value"]
        == result["classes.ask.round_trip_us"].value
    )
    tail = told["classes"]["ask"]["percentiles"]["round_trip_us"]["p99"]
    assert tail == result.percentile("round_trip", 99, "ask")
    assert tail > result["classes.ask.round_trip_us"].value
    assert "classes.ask.offered_load" not in result.estimates  # the network slows it down
    assert result.ending.saturated is None
    # 2 bytes in 16 of replies are of 8 bytes; the header is a flit of 8 bytes.
    flits = (3 * (1 + 8) + 1 * (1 + 1)) / 4
    load = rates[1] * 1e-9 * flits * 1000
    assert result["classes.answer.accepted_load"].value == pytest.approx(load)


def test_a_source_that_does_not_wait_offers_a_load() -> None:
    result = tb.run(_experiment([OPEN, {**OPEN, "name": "other", "period": "4 ns"}]))
    # Three flits in 80 ns, of six of nine nodes.
    assert result["classes.open.offered_load"].value == pytest.approx(3 / 80 * 6 / 9, rel=0.05)
    assert 0.9 < result["classes.open.accepted_share"].value <= 1.05
    assert result.ending.saturated is True
    metrics = class_metrics(_experiment([OPEN]))
    assert "classes.open.round_trip_us" not in metrics


def test_classes_are_stored(tmp_path: Path) -> None:
    experiment = _experiment([ASK, ANSWER])
    sweep = tb.Sweep.from_dict(
        {**experiment.resolved(), "sweep": {"workload": {"rate_factor": [0.5, 1.0]}}}
    )
    store = tb.sweep(sweep, tmp_path / "out", pool=Here())
    [first, *_] = store.runs()["identity"].to_pylist()
    names = [column.name for column in INNER[TRAFFIC_TABLE]]
    rows = store.tables(first, {TRAFFIC_TABLE: names})["full"][TRAFFIC_TABLE].to_pylist()
    told = {(row["class"], row["metric"]) for row in rows}
    assert {("ask", "round_trip_us"), ("ask", "round_trip_us_p99")} <= told
    assert ("answer", "round_trip_us") not in told


def test_numbers_of_classes_have_one_name_everywhere(tmp_path: Path) -> None:
    experiment = _experiment([ASK, ANSWER])
    described = {**experiment.resolved(), "run": {"duration": "4 us", "keep_messages": True}}
    described["sweep"] = {"seeds": 2, "workload": {"rate_factor": [0.5, 1.0]}}
    store = tb.sweep(tb.Sweep.from_dict(described), tmp_path / "out", pool=Here())
    single = tb.run(Experiment.from_dict({k: v for k, v in described.items() if k != "sweep"}))
    told = single.to_dict()["classes"]["ask"]
    runs = tb.table(
        store,
        [
            "seed",
            "classes.ask.round_trip",
            "classes.ask.round_trip_us_p99",
            "classes.ask.message_slowdown",
            "classes.ask.message_late_us_p99_9",
        ],
        ["rate_factor == 1", "seed == 1", "mode == 'full'"],
        over=(),
    )
    [row] = runs.to_pylist()
    assert row["classes.ask.round_trip_us"] == told["round_trip_us"]["value"]
    assert row["classes.ask.round_trip_us_low"] == told["round_trip_us"]["low"]
    assert row["classes.ask.round_trip_us_p99"] == told["percentiles"]["round_trip_us"]["p99"]
    assert row["classes.ask.message_slowdown"] == told["message_slowdown"]["value"]
    late = told["percentiles"]["message_late_us"]["p99.9"]
    assert row["classes.ask.message_late_us_p99_9"] == late
    # Both seeds together: percentiles are those of all messages.
    [both] = tb.table(
        store, ["classes.ask.round_trip_us_p99"], ["rate_factor == 1", "mode == 'full'"]
    ).to_pylist()
    tails = [
        tb.run(Experiment.from_dict(single.experiment.resolved() | {"run": run})).percentile(
            "round_trip", 99, "ask"
        )
        for run in ({"duration": "4 us", "seed": seed} for seed in (1, 2))
    ]
    found = both["classes.ask.round_trip_us_p99"]
    assert min(tails) <= found <= max(tails)
    picture = tb.plot(store, "rate_factor", "classes.ask.round_trip_us_p99")
    [line, _] = picture.picture.lines
    assert line.y[1] == found
    assert picture.picture.y.title == "round trip, 99th percentile, class ask (µs)"
    against = tb.plot(store, "classes.answer.accepted_load", "classes.answer.message_latency")
    assert [len(one.x) for one in against.picture.lines] == [2, 2]
    with pytest.raises(UserError, match="no such column"):
        tb.plot(store, "rate_factor", "classes.answer.round_trip")

    told = next(s for s in page_of(store).sections if s.title == "Traffic classes")
    [table] = [part for part in told.content if isinstance(part, Table)]
    assert {"latency, µs: 95 %", "round trip, µs: 99.9 %", "slowdown"} <= {*table.columns}
    assert "offered, %" not in table.columns  # the network slows it down
    shown = tb.table(store).column_names
    assert [name for name in shown if name.startswith("classes.")][::3] == [
        "classes.ask.message_latency_us",
        "classes.answer.message_latency_us",
    ]


def test_an_index_without_classes_is_made_again(tmp_path: Path) -> None:
    described = _experiment([ASK, ANSWER]).resolved()
    described["sweep"] = {"workload": {"rate_factor": [0.5, 1.0]}}
    store = tb.sweep(tb.Sweep.from_dict(described), tmp_path / "out", pool=Here())
    index = tmp_path / "out" / "runs.parquet"
    whole = index.read_bytes()
    rows = pq.read_table(index)
    assert "classes.ask.round_trip_us_standard_error" in rows.column_names
    pq.write_table(rows.select([n for n in rows.column_names if n[:8] != "classes."]), index)
    assert store.runs()["classes.ask.round_trip_us"].null_count == 0
    store.write_index()
    assert index.read_bytes() == whole


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        ([{**ASK, "reply": "answr"}, ANSWER], 'workload.traffic_class[0].reply = "answr"'),
        ([ASK, {**ANSWER, "reply": "ask"}], "must be another class, which asks for no reply"),
        ([OPEN, OPEN], 'workload.traffic_class[1].name = "open": is there twice'),
        ([{**OPEN, "reply_sizes": ["8 B"]}], "has no effect here; needs reply"),
        ([{**ASK, "reply_sizes": ["8 B"]}, ANSWER], "must be one for each of message_sizes: 2"),
        ([{**OPEN, "period": "0 ns"}], "traffic_class[0].period"),
        ([{**OPEN, "radius": 1}], 'it limits pattern = "uniform" only'),
        ([{**OPEN, "perod": "1 ns"}], "did you mean"),
        ([{**OPEN, "virtual_channels": [0, 2]}], "must be the first and the last of some of the 2"),
        ([ASK, {**ANSWER, "virtual_channels": [0, 1]}], 'must be those of class "answer", 0 to 1'),
        ([{**OPEN, "virtual_channels": [0, 0]}], "virtual channel 1 is nobody"),
    ],
)
def test_mistakes_are_told(classes: list[dict[str, Any]], text: str) -> None:
    told = _refusal(*classes)
    assert text in told
    assert told.startswith("workload.traffic_class")


@pytest.mark.parametrize("word", ["class", "traffic"])
def test_tables_of_classes_are_found_by_other_names(word: str) -> None:
    given = {"workload": {"kind": "traffic", word: [OPEN]}}
    with pytest.raises(UserError, match=r"did you mean workload\.traffic_class"):
        Experiment.from_dict(given)


def test_every_class_needs_the_virtual_channels_of_routing() -> None:
    machine = {"preset": "booksim_torus", "topology": {"kind": "torus", "dims": [5, 5]}}
    with pytest.raises(UserError, match="needs 2 virtual channels for each traffic class"):
        tb.run(_experiment([ASK, ANSWER], machine=machine))


def _asking_across(shares: tuple[Any, Any], times: int = 2) -> dict[str, Any]:
    """Each node asks the one across twice, or more often, before an answer comes."""
    ask = {"name": "read", "pattern": "neighbour", "message_size": "8 B", "period": "1 ns"}
    ask |= {"start": "together", "repeat": times, "reply": "data", "max_outstanding": times}
    answer = {"name": "data", "message_size": "512 B"}
    for one, share in zip((ask, answer), shares, strict=True):
        one.update({"virtual_channels": share} if share else {})
    return {"kind": "traffic", "traffic_class": [ask, answer]}


def _two_by_two(channels: int, shares: tuple[Any, Any], places: int = 1) -> Experiment:
    """Four nodes that do so, with so many places for replies."""
    machine = {
        "preset": "booksim_mesh",
        "topology": {"kind": "mesh", "dims": [2, 2]},
        "switch": {"virtual_channels": channels},
        "interface": {"reply_queue": places},
    }
    return Experiment.from_dict({"machine": machine, "workload": _asking_across(shares)})


def test_a_protocol_deadlock_is_told_in_words() -> None:
    shared = _two_by_two(1, (None, None))
    with pytest.raises(RunFailure) as caught:
        tb.run(shared)
    circle = caught.value.circle
    lacks = [blocked["lack"] for blocked in circle]
    assert (lacks.count("reply_place"), lacks.count("reply_leaves")) == (2, 2)
    request = circle[lacks.index("reply_place")]
    assert (request["class"], request["to"] in {"(0, 0)", "(1, 1)"}) == ("read", True)
    said = str(caught.value)
    assert said == "deadlock at 45 ns: 8 packets wait for each other in a cycle"
    assert "waits for a place for its reply at node (" in request["text"]
    told = _text(failure_report(caught.value))
    assert "a place for its reply at node (1, 1)" in told
    assert "the queue of node (1, 1)" in told
    assert "read and its replies, data, share virtual channels" in _text(
        prediction_report(tb.describe(shared))
    )


def test_virtual_channels_of_their_own_or_more_places_are_enough() -> None:
    for channels, shares, places in (
        (2, ([0, 0], [1, 1]), 1),
        (1, (None, None), 2),
    ):
        experiment = _two_by_two(channels, shares, places)
        assert tb.run(experiment)["messages_per_node_per_ms"].value > 0
        mixed = tb.describe(experiment).to_dict().get("mixed_with_replies")
        assert mixed == ([("read", "data")] if channels == 1 else None)


def _all_to_one(size: str, places: int) -> Experiment:
    """Each of nine nodes writes to that in the middle, apart from what is answered."""
    write = {"name": "write", "pattern": "hot_spot", "hot_spots": [4], "hot_spot_share": 1.0}
    write |= {"message_size": size, "period": "1 ns", "start": "together", "repeat": 4}
    write |= {"reply": "done", "max_outstanding": 2, "virtual_channels": [0, 0]}
    done = {"name": "done", "message_size": "8 B", "virtual_channels": [1, 1]}
    machine = {
        "preset": "booksim_mesh",
        "topology": {"kind": "mesh", "dims": [3, 3]},
        "switch": {"virtual_channels": 2},
        "interface": {"reply_queue": places, "packet_size": "8 B"},
    }
    workload = {"kind": "traffic", "traffic_class": [write, done]}
    return Experiment.from_dict({"machine": machine, "workload": workload})


def test_requests_of_several_packets_can_wait_for_each_other() -> None:
    pieces = _all_to_one("64 B", 4)
    with pytest.raises(RunFailure) as caught:
        tb.run(pieces)
    assert {blocked["class"] for blocked in caught.value.circle} == {"write"}
    assert (
        "write may be several packets, and nodes have room for 4: the rest of one can be "
        "blocked behind another that waits for room (protocol deadlock)"
    ) in _text(prediction_report(tb.describe(pieces)))


@pytest.mark.parametrize(("size", "places"), [("8 B", 1), ("64 B", 18)])
def test_one_packet_each_or_places_for_all_requests_are_enough(size: str, places: int) -> None:
    experiment = _all_to_one(size, places)
    assert tb.run(experiment)["messages_per_node_per_ms"].value > 0
    assert "requests_in_pieces" not in tb.describe(experiment).to_dict()


def test_without_contention_there_are_places_for_all() -> None:
    free, shared = (
        tb.run(_two_by_two(1, (None, None)), mode="free"),
        tb.run(_two_by_two(1, (None, None), 2), mode="free"),
    )
    assert free["completion_us"].value == shared["completion_us"].value


@pytest.mark.parametrize(
    ("machine", "needs"),
    [
        ({"preset": "buzzard_mudge_wormhole"}, "machine.switch.integrated = false"),
        ({"preset": "wormhole_mesh", "topology": {"kind": "pair"}}, "a machine.topology.kind with"),
        (
            {"preset": "wormhole_mesh", "switch": {"switching": "circuit"}},
            "machine.switch.switching other than circuit",
        ),
        ({"preset": "gigabit_ethernet"}, "no machine.switch.forwarding or segmentation"),
        ({"preset": "myrinet"}, 'no machine.link.flow_control = "stop_go"'),
    ],
)
def test_places_for_replies_need_packets_that_wait_for_nodes(
    machine: dict[str, Any], needs: str
) -> None:
    usual: dict[str, Any] = {"topology": {}, "switch": {}, "interface": {"reply_queue": 4}}
    told = _refusal(ASK, ANSWER, machine=usual | machine)
    start = "machine.interface.reply_queue = 4: has no effect here; needs"
    assert told.startswith(f"{start} {needs}"), told


def _without_a_clock(fidelity: str, places: int, **run: Any) -> Experiment:
    """Four nodes on links whose virtual channels have wires of their own, one for each class."""
    machine = {
        "preset": "wormhole_mesh",
        "topology": {"kind": "mesh", "dims": [2, 2]},
        "link": {"sharing": "separate"},
        "switch": {"virtual_channels": 2, "input_buffer": "32 B"},
        "interface": {"reply_queue": places},
    }
    given = {"machine": machine, "workload": _asking_across(([0, 0], [1, 1]), 12)}
    return Experiment.from_dict(given | {"run": {"fidelity": fidelity} | run})


@pytest.mark.parametrize("fidelity", ["packet", "worm", "flit"])
def test_a_protocol_deadlock_without_a_clock_is_told_in_words(fidelity: str) -> None:
    with pytest.raises(RunFailure) as caught:
        tb.run(_without_a_clock(fidelity, 1))
    lacks = [blocked["lack"] for blocked in caught.value.circle]
    assert lacks.count("reply_place") == 2
    assert "a place for its reply at node (1, 1)" in _text(failure_report(caught.value))
    enough = _without_a_clock(fidelity, 12)
    assert tb.run(enough)["messages_per_node_per_ms"].value > 0
    assert "read and its replies, data, share virtual channels" in _text(
        prediction_report(tb.describe(enough))
    )


@pytest.mark.parametrize("fidelity", ["packet", "worm", "flit"])
def test_waits_for_places_are_charged_to_the_replies_that_free_them(fidelity: str) -> None:
    ask = {"name": "ask", "message_size": "8 B", "period": "2 ns", "start": "together"}
    ask |= {"reply": "data", "max_outstanding": 2, "repeat": 4}
    machine = {
        "preset": "wormhole_mesh",
        "topology": {"kind": "star", "nodes": 3},
        "switch": {"input_buffer": "64 B"},
        "interface": {"reply_queue": 1},
    }
    workload = {"kind": "traffic", "traffic_class": [ask, {"name": "data", "message_size": "8 B"}]}
    run = {"fidelity": fidelity, "blame": True}
    blame = tb.run(
        Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
    ).blame
    assert blame is not None
    spread = blame.pairs.keys[:, -1] == KINDS.index("spread")
    assert blame.pairs.totals_ps[spread].sum() > 0 == blame.totals.unattributed_ps


def _text(report: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(report)
    return out.getvalue()
