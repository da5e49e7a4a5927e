"""Experiments that are accepted, nearly always: drawn from the schema, then repaired."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from tailback import engine
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import PRESETS

from . import files
from .keys import known_keys
from .values import sensible
from .writing import toml

Description = dict[str, Any]

#: Tables of a machine besides the topology, and how often each has keys of its own.
_PARTS = {"link": 0.5, "node_link": 0.2, "switch": 0.5, "routing": 0.6, "interface": 0.4}
_MOST_KEYS = 3
_ROUNDS = 12


def experiment(rng: random.Random) -> tuple[Description, dict[str, str]]:
    """Return a description, perhaps not yet a possible one, and the files it names."""
    machine = _machine(rng)
    workload, named = _workload(rng)
    if named:
        machine["topology"] = rng.choice(
            [{"kind": "mesh", "dims": [4, 2]}, {"kind": "hypercube", "dimensions": 3}]
        )
    named |= _network_file(rng, machine) if not named else {}
    run = some(rng, "run", None, 3) | {"max_events": 5000, "seed": rng.randrange(100)}
    run.setdefault("duration", "50 us")
    return {"machine": machine, "workload": workload, "run": run}, named


def _machine(rng: random.Random) -> Description:
    topologies = list(known_keys().kinds["machine.topology"])
    kind = rng.choice(topologies)
    machine: Description = {"topology": {"kind": kind, **some(rng, "machine.topology", kind, 9)}}
    if rng.random() < 0.9:
        # Few routings know a way round.
        topology = machine["topology"]
        machine["topology"] = {k: v for k, v in topology.items() if not k.startswith("failed")}
    if rng.random() < 0.6:
        # That of no network is for traces only, and has nothing else beside it.
        machine["preset"] = rng.choice([name for name in PRESETS if name != "loggops"])
    if rng.random() < 0.1:
        machine["clock"] = "1 GHz"
    for part, share in _PARTS.items():
        if rng.random() < share:
            table = f"machine.{part}"
            kinds = known_keys().kinds.get(table)
            if kinds is None:
                machine[part] = some(rng, table, None, _MOST_KEYS)
            else:
                chosen = rng.choice(list(kinds))
                machine[part] = {"kind": chosen} | some(rng, table, chosen, 2)
    return machine


def _workload(rng: random.Random) -> tuple[Description, dict[str, str]]:
    kinds = list(known_keys().kinds["workload"])
    kind = rng.choice([*kinds, *["synthetic"] * len(kinds)])
    workload = {"kind": kind} | some(rng, "workload", kind, 4)
    workload.pop("file", None)
    if kind in ("messages", "python", "trace"):
        named = files.MAKERS[kind](rng)
        return {"kind": kind, "file": next(iter(named))}, named
    if kind == "all_to_all_v":
        named = files.byte_matrix(rng)
        return workload | {"file": next(iter(named))}, named
    if kind == "program":
        first = {"node": 0, "sockets": [1], "steps": [{"compute": "1 us"}, {"send": 0}]}
        last = {"node": 1, "sockets": [0], "steps": [{"receive": 0}]}
        return {"kind": kind, "process": [first, last]}, {}
    if workload.get("pattern") in ("permutation", "traffic_matrix"):
        is_matrix = workload["pattern"] == "traffic_matrix"
        named = files.weights(rng) if is_matrix else files.permutation(rng)
        return workload | {"file": next(iter(named))}, named
    return workload, {}


def _network_file(rng: random.Random, machine: Description) -> dict[str, str]:
    """Write the file of a machine that needs one, and fit the machine to it."""
    topology, routing = machine["topology"], machine.get("routing", {})
    if topology["kind"] == "graph":
        named = files.graph(rng)
        machine["topology"] = {"kind": "graph", "file": next(iter(named))}
        return named
    if routing.get("kind") in ("table", "source_routes"):
        named = files.MAKERS[routing["kind"]](rng)
        machine["topology"] = {"kind": "torus", "dims": [files.NODES]}
        machine["routing"] = {"kind": routing["kind"], "file": "r.csv", "allow_deadlock": True}
        return named
    return {}


def some(rng: random.Random, table: str, kind: str | None, most: int) -> Description:
    """Return some keys of a table with sensible values."""
    keys = known_keys().of(table, kind)
    names = [name for name in keys if name not in ("kind", "preset", "file")]
    if table != "machine.topology":
        names = rng.sample(names, min(rng.randrange(most + 1), len(names)))
    definitions = known_keys().definitions
    given = {name: sensible(rng, name, keys[name], definitions) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def accepted(description: Description, path: Path) -> bool:
    """Take keys out of a description until it is accepted; write what comes of it to `path`."""
    for _ in range(_ROUNDS):
        try:
            built(description, path)
        except UserError as error:
            if not _mend(description, error):
                return False
        except Exception:  # the command will meet it again, and it will be told
            return False
        else:
            return True
    return False


def built(description: Description, path: Path) -> Experiment:
    """Write a description to `path`; return the experiment, or raise `UserError`.

    The network and the workload are built in the engine, which may refuse what nobody else does.
    """
    path.write_text(toml(description))
    experiment = Experiment.load(path)
    arrays, traces = experiment.messages_arrays(), experiment.traces()
    engine.Simulation(experiment.spec(), arrays, None, experiment.processes(), traces)
    return experiment


def _mend(description: Description, error: UserError) -> bool:
    """Do what a mistake says, or take out what it is about; whether there was anything to do."""
    steps = re.sub(r"\[.*", "", error.field).split(".")
    table = description
    for step in steps[:-1]:
        inner = table.setdefault(step, {})
        if not isinstance(inner, dict):
            return False
        table = inner
    if steps[0] == "workload" and ("process" in steps or steps[-1] not in table):
        # It does not fit onto the machine at all.
        description["workload"] = {"radius": "all", "repeat": 3, "compute_period": "1 us"}
        return True
    if steps[-1] in table:
        del table[steps[-1]]
        return True
    return _mend_machine(description["machine"], table, steps[-1], error.allowed)


def _mend_machine(machine: Description, table: Description, key: str, allowed: str) -> bool:
    """Do what is said of a key that was not given."""
    wanted = re.match(r'must be (\d+|"\w+")(?: |$|,|;)', allowed)
    if wanted is not None:
        word = wanted[1]
        table[key] = int(word) if word.isdigit() else word.strip('"')
        return True
    for part, named in re.findall(r"machine\.(\w+)\.(\w+)", allowed):
        if named in machine.get(part, {}):
            del machine[part][named]
            return True
    for part in ("preset", "routing", "switch", "link", "interface"):
        if machine.pop(part, None) is not None:
            return True
    return False
