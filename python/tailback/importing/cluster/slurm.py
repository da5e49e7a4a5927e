"""Slurm: `topology.conf` of the tree plugin, switches with their nodes and the switches joined.

A cable may be named from both of its ends, and counts once. Rates are not in the file.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

from ...errors import read_text
from .description import Cable, Cluster, Reader

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_KEYS = ("switchname", "nodes", "switches", "linkspeed")
_MOST_NAMES = 1 << 20


def read(path: Path) -> Cluster:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    given: dict[str, tuple[int, dict[str, list[str]]]] = {}
    for line, said in _statements(read_text(path)):
        keys = _keys(found, line, said)
        for name in keys["switchname"]:
            if name in given:
                raise found.mistake(line, name, f"is there already, in line {given[name][0]}")
            given[name] = line, keys
            found.add_switch(name, line)
    if not given:
        raise found.mistake(None, None, "has no switch, such as SwitchName=leaf0 Nodes=node[0-17]")
    joined: dict[tuple[str, str], int] = {}
    for name, (line, keys) in given.items():
        for node in keys.get("nodes", ()):
            if node in found.switches:
                allowed = f"is a switch, in line {found.switches[node]}; must be a node here"
                raise found.mistake(line, node, allowed)
            if (node, name) in joined:
                raise found.mistake(line, node, f"is on switch {name} already")
            joined[node, name] = line
            if node not in found.hosts:
                found.add_host(node, line)
            found.join(line, Cable((node, name)))
        for other in keys.get("switches", ()):
            pair = (min(name, other), max(name, other))
            if pair not in joined:
                joined[pair] = line
                found.join(line, Cable((name, other)))
    found.notes.append("the file has no rates: machine.link is a choice")
    return found


def _statements(text: str) -> list[tuple[int, str]]:
    """Return lines that say something, those that end in a backslash with the next."""
    found: list[tuple[int, str]] = []
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        more = said.endswith("\\")
        said = said.removesuffix("\\").strip()
        if goes_on:
            found[-1] = (found[-1][0], f"{found[-1][1]} {said}")
        elif said:
            found.append((number, said))
        goes_on = more and bool(found)
    return found


def _keys(found: Cluster, line: int, said: str) -> dict[str, list[str]]:
    """Return the names of each key of a line."""
    keys: dict[str, list[str]] = {}
    for word in said.split():
        key, equals, value = word.partition("=")
        if key.lower() == "blockname":
            raise found.mistake(line, key, "is of the block plugin, which has no links; not read")
        if not equals or key.lower() not in _KEYS:
            raise found.mistake(line, word, "must be SwitchName=, Nodes=, Switches= or LinkSpeed=")
        if key.lower() in keys:
            raise found.mistake(line, key, "is there twice in this line")
        keys[key.lower()] = [value] if key.lower() == "linkspeed" else _names(found, line, value)
    if "switchname" not in keys:
        raise found.mistake(line, said, "must begin with SwitchName=")
    return keys


def _names(found: Cluster, line: int, text: str) -> list[str]:
    """Return the names of a host list: `a[00-02,7],b` is a00, a01, a02, a7, b."""
    names: list[str] = []
    for part in re.split(r",(?![^\[]*\])", text):
        pieces = re.split(r"(\[[^\[\]]*\])", part)
        if not part or any(mark in "".join(pieces[::2]) for mark in "[]"):
            raise found.mistake(line, text, "is no list of names, such as node[000-017,020]")
        choices = [
            _numbers(found, line, piece[1:-1]) if place % 2 else [piece]
            for place, piece in enumerate(pieces)
        ]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count + len(names) > _MOST_NAMES:
            raise found.mistake(line, text, f"must be at most {_MOST_NAMES} names")
        names += map("".join, product(*choices))
    return names


def _numbers(found: Cluster, line: int, text: str) -> list[str]:
    numbers: list[str] = []
    for part in text.split(","):
        ends = _RANGE.fullmatch(part)
        if ends is None:
            raise found.mistake(line, f"[{text}]", "must be numbers and ranges, such as [000-017]")
        first, last = ends[1], ends[2] or ends[1]
        if int(last) < int(first) or int(last) - int(first) >= _MOST_NAMES:
            raise found.mistake(line, part, f"must be at most {_MOST_NAMES} ascending numbers")
        numbers += [str(at).zfill(len(first)) for at in range(int(first), int(last) + 1)]
    return numbers


def _is_like(head: bytes) -> bool:
    return bool(re.search(rb"^\s*(SwitchName|BlockName)\s*=", head, re.MULTILINE | re.IGNORECASE))


READERS = (Reader("slurm", "Slurm: topology.conf of the tree plugin", _is_like, read),)
