"""Random machines of every kernel, each with a few messages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.frozen import drawing as frozen
from tests.frozen import loads
from tests.frozen.families import FAMILIES, Family
from tests.frozen.loads import Scale
from tests.frozen.machines import whole_packets
from tests.fuzz import valid

Row = list[Any]
"""When, from where, to where, how long: as a file has it."""


def _chaotic(rng: random.Random, scale: Scale) -> dict[str, Any]:
    """Return machines of a routing that few topologies have."""
    dims = rng.choice([[3, 3], [4, 4], [2, 3, 2]])
    topology = {"kind": rng.choice(["mesh", "torus"]), "dims": dims}
    return {**whole_packets(rng, scale), "topology": topology, "routing": {"kind": "chaos"}}


#: All but those without a network, and the fuzzer's own.
KINDS = (
    *(family for family in FAMILIES if family.name not in ("loggops", "anything")),
    Family("chaos", _chaotic, routings=("chaos",)),
)

#: How long a run may be: a message that is held up by software for seconds is none of ours.
_LIMIT = "1 s"
_MOST = 10
_TRIES = 8


@dataclass(frozen=True)
class Case:
    """A machine, and what is sent on it."""

    number: int
    family: str
    machine: dict[str, Any]
    run: dict[str, Any]
    rows: tuple[Row, ...]
    requests: dict[str, Any] | None = None
    """Requests and replies, which are sent in other runs."""

    def tables(self) -> dict[str, Any]:
        """Return it as the tables of an experiment."""
        workload = {"kind": "messages", "messages": list(self.rows)}
        return {"machine": self.machine, "workload": workload, "run": self.run}

    def asking(self) -> dict[str, Any]:
        """Return the same with requests and replies."""
        return {**self.tables(), "workload": self.requests}

    def text(self) -> str:
        """Return it as a file, or two."""
        text = valid.toml(self.tables())
        if self.requests is not None:
            text += "\n# And with requests:\n" + valid.toml({"workload": self.requests})
        return text

    def smaller(self) -> Iterator[Case]:
        """Yield cases that lack something of this one: a message, or a key."""
        for place in range(len(self.rows)):
            yield replace(self, rows=self.rows[:place] + self.rows[place + 1 :])
        for table, keys in self.machine.items():
            if table == "preset":
                continue
            if table != "topology":
                yield replace(self, machine=_without(self.machine, table))
            if isinstance(keys, dict):
                for key in keys:
                    less = {**self.machine, table: _without(keys, key)}
                    yield replace(self, machine=less)


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def draw(number: int, folder: Path) -> Case:
    """Draw a case; write the files it names into a folder, the current one."""
    rng = random.Random(f"answer {number}")
    family = KINDS[number % len(KINDS)]
    scale = family.scale(rng)
    path = folder / "e.toml"
    drawn = frozen.machine(rng, family, scale, path)
    rows = _rows(rng, family, scale, drawn.nodes())
    machine: dict[str, Any] = drawn.tables["machine"]
    run = {name: value for name, value in drawn.tables["run"].items() if name in ("fidelity",)}
    run |= {"seed": rng.randrange(100), "max_duration": _LIMIT}
    case = Case(number, family.name, machine, run, tuple(rows))
    if "replies" in family.workloads:
        return replace(case, requests=_requests(rng, scale, drawn))
    return case


def _requests(rng: random.Random, scale: Scale, drawn: frozen.Drawn) -> dict[str, Any] | None:
    """Return a few requests of every node, and their replies; None if the machine refuses all."""
    for _ in range(_TRIES):
        workload = loads.draw(rng, scale, drawn.nodes(), ("replies",)).tables["workload"]
        workload["traffic_class"][0]["repeat"] = rng.choice([1, 2])
        if drawn.is_accepted({**drawn.tables, "workload": workload}):
            return dict(workload)
    return None


def _rows(rng: random.Random, family: Family, scale: Scale, nodes: int) -> list[Row]:
    """Return a few messages, most of them near each other in space and time."""
    times = rng.choice([1, 20, 20, 300])
    busy = [rng.randrange(nodes) for _ in range(rng.choice([2, 3, 8]))]
    whole = "in_slots" in family.workloads or rng.random() < 0.5
    found = []
    for _ in range(rng.randrange(2, _MOST)):
        source, to = rng.randrange(nodes), rng.choice(busy)
        if source == to and rng.random() < 0.9:
            to = (source + rng.randrange(1, nodes)) % nodes if nodes > 1 else source
        at = rng.randrange(times) if whole else rng.random() * times
        flits = rng.choice([0, 1, rng.randrange(2 * scale.flits + 1), 4 * scale.flits])
        found.append([scale.time(at), source, to, f"{flits * scale.flit_bytes} B"])
    return sorted(found, key=lambda row: int(row[0].split()[0]))
