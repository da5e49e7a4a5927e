"""A workload that a limit ends before it is complete is cut off, and every command says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import CutOffError
from tests.commands import tailback

LATE = {"kind": "messages", "messages": [["0 ns", 0, 1, "1 kB"], ["1.5 s", 1, 0, "1 kB"]]}
COMPUTES = {
    "kind": "program",
    "process": [
        {"node": 0, "repeat": 1, "steps": [{"compute": "1.5 s"}, {"send": 1, "bytes": "1 kB"}]},
        {"node": 1, "repeat": 1, "steps": [{"receive": 0}]},
    ],
}
RING = {"kind": "ring_allreduce", "size": "1 MB"}
LIMIT = "run.max_duration = 1 s"
FILES = {
    "program.toml": """
        [machine]
        topology.kind = "star"
        topology.nodes = 2
        [workload]
        kind = "program"
        [[workload.process]]
        node = 0
        repeat = 1
        steps = [{compute = "1.5 s"}, {send = 1, bytes = "1 kB"}]
        [[workload.process]]
        node = 1
        repeat = 1
        steps = [{receive = 0}]
        """,
    "ring.toml": """
        [machine]
        topology.kind = "star"
        topology.nodes = 8
        [workload]
        kind = "ring_allreduce"
        size = "1 MB"
        """,
    "jobs.toml": """
        [machine]
        topology.kind = "star"
        topology.nodes = 4
        [[job]]
        name = "long"
        nodes = [0, 1]
        workload.kind = "ring_allreduce"
        workload.size = "1 MB"
        [[job]]
        name = "short"
        nodes = [2, 3]
        workload.kind = "ring_allreduce"
        workload.size = "1 kB"
        [run]
        max_duration = "10 us"
        """,
    "sweep.toml": """
        [machine]
        topology.kind = "star"
        topology.nodes = 8
        [workload]
        kind = "ring_allreduce"
        [run]
        max_duration = "100 us"
        [sweep]
        seeds = 2
        [sweep.workload]
        size = ["10 kB", "1 MB"]
        """,
}


def experiment(workload: dict[str, Any], nodes: int = 2, **run: Any) -> tb.Experiment:
    machine = {"topology": {"kind": "star", "nodes": nodes}}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("workload", [LATE, COMPUTES])
def test_a_result_says_which_limit_and_what_completion_is_more_than(
    workload: dict[str, Any],
) -> None:
    result = tb.run(experiment(workload))
    told = result.to_dict()
    assert not result.complete
    assert result.ending.cut_off == told["cut_off"] == LIMIT
    assert (told["complete"], told["steady"], told["settled"]) == (False, False, False)
    assert told["completion_us"] == {"value": None, "low": 1e6, "high": None}
    assert "cut off" in repr(result)


def test_one_that_may_take_longer_is_complete() -> None:
    result = tb.run(experiment(COMPUTES, max_duration="2 s"))
    assert (result.complete, result.ending.cut_off) == (True, "")
    assert result["completion_us"].value == pytest.approx(1.5e6, abs=1)


def test_a_limit_in_events_cuts_off_as_well() -> None:
    result = tb.run(experiment(RING, 8, max_events=50))
    assert result.ending.cut_off == "run.max_events = 50"
    # Open loops that are to run for a time, too, but not if they were to be precise.
    offers = {"kind": "synthetic", "preset": "uniform_open_loop", "compute_period": "1 us"}
    few = tb.run(experiment(offers, 8, duration="1 ms", max_events=1000))
    assert few.ending.cut_off == "run.max_events = 1,000"
    assert not few.complete
    coarse = tb.run(experiment(offers, 8, precision=0.0001, max_events=10000))
    assert (coarse.ending.cut_off, coarse.ending.converged) == ("", False)


def test_a_run_that_was_to_be_so_long_is_complete_though_the_workload_is_not() -> None:
    result = tb.run(experiment(RING, 8, duration="10 us"))
    assert result.complete
    assert result["completion_us"].low == 10.0
    assert result["completion_us"].is_cut_off


def test_nothing_is_compared_of_what_was_cut_off() -> None:
    found = tb.cost(experiment(LATE))
    assert (found.complete, found.interrupted) == (False, False)
    assert [*found.modes] == ["full", "endpoints", "free"]
    assert found.cut_off == ["full", "endpoints", "free"]
    assert found.findings() == []
    told = found.to_dict()
    assert told["complete"] is False
    assert {told[name]["value"] for name in ("theta_c", "theta_t", "theta_r")} == {None}


def test_of_jobs_only_those_that_had_not_ended() -> None:
    tables = {
        "machine": {"topology": {"kind": "star", "nodes": 4}},
        "job": [
            {"name": "long", "nodes": [0, 1], "workload": RING},
            {"name": "short", "nodes": [2, 3], "workload": RING | {"size": "1 kB"}},
        ],
        "run": {"max_duration": "10 us"},
    }
    jobs = tb.run(tb.Experiment.from_dict(tables)).jobs
    assert jobs["long"]["completion_us"].low == 10.0
    assert jobs["long"]["completion_us"].is_cut_off
    assert jobs["short"]["completion_us"].value < 10


def test_there_is_no_critical_path() -> None:
    with pytest.raises(CutOffError) as caught:
        tb.explain(experiment(COMPUTES))
    assert str(caught.value) == (
        "run.max_duration = 1 s: cut off at 1 s, before the program had ended; raise it"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "program.toml"), f"CUT OFF by {LIMIT} before it was complete; raise that"),
        (("run", "program.toml"), "> 1.0000 (cut off)"),
        (
            ("cost", "program.toml"),
            "What contention costs is not known: full, endpoints and free did not end.",
        ),
        (("blame", "program.toml"), f"CUT OFF by {LIMIT}"),
        (("flows", "ring.toml", "--set", "run.max_events=50"), "CUT OFF by run.max_events = 50"),
        (("timeline", "program.toml", "--out", "a.json"), f"CUT OFF by {LIMIT}"),
        (("explain", "program.toml"), f"{LIMIT}: cut off at 1 s"),
        (("interference", "jobs.toml"), "raise that (all jobs together and job long alone)"),
        (("interference", "jobs.toml"), "> 10.000 µs (cut off)"),
    ],
)
def test_commands_say_so_and_exit_with_4(files: Path, words: tuple[str, ...], told: str) -> None:
    done = tailback(*words, cwd=files, env={"COLUMNS": "140"}, together=True)
    assert told in done.stdout
    assert done.returncode == 4


@pytest.mark.parametrize("command", ["run", "cost", "blame", "interference", "explain"])
def test_json_says_so(files: Path, command: str) -> None:
    name = "jobs.toml" if command == "interference" else "program.toml"
    done = tailback(command, name, "--json", cwd=files)
    assert json.loads(done.stdout)["complete"] is False
    assert done.returncode == 4


def test_a_sweep_counts_them_and_tables_keep_their_rows(files: Path) -> None:
    done = tailback("sweep", "sweep.toml", "--out", "r", "--jobs", "1", cwd=files)
    assert done.returncode == 4
    assert done.stdout.splitlines()[:2] == [
        "4 of 4 points finished.",
        "  2 cut off (by run.max_duration = 100 us, raise that): workload.size = 1000000 B, "
        "seed 1; workload.size = 1000000 B, seed 2",
    ]
    again = tailback("sweep", "sweep.toml", "--out", "r", "--json", cwd=files)
    told = json.loads(again.stdout)
    counts = ("finished", "cut_off", "unsettled", "saturated", "failed")
    assert [told[name] for name in counts] == [4, 2, 0, 0, 0]
    table = tailback("table", "r", cwd=files).stdout
    # Both modes were, and share a row.
    assert table.count("> 100.00 (cut off)") == 1
    assert table.count("run.max_duration = 100 us") == 1
    rows = json.loads(tailback("table", "r", "--format", "json", cwd=files).stdout)
    cut = [row for row in rows if row["cut_off"]]
    assert len(cut) == 2
    for row in cut:
        assert (row["completion_us"], row["completion_us_low"]) == (None, 100.0)
        assert (row["theta_r"], row["theta_c"]) == (None, None)
    page = files / "r" / "report.html"
    tailback("report", "r", cwd=files)
    assert "runs cut off by a limit" in page.read_text()


def test_to_run_results_again_exits_as_the_first_time(files: Path) -> None:
    for command, file in (("run", "jobs.toml"), ("sweep", "sweep.toml")):
        assert tailback(command, file, "--out", command, cwd=files).returncode == 4
        again = tailback("rerun", command, "--out", f"{command} again", cwd=files)
        assert again.returncode == 4, again.stderr
        assert "cut off" in again.stdout.lower()
    # All results are the same.
    assert tailback("rerun", "run", "--check", cwd=files).returncode == 0


def test_a_sweep_says_which_points_are_saturated(files: Path) -> None:
    text = """
        [machine]
        topology.kind = "mesh"
        topology.dims = [2, 2]
        [workload]
        kind = "synthetic"
        preset = "uniform_open_loop"
        [run]
        warmup = "20 us"
        duration = "200 us"
        [sweep]
        modes = ["full"]
        [sweep.workload]
        compute_period = ["10 us", "1 ns"]
        """
    (files / "open.toml").write_text(text)
    done = tailback("sweep", "open.toml", "--out", "o", "--jobs", "1", cwd=files)
    assert done.returncode == 0
    assert "  1 saturated (the network accepts less than it is offered): " in done.stdout
