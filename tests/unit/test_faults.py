"""Faults while a simulation runs: tables, what they cost, who is charged, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.answers import of_cost
from tailback.charging import KINDS, NOBODY
from tailback.comparison import cost
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.outages import begun
from tests.commands import tailback

MESH: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [3, 2]}}
RING: dict[str, Any] = {"kind": "ring_allreduce", "size": "12 kB"}
DOWN: dict[str, Any] = {"link": "(0, 0) to (1, 0)", "time": "1 us", "duration": "5 us"}


def described(*faults: dict[str, Any], **run: Any) -> Experiment:
    tables = {"machine": MESH, "workload": RING, "run": run}
    return Experiment.from_dict(tables | ({"fault": list(faults)} if faults else {}))


def test_a_fault_costs_what_the_run_takes_longer_than_without() -> None:
    found = cost(described(DOWN))
    whole = tb.run(described())["completion_us"].value
    full = found.modes["full"]["completion_us"].value
    assert found.without_faults is not None
    assert found.without_faults["completion_us"].value == whole
    assert full > whole
    assert found.fault_slowdowns[""].value == full / whole
    # Modes that it is compared with have none.
    assert (
        found.modes["free"]["completion_us"].value
        == cost(described()).modes["free"]["completion_us"].value
    )
    first = of_cost(found).sentences[0]
    assert first.startswith("This fault costs ")
    assert first.endswith(" of completion time.")
    together = [said for said in of_cost(found).sentences if "The fault and the network" in said]
    assert len(together) == 1
    assert "together make completion" in together[0]
    told = json.loads(json.dumps(found.to_dict()))["faults"]
    assert told["slowdown"]["all"]["value"] == full / whole
    assert told["without"]["completion_us"]["value"] == whole


def test_places_with_next_to_no_waits_are_not_named_beside_a_failed_link() -> None:
    rows = [["0 ns", 0, 2, "1 kB"], ["500 us", 1, 2, "1 kB"], ["500 us", 4, 2, "1 kB"]]
    tables = {"machine": MESH, "workload": {"kind": "messages", "messages": rows}}
    long = {**DOWN, "time": "0 us", "duration": "400 us"}
    found = cost(Experiment.from_dict({**tables, "fault": [long]}))
    assert len(found.channels_waiting_most(3)) > 1
    (where,) = [said for said in of_cost(found).sentences if said.startswith("Packets wait")]
    assert where.endswith("for (0, 0)->(1, 0) (100 %).")


def test_a_machine_with_faults_is_described_as_one_without() -> None:
    """How long a message takes alone is found in mode free, which knows of no faults."""
    rows = [["0 ns", 0, 1, "12 kB"]]
    sent = {"machine": MESH, "workload": {"kind": "messages", "messages": rows}}
    faulty = Experiment.from_dict(sent | {"fault": [DOWN]})
    assert tb.describe(faulty).zero_loads == tb.describe(Experiment.from_dict(sent)).zero_loads


def test_of_jobs_too_the_network_alone_is_not_charged_with_faults() -> None:
    rows = [["0 ns", 0, 1, "12 kB"]]
    workload = {"kind": "messages", "messages": rows}
    job = {"name": "a", "nodes": [0, 1], "workload": workload}
    faulty = Experiment.from_dict(
        {"machine": MESH, "job": [job], "fault": [DOWN | {"time": "0 s"}]}
    )
    told = [said for said in of_cost(cost(faulty)).sentences if "job a takes" in said]
    assert len(told) == 1
    assert told[0].startswith("Because of the fault and the network together, job a takes")


def test_of_open_loops_too_the_network_alone_is_not_charged_with_faults() -> None:
    slow = {"link": "(0, 0) to (1, 0)", "time": "0 s", "rate_share": 0.2}
    workload = {"kind": "synthetic", "load": 0.2, "message_size": "1 kB"}
    tables = {"machine": MESH, "workload": workload, "fault": [slow, slow | {"time": "1 us"}]}
    run = {"warmup": "5 us", "duration": "40 us"}
    said = of_cost(cost(Experiment.from_dict(tables | {"run": run}))).sentences
    assert any(one.startswith("The faults and the network (links") for one in said), said


def test_nothing_is_said_of_faults_where_there_are_none() -> None:
    found = cost(described())
    assert found.without_faults is None
    assert "faults" not in found.to_dict()
    assert not found.fault_slowdowns
    assert "fault" not in described().resolved()
    assert "faults" not in json.loads(described().spec())


def test_a_fault_after_the_end_changes_nothing() -> None:
    late = {**DOWN, "time": "1 s"}
    one, other = tb.run(described(late)), tb.run(described())
    assert one.samples.equals(other.samples)
    assert one.channels.equals(other.channels)
    assert described(late).identity(1) != described().identity(1)


@pytest.mark.parametrize(
    "place",
    [{"link": ["(0, 0)", 1]}, {"link": "0:1"}, {"switch": "(0, 0)"}, {"node": [0, 0]}, {"node": 0}],
)
def test_places_have_several_names(place: dict[str, Any]) -> None:
    times = {"time": "1 us", "duration": "5 us"}
    run = tb.run(described({**place, **times}))
    assert run["completion_us"].value > tb.run(described())["completion_us"].value


def test_names_of_a_file_are_understood() -> None:
    faults = [
        {"link": "physics to library", "duration": "1 us"},
        {"switch": "library", "duration": "1 us"},
    ]
    machine = {"topology": {"kind": "graph", "file": "examples/campus.graphml"}}
    tables = {"machine": machine, "workload": RING, "fault": faults}
    spec = json.loads(Experiment.from_dict(tables).spec("full"))
    assert [fault["at"] for fault in spec["faults"]] == [
        {"link": {"between": [0, 2]}},
        {"switch": 2},
    ]


def test_a_slower_link_takes_longer_and_is_charged() -> None:
    slow = {"link": DOWN["link"], "rate_share": 0.25}
    run = tb.run(described(slow, blame=True))
    assert run["completion_us"].value > tb.run(described())["completion_us"].value
    assert run.blame is not None
    assert set(run.blame.pairs.keys[:, -1].tolist()) == {KINDS.index("fault")}


def test_waits_for_a_link_that_is_down_are_nobodys_at_that_link() -> None:
    run = tb.run(described(DOWN, blame=True))
    assert run.blame is not None
    sums = run.blame.channels
    is_fault = sums.keys[:, -1] == KINDS.index("fault")
    assert is_fault.any()
    assert set(sums.keys[is_fault, 2].tolist()) == {NOBODY}
    channels = set(sums.keys[is_fault, 0].tolist())
    ends = {
        (row["from_node"], row["to_node"])
        for row in run.channels.to_pylist()
        if row["channel"] in channels
    }
    assert ends <= {(0, 1), (1, 0)}


def test_jobs_are_told_what_a_fault_costs_each() -> None:
    jobs = [
        {"name": "near", "nodes": [0, 1], "workload": RING},
        {"name": "far", "nodes": [4, 5], "workload": RING},
    ]
    fault = {**DOWN, "time": "0 us"}
    found = cost(Experiment.from_dict({"machine": MESH, "job": jobs, "fault": [fault]}))
    assert found.fault_slowdowns["far"].value == 1
    assert found.fault_slowdowns["near"].value > 1
    [first, *_] = of_cost(found).sentences
    assert "job near" in first
    assert "job far next to nothing of completion time" in first


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({}, "fault[0].link: must be given, or switch, node or every"),
        ({"link": "0 to 1"}, "fault[0].duration: must be given: packets for a link that stays"),
        ({"link": "0 to 1", "node": 0}, "fault[0].node = 0: must be left out beside link"),
        ({"node": 6, "duration": "1 us"}, "fault[0].node = 6: must be a node from 0 to 5"),
        ({"switch": "x", "duration": "1 us"}, 'fault[0].switch = "x": must be a switch'),
        ({"switch": 6, "duration": "1 us"}, "fault[0].switch = 6: must be a switch from 0 to 5"),
        ({"link": [0, 9], "duration": "1 us"}, "fault[0].link = 9: must be a switch from 0 to 5"),
        ({"node": "x", "duration": "1 us"}, 'fault[0].node = "x": must be a node: a number'),
        ({"node": 0, "duration": "0 us"}, 'fault[0].duration = "0 s": must be above 0'),
        ({"node": 0, "rate_share": 1}, "fault[0].rate_share = 1: must be below 1"),
        ({"node": 0, "rate_share": -0.5}, "fault[0].rate_share = -0.5: must be at least 0"),
        ({"node": 0, "tiem": "1 us"}, "fault[0].tiem: unknown key; did you mean fault[0].time?"),
        ({"link": "a b", "duration": "1 us"}, 'fault[0].link = "a b": must be two switches'),
    ],
)
def test_mistakes_are_one_line(fault: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        described(fault)
    assert str(refused.value).startswith(problem)


def test_links_that_are_not_there_are_refused_by_name() -> None:
    with pytest.raises(UserError) as refused:
        tb.run(described({"link": "(0, 0) to (2, 0)", "duration": "1 us"}))
    told = "fault[0].link = (0, 0) to (2, 0): must be a link that is there: no link joins these two"
    assert str(refused.value) == told


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ({"fidelity": "fluid"}, "fault: must be left out with fidelity fluid: needs packet"),
        ({"blame": True, "packet_waits": True}, "run.packet_waits = true: must be left out with"),
    ],
)
def test_what_knows_nothing_of_faults_is_refused(run: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        described(DOWN, **run)
    assert str(refused.value).startswith(problem)


@pytest.mark.parametrize(
    ("machine", "key"),
    [
        ({"preset": "gigabit_ethernet"}, "forwarding"),
        ({"topology": {"kind": "star"}, "switch": {"switching": "circuit"}}, "switching = circuit"),
        (MESH | {"switch": {"integrated": True, "switching": "store_and_forward"}}, "integrated"),
    ],
)
def test_switches_that_know_nothing_of_faults_are_told_by_their_key(
    machine: dict[str, Any], key: str
) -> None:
    fault = {"node": 1, "time": "1 us", "duration": "5 us"}
    with pytest.raises(UserError) as refused:
        tb.run(Experiment.from_dict({"machine": machine, "workload": RING, "fault": [fault]}))
    assert f"must be left out with machine.switch.{key}: faults are" in str(refused.value)


EXPERIMENT = """
machine.topology = {kind = "mesh", dims = [3, 2]}
workload = {kind = "ring_allreduce", size = "12 kB"}
[[fault]]
link = "(0, 0) to (1, 0)"
time = "1 us"
duration = "5 us"
"""


def test_results_are_run_again_with_their_faults(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    assert tailback("cost", "e.toml", "--out", "results", cwd=tmp_path).returncode == 0
    done = tailback("rerun", "results", "--check", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    full = tailback("describe", "e.toml", "--full", cwd=tmp_path).stdout
    assert "fault[0]" in full


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("run", "e.toml", "--set", "fault.time=2 us"), "fault = "),
        (("resilience", "e.toml"), "fault: must be left out: links that fail are drawn"),
        (("sweep", "s.toml", "--out", "x"), "run.critical_path = true: must be left out of sweeps"),
    ],
)
def test_commands_that_know_nothing_of_faults_refuse_them(
    tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    (tmp_path / "s.toml").write_text(
        EXPERIMENT + "[run]\ncritical_path = true\n[sweep]\nseeds = 2\n"
    )
    done = tailback(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {problem}"), done.stderr
    assert len(done.stderr.splitlines()) == 1


TREE: dict[str, Any] = {
    "topology": {"kind": "fat_tree", "arity": 4, "levels": 2},
    "routing": {"kind": "d_mod_k"},
    "link": {"rate": "400 Gbit/s", "delay": "100 ns"},
}
CABLE: dict[str, Any] = {"link": [0, 4], "time": "10 us", "duration": "200 us"}


def rerouted(**fault: Any) -> Experiment:
    workload = {"kind": "ring_allreduce", "size": "4 MB"}
    return Experiment.from_dict({"machine": TREE, "workload": workload, "fault": [CABLE | fault]})


def test_the_sooner_routes_avoid_a_link_the_less_its_failure_costs() -> None:
    def takes(**fault: Any) -> float:
        return tb.run(rerouted(**fault))["completion_us"].value

    whole = tb.run(rerouted().whole())["completion_us"].value
    at_once, later, never = takes(reroute_after="0 us"), takes(reroute_after="50 us"), takes()
    assert whole <= at_once < later < never
    # The ring stands still until routes change, or until the repair.
    assert 49 < later - at_once < 51
    assert 195 < never - whole < 202
    assert takes(reroute_after="300 us") == never


def test_routes_between_interfaces_of_hosts_avoid_a_link() -> None:
    tables = {
        "machine": TREE | {"hosts": {"interfaces": 2}},
        "workload": RING | {"size": "1 MB"},
        "fault": [CABLE],
    }

    def takes(**fault: Any) -> float:
        changed = tables | {"fault": [CABLE | fault]}
        return tb.run(Experiment.from_dict(changed))["completion_us"].value

    assert takes(reroute_after="20 us") < takes(reroute_after="100 us") < takes()
    # Switches of hosts come behind those of the network.
    own = {"link": [4, 8], "reroute_after": "20 us"}
    with pytest.raises(UserError) as refused:
        tb.describe(Experiment.from_dict(tables | {"fault": [CABLE | own]}))
    allowed = "must be left out: no other way leads to an interface of a host"
    assert str(refused.value) == f'fault[0].reroute_after = "20 us": {allowed}'


def test_links_to_hosts_are_told_as_what_routes_do_not_avoid() -> None:
    drawn = {"every": "link", "mean_time_to_failure": "1 ms", "mean_time_to_repair": "50 us"}
    tables = {
        "machine": TREE | {"hosts": {"interfaces": 2}},
        "workload": RING,
        "fault": [drawn | {"until": "300 us", "reroute_after": "1 us"}],
    }
    experiment = Experiment.from_dict(tables)
    told = begun(experiment.faults, experiment.machine.topology, 100)
    assert told is not None
    times = {"host" in one.where: one.reroute_us for one in told.first if one.duration_us > 1}
    assert times == {True: None, False: 1}


def test_when_routes_change_is_told() -> None:
    experiment = rerouted(reroute_after="50 us")
    told = of_cost(cost(experiment)).sentences
    assert told[1] == "Routes avoid the failed link 50 µs after the failure."
    faults = tb.describe(experiment).to_dict()["faults"]
    assert faults["first"][0]["reroute_us"] == 50
    # Those that are repaired before.
    short = tb.describe(rerouted(reroute_after="300 us")).to_dict()["faults"]
    assert "reroute_us" not in short["first"][0]


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({"node": 1, "duration": "1 us"}, "with the links of a node: no other way leads there"),
        ({"every": "node", "duration": "1 us"}, "with the links of a node"),
        ({"link": [0, 4], "rate_share": 0.5}, "with rate_share: routes avoid links that are down"),
        ({"link": [0, 4], "bit_error_rate": 1e-9}, "with bit_error_rate: routes avoid links"),
    ],
)
def test_routes_avoid_links_that_are_down(fault: dict[str, Any], problem: str) -> None:
    tables = {"machine": TREE, "workload": RING, "fault": [fault | {"reroute_after": "1 us"}]}
    with pytest.raises(UserError) as refused:
        Experiment.from_dict(tables)
    assert str(refused.value).startswith('fault[0].reroute_after = "1 us": must be left out ')
    assert problem in str(refused.value)


def test_routing_that_cannot_change_says_which_can() -> None:
    with pytest.raises(UserError) as refused:
        tb.run(described(DOWN | {"reroute_after": "2 us"}))
    told = str(refused.value)
    allowed = "must be left out with routing dimension_order: use shortest,"
    assert told.startswith(f'fault[0].reroute_after = "2 us": {allowed}')
    assert "\n" not in told


def test_explain_tells_what_waits_for_failed_links(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    done = tailback("explain", "e.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "times as long as without contention in the network and faults" in told
    assert "of its critical path waits for failed or slow links, at " in told
    assert "waiting for links that were down, or slower, for a time" in done.stdout
    costs = "Failed or slow links cost more than contention"
    assert f"{costs}: tailback cost says what it takes without." in told


SWEPT = """
[machine]
topology = {kind = "fat_tree", arity = 4, levels = 2}
routing.kind = "d_mod_k"
[workload]
kind = "ring_allreduce"
size = "400 kB"
[[fault]]
link = [0, 4]
time = "5 us"
duration = "100 us"
"""


def test_keys_of_faults_are_set_by_number(tmp_path: Path) -> None:
    file = tmp_path / "e.toml"

    def takes(*changes: str) -> float:
        return tb.run(tb.load(file, changes))["completion_us"].value

    file.write_text(SWEPT)
    assert takes("fault.0.duration=50 us") < takes() - 40
    with pytest.raises(
        UserError, match=r'fault = "1": must be changed key by key, such as fault.0'
    ):
        takes("fault.1.duration=50 us")


def test_sweeps_vary_faults(tmp_path: Path) -> None:
    varied = (
        '[sweep]\nmodes = ["full"]\n[sweep.fault.0]\nreroute_after = ["0 us", "20 us", "40 us"]\n'
    )
    (tmp_path / "s.toml").write_text(SWEPT + varied)
    done = tailback("sweep", "s.toml", "--out", "x", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = tailback("table", "x", "--format", "csv", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    rows = shown.stdout.splitlines()
    assert rows[0].startswith("fault.0.reroute_after")
    assert len(rows) == 4
    # A finished sweep is recognised, and not that of another fault.
    again = tailback("sweep", "s.toml", "--out", "x", cwd=tmp_path)
    assert again.returncode == 0
    other = (tmp_path / "s.toml").read_text().replace("[0, 4]", "[0, 5]")
    (tmp_path / "s.toml").write_text(other)
    assert tailback("sweep", "s.toml", "--out", "y", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("varied", "problem"),
    [
        (
            '[sweep.fault.1]\ntime = ["1 us", "2 us"]',
            "sweep.fault = 1: must be 0; there is no other",
        ),
        ('[sweep.fault.0]\ntme = ["1 us", "2 us"]', "sweep.fault.0.tme: unknown key"),
        ('[sweep.fault]\ntime = ["1 us", "2 us"]', "must name one: sweep.fault.NUMBER.time"),
    ],
)
def test_sweeps_of_faults_that_are_not_there_are_refused(
    tmp_path: Path, varied: str, problem: str
) -> None:
    (tmp_path / "s.toml").write_text(f"{SWEPT}{varied}\n")
    done = tailback("sweep", "s.toml", "--out", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1


LOADED = """
[machine]
topology = {kind = "mesh", dims = [3, 2]}
[workload]
kind = "synthetic"
load = 0.1
pattern = "uniform"
[[fault]]
link = "(0, 0) to (1, 0)"
"""


def test_saturation_is_of_links_that_stay_slow(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(f"{LOADED}rate_share = 0.25\n")
    (tmp_path / "d.toml").write_text(f"{LOADED}duration = '5 us'\n")
    slow = tailback("saturate", "e.toml", "--tolerance", "0.2", cwd=tmp_path)
    assert slow.returncode == 0, slow.stderr
    down = tailback("saturate", "d.toml", cwd=tmp_path)
    assert down.returncode == 2
    assert down.stderr.startswith("error: fault[0]: must last for ever from the beginning on")


def test_a_timeline_shows_a_run_with_faults_without_its_channels(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    done = tailback("timeline", "e.toml", "--out", "t.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    refused = tailback("timeline", "e.toml", "--out", "t.json", "--queues", "3", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith('error: --queues = "3": must be none: ')


def test_jobs_are_compared_on_the_machine_with_faults(tmp_path: Path) -> None:
    job = 'workload = {{kind = "ring_allreduce", size = "400 kB"}}\nnodes = ["{}"]\nname = "{}"\n'
    jobs = "".join("[[job]]\n" + job.format(*one) for one in (("0-7", "one"), ("8-15", "other")))
    machine, _, fault = SWEPT.partition("[workload]")
    fault = fault.partition("[[fault]]")[2]
    (tmp_path / "j.toml").write_text(f"{machine}{jobs}[[fault]]{fault}")
    done = tailback("interference", "j.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    slowdowns = [job["slowdown"]["value"] for job in json.loads(done.stdout)["jobs"]]
    assert slowdowns == [1, 1]


def test_resilience_draws_links_that_fail_while_it_runs(tmp_path: Path) -> None:
    plain = SWEPT.partition("[[fault]]")[0]
    (tmp_path / "e.toml").write_text(plain)

    def worst(*options: str) -> float:
        words = ("resilience", "e.toml", "--failures", "1", "--draws", "16", "--json", *options)
        done = tailback(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found: float = json.loads(done.stdout)["spreads"][0]["max"]
        return found

    waits = worst("--time", "5 us", "--duration", "100 us")
    goes_round = worst("--time", "5 us", "--duration", "100 us", "--reroute-after", "10 us")
    assert worst() < goes_round < waits - 1
    for options, problem in (
        (("--time", "5 us"), "--duration: must be given with --time"),
        (("--duration", "5"), '--duration = "5": needs a unit'),
    ):
        done = tailback("resilience", "e.toml", *options, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {problem}"), done.stderr
