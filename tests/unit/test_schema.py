"""The JSON Schema of experiment files: what it describes, accepts and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import PRESETS, ROUTINGS, TOPOLOGIES
from tailback.since311 import tomllib
from tests.schemas import SCHEMA, VALIDATOR

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))


def test_the_schema_describes_every_key() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    machine = SCHEMA["properties"]["machine"]["properties"]
    parts = [machine[name] for name in ("link", "node_link", "switch", "interface")]
    kinds = [*machine["topology"]["anyOf"], *machine["routing"]["anyOf"]]
    definitions = [*SCHEMA["$defs"].values(), SCHEMA["properties"]["run"], *parts, *kinds]
    assert len(definitions) > 40
    assert len(kinds) == len(TOPOLOGIES) + len(ROUTINGS)
    for definition in definitions:
        for key, described in definition["properties"].items():
            constant = "const" in described
            assert constant or "description" in described, (definition.get("title"), key)


def validate(description: dict[str, Any]) -> None:
    VALIDATOR.validate(description)


#: What may be written, each beside what the others leave out.
ACCEPTED: list[dict[str, Any]] = [
    {"clock": "1 GHz", "link": {"delay": "3 cycles"}, "switch": {"delay": "1 cycle"}},
    {"link": {"rate": "400 Gbps", "flit": "64 B"}, "node_link": {"rate": "1.6 Tbit/s", "width": 2}},
    {"link": {"rate": "25.78125 Gbit/s"}, "link_classes": {"y": {"rate": "56 Gbit/s"}}},
    {"preset": "t9000_c104", "topology": {"kind": "star"}, "node_link": {"width": "degree"}},
    {"topology": {"kind": "k_ary_n_cube", "dims": [4, 4]}, "routing": {"kind": "adaptive"}},
    {"topology": {"kind": "fattree"}, "routing": {"adaptive": False}},
    {"topology": {"kind": "tree", "switches_per_level": [1, 2], "level_widths": [3]}},
    {"topology": {"kind": "dragonfly"}, "link_classes": {"global": {"delay": "300 ns"}}},
    {"topology": {"kind": "mesh"}, "routing": {"kind": "dor", "order": ["y", 0]}},
    {"routing": {"kind": "two_phase"}, "switch": {"virtual_channels": 2}},
    {"switch": {"switching": "vct", "input_buffer": "unlimited", "arbiter": "age"}},
    {"switch": {"switching": "wormhole", "input_buffer": "64 KiB"}, "interface": {"window": 4}},
    {
        "switch": {"integrated": True, "switching": "saf", "output_queue": 4},
        "interface": {"window": "unlimited", "message_order": "round_robin"},
    },
    {"switch": {"integrated": True, "switching": "circuit"}, "interface": {"unit": "message"}},
    {"switch": {"switching": "circuit", "arbiter": "age"}, "interface": {"window": "unlimited"}},
    {"interface": {"acknowledgements": True, "window": 1, "time_slice": "1 µs"}},
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_schema_accepts_the_examples(path: Path) -> None:
    validate(tomllib.loads(path.read_text()))


@pytest.mark.parametrize("machine", ACCEPTED, ids=str)
def test_the_schema_accepts_what_tailback_accepts(machine: dict[str, Any]) -> None:
    validate({"machine": machine})
    experiment = Experiment.from_dict({"machine": machine, "workload": {"kind": "bandwidth"}})
    validate({"machine": experiment.machine.written()})
    again = Experiment.from_dict(
        {"machine": experiment.machine.written(), "workload": {"kind": "bandwidth"}}
    )
    assert again.identity(1) == experiment.identity(1)


@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_the_schema_accepts_every_topology_with_every_routing(kind: str) -> None:
    topology: dict[str, Any] = {"kind": kind}
    if kind == "graph":
        topology["file"] = "net.edges"
    for routing in TOPOLOGIES[kind].routings:
        validate({"machine": {"topology": topology, "routing": {"kind": routing}}})
    with pytest.raises(jsonschema.ValidationError):
        validate({"machine": {"topology": topology | {"colour": 1}}})


@pytest.mark.parametrize("name", PRESETS)
def test_the_schema_accepts_presets_written_out(name: str) -> None:
    validate({"machine": {"preset": name}})
    validate({"machine": PRESETS[name]})


@pytest.mark.parametrize(
    "wrong",
    [
        {"machine": {"link_width": 4}},
        {"machine": {"link": {"widht": 4}}},
        {"machine": {"link": {"rate": 4}}},
        {"machine": {"link": {"rate": "4 Gbit"}}},
        {"machine": {"link_classes": {"x": {"width": 2}}}},
        {"machine": {"topology": {"dims": [0]}}},
        {"machine": {"topology": {"kind": "hypercube", "dims": [4, 4]}}},
        {"machine": {"topology": "mesh"}},
        {"machine": {"routing": {"kind": "minimal", "order": ["y", "x"]}}},
        {"machine": {"switch": {"virtual_channels": 0}}},
        {"machine": {"interface": {"window": 0}}},
        {"workload": {"compute_period": 16}},
        {"workload": {"compute_period": "16 B"}},
        {"workload": {"kind": "program", "radius": 3}},
        {"run": {"mode": "none"}},
        {"runs": {}},
    ],
    ids=str,
)
def test_the_schema_refuses_what_tailback_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Experiment.from_dict(wrong)
    with pytest.raises(jsonschema.ValidationError):
        validate(wrong)


def test_the_schema_shows_defaults_as_users_write_them() -> None:
    tables = SCHEMA["properties"]
    machine = tables["machine"]["properties"]
    assert machine["link"]["properties"]["rate"]["default"] == "100 Gbit/s"
    assert machine["link"]["properties"]["flit"]["default"] == "1 B"
    assert machine["interface"]["properties"]["header"]["default"] == "8 B"
    assert tables["run"]["properties"]["max_duration"]["default"] == "1 s"
