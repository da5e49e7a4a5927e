"""Several jobs on one machine: tables, placement, results, and what they cost each other."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.comparison.of_jobs import interference
from tailback.engine import RESULTS_VERSION
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.report.of_interference import interference_page
from tailback.report.of_store import page_of
from tailback.report.page import Cell, Figure, Table
from tailback.runner import run_mode
from tailback.since311 import tomllib
from tailback.terminal.interfering import interference_report
from tailback.units import Size
from tailback.workloads import Jobs
from tailback.workloads.jobs import written
from tests.commands import tailback
from tests.schemas import SCHEMA
from tests.stores import store_of
from tests.sweeps import sweep_of

RING: dict[str, Any] = {"kind": "ring_allreduce", "size": "2 kB"}
MESH = {"topology": {"kind": "mesh", "dims": [4, 4]}}


def described(*jobs: dict[str, Any], **run: Any) -> dict[str, Any]:
    return {"machine": MESH, "job": list(jobs), "run": run}


def job(name: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "workload": RING, **keys}


def places(*jobs: dict[str, Any], machine: dict[str, Any] = MESH) -> dict[str, tuple[int, ...]]:
    experiment = Experiment.from_dict({"machine": machine, "job": list(jobs)})
    assert isinstance(experiment.workload, Jobs)
    return experiment.workload.places(experiment.machine)


def test_nodes_are_numbers_and_ranges_and_shares_take_what_is_free() -> None:
    found = places(job("a", share=4), job("b", nodes=[0, "2-4"]), job("c"), job("d", share=0.25))
    assert found["b"] == (0, 2, 3, 4)
    assert found["a"] == (5, 6, 7, 8)
    assert found["d"] == (9, 10, 11, 12)
    assert found["c"] == (1, 13, 14, 15)
    assert written((0, 2, 3, 4, 9, 8)) == [0, "2-4", 9, 8]


def test_what_is_drawn_depends_on_name_and_seed_only() -> None:
    one, other = (
        places(job("a", share=5, placement="random")),
        places(job("b", nodes=["12-15"]), job("a", share=5, placement="random")),
    )
    free = {node for node in range(16) if node < 12}
    assert len(one["a"]) == 5
    assert list(one["a"]) == sorted(one["a"])
    assert set(other["a"]) <= free
    assert places(job("a", share=5, placement="random", seed=1)) != one
    shuffled = places(job("a", share=5, placement="random", order="random"))["a"]
    assert sorted(shuffled) == list(one["a"])
    assert shuffled != one["a"]


def test_switches_and_groups_are_taken_as_a_whole() -> None:
    machine = {"topology": {"kind": "dragonfly", "nodes_per_switch": 2, "switches_per_group": 4}}
    by_switch = places(job("a", share=6, placement="random_switches"), machine=machine)["a"]
    assert [node % 2 for node in by_switch] == [0, 1] * 3
    by_group = places(job("a", share=16, placement="random_groups"), machine=machine)["a"]
    assert len({node // 8 for node in by_group}) == 2


@pytest.mark.parametrize(
    ("jobs", "told"),
    [
        ([], "job = []: must be tables: [[job]], each with a name"),
        ([{"workload": RING}], "job[0].name: must be given: a name"),
        ([job("a"), job("a")], 'job.name = "a": is the name of another job, too'),
        ([job("1a")], 'job.1a.name = "1a": must be up to 60 letters, digits, - and _, a letter'),
        ([job("a", nodes=[3, 3])], "job.a.nodes = 3: is given twice"),
        ([job("a", nodes=[16])], "job.a.nodes = 16: must be at most 15 (there are 16 nodes)"),
        ([job("a", nodes=["4-2"])], 'job.a.nodes = "4-2": must be a number of a node, from 0,'),
        (
            [job("a", nodes=[1]), job("b", nodes=["0-1"])],
            "job.b.nodes = 1: must not be a node of job a, too: a node is in one job",
        ),
        ([job("a", share=17)], "job.a.share = 17: is 17 nodes; only 16 of 16 are free"),
        ([job("a", share=0)], "job.a.share = 0: must be a number of nodes, or a part of all"),
        ([job("a", nodes=[1], share=2)], "job.a.share = 2: must not be given together with nodes"),
        ([job("a"), job("b")], "job.b.nodes: must be given: other jobs have all nodes"),
        (
            [job("b", nodes=[3]), job("a", share=13)],
            "job.a.share = 13: finds no 13 free nodes in a row; choose another placement",
        ),
        (
            [job("a", share=2, placement="random_groups")],
            'job.a.placement = "random_groups": needs a machine with groups',
        ),
        (
            [job("a", placment="random")],
            "job.a.placment: unknown key; did you mean job.a.placement?",
        ),
        ([job("a", workload={"kind": "ring"})], 'job.a.workload.kind = "ring": must be'),
        (
            [job("a", share=2, workload={"radius": 2, "repeat": 1})],
            "job.a.workload.radius = 2: must be left out: the machine has no coordinates",
        ),
        (
            [job("a", share=1, workload={"repeat": 1})],
            "job.a.nodes = one: leaves nobody to send to: must be at least two",
        ),
        (
            [job("a", share=8), job("b", workload={})],
            "run.duration: must be given: job a ends by itself, and job b goes on for ever",
        ),
    ],
)
def test_mistakes_are_one_line(jobs: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(tb.UserError) as error:
        Experiment.from_dict(described(*jobs))
    assert str(error.value).startswith(told)


def test_workload_and_jobs_exclude_each_other() -> None:
    with pytest.raises(tb.UserError, match="workload: must not be given together with"):
        Experiment.from_dict({**described(job("a")), "workload": RING})
    machine = tb.Machine(topology=tb.Mesh(dims=(4, 4)))
    one = tb.Job(name="a", workload=tb.RingAllreduce())
    with pytest.raises(tb.UserError, match="job: must not be given together with workload"):
        tb.Experiment(machine, tb.RingAllreduce(), jobs=(one,))
    with pytest.raises(tb.UserError, match="workload: must be given, or jobs"):
        tb.Experiment(machine)


def test_keys_are_set_by_name(tmp_path: Path) -> None:
    path = tmp_path / "jobs.toml"
    path.write_text(
        '[[job]]\nname = "a"\nnodes = [3, 4]\n[job.workload]\nkind = "ring_allreduce"\n'
    )
    changed = tb.load(path, ["job.a.share=8", "job.a.workload.size=1 MB"])
    assert changed.jobs[0].share == 8
    assert changed.jobs[0].nodes is None
    assert changed.jobs[0].workload.size.bytes == 10**6  # type: ignore[attr-defined]
    for override, told in (
        ("job.b.share=8", 'job = "b": must be "a"'),
        ("job.a.shar=8", "job.a.shar: unknown key; did you mean job.a.share?"),
        ("job.a.workload.sise=8", "job.a.workload.sise: unknown key"),
    ):
        with pytest.raises(tb.UserError) as error:
            tb.load(path, [override])
        assert str(error.value).startswith(told)


def test_what_is_resolved_describes_the_same() -> None:
    experiment = Experiment.from_dict(
        described(job("a", share=6, placement="random", order="random"), job("b", start="1 us"))
    )
    again = Experiment.from_dict(experiment.resolved())
    assert again.spec() == experiment.spec()
    assert again.identity(3) == experiment.identity(3)
    other = Experiment.from_dict(described(job("a", share=6), job("b", start="1 us")))
    assert other.identity(3) != experiment.identity(3)


def test_the_schema_knows_jobs() -> None:
    table = SCHEMA["properties"]["job"]["items"]
    assert {"name", "nodes", "share", "placement", "start", "workload"} <= set(table["properties"])


#: Packets of both cross the link from (1, 0) to (2, 0) of a line.
LINE: dict[str, Any] = {
    "machine": {
        "topology": {"kind": "mesh", "dims": [4]},
        "link": {"rate": "8 Gbit/s", "delay": "0 ns", "flit": "1 B"},
        "switch": {"delay": "0 ns"},
        "interface": {"header": "1 B", "packet_size": "99 B", "acknowledgements": False},
    },
    "job": [
        {
            "name": "first",
            "nodes": [0, 2],
            "workload": {
                "kind": "messages",
                "messages": [{"time": "0 ns", "source": 0, "destination": 1, "bytes": "99 B"}],
            },
        },
        {
            "name": "second",
            "nodes": [1, 3],
            "workload": {
                "kind": "messages",
                "messages": [{"time": "50 ns", "source": 0, "destination": 1, "bytes": "99 B"}],
            },
        },
    ],
}


def _one(name: str, nodes: list[int], time: str, size: str = "99 B") -> dict[str, Any]:
    row = {"time": time, "source": 0, "destination": 1, "bytes": size}
    return {"name": name, "nodes": nodes, "workload": {"kind": "messages", "messages": [row]}}


#: The packet of `middle` waits for that of `root` on a line, and that of `victim` for `middle`'s.
CHAIN: dict[str, Any] = {
    "machine": {
        **LINE["machine"],
        "topology": {"kind": "mesh", "dims": [6]},
        "interface": {**LINE["machine"]["interface"], "packet_size": "299 B"},
    },
    "job": [
        _one("root", [2, 4], "0 ns", "299 B"),
        _one("middle", [1, 3], "1 ns"),
        _one("victim", [0, 5], "10 ns"),
    ],
}


def test_on_a_shared_link_it_is_as_worked_out_by_hand() -> None:
    """A packet is 100 ns long, a hop 1 ns.

    The first has the link from 2 to 102 ns; the second asks for it at 51 ns, waits 51 ns and
    is there at 204 ns instead of 153.
    """
    found = interference(Experiment.from_dict(LINE))
    times = [
        run.jobs[name]["completion_us"].value
        for name in ("first", "second")
        for run in (found.alone[name], found.together)
    ]
    assert times == [0.103, 0.103, 0.153, 0.204]
    assert found.slowdowns["first"].value == 1
    assert found.by_runs["second", "first"].value == pytest.approx(204 / 153)
    waited = found.by_blame["second", "first"]
    assert (waited.us_per_message, waited.share) == (0.051, 1)
    assert found.by_blame["first", "second"].us_per_message == 0
    assert found.together.jobs["second"].messages == 1


def test_who_is_at_the_root_is_charged_and_not_who_waits_in_the_way() -> None:
    """Packets of `middle` and `victim` take 100 ns, that of `root` 300, a hop 1 ns.

    That of `root` has the link from switch 2 to 3 from 1 to 301 ns; that of `middle` asks for it at
    3 ns, and that of `victim` is behind it from 103 ns on. Until 301 ns both wait for `root`;
    before and after that `victim` waits for the turns of `middle`.
    """
    found = interference(Experiment.from_dict(CHAIN))
    root = found.by_blame["victim", "root"]
    middle = found.by_blame["victim", "middle"]
    assert root.us_per_message == pytest.approx(0.301 - 0.103)
    # From the first link to the last, nobody else is there: what it is late is what it waits.
    alone, together = (
        run.jobs["victim"]["message_latency_us"].value
        for run in (found.alone["victim"], found.together)
    )
    assert root.us_per_message + middle.us_per_message == pytest.approx(together - alone)
    assert root.share + middle.share == pytest.approx(1)
    assert found.by_blame["middle", "root"].us_per_message == pytest.approx(0.301 - 0.003)
    assert {"charged_us_per_message", "share_of_lateness"} <= found.rows()[0].keys()
    page = interference_page(found)
    figures = [part for part in page.sections[1].content if isinstance(part, Figure)]
    assert [figure.name for figure in figures] == ["runs", "charges"]


def test_jobs_on_halves_of_their_own_cost_each_other_nothing() -> None:
    synthetic = {"compute_period": "1 us", "message_size": "500 B", "repeat": 20}
    found = interference(
        Experiment.from_dict(described(job("a", share=0.5), job("b", workload=synthetic)))
    )
    assert [ratio.value for ratio in found.slowdowns.values()] == [1, 1]
    assert [ratio.value for ratio in found.by_runs.values()] == [1, 1]
    for (victim, culprit), charge in found.by_blame.items():
        assert victim == culprit or charge.us_per_message == 0
    assert found.by_blame["b", "b"].us_per_message > 0


def test_jobs_without_end_have_intervals_that_are_paired() -> None:
    endless = {
        "compute_period": "1 us",
        "message_size": "1 kB",
        "sync": "asynchronous",
        "compute_distribution": "exponential",
    }
    found = interference(
        Experiment.from_dict(
            described(
                job("a", share=8, placement="random", workload=endless),
                job("b", workload=endless),
                duration="300 us",
                warmup="50 us",
            )
        )
    )
    slowdown = found.slowdowns["a"]
    assert found.together.jobs["a"].speed == "message_latency_us"
    assert 1 < slowdown.low < slowdown.value < slowdown.high
    alone, both = (
        run.jobs["a"]["message_latency_us"] for run in (found.alone["a"], found.together)
    )
    assert slowdown.relative < alone.relative + both.relative


def test_of_many_jobs_each_is_left_out_in_turn() -> None:
    jobs = [job(name, share=4, placement="random") for name in "abc"]
    found = interference(Experiment.from_dict(described(*jobs)), "without")
    assert found.complete
    assert set(found.by_runs) == {(a, b) for a in "abc" for b in "abc" if a != b}
    page = interference_page(found)
    assert [section.title for section in page.sections] == ["Jobs", "Who slows whom down"]
    assert interference_report(found) is not None
    assert found.csv_text().count("\n") == 10
    with pytest.raises(tb.UserError, match='by = "all": must be "pairs" or "without"'):
        interference(Experiment.from_dict(described(*jobs)), "all")


def test_a_job_that_ends_beside_one_that_does_not_is_known_if_it_has_ended() -> None:
    endless = {"compute_period": "1 us"}
    jobs = (job("a", share=8, start="1 us"), job("b", workload=endless))
    whole = tb.run(Experiment.from_dict(described(*jobs, duration="100 us", warmup="0 s")))
    alone = tb.run(Experiment.from_dict(described(job("a", share=8, start="1 us"))))
    assert whole.jobs["a"]["completion_us"].value == alone.jobs["a"]["completion_us"].value > 0
    cut = tb.run(Experiment.from_dict(described(*jobs, duration="1200 ns", warmup="0 s")))
    assert str(cut.jobs["a"]["completion_us"].value) == "nan"


def test_jobs_may_be_written_in_python() -> None:
    async def program(node: tb.Node) -> None:
        if node.number == 0:
            node.broadcast("40 B")
        else:
            message = await node.receive(0)
            assert (message.source, message.bytes, node.nodes) == (0, 40, 3)
        await node.barrier()

    machine = tb.Machine(topology=tb.Mesh(dims=(4, 2)))
    written_here = tb.PythonProgram(function=program)
    jobs = [
        tb.Job(name="a", nodes=[7, 2, 5], workload=written_here),
        tb.Job(name="b", nodes=[0, 1], workload=tb.RingAllreduce(size="1 kB")),
        tb.Job(name="c", nodes=[3, 4, 6], workload=written_here),
    ]
    found = tb.run(tb.Experiment(machine, jobs=tuple(jobs)))
    assert [found.jobs[name].processes for name in "abc"] == [3, 2, 3]
    assert found.jobs["a"].messages == found.jobs["c"].messages > 2
    places = tb.cost(tb.Experiment(machine, jobs=tuple(jobs))).jobs
    assert set(places["b"]) == {"theta_t", "theta_r", "theta_c"}


def test_a_mistake_in_a_program_is_told_with_its_job() -> None:
    async def wrong(node: tb.Node) -> None:
        node.send(9)

    machine = tb.Machine(topology=tb.Mesh(dims=(4, 2)))
    jobs = (
        tb.Job(name="b", nodes=[0, 1], workload=tb.RingAllreduce(size="1 kB")),
        tb.Job(name="bad", nodes=[3, 4], workload=tb.PythonProgram(function=wrong)),
    )
    with pytest.raises(tb.UserError, match=r"job bad, .*process on node 0"):
        tb.run(tb.Experiment(machine, jobs=jobs))


def test_the_command_tells_it_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "jobs.toml"
    path.write_text(
        '[machine.topology]\nkind = "mesh"\ndims = [4, 4]\n'
        '[[job]]\nname = "a"\nshare = 8\nplacement = "random"\n'
        '[job.workload]\nkind = "ring_allreduce"\nsize = "20 kB"\n'
        '[[job]]\nname = "b"\n[job.workload]\nkind = "ring_allreduce"\nsize = "40 kB"\n'
    )
    page, table = tmp_path / "page.html", tmp_path / "pairs.csv"
    told = tailback("interference", str(path), "--html", str(page), "--csv", str(table))
    assert told.returncode == 0, told.stderr
    assert "of its messages' lateness" in told.stdout
    whole = tailback("interference", str(path), "--full")
    assert "By runs" in whole.stdout
    assert "By blame" in whole.stdout
    assert "Who slows whom down" in page.read_text()
    assert table.read_text().startswith("victim,culprit,slowdown")
    plain = tmp_path / "plain.toml"
    plain.write_text('[workload]\nkind = "ring_allreduce"\n')
    refused = tailback("interference", str(plain))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


SWEPT = """
[machine.topology]
kind = "mesh"
dims = [4, 4]
[[job]]
name = "a"
share = 4
placement = "random"
workload = { kind = "ring_allreduce", size = "2 kB" }
[[job]]
name = "b"
workload = { kind = "ring_allreduce", size = "2 kB" }
[sweep]
modes = ["full"]
[sweep.job.a]
share = [4, 8]
[sweep.job.a.workload]
size = ["1 kB", "2 kB"]
"""


def test_a_sweep_varies_jobs_by_name(tmp_path: Path) -> None:
    points = list(sweep_of(SWEPT).points())
    varied = [
        (point.varied["job.a.share"], point.varied["job.a.workload.size"]) for point in points
    ]
    assert varied == [(4, Size(1000)), (4, Size(2000)), (8, Size(1000)), (8, Size(2000))]
    assert [point.experiment.jobs[0].share for point in points] == [4, 4, 8, 8]
    store = store_of(tmp_path / "out", SWEPT)
    rows = tb.table(store, ["share", "jobs.a.completion", "jobs.b.completion_us"]).to_pylist()
    own = tb.run(points[3].experiment).jobs
    assert rows[3]["job.a.share"] == 8
    assert rows[3]["jobs.a.completion_us"] == own["a"]["completion_us"].value
    assert rows[3]["jobs.b.completion_us"] == own["b"]["completion_us"].value
    page = tb.write_report(store).read_text()
    assert "several jobs" in page


def test_a_report_says_what_contention_costs_each_job(tmp_path: Path) -> None:
    store = store_of(tmp_path / "out", SWEPT.replace('modes = ["full"]', ""))
    sections = {section.title: section for section in page_of(store).sections}
    [_, table] = sections["Jobs"].content
    assert isinstance(table, Table)
    assert table.columns[-6:] == (
        "job",
        "measured by",
        "full",
        "baseline",
        "slowdown",
        "latency, µs",
    )
    assert [row[-6] for row in table.rows] == ["a", "b"] * 4
    for row in table.rows:
        full, baseline, slowdown = row[-4:-1]
        assert isinstance(full, Cell)
        assert isinstance(baseline, Cell)
        assert slowdown == pytest.approx(full.order / baseline.order)


@pytest.mark.parametrize(
    ("varied", "told"),
    [
        ({"job": {"c": {"share": [1]}}}, 'sweep.job = "c": must be "a" or "b"'),
        ({"job": {"a": {"shares": [1]}}}, "sweep.job.a.shares: unknown key; did you mean"),
        ({"workload": {"size": ["1 kB"]}}, "sweep.workload: must be varied by job"),
    ],
)
def test_mistakes_in_a_sweep_of_jobs_are_one_line(varied: dict[str, Any], told: str) -> None:
    with pytest.raises(tb.UserError) as error:
        tb.Sweep.from_dict({**described(job("a", share=4), job("b")), "sweep": varied})
    assert str(error.value).startswith(told)
    with pytest.raises(tb.UserError, match="there are no jobs in this experiment"):
        tb.Sweep.from_dict({"workload": RING, "sweep": {"job": {"a": {"share": [1]}}}})


def test_rates_of_a_job_that_ends_are_over_its_own_time() -> None:
    found = tb.run(Experiment.from_dict(described(job("a", share=4), job("b", start="50 us"))))
    for name in "ab":
        own = found.jobs[name]
        sent = own["messages_per_node_per_ms"].value * own.nodes * own["completion_us"].value / 1e3
        assert sent == pytest.approx(own.messages)


def _shared_link(**urgent: Any) -> dict[str, Any]:
    """Three jobs over one link between two switches, of which the last is the urgent one."""
    return {
        "machine": {
            **LINE["machine"],
            "topology": {"kind": "concentrated_mesh", "dims": [2], "nodes_per_switch": 3},
            "switch": {**LINE["machine"].get("switch", {}), "arbiter": "priority"},
        },
        "job": [
            _one("first", [0, 3], "0 ns"),
            _one("bulk", [1, 4], "20 ns"),
            _one("urgent", [2, 5], "50 ns") | urgent,
        ],
    }


def _completions(described: dict[str, Any]) -> list[float]:
    jobs = tb.run(Experiment.from_dict(described)).jobs
    return [jobs[name]["completion_us"].value for name in ("first", "bulk", "urgent")]


def test_the_more_urgent_job_has_the_link_first() -> None:
    """A packet is 100 ns long, a hop 1 ns.

    The first has the link from 1 to 101 ns, when both others wait for it: who is more urgent has it
    next, and is there 101 ns later, the other 201 ns later.
    """
    assert _completions(_shared_link()) == [0.102, 0.202, 0.302]
    assert _completions(_shared_link(priority=1)) == [0.102, 0.302, 0.202]


def test_jobs_are_measured_as_classes_and_alone_keep_their_virtual_channels() -> None:
    described = _shared_link()
    described["machine"]["switch"] = {
        **LINE["machine"].get("switch", {}),
        "virtual_channels": 2,
    }
    for place, job_table in enumerate(described["job"]):
        job_table["virtual_channels"] = [place // 2, place // 2]
    experiment = Experiment.from_dict(described)
    result = tb.run(experiment)
    assert result["classes.urgent.message_latency_us"].value == pytest.approx(
        result.jobs["urgent"]["message_latency_us"].value
    )
    alone = tb.run(experiment.only("urgent"))
    assert alone.jobs["urgent"]["completion_us"].value == 0.152
    spec = json.loads(experiment.only("urgent").spec("full"))
    assert [one["name"] for one in spec["machine"]["routing"]["traffic_classes"]] == [
        "urgent",
        "first",
        "bulk",
    ]
    assert (spec["workload"]["traffic_classes"], spec["workload"]["jobs"][0]["traffic_class"]) == (
        3,
        0,
    )
    del described["job"][2]["virtual_channels"]
    with pytest.raises(UserError) as caught:
        Experiment.from_dict(described)
    assert str(caught.value) == (
        "job.first.virtual_channels = 0 to 0: must be those of class "
        '"urgent", 0 to 1, or none of them'
    )


def test_a_job_may_have_the_workload_traffic() -> None:
    """Two of them, whose requests have the same numbers, beside a job that is one class."""
    read = {
        "name": "read",
        "period": "200 ns",
        "repeat": 30,
        "message_size": "8 B",
        "reply": "data",
    }
    memory = {"kind": "traffic", "traffic_class": [read, {"name": "data", "message_size": "64 B"}]}
    experiment = Experiment.from_dict(
        {
            "machine": {**MESH, "switch": {"arbiter": "priority"}},
            "job": [
                {"name": "one", "nodes": ["0-3"], "workload": memory},
                {"name": "ring", "nodes": ["4-7"], "workload": RING, "priority": 1},
                {"name": "two", "nodes": ["8-15"], "workload": memory},
            ],
        }
    )
    again = Experiment.from_dict(experiment.resolved())
    assert again.spec("full") == experiment.spec("full")
    result = tb.run(experiment)
    jobs = result.jobs
    assert (jobs["one"].messages, jobs["two"].messages) == (2 * 4 * 30, 2 * 8 * 30)
    for name in ("one", "two"):
        trip = result[f"classes.{name}.read.round_trip_us"].value
        latencies = (
            result[f"classes.{name}.{one}.message_latency_us"].value for one in ("read", "data")
        )
        assert trip == pytest.approx(sum(latencies))
    alone = tb.run(experiment.only("two"))
    assert alone.jobs["two"].messages == 2 * 8 * 30


def test_classes_of_a_workload_are_not_said_of_its_job() -> None:
    memory = {"kind": "traffic", "traffic_class": [{"name": "x", "period": "1 us", "repeat": 1}]}
    with pytest.raises(UserError) as caught:
        Experiment.from_dict(described(job("a", workload=memory, priority=1)))
    assert str(caught.value) == (
        "job.a.priority = 1: must be left out: workload.traffic_class says it"
    )


LATE = """
[machine]
topology = {kind = "mesh", dims = [4, 4]}
[[job]]
name = "first"
share = 8
[job.workload]
kind = "ring_allreduce"
size = "4 kB"
[[job]]
name = "second"
share = 8
[job.workload]
kind = "fan_out"
message_size = "3 kB"
[run]
keep_messages = true
[sweep]
modes = ["full", "endpoints", "throttled"]
[sweep.job.second.workload]
message_size = ["1 kB", "3 kB"]
"""


def test_stores_have_lateness_and_percentiles_of_jobs(tmp_path: Path) -> None:
    rows = store_of(tmp_path / "s", LATE).runs().to_pylist()
    assert len(rows) == 6
    ends = ("p50", "p90", "p95", "p99", "p99_9")
    measures = ("message_latency_us", "message_alone_us", "message_late_us", "message_slowdown")
    tables = tomllib.loads(LATE)
    modes = tables.pop("sweep")["modes"]
    for size in ("1 kB", "3 kB"):
        tables["job"][1]["workload"]["message_size"] = size
        experiment = Experiment.from_dict(tables)
        identity = experiment.identity(RESULTS_VERSION, modes)
        own = {row["mode"]: row for row in rows if row["identity"] == identity}
        assert list(own) == modes
        for row in own.values():
            found = run_mode(experiment, row["mode"])
            for name, measure in itertools.product(("first", "second"), measures):
                job, stem = found.jobs[name], f"jobs.{name}.{measure}"
                is_known = row["mode"] != "throttled" or measure == "message_latency_us"
                assert row[stem] == (job[measure].value if is_known else None)
                told = job.percentiles().get(measure, [None] * 5)
                assert [row[f"{stem}_{end}"] for end in ends] == told
                assert (None not in told) == is_known


def test_tables_of_stores_have_lateness_of_jobs(tmp_path: Path) -> None:
    store_of(tmp_path / "s", LATE.replace("[sweep]", "[sweep]\nseeds = [1, 2]"))
    names = ["jobs.second.message_late_us", "jobs.second.message_late_us_p99"]
    single = tb.table(tmp_path / "s", fields=names, conditions=["mode == 'full'"], over=[])
    assert len(single) == 4
    assert all(value > 0 for name in names for value in single[name].to_pylist())
    merged = tb.table(tmp_path / "s", fields=names, conditions=["mode == 'full'"])
    mean, percentile = (merged[name].to_pylist() for name in names)
    # There are no histograms of jobs to be added up: of both seeds' messages, which are kept.
    rows = tb.table(
        tmp_path / "s", conditions=["mode == 'full'", "class == 'second'"], rows="messages"
    ).to_pylist()
    late: dict[str, list[int]] = {}
    for row in rows:
        late.setdefault(row["job.second.workload.message_size_bytes"], []).append(row["late_ps"])
    tails = [sorted(of)[math.ceil(0.99 * len(of)) - 1] / 1e6 for of in late.values()]
    assert (len(mean), percentile) == (2, tails)
    assert all(value > 0 for value in mean)


def test_a_number_of_nodes_is_called_share() -> None:
    job = {"name": "a", "nodes": 2, "workload": {"pattern": "uniform"}}
    with pytest.raises(tb.UserError, match=r"share = 2 is how many nodes"):
        tb.Experiment.from_dict({"machine": {"topology": {"kind": "star"}}, "job": [job]})
