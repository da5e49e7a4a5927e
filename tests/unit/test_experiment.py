"""Experiments: files, presets, overrides, stop rules, identity, schema."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tailback.errors import RunFailure, UserError, listed
from tailback.experiment import Experiment, Run
from tailback.importing.toml import to_toml
from tailback.machines import TOPOLOGIES, Hypercube, Machine, machine_of
from tailback.machines.presets import PRESETS
from tailback.since311 import tomllib
from tailback.units import Time
from tailback.workloads import (
    Bandwidth,
    BoundaryExchange,
    ComputeOnly,
    Messages,
    Program,
    PythonProgram,
    Synthetic,
    Trace,
)
from tests.machines import refined, t9000, t9000_tables

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
SMALL: dict[str, Any] = {"machine": t9000_tables("mesh", dims=[4, 4])}


def small(**run: Any) -> Experiment:
    """Return a small synthetic experiment."""
    return Experiment.from_dict(SMALL | {"run": run})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    experiment = Experiment.load(path)
    spec = json.loads(experiment.spec())
    always = ("machine", "workload", "mode", "fidelity", "seed", "sample_interval_ps")
    asked = [*["blame"] * experiment.run.blame, *["lateness"] * experiment.run.keep_messages]
    asked += ["sparse_samples"] * experiment.finite
    assert list(spec) == sorted((*always, *asked, "record_packets"))


def _plain(path: Path) -> Any:
    from tailback.since311 import tomllib

    return tomllib.loads(path.read_text())


def test_there_are_examples() -> None:
    assert {"tweedie", "messages", "boundary", "deadlock"} <= {path.stem for path in EXAMPLES}


def test_the_published_experiment(examples: Path) -> None:
    experiment = Experiment.load(examples / "tweedie.toml")
    assert experiment.machine == t9000("mesh", dims=[16, 16], node_link={"width": 4})
    assert experiment.machine.node_links == 4
    assert experiment.workload == Synthetic(radius=8, compute_period="100 us")
    assert experiment.precision == 0.01
    assert experiment.run.confidence == 0.95
    spec = json.loads(experiment.spec())
    assert spec["workload"]["radius"] == 8
    assert spec["mode"] == "full"


def test_the_message_file_is_found_beside_the_experiment(examples: Path) -> None:
    from_file = Experiment.load(examples / "message_file.toml")
    inline = Experiment.load(examples / "messages.toml")
    assert from_file.identity(1) == inline.identity(1)
    arrays = from_file.messages_arrays()
    assert arrays is not None
    assert arrays[3].tolist() == [32, 32, 100, 0]
    assert small().messages_arrays() is None


def test_defaults_make_an_experiment() -> None:
    experiment = Experiment.from_dict({})
    assert experiment == Experiment(Machine(), Synthetic(), Run())


def test_the_kind_of_machine_and_workload_is_chosen_by_a_word() -> None:
    machine = {"topology": {"kind": "hypercube", "dimensions": 3}}
    experiment = Experiment.from_dict({"machine": machine, "workload": {"kind": "compute_only"}})
    assert experiment.machine == Machine(topology=Hypercube(dimensions=3))
    assert experiment.workload == ComputeOnly()


def test_keys_refine_presets() -> None:
    experiment = Experiment.from_dict(
        {
            "machine": {
                "preset": "t9000_c104",
                "topology": {"dims": [4, 4, 4]},
                "switch": {"input_buffer": "200 B"},
            },
            "workload": {"preset": "tweedie", "radius": 2, "compute_period": "8 us"},
        }
    )
    machine = experiment.machine
    assert machine == t9000("mesh", dims=[4, 4, 4], switch={"input_buffer": "200 B"})
    assert machine.switch.switching == "wormhole"
    assert str(machine.link.rate) == "100 Mbit/s"
    assert experiment.workload == Synthetic(radius=2, compute_period="8 us")


def test_a_preset_for_another_topology_leaves_out_what_does_not_apply() -> None:
    for kind, key in (("hypercube", {"dimensions": 4}), ("pair", {}), ("star", {"nodes": 3})):
        machine = {"preset": "t9000_c104", "topology": {"kind": kind, **key}}
        asked = {"machine": machine, "workload": {"kind": "bandwidth"}}
        topology = Experiment.from_dict(asked).machine.topology
        assert (topology.kind, topology.given()) == (kind, key)


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("workload.compute_period=16 us", "workload.compute_period", Time(16_000_000)),
        ('workload.compute_period="16 us"', "workload.compute_period", Time(16_000_000)),
        ("workload.compute_period = 16 us ", "workload.compute_period", Time(16_000_000)),
        ("machine.topology.dims=[8, 20]", "machine.topology.dims", (8, 20)),
        ('machine.routing.order=["y","x"]', "machine.routing.order", ("y", "x")),
        ("machine.interface.ack_priority=false", "machine.interface.ack_priority", False),
        ("machine.link.rate=40 Gbps", "machine.link.rate.amount", 40_000_000_000),
        ("machine.link_classes.x.delay=7 ns", "machine.link.delay.ps", 0),
        ("run.mode=throttled", "run.mode", "throttled"),
        ("run.seed=7", "run.seed", 7),
        ("run.precision=5e-3", "precision", 0.005),
        ("run.duration=3 ms", "run.limit_ps", 3 * 10**9),
        ("workload.sync=asynchronous", "workload.sync", "asynchronous"),
        ("workload.max_outstanding=4", "workload.max_outstanding", 4),
    ],
)
def test_overrides(examples: Path, override: str, path: str, value: object) -> None:
    found: Any = Experiment.load(examples / "tweedie.toml", [override])
    for name in path.split("."):
        found = getattr(found, name)
    assert found == value


def test_the_last_override_counts(examples: Path) -> None:
    overrides = ["run.seed=2", "run.seed=3"]
    assert Experiment.load(examples / "tweedie.toml", overrides).run.seed == 3


def test_message_files_in_overrides_are_as_typed(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("time_ns,source,destination,bytes\n5,0,1,2\n")
    file = examples / "message_file.toml"
    arrays = Experiment.load(file, ["workload.file=other.csv"]).messages_arrays()
    assert arrays is not None
    assert arrays[0].tolist() == [5000]


def test_mode_and_packets_of_a_run() -> None:
    experiment = small(mode="free")
    assert json.loads(experiment.spec())["mode"] == "free"
    spec = json.loads(experiment.spec("throttled", record_packets=True))
    assert spec["mode"] == "throttled"
    assert spec["record_packets"] is True


FOREVER = Synthetic()
ENDS = Messages(messages=[["0 s", 0, 1, "1 B"]])


@pytest.mark.parametrize(
    ("workload", "run", "precision", "limit_ps", "warmup_ps"),
    [
        (FOREVER, {}, 0.01, 10**12, None),
        (FOREVER, {"duration": "1 ms"}, None, 10**9, None),
        (FOREVER, {"duration": "1 ms", "precision": 0.1}, 0.1, 10**9, None),
        (FOREVER, {"max_duration": "20 ms"}, 0.01, 2 * 10**10, None),
        (FOREVER, {"duration": "2 s", "warmup": "1 ms"}, None, 2 * 10**12, 10**9),
        (FOREVER, {"warmup": "0 s"}, 0.01, 10**12, 0),
        (ENDS, {}, None, 10**12, 0),
        (ENDS, {"precision": 0.05, "warmup": "1 us"}, 0.05, 10**12, 10**6),
    ],
)
def test_stop_rules(
    workload: Any, run: dict[str, Any], precision: float | None, limit_ps: int, warmup_ps: int
) -> None:
    experiment = Experiment(t9000("mesh", dims=[2, 2]), workload, Run(**run))
    assert experiment.precision == precision
    assert experiment.run.limit_ps == limit_ps
    assert experiment.warmup_ps == warmup_ps


@pytest.mark.parametrize(
    ("workload", "run", "interval_ps"),
    [
        (Synthetic(), {}, (100_000_000 + 4_280_000) // 2),
        (Synthetic(), {"duration": "1 ms"}, 50_000_000),
        (Synthetic(), {"duration": "20 us"}, 1_000_000),
        (Synthetic(), {"duration": "10 ps"}, 1),
        (Synthetic(compute_period="0 s", sync="asynchronous_blocking"), {}, 13_360_000),
        (Synthetic(compute_period="1 us", sync="asynchronous"), {}, 13_360_000),
        (Synthetic(), {"sample_interval": "3 us"}, 3_000_000),
    ],
)
def test_sample_interval(workload: Any, run: dict[str, Any], interval_ps: int) -> None:
    experiment = Experiment(t9000("mesh", dims=[4, 4]), workload, Run(**run))
    assert experiment.sample_interval_ps == interval_ps


@pytest.mark.parametrize(
    ("flow_control", "given", "used"),
    [
        ("in_band", None, "packet"),
        ("in_band", "auto", "token"),
        ("in_band", "token", "token"),
        ("in_band", "stream", "stream"),
        ("out_of_band", None, "worm"),
        ("out_of_band", "auto", "worm"),
        ("out_of_band", "flit", "flit"),
        ("out_of_band", "packet", "packet"),
    ],
)
def test_the_fidelity_suits_the_flow_control(
    flow_control: str, given: str | None, used: str
) -> None:
    run = {} if given is None else {"fidelity": given}
    machine = refined(SMALL["machine"], link={"flow_control": flow_control})
    experiment = Experiment.from_dict({"machine": machine, "run": run})
    assert experiment.fidelity == used
    assert json.loads(experiment.spec())["fidelity"] == used
    assert experiment.resolved()["run"]["fidelity"] == used


def test_the_buffers_of_a_preset_suit_the_fidelity() -> None:
    for fidelity, room in {"packet": 70, "token": 35}.items():
        description = {"machine": {"preset": "t9000_c104"}, "run": {"fidelity": fidelity}}
        experiment = Experiment.from_dict(description)
        switch = json.loads(experiment.spec())["machine"]["switch"]
        assert switch["input_buffer_flits"] == room
        assert experiment.resolved()["machine"]["switch"]["input_buffer"] == f"{room} B"


def test_a_wormhole_mesh_of_any_size(examples: Path) -> None:
    for dims in ([8, 8], [16, 4], [5]):
        change = f"machine.topology.dims={dims}"
        experiment = Experiment.load(examples / "wormhole_mesh.toml", [change])
        assert experiment.fidelity == "worm"
        spec = json.loads(experiment.spec())
        assert spec["machine"]["topology"]["dims"] == dims
        assert spec["machine"]["interface"]["acknowledges"] is False
        assert spec["machine"]["link"]["flow_control"] == "out_of_band"
        assert spec["workload"]["radius"] == max(dims) - 1
        assert spec["workload"]["compute"]["shape"] == "exponential"


def test_the_metric_suits_the_workload() -> None:
    assert small().metric == "messages_per_node_per_ms"
    computing = Experiment(t9000("mesh", dims=[2]), ComputeOnly())
    assert computing.metric == "iterations_per_node_per_ms"
    assert small(metric="routed_lifetime_us").metric == "routed_lifetime_us"


def test_finite() -> None:
    steps = [{"compute": "1 us"}]
    mesh = t9000("mesh", dims=[2, 2])
    assert Experiment(mesh, Program(process=[{"node": 0, "steps": steps, "repeat": 3}])).finite
    assert not Experiment(mesh, Program(process=[{"node": 0, "steps": steps}])).finite
    assert Experiment(mesh, BoundaryExchange(repeat=3)).finite
    assert not small().finite


CHANGES = [
    {"machine": {"topology": {"dims": [4, 5]}}},
    {"machine": {"topology": {"kind": "torus"}, "switch": {"virtual_channels": 3}}},
    {"machine": {"switch": {"ack_priority": True}}},
    {"machine": {"switch": {"input_buffer": "71 B"}}},
    {"machine": {"switch": {"arbiter": "oldest_first"}}},
    {"machine": {"interface": {"acknowledgements": False}}},
    {"machine": {"interface": {"window": 2}}},
    {"machine": {"interface": {"message_order": "round_robin"}}},
    {"machine": {"link": {"end_token": False}}},
    {"machine": {"link": {"packet_gap": "1 ns"}}},
    {"machine": {"link": {"flow_control": "out_of_band"}}},
    {"machine": {"link": {"rate": "101 Mbit/s"}}},
    {"machine": {"node_link": {"width": 3}}},
    {"machine": {"link_classes": {"y": {"delay": "1 ns"}}}},
    {"machine": {"routing": {"order": ["y", "x"]}}},
    {"run": {"fidelity": "token"}},
    {"run": {"fidelity": "stream"}},
    {"workload": {"radius": 1}},
    {"workload": {"compute_period": "99 us"}},
    {"run": {"seed": 2}},
    {"run": {"mode": "free"}},
    {"run": {"precision": 0.02}},
    {"run": {"duration": "1 ms"}},
    {"run": {"max_duration": "1 ms"}},
    {"run": {"warmup": "1 us"}},
    {"run": {"confidence": 0.9}},
    {"run": {"metric": "routed_lifetime_us"}},
    {"run": {"sample_interval": "2 us"}},
    {"run": {"max_events": 1000}},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_identity_changes_with_what_can_change_the_result(change: dict[str, Any]) -> None:
    assert Experiment.from_dict(SMALL, change).identity(1) != small().identity(1)


def test_the_identity_does_not_change_with_how_it_was_written() -> None:
    written = {
        "machine": {
            "preset": "t9000_c104",
            "topology": {"kind": "k_ary_n_mesh", "dims": [4, 4]},
            "node_link": {"width": 4, "rate": "0.1 Gbps"},
            "link_classes": {"x": {"rate": "100 Mbit/s", "delay": "0 us"}},
            "interface": {"first_packet": "32 B"},
            "routing": {"kind": "dor", "order": [0, "y"]},
        },
        "workload": {"radius": 3, "compute_period": "0.1 ms"},
        "run": {"precision": 0.01, "metric": "messages_per_node_per_ms"},
    }
    identity = small().identity(1)
    assert Experiment.from_dict(written).identity(1) == identity
    assert small(fidelity="packet").identity(1) == identity
    exact = [small(fidelity=word).identity(1) for word in ("auto", "token")]
    assert exact[0] == exact[1] != identity
    assert identity != small().identity(2)
    assert identity != small().identity(1, ["full", "throttled"])
    assert identity != small().identity(1, ["free"])
    assert small(mode="free").identity(1) == small().identity(1, ["free"])
    assert len(identity) == 64


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_resolved_parameters_describe_the_same_experiment(path: Path) -> None:
    experiment = Experiment.load(path)
    resolved = json.loads(json.dumps(experiment.resolved()))
    if isinstance(experiment.workload, Messages):
        assert resolved["workload"]["messages"] == 4
    elif isinstance(experiment.workload, PythonProgram):
        assert len(resolved["workload"]["program_sha256"]) == 64
    elif isinstance(experiment.workload, Trace):
        assert len(resolved["workload"]["trace_sha256"]) == 64
    elif experiment.machine.topology.kind == "graph":
        assert len(resolved["machine"]["topology"]["network_sha256"]) == 64
    else:
        assert Experiment.from_dict(resolved).identity(1) == experiment.identity(1)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_machine_that_is_written_is_that_of_the_same_experiment(path: Path) -> None:
    experiment = Experiment.load(path)
    written = tomllib.loads(to_toml({"machine": experiment.machine.written()}))
    machine = machine_of(written["machine"])
    assert machine == experiment.machine
    assert replace(experiment, machine=machine).identity(1) == experiment.identity(1)


def test_resolved_says_what_was_left_to_tailback() -> None:
    resolved = small(duration="1 ms").resolved()
    assert resolved["machine"]["node_link"] == {"rate": "100 Mbit/s", "delay": "0 s", "width": 4}
    assert resolved["machine"]["switch"]["input_buffer"] == "70 B"
    assert resolved["machine"]["routing"]["order"] == ["x", "y"]
    assert resolved["machine"]["interface"]["window"] == 1
    assert resolved["run"]["fidelity"] == "packet"
    assert resolved["workload"]["radius"] == 3
    assert resolved["run"]["sample_interval"] == "50 us"
    assert resolved["run"]["metric"] == "messages_per_node_per_ms"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"machin": {}}, "machin: unknown key; did you mean machine?"),
    ({"machine": 3}, "machine = 3: must be a table: [machine]"),
    ({"run": {"sed": 3}}, "run.sed: unknown key; did you mean run.seed?"),
    ({"run": {"seed": -1}}, "run.seed = -1: must be at least 0"),
    ({"run": {"seed": 1.5}}, "run.seed = 1.5: must be a whole number"),
    (
        {"run": {"mode": "throttle"}},
        'run.mode = "throttle": must be "full", "endpoints", "throttled", "free" or "ideal"; '
        'did you mean "throttled"?',
    ),
    (
        {"run": {"fidelity": "tokens"}},
        'run.fidelity = "tokens": must be "auto", "token", "flit", "worm", "stream", "packet" '
        'or "fluid"; did you mean "token"?',
    ),
    (
        {"machine": {"preset": "t9000_c104"}, "run": {"fidelity": "worm"}},
        'machine.link.flow_control = "in_band": must be out_of_band with fidelities flit and worm',
    ),
    (
        {"machine": {"switch": {"switching": "wormhole"}}, "run": {"fidelity": "token"}},
        'machine.link.flow_control = "out_of_band": must be in_band with fidelity token',
    ),
    (
        {"run": {"fidelity": "worm"}},
        'run.fidelity = "worm": must be packet with switching cut_through',
    ),
    (
        {"machine": {"node_link": {"rate": "1 Gbit/s"}}, "run": {"fidelity": "stream"}},
        'run.fidelity = "stream": must be packet with switching cut_through',
    ),
    (
        {"machine": {"topology": {"kind": "pair"}, "link_classes": {"x": {"rate": "1 Gbit/s"}}}},
        'machine.link_classes.x: must be left out: machine.topology.kind = "pair" has no link '
        "classes",
    ),
    (
        {"machine": {"link_classes": {"z": {"rate": "1 Gbit/s"}}}},
        'machine.link_classes.z: must be "x" or "y" with machine.topology.kind = "mesh"',
    ),
    (
        {"machine": {"link_classes": {"x": {"rte": "1 Gbit/s"}}}},
        "machine.link_classes.x.rte: unknown key; did you mean machine.link_classes.x.rate?",
    ),
    (
        {"machine": {"link_classes": {"x": {"rate": "1 GB"}}}},
        'machine.link_classes.x.rate = "1 GB": is a number of bytes; a rate is needed',
    ),
    (
        {"machine": {"link": {"delay": "3 cycles"}}},
        'machine.link.delay = "3 cycles": is in cycles; give machine.clock, such as "1 GHz"',
    ),
    (
        {"run": {"duration": "3 cycles"}},
        'run.duration = "3 cycles": is in cycles; give machine.clock, such as "1 GHz"',
    ),
    (
        {"workload": {"compute_period": "3 cycles"}},
        'workload.compute_period = "3 cycles": is in cycles; give machine.clock',
    ),
    ({"run": {"precision": 0}}, "run.precision = 0: must be above 0"),
    ({"run": {"precision": -0.1}}, "run.precision = -0.1: must be above 0"),
    ({"run": {"precision": 1}}, "run.precision = 1: must be below 1"),
    ({"run": {"precision": float("nan")}}, "run.precision"),
    ({"run": {"precision": "1 %"}}, 'run.precision = "1 %": must be a number'),
    ({"run": {"confidence": 1}}, "run.confidence = 1: must be at most 0.9999"),
    ({"run": {"max_events": 0}}, "run.max_events = 0: must be at least 1"),
    ({"run": {"duration": 0}}, 'run.duration = "0 s": must be above zero'),
    ({"run": {"duration": "1"}}, 'run.duration = "1": needs a unit, such as "16 us"'),
    ({"run": {"max_duration": "0 s"}}, 'run.max_duration = "0 s": must be above zero'),
    ({"run": {"sample_interval": "0 s"}}, 'run.sample_interval = "0 s": must be above zero'),
    (
        {"run": {"duration": "1 ms", "warmup": "1 ms"}},
        'run.warmup = "1 ms": must be less than run.duration = 1 ms',
    ),
    ({"run": {"warmup": "3 s"}}, 'run.warmup = "3 s": must be less than run.max_duration = 1 s'),
    (
        {"run": {"duration": "2 s", "max_duration": "1 s"}},
        'run.duration = "2 s": must be at most run.max_duration = 1 s',
    ),
    (
        {"run": {"duration": "1 ms", "sample_interval": "2 ms"}},
        'run.sample_interval = "2 ms": must be at most the longest run, 1 ms',
    ),
    (
        {"workload": {"kind": "compute_only"}, "run": {"metric": "messages_per_node_per_ms"}},
        'run.metric = "messages_per_node_per_ms": the workload sends no messages; '
        'use "iterations_per_node_per_ms"',
    ),
    (
        {
            "machine": {"topology": {"kind": "pair"}},
            "workload": {"kind": "bandwidth"},
            "run": {"metric": "routed_lifetime_us"},
        },
        'run.metric = "routed_lifetime_us": no packet crosses a channel between switches here',
    ),
    (
        {"run": {"metric": "routed_lifetime_us", "mode": "ideal"}},
        'run.metric = "routed_lifetime_us": there are no packets with run.mode = "ideal"',
    ),
    (
        {"machine": {"topology": {"kind": "tours"}}},
        f'machine.topology.kind = "tours": must be {listed(map(json.dumps, TOPOLOGIES))}; '
        'did you mean "torus"?',
    ),
    (
        {"machine": {"topology": {"kind": "hypercube", "dims": [4]}}},
        'machine.topology.dims: has no effect with machine.topology.kind = "hypercube"; needs '
        'kind = "mesh" or "torus"',
    ),
    ({"machine": {"topology": ["mesh"]}}, 'machine.topology = ["mesh"]: must be a table'),
    (
        {"machine": {"topology": "mesh"}},
        'machine.topology = "mesh": is a table now; write machine.topology.kind',
    ),
    ({"machine": {"topology": {"kind": 3}}}, 'machine.topology.kind = 3: must be "mesh"'),
    (
        {"machine": {"preset": "t9000_c140"}},
        'machine.preset = "t9000_c140": must be '
        + listed(f'"{name}"' for name in PRESETS)
        + '; did you mean "t9000_c104"?',
    ),
    ({"machine": {"presett": "t9000_c104"}}, "did you mean machine.preset?"),
    ({"machine": {"preset": {}}}, "machine.preset = {}: must be"),
    ({"machine": {"flux": 1}}, "machine.flux: unknown key; known here: topology, link, node_link"),
    ({"workload": {"kind": "sythetic"}}, 'did you mean "synthetic"?'),
    (
        {"workload": {"radius": 40}},
        "workload.radius = 40: must be at most 15 (the largest dimension less one)",
    ),
    ({"workload": {"processes_per_node": 0}}, "workload.processes_per_node = 0: must be at least"),
    (
        {"machine": {"preset": "t9000_c104", "switch": {"input_buffer": "20 B"}}},
        'machine.switch.input_buffer = "20 B": must hold a whole packet, at least 34 B',
    ),
]


@pytest.mark.parametrize(("description", "expected"), BAD)
def test_refused_in_one_line(description: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        Experiment.from_dict(description)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("run.seed", '--set = "run.seed": must be table.key=value, such as run.seed=2'),
        ("seed=3", '--set = "seed=3": must be table.key=value'),
        ("=3", "must be table.key=value"),
        ("", "must be table.key=value"),
        ("run.=3", "must be table.key=value"),
        ("a.b.c=3", "a: unknown key; known here: machine, workload, run"),
        ("run.seed.x=3", 'run.seed = {"x": 3}: must be a whole number'),
        ("run.sead=3", "run.sead: unknown key; did you mean run.seed?"),
        ("rum.seed=3", "rum: unknown key; did you mean run?"),
        ("run.seed=three", 'run.seed = "three": must be a whole number'),
        ("run.seed=", 'run.seed = "": must be a whole number'),
        ("run.seed=3\nmode = 1", "run.seed"),
        ("machine.dims=[8, 8]", "machine.dims: is machine.topology.dims now"),
        ("machine.topology.dims=8x8", 'machine.topology.dims = "8x8": must be a list'),
        ("machine.topology=torus", "write machine.topology.kind"),
        ("workload.radius=99", "workload.radius = 99: must be at most 15"),
        ("workload.compute_period=16", 'needs a unit: write "16 us" if that is meant'),
    ],
)
def test_overrides_refused_in_one_line(examples: Path, override: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        Experiment.load(examples / "tweedie.toml", [override])
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parts_are_checked_together_in_python() -> None:
    with pytest.raises(UserError, match=r"workload\.radius = 4: must be at most 3"):
        Experiment(t9000("mesh", dims=[4, 4]), Synthetic(radius=4))
    with pytest.raises(UserError, match=r"workload\.destination = 7: must be at most 1"):
        Experiment(t9000("pair"), Bandwidth(destination=7))


def test_long_values_are_shortened() -> None:
    with pytest.raises(UserError) as caught:
        small(mode="x" * 10_000)
    assert len(str(caught.value)) < 200


def test_a_failed_run_says_who_waits() -> None:
    failure = RunFailure(
        "deadlock at 5 ns", "deadlock", 5000, [("process 0", "a message on socket 0")]
    )
    assert failure.exit_code == 3
    assert failure.waiting == (("process 0", "a message on socket 0"),)
    assert str(failure) == "deadlock at 5 ns"


@pytest.mark.parametrize(
    ("preset", "run", "expected"),
    [
        ("t9000_c104", {}, "throttled"),
        ("t9000_pair", {}, "throttled"),
        ("t9000_c104", {"baseline": "endpoints"}, "endpoints"),
        ("wormhole_mesh", {}, "endpoints"),
    ],
)
def test_a_preset_may_say_what_is_compared_with(
    preset: str, run: dict[str, str], expected: str
) -> None:
    described = Experiment.from_dict({"machine": {"preset": preset}, "run": run})
    assert described.run.baseline == expected


def test_a_change_of_the_preset_changes_what_is_compared_with() -> None:
    given = {"machine": {"preset": "t9000_c104"}}
    described = Experiment.from_dict(given, {"machine": {"preset": "wormhole_mesh"}})
    assert described.run.baseline == "endpoints"
