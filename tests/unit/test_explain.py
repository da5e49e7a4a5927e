"""Where the time of programs went: `tailback explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tailback as tb
from tailback import explaining
from tailback.critical_path import CONTENTION
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.explaining.facts import bounds, completion_ps, facts
from tailback.runner import run_mode
from tests.in_process import invoked

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ENDING = ["allreduce", "campus", "hypercube_transports", "message_file", "messages"]


def example(name: str) -> Experiment:
    return explaining.prepared(Experiment.load(EXAMPLES / f"{name}.toml"))


@pytest.mark.parametrize("name", ENDING)
def test_a_path_is_as_long_as_its_program(name: str) -> None:
    experiment = example(name)
    result = run_mode(experiment, "full")
    path = explaining.path_of(result)
    assert path.makespan_ps == completion_ps(result)
    names = [name for name in path.processes.column_names if name.endswith("_ps")]
    parts = [name for name in names if "slack" not in name]
    for row in path.processes.select(parts).to_pylist():
        assert sum(row.values()) == path.makespan_ps
    assert min(path.processes["slack_ps"].to_pylist()) == 0


def test_what_messages_cost_beyond_the_baseline_is_who_was_in_the_way() -> None:
    # One message that others hold up in the network and nowhere else.
    explanation = explaining.explain(example("messages"))
    path = explanation.path
    baseline = completion_ps(explanation.baseline)
    assert path.makespan_ps - path.contention_ps == baseline == bounds(path)[0]
    told = facts(explanation, 3)
    assert told["channels"][0]["channel"] == "(3, 1)->(3, 2)"
    assert {row["culprit"] for row in told["culprits"]} == {
        "process 0 on node (0, 0)",
        "process 3 on node (3, 0)",
    }
    waits = [row["us"] for name in ("culprits", "culprit_calls") for row in told[name]]
    assert sum(waits) == pytest.approx(2 * told["contention_us"])
    assert sum(row["us"] for row in told["parts"]) == pytest.approx(told["makespan_us"])


def test_places_in_programs_have_the_names_that_traces_have(tmp_path: Path) -> None:
    # Both send at once to 2, whose link one of them waits for.
    for rank, actions in enumerate(
        (
            "0 location main.c 7\n0 send 2 0 1000 6\n",
            "1 location sub.c 8\n1 send 2 0 1000 6\n",
            "2 recv 0 0 1000 6\n2 recv 1 0 1000 6\n",
        )
    ):
        (tmp_path / f"rank{rank}.txt").write_text(actions)
    (tmp_path / "all.txt").write_text("".join(f"rank{rank}.txt\n" for rank in range(3)))
    trace = {"kind": "trace", "file": str(tmp_path / "all.txt"), "format": "simgrid_ti"}
    described = {"machine": {"topology": {"kind": "crossbar", "nodes": 3}}, "workload": trace}
    experiment = explaining.prepared(Experiment.from_dict(described))
    told = facts(explaining.explain(experiment), 3)
    [waited] = told["culprit_calls"]
    assert waited["place"] in {"main.c:7 send", "sub.c:8 send"}
    assert waited["us"] == told["contention_us"] > 0


def test_without_the_channel_that_it_waits_for_a_program_takes_no_longer() -> None:
    # It waits at the node's link then, for the same messages.
    experiment = example("messages")
    change = explaining.without("channel:(3, 1)->(3, 2)", experiment)
    explanation = explaining.explain(experiment, changes=[change])
    took = completion_ps(explanation.what_if["without channel:(3, 1)->(3, 2)"])
    low, high = bounds(explanation.path)
    assert took is not None
    assert low <= took <= high


def test_what_is_faster_is_described_so() -> None:
    experiment = example("hypercube_transports")
    spec = json.loads(experiment.spec())
    compute = explaining.faster("compute:2", experiment).of(spec)
    assert 2 * compute["workload"]["compute"]["mean"] == spec["workload"]["compute"]["mean"]
    links = explaining.faster("links:2", example("messages"))
    mesh = json.loads(example("messages").spec())
    machine = links.of(mesh)["machine"]
    half = round(mesh["machine"]["link"]["flit_ps"] / 2)
    assert {one["flit_ps"] for one in machine["link_classes"].values()} == {half}
    assert machine["node_link"]["flit_ps"] == half
    assert links.of(mesh) != mesh, "what is given stays as it is"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("compute", 'such as "compute:2"'),
        ("compute:0", "a factor from 1e-6 to 1e6"),
        ("links:1e-300", "a factor from 1e-6 to 1e6"),
        ("netwrk:2", 'did you mean "network"?'),
        ("compute:2", "has no computing"),
    ],
)
def test_what_cannot_be_faster_is_refused(asked: str, said: str) -> None:
    with pytest.raises(UserError, match=r"--faster") as caught:
        explaining.faster(asked, example("messages"))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("(3, 1)->(3, 2)", "must be such as"),
        ("channel:(3, 1)->(3, 3)", "must be a channel between switches"),
    ],
)
def test_what_cannot_be_without_contention_is_refused(asked: str, said: str) -> None:
    with pytest.raises(UserError, match=r"--without") as caught:
        explaining.without(asked, example("messages"))
    assert said in str(caught.value)


def test_only_what_ends_has_a_critical_path() -> None:
    endless = str(EXAMPLES / "latency.toml")
    answer = invoked("explain", endless)
    assert answer.exit_code == 2
    assert "only one that ends has a critical path" in answer.output
    with pytest.raises(UserError, match="critical_path = true"):
        Experiment.load(EXAMPLES / "messages.toml", ["run.slack=true"])


def test_the_command_tells_pages_and_objects(tmp_path: Path) -> None:
    page, folder = tmp_path / "path.html", tmp_path / "results"
    given = [str(EXAMPLES / "messages.toml"), "--faster", "links:2", "--html", str(page)]
    answer = invoked("explain", *given)
    assert answer.exit_code == 0, answer.output
    for words in (
        "The program takes 17.64 µs",
        "contention in the network",
        "Least slack",
        "saves",
    ):
        assert words in answer.output
    assert "Channels that kept messages on it waiting" in page.read_text()
    assert "What processes did when" in page.read_text()
    command = ["explain", given[0], "--json", "--no-slack", "--out", str(folder)]
    told = json.loads(invoked(*command).stdout)["critical_path"]
    assert told["slack"] is None
    assert told["baseline_us"] + told["contention_us"] == pytest.approx(told["makespan_us"])
    assert (folder / "full" / "critical_path.parquet").exists()


def test_a_run_keeps_no_path_unless_it_is_asked_for() -> None:
    plain = Experiment.load(EXAMPLES / "messages.toml")
    assert "causes" not in json.loads(plain.spec())
    with pytest.raises(UserError, match=r"run\.critical_path"):
        explaining.path_of(run_mode(plain, "full"))
    kept = Experiment.load(EXAMPLES / "messages.toml", ["run.critical_path=true"])
    result = run_mode(kept, "full")
    assert result.blame is None
    path = explaining.path_of(result)
    assert sum(time for _, time in path.by("part", parts=CONTENTION)) == path.contention_ps


def test_programs_in_python_explain_programs() -> None:
    explanation = tb.explain(EXAMPLES / "messages.toml", faster=["links:2"], slack=False, seed=3)
    told = explanation.to_dict()["critical_path"]
    assert told["makespan_us"] == explanation.path.makespan_ps / 1e6
    assert list(told["what_if"]) == ["faster links:2"]
    assert told["slack"] is None
    assert explanation.result.experiment.run.seed == 3
    with pytest.raises(UserError, match=r"--faster"):
        tb.explain(EXAMPLES / "messages.toml", faster=["netwrk:2"])


def test_without_a_network_times_are_those_of_clocks(tmp_path: Path) -> None:
    """Rank 1 takes in 1000 B from rank 0, then from rank 2, of `o + 999 G` = 7.494 us each."""
    (tmp_path / "two.goal").write_text(
        "num_ranks 3\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n"
        "recv 1000b from 2\n}\nrank 2 {\nsend 1000b to 1\n}\n"
    )
    trace = {"kind": "trace", "file": str(tmp_path / "two.goal")}
    described = {"machine": {"preset": "loggops"}, "workload": trace}
    experiment = explaining.prepared(Experiment.from_dict(described))
    changes = [explaining.faster("G:3", experiment)]
    explanation = explaining.explain(experiment, changes=changes)
    assert explanation.baseline is None
    told = facts(explanation, 3)
    assert {row["part"]: row["us"] for row in told["parts"]} == {
        "own": 2.5 + 5.994,
        "processor": 7.494,
        "receiving": 1.5,
        "sending": 1.5,
    }
    assert told["makespan_us"] == 4 + 2 * 7.494
    assert told["what_if"] == {"faster G:3": 4 + 2 * (1.5 + 1.998)}
    assert not told["channels"]
    assert not told["culprits"]
    for ask, asked in (
        (explaining.faster, "links:2"),
        (explaining.without, "channel:(0, 0)->(0, 1)"),
    ):
        with pytest.raises(UserError, match=r"must be .*\"G\"|there is no network"):
            ask(asked, experiment)
