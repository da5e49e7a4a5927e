"""What the page of `tailback look` shows: it agrees with the tables, and can be told apart."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailback import Experiment
from tailback.answers import of_blame
from tailback.charging import NOBODY
from tailback.errors import RunFailure, UserError
from tailback.importing.toml import to_toml
from tailback.look import KEPT, Against, check_drawable, html, kept_with, look_of, write_look
from tailback.look.against import WAITS
from tailback.look.charged import OTHERS, Charges, Rows
from tailback.look.encoding import decoded, logarithmic
from tailback.look.marks import marks
from tailback.look.scale import CHANGE_DARK, CHANGE_LIGHT, DARK, LIGHT
from tailback.look.sliced import sliced
from tailback.look.tailbacks import UNCONNECTED, trees
from tailback.results import Result
from tailback.runner import run_mode
from tests.commands import tailback
from tests.looks import BACKWARDS, HOSTILE, INCAST, channels, hostile_graph, lines_of, made_up, ran
from tests.standstill import LOSING, RING


@pytest.fixture(scope="module")
def incast() -> Result:
    return ran(INCAST)


def shown(page: str) -> Any:
    """Return the data in a page."""
    found = re.search(r'id="data">([^<]*)<', page)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


# --- The head


def test_the_page_is_called_as_the_run_is(incast: Result) -> None:
    assert look_of(incast).title.startswith("6 x 1 mesh · fan_in")
    named = ran({**INCAST, "run": {**INCAST["run"], "title": "Monday\x1b[31m"}})
    assert look_of(named).title == "Monday\\x1b[31m"


def test_the_head_is_that_of_blame(incast: Result) -> None:
    look = look_of(incast)
    assert look.head == of_blame(incast)
    # All messages but one cross it, and each link before it has one message less.
    assert look.names[0] == "(4, 0)->(5, 0)"
    assert re.search(r'id="lead">.*<code>\(4, 0\)-&gt;\(5, 0\)</code>', html(look))


def test_the_head_says_when_a_tailback_begins_later(
    incast: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = made_up(incast)
    root = channels(incast)["(4, 0)->(5, 0)"]
    assert late.root_ps[:, root].tolist() == [0, 0, 5]
    monkeypatch.setattr("tailback.look.model.sliced", lambda *_: late)
    said = look_of(incast).head.sentences[-1]
    assert said == "Packets wait because of (4, 0)->(5, 0) from about 2 ns on."


def test_begins_are_said_where_there_are_slices(incast: Result, slices: None) -> None:
    at, begun = channels(incast), look_of(incast).shown["time"]["begun"]
    expected = {at["to node (5, 0)"]: 0, at["(4, 0)->(5, 0)"]: 2}
    assert dict(zip(*begun, strict=True)) == expected


# --- Deadlocks


@pytest.fixture(scope="module")
def stuck() -> Result:
    tables = {**RING, "run": {**RING["run"], "blame": True, "packet_waits": True, "slices": 200}}
    return run_mode(Experiment.from_dict(tables), "full", until_failure=True)


def test_a_deadlock_says_which_channels_and_since_when(stuck: Result) -> None:
    assert stuck.failure is not None
    assert not stuck.complete
    look = look_of(stuck)
    told, where, when = look.head.sentences
    size = len(stuck.failure.circle)
    assert told.startswith(f"Deadlock: {size} packets wait for each other for ever")
    # The channels of a ring, in order: each begins where the one before ends.
    names = re.findall(r"\(\d, \d\)->\(\d, \d\)", where)
    assert [name.split("->")[1] for name in names] == [
        name.split("->")[0] for name in [*names[1:], names[0]]
    ]
    assert look.names == names
    deadlock = look.shown["deadlock"]
    lines = lines_of(stuck)
    assert [lines.names[line] for line in deadlock["waits"]] == names
    # Each packet holds what the one before it waits for.
    for waited, held in zip(
        deadlock["waits"], [*deadlock["holds"][1:], deadlock["holds"][0]], strict=True
    ):
        assert waited in held
    assert 0 < deadlock["since_ps"] < deadlock["at_ps"] == stuck.failure.at_ps
    assert "The cycle is closed from about" in when
    assert [deadlock["since_ps"], "deadlock"] in [
        list(mark) for mark in look.shown["time"]["marks"]
    ]


def test_processes_that_wait_for_nobody_have_a_page_too() -> None:
    program = {
        "kind": "program",
        "process": [{"node": 0, "steps": [{"receive": 1}]}, {"node": 1, "steps": [{"receive": 0}]}],
    }
    tables = {**INCAST, "workload": program, "run": {**KEPT}}
    result = run_mode(Experiment.from_dict(tables), "full", until_failure=True)
    look = look_of(result)
    told, far, where = look.head.sentences
    assert told.startswith("Deadlock at")
    assert "process 0" in told
    assert told.endswith("1 other waits, too.")
    assert far.endswith("0 messages and 0 packets had been delivered.")
    assert where.startswith("No packet waits for a channel at the end")
    halted = look.shown["halted"]
    assert [(node, what) for _, what, node in halted["waiting"]] == [
        (0, "a message on socket 1"),
        (1, "a message on socket 0"),
    ]
    html(look)


def test_a_run_that_is_cut_off_says_how_far_it_came_and_where_packets_stand() -> None:
    """A packet takes 1.001 us on a channel: in 30 us 29 of 80 come to their end."""
    tables = {**BACKWARDS, "run": {"max_duration": "30 us", **KEPT}}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    assert look.head.status[0].startswith("CUT OFF")
    far, where, *late = look.head.sentences
    assert far.startswith("The run ends at 30 µs: 29 messages and 29 packets had been delivered")
    assert "0 of 5 processes had ended" in far
    within = int(re.findall(r"(\d+) more were in the network", far)[0])
    in_nodes = int(re.findall(r"(\d+) in their nodes", where)[0])
    assert 29 + within + in_nodes == 80
    assert len(late) == 2
    halted = look.shown["halted"]
    # All but the one that is on the channel to node 4 wait.
    assert sum(halted["packets"]) == within + in_nodes - 1
    assert (30_000_000, "cut off") in look.shown["time"]["marks"]


def test_a_run_without_end_that_is_cut_off_is_told_as_any_other(incast: Result) -> None:
    assert look_of(incast).shown["halted"] is None
    tables = {**RING, "machine": {**RING["machine"], "topology": {"kind": "mesh", "dims": [4, 4]}}}
    tables["run"] = {"duration": "1 ms", "max_events": 5000, **KEPT}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    assert look.head.status[0].startswith("CUT OFF")
    assert look.shown["halted"] is None


def test_lost_messages_have_a_page() -> None:
    result = run_mode(Experiment.from_dict({**LOSING, "run": {**KEPT}}), "full", until_failure=True)
    assert result.failure is not None
    assert not result.complete
    assert (result.failure.kind, result.ending.stop_reason) == ("lost", "failed")
    look = look_of(result)
    told = " ".join(look.head.sentences)
    assert told.startswith("Lost: a packet of message ")
    lost = result.untold.lost_packets
    assert f"{lost} were lost, and 0 of 65 processes had ended" in told
    html(look)


def test_look_writes_the_page_of_a_deadlock(tmp_path: Path) -> None:
    (tmp_path / "ring.toml").write_text(to_toml(RING))
    for _ in range(2):  # The folder of a run that failed can be used again.
        done = tailback("look", "ring.toml", "--out", "results", cwd=tmp_path)
        assert done.returncode == RunFailure.exit_code
        assert "page: results/look.html" in done.stderr
        assert done.stdout == ""
    assert "Deadlock: " in (tmp_path / "results" / "look.html").read_text()


# --- Faults


@pytest.mark.parametrize(
    ("fault", "said", "named"),
    [
        (
            {"link": [1, 2], "time": "1 us", "duration": "30 us"},
            "The link 1 to 2 was down from 1 µs to 31 µs.",
            ["1->2", "2->1"],
        ),
        (
            {"node": 4, "time": "5 us", "rate_share": 0.25},
            "The link of node 4 was at 25 % of its rate from 5 µs on.",
            ["from node 4", "to node 4"],
        ),
        (
            {"link": "0:1", "duration": "1 us"},
            "The link 0 to 1 was down from 0 µs to 1 µs.",
            ["0->1", "1->0"],
        ),
        (
            {"switch": 4, "duration": "2 us"},
            "Switch 4 was down from 0 µs to 2 µs.",
            ["from node 4", "to node 4", "3->4", "4->3"],
        ),
    ],
)
def test_faults_are_told_and_ringed(fault: dict[str, Any], said: str, named: list[str]) -> None:
    tables = {**BACKWARDS, "fault": [fault], "run": {**kept_with(faults=True)}}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    assert said in look.head.sentences
    assert look.head.sentences[-1].endswith("of all lateness is due to it.")
    [told] = look.shown["faults"]
    names = look.shown["lines"]["name"]
    assert sorted(names[line] for line in told["lines"]) == sorted(named)
    html(look)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            {"every": "link", "mean_time_to_failure": "5 us", "mean_time_to_repair": "1 us"}
            | {"until": "20 us"},
            "Every link between switches was down at random times from 0 µs on.",
        ),
        ({"node": 1, "time_factor": 3}, "Node 1 was 3 times as slow from 0 µs on."),
        (
            {"link": [1, 2], "bit_error_rate": 1e-6},
            "The link 1 to 2 damaged 1e-06 of all bits from 0 µs on.",
        ),
        (
            {"link": [1, 2], "duration": "1 us", "up_time": "2 us", "count": 3},
            "The link 1 to 2 was down again and again from 0 µs on.",
        ),
    ],
)
def test_faults_of_every_kind_are_told_as_what_they_are(fault: dict[str, Any], told: str) -> None:
    tables = {**BACKWARDS, "fault": [fault], "run": {**kept_with(faults=True)}}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    assert told in look.head.sentences
    assert not any("100 % of its rate" in said for said in look.head.sentences)


def test_look_of_a_file_with_faults(tmp_path: Path) -> None:
    text = to_toml({**BACKWARDS, "run": {}}).replace("[run]", "")
    fault = '[[fault]]\nlink = [1, 2]\nduration = "30 us"\n'
    (tmp_path / "fault.toml").write_text(f"{text}\n{fault}")
    for command in (["look", "fault.toml"], ["run", "fault.toml", "--look", "page.html"]):
        assert tailback(*command, cwd=tmp_path).returncode == 0


# --- Ways


def test_the_ways_of_a_job_are_the_lines_on_its_routes() -> None:
    jobs = [
        {
            "name": name,
            "nodes": nodes,
            "workload": {"kind": "messages", "messages": [["0 us", 0, 1, "1 kB"]]},
        }
        for name, nodes in (("near", [0, 1]), ("far", [4, 2]))
    ]
    tables = {"machine": {"topology": {"kind": "mesh", "dims": [5]}}, "job": jobs, "run": {**KEPT}}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    names, ways = look.shown["lines"]["name"], look.shown["ways"]
    found: dict[int, set[str]] = {0: set(), 1: set()}
    for owner, line in zip(ways["owner"], ways["other"], strict=True):
        found[owner].add(names[line])
    assert found == {
        0: {"from node 0", "0->1", "to node 1"},
        1: {"from node 4", "4->3", "3->2", "to node 2"},
    }


def test_the_ways_of_a_node_are_the_lines_its_packets_crossed() -> None:
    shown = look_of(ran({**INCAST, "run": {**KEPT}})).shown
    ways, names = shown["ways"], shown["lines"]["name"]
    assert set(ways["owner"]) == {0, 1, 2, 3, 4}
    for owner in range(5):
        pairs = zip(ways["owner"], ways["other"], strict=True)
        own = {names[line] for number, line in pairs if number == owner}
        between = {f"({at}, 0)->({at + 1}, 0)" for at in range(owner, 5)}
        assert own == {f"from node ({owner}, 0)", "to node (5, 0)", *between}


def test_faults_are_on_the_axis_of_time() -> None:
    fault = {"link": [1, 2], "time": "1 us", "duration": "2 us", "up_time": "2 us", "count": 2}
    tables = {**BACKWARDS, "fault": [fault], "run": {**kept_with(faults=True)}}
    found = look_of(run_mode(Experiment.from_dict(tables), "full")).shown["time"]
    assert found["outages"] == [[1_000_000, 3_000_000], [5_000_000, 7_000_000]]
    assert found["marks"] == [
        (1_000_000, "down"),
        (3_000_000, "up again"),
        (5_000_000, "down"),
        (7_000_000, "up again"),
    ]


def test_faults_at_several_places_are_marked_with_where() -> None:
    faults = [
        {"link": [1, 2], "duration": "1 us"},
        {"node": 3, "time_factor": 2, "time": "2 us"},
    ]
    tables = {**BACKWARDS, "fault": faults, "run": {**kept_with(faults=True)}}
    found = look_of(run_mode(Experiment.from_dict(tables), "full")).shown["time"]
    assert found["marks"] == [
        (0, "(1) to (2): down"),
        (1_000_000, "(1) to (2): up again"),
        (2_000_000, "node (3): 2 times as slow"),
    ]
    assert found["outages"] == [[0, 1_000_000], [2_000_000, None]]


# --- Marks of time


def test_steps_of_a_collective_and_ends_of_jobs_are_marked() -> None:
    ring = {"kind": "ring_allreduce", "size": "4 kB"}
    jobs = [{"name": name, "share": 3, "workload": ring} for name in ("one", "two")]
    tables = {"machine": INCAST["machine"], "run": {"blame": True, "slices": 16}}
    result = run_mode(Experiment.from_dict({**tables, "job": jobs}), "full")
    found = look_of(result).shown["time"]["marks"]
    assert found == sorted(found)
    words = [text for _, text in found]
    # Four steps for three processes: three of them are before the end.
    assert [text for text in words if text.startswith("one")] == [
        *("one: 1 iteration", "one: 2 iterations", "one: 3 iterations", "one ends")
    ]
    assert "two ends" in words
    ends = {job.name: job.estimates["completion_us"].value for job in result.jobs.values()}
    assert {text: at for at, text in found}["one ends"] == round(1e6 * ends["one"])


def test_processes_that_do_not_keep_step_have_no_marks(incast: Result) -> None:
    assert marks(incast, None) == []


# --- Compared


def test_what_is_compared_is_the_difference_of_mean_queues() -> None:
    one, other = (
        ran(INCAST),
        ran({**INCAST, "workload": {**INCAST["workload"], "message_size": "2 kB"}}),
    )
    look = look_of(one, against=Against("other.toml", other))
    lines = lines_of(one)
    mean = [
        lines.total(sum(run.channels[name].to_numpy().astype(float) for name in WAITS))
        / (1e9 * run.ending.window_ms)
        for run in (one, other)
    ]
    changed = np.array(look.shown["change"]["queue"])
    assert changed == pytest.approx(mean[0] - mean[1], abs=1e-3, rel=1e-3)
    assert any(said.startswith("In other.toml it is late by ") for said in look.head.sentences)
    first = lines.names[int(np.abs(changed).argmax())]
    assert first.removeprefix("to ") in look.head.sentences[-1]


def test_only_runs_on_one_network_are_compared(incast: Result, tmp_path: Path) -> None:
    wide = {**INCAST, "machine": {"topology": {"kind": "mesh", "dims": [3, 2]}}}
    with pytest.raises(UserError, match="must have the same network"):
        look_of(incast, against=Against("wide.toml", ran(wide)))
    (tmp_path / "one.toml").write_text(to_toml(INCAST))
    longer = {**INCAST, "machine": {"topology": {"kind": "mesh", "dims": [7, 1]}}}
    (tmp_path / "two.toml").write_text(to_toml(longer))
    done = tailback("look", "one.toml", "--against", "two.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        'error: --against = "two.toml": must have the same network (it has 7 switches, 12 links; '
        "here 6 switches, 10 links)\n"
    )
    (tmp_path / "two.toml").write_text("[machine]\ntopology.kind = 'mash'\n")
    done = tailback("look", "one.toml", "--against", "two.toml", cwd=tmp_path)
    assert done.stderr.startswith("error: two.toml: machine.topology.kind")
    done = tailback("look", "one.toml", "--against", "one.toml", "--out", "results", cwd=tmp_path)
    assert "must be a mode with --out" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.toml", "two.toml"]


@pytest.mark.parametrize(
    ("command", "compared"),
    [
        (["look", "--against", "endpoints"], "mode endpoints"),
        (["cost"], "mode endpoints"),
        (["explain"], "mode endpoints"),
        (["run"], None),
        (["blame"], None),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_write_the_page(command: list[str], compared: str | None, tmp_path: Path) -> None:
    (tmp_path / "incast.toml").write_text(to_toml(INCAST))
    name, *more = command
    option = "--html" if name == "look" else "--look"
    done = tailback(name, "incast.toml", option, "page.html", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = shown((tmp_path / "page.html").read_text())
    assert page["change"] is None if compared is None else page["change"]["name"] == compared
    assert page["time"] is not None


# --- Sums


def test_lines_add_up_to_channels(incast: Result) -> None:
    lines = lines_of(incast)
    waits = incast.channels["wait_internal_ps"].to_numpy()
    assert lines.total(waits).sum() == waits.sum()
    assert len(lines) == incast.channels.num_rows
    assert lines.names[channels(incast)["to node (5, 0)"]] == "to node (5, 0)"


def test_parallel_channels_are_one_line() -> None:
    tables = {**INCAST, "machine": {"preset": "wormhole_mesh", "topology": {"dims": [3, 3]}}}
    tables["machine"]["switch"] = {"virtual_channels": 2}
    result = ran({**tables, "workload": {"kind": "fan_in", "message_size": "64 B"}})
    lines = lines_of(result)
    inner = np.array(result.channels["kind"].to_pylist()) == "internal"
    assert lines.widths.sum() == result.channels.num_rows
    assert set(lines.widths[lines.of_channel[inner]]) == {2}


def test_charges_add_up_to_those_of_blame(incast: Result) -> None:
    blame, lines = incast.blame, lines_of(incast)
    assert blame is not None
    charges = Charges.of(blame, lines, None)
    roots = blame.channels.by(0)
    known = roots.keys[:, 0] < NOBODY
    assert charges.late_ps.sum() == roots.totals_ps[known].sum()
    for rows in (charges.victims, charges.culprits):
        by_line = np.bincount(rows.owner, weights=rows.time_ps, minlength=len(lines))
        assert by_line.tolist() == charges.late_ps.tolist()
    for rows in (charges.blamed, charges.delayed):
        assert rows.time_ps.sum() == blame.pairs.totals_ps.sum()
    assert blame.waits is not None
    assert charges.causes.time_ps.sum() == blame.waits.totals_ps.sum()


def test_few_rows_of_an_owner_and_the_sum_of_the_others() -> None:
    owners, others = np.array([7, 7, 7, 3, 7]), np.array([1, 2, 3, 1, 4])
    rows = Rows.of(owners, others, np.array([1.0, 5.0, 2.0, 9.0, 4.0]), most=2)
    assert rows.owner.tolist() == [3, 7, 7, 7]
    assert rows.other.tolist() == [1, 2, 4, OTHERS]
    assert rows.time_ps.tolist() == [9, 5, 4, 3]


def test_the_longest_of_many_rows_are_told_apart_and_the_first_of_each_owner() -> None:
    owners, others = np.array([1, 1, 1, 2, 2, 2]), np.array([1, 2, 3, 1, 2, 3])
    times_ps = np.array([90.0, 80.0, 70.0, 9.0, 8.0, 7.0])
    rows = Rows.of(owners, others, times_ps, in_all=2)
    assert rows.owner.tolist() == [1, 1, 1, 2, 2]
    assert rows.other.tolist() == [1, 2, 3, 1, OTHERS]
    assert rows.time_ps.tolist() == [90, 80, 70, 9, 15]


def test_the_page_has_the_exact_sums_of_the_run(incast: Result) -> None:
    page = shown(html(look_of(incast)))
    columns = ("wait_throttling_ps", "wait_internal_ps")
    waits = sum(incast.channels[name].to_numpy().astype(int) for name in columns)
    assert page["lines"]["wait_ps"] == waits.tolist()
    assert page["lines"]["packets"] == incast.channels["packets"].to_pylist()


# --- The tailback


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailback.look.model.sliced", lambda result, _: made_up(result))


def test_the_tailback_of_a_queue_that_grows_backwards(incast: Result) -> None:
    at, times = channels(incast), made_up(incast)
    pairs = times.pairs
    depth, parent = trees(lines_of(incast), pairs.root, pairs.line, pairs.waited_ps)
    root = at["to node (5, 0)"]
    found = {
        int(line): (int(far), int(ahead))
        for of, line, far, ahead in zip(pairs.root, pairs.line, depth, parent, strict=True)
        if of == root
    }
    near, far = at["(4, 0)->(5, 0)"], at["(3, 0)->(4, 0)"]
    assert found == {
        root: (0, UNCONNECTED),
        near: (1, root),
        far: (2, near),
        # Its packets stand behind those for the channel that leads to the root.
        at["(4, 0)->(3, 0)"]: (1, near),
    }


def test_the_tailback_of_a_run_is_the_one_worked_out_by_hand() -> None:
    result = ran(BACKWARDS)
    times = sliced(result, lines_of(result))
    assert times is not None
    pairs, at = times.pairs, channels(result)
    depth, parent = trees(lines_of(result), pairs.root, pairs.line, pairs.waited_ps)
    root = at["3->4"]
    found = {
        int(line): (int(far), int(ahead))
        for of, line, far, ahead in zip(pairs.root, pairs.line, depth, parent, strict=True)
        if of == root
    }
    expected = {root: (0, UNCONNECTED)}
    for switch in range(4):
        back = 3 - switch
        ahead = at[f"{switch}->{switch + 1}"]
        if back:
            expected[ahead] = (back, at[f"{switch + 1}->{switch + 2}"])
        expected[at[f"from node {switch}"]] = (back + 1, ahead)
    assert found == expected
    waits = lines_of(result).total(result.channels["wait_internal_ps"].to_numpy())
    waits += lines_of(result).total(result.channels["wait_throttling_ps"].to_numpy())
    assert times.queue_ps.sum(axis=0).tolist() == waits.tolist()
    assert "3->4" in look_of(result).names


def test_lines_that_are_held_in_passing_are_on_the_way(incast: Result) -> None:
    at = channels(incast)
    root, line = at["to node (5, 0)"], at["(1, 0)->(2, 0)"]
    depth, parent = trees(lines_of(incast), np.array([root]), np.array([line]), np.array([1.0]))
    assert (depth.tolist(), parent.tolist()) == ([4], [root])


def test_a_line_that_leads_nowhere_near_the_root_is_told_so() -> None:
    one_way = {**INCAST, "machine": {"topology": {"kind": "butterfly", "arity": 2, "stages": 2}}}
    result = ran({**one_way, "workload": {"kind": "fan_in", "message_size": "64 B"}})
    at = channels(result)
    root, line = at["from node 0"], at["to node 3"]
    depth, parent = trees(lines_of(result), np.array([root]), np.array([line]), np.array([1.0]))
    assert (depth.tolist(), parent.tolist()) == ([UNCONNECTED], [UNCONNECTED])


def test_slices_add_up(incast: Result) -> None:
    times, at = made_up(incast), channels(incast)
    root = at["to node (5, 0)"]
    assert times.begin_ps.tolist() == [0, 1000, 2000]
    assert times.root_ps[:, root].tolist() == [2, 5, 2]
    assert times.waited_ps.sum(axis=1).tolist() == [2, 5, 7]
    assert times.pairs.waited_ps.sum() == times.waited_ps.sum() == times.pairs.by_slice_ps.sum()
    assert times.busy_ps[:, root].tolist() == [500, 1000, 250]


@pytest.mark.parametrize("decades", [0, 3, 9])
def test_bytes_are_near_the_values(decades: int) -> None:
    values = np.concatenate([[0.0], np.logspace(0, decades, 1000)])
    near = decoded(logarithmic(values))
    assert near[0] == 0
    told = values >= values.max() / 1e4
    assert np.abs(near[told] / values[told] - 1).max() < 0.02
    assert near.max() == values.max()


# --- The page


def test_the_same_run_gives_the_same_page(incast: Result) -> None:
    assert html(look_of(incast)) == html(look_of(incast))


def test_the_page_asks_for_nothing(incast: Result) -> None:
    page = html(look_of(incast, "tailback look a.toml"))
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "unsafe-inline" not in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)


def test_names_are_never_html(tmp_path: Path) -> None:
    topology = {"kind": "graph", "file": str(hostile_graph(tmp_path)), "nodes_per_switch": 2}
    tables = {**INCAST, "machine": {"topology": topology}}
    result = ran({**tables, "workload": {"kind": "fan_in", "message_size": "1 kB"}})
    page = html(look_of(result, HOSTILE))
    assert "<img" not in page
    assert any(HOSTILE in name for name in shown(page)["lines"]["name"])


def test_a_run_without_blame_has_no_page(tmp_path: Path) -> None:
    result = ran({**INCAST, "run": {}})
    with pytest.raises(UserError, match="must be true to know who made whom late"):
        write_look(result, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_too_large_a_network_is_refused_before_it_runs() -> None:
    large = Experiment.from_dict({"machine": {"topology": {"kind": "mesh", "dims": [200, 200]}}})
    with pytest.raises(UserError) as mistake:
        check_drawable(large)
    assert str(mistake.value) == (
        "machine.topology = 40,000 switches (at most 20,000): is too large to draw; "
        "`tailback blame` lists where messages wait, and for whom"
    )


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    (tmp_path / "incast.toml").write_text(
        "machine.topology = {kind = 'star', nodes = 4}\n"
        "workload = {kind = 'fan_in', message_size = '1 kB'}\n"
    )
    done = tailback("look", "incast.toml", "--seed", "3", cwd=tmp_path)
    assert done.returncode == 0
    assert "page: look-incast.html" in done.stdout
    page = (tmp_path / "look-incast.html").read_text()
    assert "tailback look incast.toml --set run.seed=3" in page
    lead = re.search(r'id="lead">(.*)</p>', page)
    assert lead is not None
    words = unescape(re.sub(r"</?code>", "", lead[1])).split()
    assert " ".join(words) in " ".join(done.stdout.split())


def test_the_page_of_blame_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "incast.toml").write_text(
        "machine.topology = {kind = 'star', nodes = 4}\n"
        "workload = {kind = 'fan_in', message_size = '1 kB'}\n"
    )
    pages = ("--html", "late.html", "--look", "a map.html")
    done = tailback("blame", "incast.toml", *pages, cwd=tmp_path)
    assert done.returncode == 0
    assert '<a href="a%20map.html">' in (tmp_path / "late.html").read_text()
    assert "tailback look incast.toml" in (tmp_path / "a map.html").read_text()


# --- Colours


#: From linear RGB to what a dichromat sees [Machado et al. 2009, table 1, severity 1].
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(colour: str, sight: str) -> Any:
    """Return a colour in CIE L*a*b*, as somebody sees it."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = _TO_XYZ @ np.clip(SIGHTS[sight] @ linear, 0, 1) / _WHITE
    fx, fy, fz = (
        np.cbrt(v) if v > (6 / 29) ** 3 else v * (29 / 6) ** 2 / 3 + 4 / 29 for v in (x, y, z)
    )
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def difference(one: Any, other: Any) -> float:
    """Return CIEDE2000 of two colours in L*a*b* [Sharma et al. 2005]."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25**7)))
    c1, c2 = np.hypot(a1 * (1 + g), b1), np.hypot(a2 * (1 + g), b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * (1 + g))) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue = (h1 + turn / 2) % 360
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    c = (c1 + c2) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    t = 1 + sum(size * np.cos(np.radians(times * hue + by)) for size, times, by in waves)
    away = ((l1 + l2) / 2 - 50) ** 2
    sl, sc, sh = 1 + 0.015 * away / np.sqrt(20 + away), 1 + 0.045 * c, 1 + 0.015 * c * t
    bend = (
        -2
        * np.sqrt(c**7 / (c**7 + 25**7))
        * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    )
    return float(
        np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + bend * dc / sc * dh / sh)
    )


def test_the_difference_of_colours_is_that_of_the_published_pairs() -> None:
    # Pairs 1, 7 and 17 of Sharma, Wu & Dalal, "The CIEDE2000 color-difference formula", table 1.
    pairs = [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ]
    for one, other, expected in pairs:
        assert difference(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_neighbours_on_the_scale_are_told_apart(colours: tuple[str, ...], sight: str) -> None:
    seen = [lab(colour, sight) for colour in colours]
    lightness = [colour[0] for colour in seen]
    assert lightness == sorted(lightness, reverse=colours is LIGHT)
    assert all(difference(one, other) >= 10 for one, other in pairwise(seen))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [CHANGE_LIGHT, CHANGE_DARK], ids=["light", "dark"])
def test_more_and_less_are_told_apart(colours: tuple[str, ...], sight: str) -> None:
    seen = [lab(colour, sight) for colour in colours]
    assert all(difference(one, other) >= 10 for one, other in combinations(seen, 2))
