"""Slurm: `topology.conf` of the tree plugin, switches with their nodes and the switches joined.

A cable may be named from both of its ends, and counts once. Rates are not in the file. What the
block plugin says is read by `slurm_blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import read_text
from . import slurm_blocks
from .description import Cable, Cluster, Reader
from .slurm_text import names_of, statements, words_of


def read(path: Path) -> Cluster:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    text = read_text(path)
    if _YAML.search(text):
        raise Cluster(path).mistake(None, None, "is a topology.yaml; only topology.conf is read")
    said = statements(text)
    if any(_BLOCKS.match(line) for _, line in said):
        return slurm_blocks.blocks(path, said)
    return _tree(path, said)


def _tree(path: Path, said: Sequence[tuple[int, str]]) -> Cluster:
    found = Cluster(path)
    given: dict[str, tuple[int, dict[str, list[str]]]] = {}
    for line, words in said:
        keys = _keys(found, line, words)
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


_BLOCKS = re.compile(r"Block(Name|Sizes)\s*=", re.IGNORECASE)
_YAML = re.compile(r"^-\s*topology\s*:", re.MULTILINE)


def _keys(found: Cluster, line: int, said: str) -> dict[str, list[str]]:
    """Return the names of each key of a line."""
    words = words_of(found, line, said, ("SwitchName", "Nodes", "Switches", "LinkSpeed"))
    if "switchname" not in words:
        raise found.mistake(line, said, "must begin with SwitchName=")
    return {
        key: [value] if key == "linkspeed" else names_of(found, line, value)
        for key, value in words.items()
    }


def _is_like(head: bytes) -> bool:
    mark = r"^\s*(SwitchName|BlockName|BlockSizes)\s*="
    text = head.decode("latin-1")
    return bool(re.search(mark, text, re.MULTILINE | re.IGNORECASE) or _YAML.search(text))


READERS = (Reader("slurm", "Slurm: topology.conf of the tree and block plugins", _is_like, read),)
