"""Random experiments for every part of the engine that simulates channels.

A case is of one *family*: keys that lead to a kernel, on a random topology. To these come random
keys of the schema (`tests/fuzz/valid.py`), each kept if the experiment is still accepted. Cases
depend on their number and on what this version accepts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from tailback.errors import UserError
from tests.fuzz import files, valid
from tests.fuzz.keys import known_keys
from tests.fuzz.values import TIMES

from . import loads
from .families import FAMILIES, Family, besides
from .loads import Scale
from .machines import Tables, Wish, Wishes

#: What decides about the kernel is for families to say.
_KEPT = {
    "machine.link": ("rate", "flit", "flow_control", "preamble", "frame_gap"),
    "machine.node_link": (),
    "machine.switch": ("switching", "integrated", "allocator", "segmentation", "forwarding"),
    "machine.interface": ("unit", "packet_size", "reply_queue"),
    "run": ("mode", "fidelity", "duration", "max_duration", "max_events", "precision", "title"),
}
_PARTS = {"machine.link": 3, "machine.node_link": 2, "machine.switch": 5, "machine.interface": 4}
_TRIES = 8
_ROUTINGS = 8
_SPOILT = 0.04
"""Share of cases in which a key is as it comes: mostly such as are refused."""
_TIMES = (0, 0.5, 1, 2, 3.3, 10, 40)
"""In times of a flit."""
_MODES = ("endpoints", "throttled", "free", "ideal")


class Drawn:
    """An experiment as tables, and the file that it is written into."""

    def __init__(self, tables: Tables, path: Path) -> None:
        self.tables = tables
        self._path = path

    def is_accepted(self, tables: Tables) -> bool:
        """Whether others are accepted, which then take their place."""
        try:
            valid.built(tables, self._path)
        except UserError:
            return False
        self.tables = tables
        return True

    def grow(self, wishes: Sequence[Wishes]) -> None:
        """Take over as many wishes as are accepted together."""
        if not wishes or self.is_accepted(_with(self.tables, chain(*wishes))):
            return
        if len(wishes) > 1:
            half = len(wishes) // 2
            self.grow(wishes[:half])
            self.grow(wishes[half:])

    def give(self, named: Mapping[str, str]) -> None:
        """Write files that the experiment names."""
        for name, text in named.items():
            (self._path.parent / name).write_text(text)

    def nodes(self) -> int:
        """Return how many nodes there are."""
        return valid.built(self.tables, self._path).machine.nodes


def draw(number: int, folder: Path) -> Path:
    """Draw a case; write its file and those it names into a folder, the current one."""
    rng = random.Random(f"frozen {number}")
    family = FAMILIES[number % len(FAMILIES)]
    path = folder / "e.toml"
    if family.name == "anything":
        _anything(rng, path)
        return path
    scale = family.scale(rng)
    drawn = _begun(rng, family, scale, path)
    _route(rng, family, drawn)
    _load(rng, family, scale, drawn)
    drawn.grow(_wishes(rng, family, scale, str(drawn.tables["machine"]["topology"].get("kind"))))
    final = drawn.tables
    if rng.random() < _SPOILT:
        final = _with(final, _some(rng, "machine.switch", 3))
    path.write_text(valid.toml(final))
    return path


def machine(rng: random.Random, family: Family, scale: Scale, path: Path) -> Drawn:
    """Draw a machine of a family; write files that it names beside `path`."""
    drawn = _begun(rng, family, scale, path)
    _route(rng, family, drawn)
    wishes = _wishes(rng, family, scale, str(drawn.tables["machine"]["topology"].get("kind")))
    of_machine = []
    for group in wishes:
        # A list of messages has no key by which nodes send to themselves, and needs none.
        own = tuple(wish for wish in group if wish[1] != "includes_self")
        if all(table.startswith("machine") for table, *_ in own):
            of_machine.append(own)
    drawn.grow(of_machine)
    return drawn


def _anything(rng: random.Random, path: Path) -> None:
    """Write an experiment of the fuzzer, and the files it names."""
    description, named = valid.experiment(rng)
    for name, text in named.items():
        (path.parent / name).write_text(text)
    valid.accepted(description, path)


def _begun(rng: random.Random, family: Family, scale: Scale, path: Path) -> Drawn:
    """Return a machine of the family that does nothing much."""
    for _ in range(_TRIES):
        machine = family.machine(rng, scale)
        machine.setdefault("topology", _topology(rng, path.parent))
        run: Tables = {"seed": rng.randrange(100), "duration": "1 us", **family.run}
        tables: Tables = {"machine": machine, "workload": {}, "run": run}
        drawn = Drawn(tables, path)
        if drawn.is_accepted(tables):
            return drawn
    # It is refused, which is a result as well.
    return drawn


def _topology(rng: random.Random, folder: Path) -> Tables:
    """Return any topology of the schema, small."""
    kinds = [kind for kind in known_keys().kinds["machine.topology"] if kind != "slim_fly"]
    kind = rng.choice([*kinds, *("mesh", "torus") * 4])
    if kind == "graph":
        named = files.graph(rng)
        for name, text in named.items():
            (folder / name).write_text(text)
        return {"kind": kind, "file": next(iter(named))}
    keys = dict(_pairs(valid.some(rng, "machine.topology", kind, 9)))
    if rng.random() < 0.85:
        keys = {name: value for name, value in keys.items() if not name.startswith("failed")}
    description = {"machine": {"topology": {"kind": kind, **keys}}}
    valid.accepted(description, folder / "e.toml")
    topology: Tables = description["machine"]["topology"]
    return topology


def _route(rng: random.Random, family: Family, drawn: Drawn) -> None:
    """Take another routing than the usual one, if there is one of a few that is accepted."""
    kinds = family.routings or tuple(known_keys().kinds["machine.routing"])
    if not family.routings and rng.random() < 0.3:
        return
    for kind in rng.sample(kinds, min(_ROUTINGS, len(kinds))):
        if kind in family.routings and kind in ("table", "source_routes"):
            drawn.give(files.MAKERS[kind](rng))
            keys = {"kind": kind, "file": "r.csv", "allow_deadlock": True}
            drawn.grow([(("machine", "routing", keys),)])
            return
        if drawn.is_accepted(_with(drawn.tables, [("machine", "routing", {"kind": kind})])):
            keys = valid.some(rng, "machine.routing", kind, 3)
            drawn.grow([(("machine.routing", *pair),) for pair in _pairs(keys)])
            return


def _load(rng: random.Random, family: Family, scale: Scale, drawn: Drawn) -> None:
    """Give it something to do, for as long as is worth while."""
    nodes = drawn.nodes() if drawn.is_accepted(drawn.tables) else 2
    for _ in range(_TRIES):
        load = loads.draw(rng, scale, nodes, family.workloads)
        drawn.give(load.files)
        tables = {name: table for name, table in drawn.tables.items() if name != "workload"}
        run = {**tables["run"], "duration": f"{load.duration_ps} ps"}
        if drawn.is_accepted({**tables, **load.tables, "run": run}):
            drawn.grow([(("workload", *pair),) for pair in load.wishes])
            return


def _wishes(rng: random.Random, family: Family, scale: Scale, topology: str) -> list[Wishes]:
    """Return what may be besides: keys of the machine, and what is recorded."""
    found: list[Wish] = []
    for table, most in _PARTS.items():
        found += [wish for wish in _some(rng, table, most) if wish[1] not in _KEPT[table]]
    found = [(table, key, _scaled(rng, scale, value)) for table, key, value in found]
    found += family.wishes(rng, scale)
    groups: list[Wishes] = [(wish,) for wish in found]
    groups += besides(rng, scale, topology)
    groups = [group for group in groups if not family.fixed & {wish[:2] for wish in group}]
    run = [wish for wish in _some(rng, "run", 3) if wish[1] not in _KEPT["run"]]
    groups += [(wish,) for wish in run if not wish[1].startswith(_ACCOUNTS)]
    groups += _accounts(rng) if family.is_blamed else []
    groups.append((("run", "keep_messages", rng.random() < 0.7),))
    rng.shuffle(groups)
    if family.other_modes and rng.random() < family.other_modes:
        groups.insert(0, (("run", "mode", rng.choice(_MODES)),))
    return groups


_ACCOUNTS = ("blame", "critical", "packet", "slack")


def _accounts(rng: random.Random) -> list[Wishes]:
    """Return what is asked of who makes whom wait: of all, of a share, or nothing."""
    kind = rng.randrange(9)
    if kind < 3:
        waits = [("run", "packet_waits", True)] if kind else []
        return [(("run", "blame", True), *waits)]
    if kind < 5:
        share = ("run", "blame_share", 0.3)
        return [(("run", "blame", True), share)]
    if kind == 5:
        return [(("run", "critical_path", True), ("run", "slack", rng.random() < 0.5))]
    return []


def _some(rng: random.Random, table: str, most: int) -> list[Wish]:
    keys = valid.some(rng, table, None, most)
    return [(table, name, value) for name, value in _pairs(keys)]


def _scaled(rng: random.Random, scale: Scale, value: Any) -> Any:
    """Return a value; a time that suits the others, in place of one of the fuzzer's."""
    return scale.time(rng.choice(_TIMES)) if isinstance(value, str) and value in TIMES else value


def _pairs(keys: Tables) -> list[tuple[str, Any]]:
    return list(keys.items())


def _with(tables: Tables, wishes: Iterable[Wish]) -> Tables:
    """Return tables with some keys given."""
    found: Tables = dict(tables)
    for path, key, value in wishes:
        table = found
        for step in path.split("."):
            table[step] = dict(table.get(step, {}))
            table = table[step]
        table[key] = value
    return found
