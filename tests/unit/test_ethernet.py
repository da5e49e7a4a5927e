"""Switched Ethernet in descriptions: the preset against printed numbers, keys and refusals."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import tailback as tb
from tailback.answers.of_cost import of_cost
from tailback.answers.of_run import of_run
from tailback.answers.status import lost_texts
from tailback.errors import CutOffError, RunFailure, UserError
from tailback.experiment import Run
from tailback.machines import Machine, machine_of
from tailback.terminal.failed import failure_report
from tailback.terminal.measured import run_report
from tests.stores import small_store


def ethernet(**parts: Any) -> Machine:
    return machine_of({"preset": "gigabit_ethernet", **parts})


def test_the_preset_is_described_in_the_words_of_the_engine() -> None:
    spec = ethernet().spec("packet")
    assert spec["switch"]["frames"] == {
        "engine": "per_switch",
        "forwarding_ps": 384_000,
        "memory_bytes": None,
        "pause": "off",
        "pause_high_bytes": 0,
        "pause_low_bytes": 0,
    }
    framing = {"minimum_bytes": 64, "preamble_bytes": 8, "gap_bytes": 12}
    assert spec["link"]["framing"] == framing
    assert spec["link"]["flit_ps"] == 8_000
    assert spec["interface"]["header_bytes"] == 18


def test_other_machines_say_nothing_of_frames() -> None:
    machine = machine_of({"topology": {"kind": "star", "nodes": 4}})
    assert "frames" not in machine.spec("packet")["switch"]


def test_marks_follow_from_the_memory() -> None:
    machine = ethernet(switch={"memory": "64 KiB", "pause": "all"})
    frames = machine.spec("packet")["switch"]["frames"]
    assert (frames["pause_high_bytes"], frames["pause_low_bytes"]) == (49_152, 24_576)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            {"switch": {"memory": "1000 B"}},
            'machine.switch.memory = "1000 B": must hold a frame, at least 1518 B with its header',
        ),
        (
            {"switch": {"pause": "all"}},
            "machine.switch.pause_high: must be given with pause, where memory is unlimited",
        ),
        (
            {"switch": {"pause": "all", "pause_high": "9 KiB", "pause_low": "9 KiB"}},
            'machine.switch.pause_low = "9216 B": must be less than pause_high, 9216 B',
        ),
        (
            {"switch": {"pause_high": "9 KiB"}},
            'machine.switch.pause_high = "9216 B": has no effect here; needs '
            'machine.switch.pause = "all" or "per_priority"',
        ),
        (
            {"interface": {"minimum_packet": "2000 B"}},
            'machine.interface.minimum_packet = "2000 B": must be at most the longest frame, '
            "1518 B with its header",
        ),
        (
            {"switch": {"arbiter": "round_robin"}},
            'machine.switch.arbiter = "round_robin": must be fifo or priority with '
            "switch.forwarding",
        ),
    ],
)
def test_impossible_frames_are_refused_in_one_line(parts: dict[str, Any], text: str) -> None:
    with pytest.raises(UserError) as caught:
        ethernet(**parts).check("packet")
    assert str(caught.value) == text


def test_token_pass_takes_what_is_printed() -> None:
    """Of figure 13 of [Chen & Wyckoff]: 1.564, 1.595, 3.532 and 0.244 us."""
    run = {"workload": {"kind": "token_pass"}, "machine": {"preset": "gigabit_ethernet"}}
    row = tb.run(tb.Experiment.from_dict(run)).moments.to_pylist()[0]
    assert (row["variable"], row["min"], row["max"]) == ("lifetime", 1_564_000, 3_532_000)
    assert round(row["mean"] / 1e6, 3) == 1.595
    assert round(row["standard_deviation"] / 1e6, 3) == 0.244


def pushing(switch: dict[str, Any]) -> tb.Experiment:
    """Return two switches, the nodes of each of which send to those of the other."""
    return tb.Experiment.from_dict(pushing_tables(switch))


def pushing_tables(switch: dict[str, Any]) -> dict[str, Any]:
    tree = {"kind": "tree", "switches_per_level": [1, 2], "nodes_per_switch": 2}
    rows = [["0 ns", node, (node + 2) % 4, "60 kB"] for node in range(4)]
    return {
        "machine": {"preset": "gigabit_ethernet", "topology": tree, "switch": switch},
        "workload": {"kind": "messages", "messages": rows},
    }


def test_what_is_lost_is_counted() -> None:
    result = tb.run(pushing({"memory": "4 KiB"}))
    assert result["lost_packets_per_node_per_ms"].value > 0
    text = io.StringIO()
    Console(file=text, width=100).print(run_report(result))
    assert "packets lost" in text.getvalue()


def test_a_run_that_loses_messages_neither_ends_nor_costs_a_known_time() -> None:
    """Nothing arrives: it was said to take 0 µs, and that the network costs nothing."""
    experiment = pushing({"memory": "4 KiB"})
    run, cost = of_run(tb.run(experiment)), tb.cost(experiment)
    assert run.status[0].startswith("LOST: ")
    assert not [told for told in run.sentences if told.startswith("The workload takes")]
    [lost] = of_cost(cost).status
    assert lost.startswith("LOST: ")
    assert lost.endswith("(mode full)")
    assert of_cost(cost).sentences == ("What contention costs is not known: full lost messages.",)
    assert not cost.findings()


def test_messages_are_lost_in_runs_that_are_cut_off_too() -> None:
    whole = pushing({"memory": "4 KiB"})
    counted = {}
    for end, limit in (("finished", {}), ("duration", {"duration": "200 us"})):
        run = Run(keep_messages=True, **limit)
        result = tb.run(tb.Experiment(whole.machine, whole.workload, run))
        assert result.ending.stop_reason == end
        counted[end] = result.untold.lost_messages
        assert result.to_dict()["lateness"]["lost"]["messages"] == counted[end]
        [told] = lost_texts(result)
        assert f" of {counted[end]} messages" in told
    # Each of four loses packets, and none arrives.
    assert counted == {"finished": 4, "duration": 4}
    assert tb.run(pushing({"memory": "4 MiB"})).untold.lost_messages == 0


def test_switches_that_pause_each_other_are_named() -> None:
    with pytest.raises(RunFailure, match=r"switch \d and switch \d pause each other") as caught:
        tb.run(pushing({"memory": "64 KiB", "pause": "all", "pause_high": "3 KiB"}))
    assert caught.value.kind == "deadlock"
    text = io.StringIO()
    Console(file=text, width=200).print(failure_report(caught.value))
    assert "(paused)" in text.getvalue()


def test_what_never_ends_has_no_completion_in_tables_either(tmp_path: Path) -> None:
    """The time of the last event was stored as the completion time, and shown by `table`."""
    result = tb.run(pushing({"memory": "4 KiB"}))
    assert math.isnan(result["completion_us"].value)
    assert math.isnan(result["completion_us"].low)
    told = result.to_dict()
    assert (result.complete, told["complete"], told["lost"]) == (False, False, True)
    base = pushing_tables({"memory": "4 KiB"})
    memories = {"machine.switch.memory": ["4 KiB", "4 MiB"]}
    store = small_store(tmp_path, memories, modes=["full", "endpoints"], base=base)
    fields = ["memory_bytes", "lost", "completion_us", "completion_us_low", "theta_c"]
    chosen = tb.table(store, fields, ["mode == 'full'"]).to_pylist()
    lossy, whole = sorted(chosen, key=lambda row: row["machine.switch.memory_bytes"])
    assert lossy["lost"] is True
    assert [lossy[name] for name in fields[2:]] == [None] * 3
    assert whole["lost"] is False
    assert whole["completion_us"] > 0
    assert whole["theta_c"] is not None
    # A mean over runs of which one has no end has none either.
    over = ["machine.switch.memory_bytes"]
    rows = tb.table(store, fields[1:], ["mode == 'full'"], over=over).to_pylist()
    assert [tuple(row[name] for name in fields[1:]) for row in rows] == [(True, None, None, None)]
    shown = tb.table(store)
    assert "lost" in shown.column_names


def test_a_program_that_never_ends_has_no_critical_path() -> None:
    """It was said to take 0 µs."""
    with pytest.raises(CutOffError, match="4 messages lost") as caught:
        tb.explain(pushing({"memory": "4 KiB"}))
    assert caught.value.exit_code == 4


def test_only_jobs_that_lose_messages_have_no_completion() -> None:
    tables = pushing_tables({"memory": "4 KiB"})
    long = [["0 ns", 0, 1, "60 kB"], ["0 ns", 1, 0, "60 kB"]]
    tables["job"] = [
        {"name": "a", "nodes": [0, 2], "workload": {"kind": "messages", "messages": long}},
        {
            "name": "b",
            "nodes": [1, 3],
            "workload": {"kind": "messages", "messages": [["0 ns", 0, 1, "100 B"]]},
        },
    ]
    del tables["workload"]
    result = tb.run(tb.Experiment.from_dict(tables))
    lossy, whole = (result.jobs[name]["completion_us"] for name in "ab")
    assert math.isnan(lossy.value)
    assert math.isnan(lossy.low)
    assert whole.value > 0
    assert math.isnan(result["completion_us"].value)
