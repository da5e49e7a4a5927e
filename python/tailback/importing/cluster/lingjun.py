"""Lingjun 2023: `topo.csv`, for each host the switches of three tiers above it.

The file says which switches are above a host, not how many cables there are: one between a
host and its ASW, one between an ASW and each PSW that is named with it, and so between PSW and DSW.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...csv_files import read_csv
from .description import Cable, Cluster, Reader

_TIERS = ("DSW", "PSW", "ASW")


def read(path: Path) -> Cluster:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    joined: set[tuple[str, str]] = set()
    for line, cells in read_csv(path, ("ip", *_TIERS)).cells(("ip", *_TIERS)):
        host, *above = cells
        for name, column in zip(cells, ("ip", *_TIERS), strict=True):
            if not name:
                raise found.mistake(line, None, f"has no {column}")
        group = above[0]
        chain = [group, f"{group}.{above[1]}", f"{group}.{above[2]}"]
        for name in chain:
            if name not in found.switches:
                found.add_switch(name, line)
        found.add_host(host, line)
        found.join(line, Cable((host, chain[2])))
        for lower, upper in ((chain[2], chain[1]), (chain[1], chain[0])):
            if (lower, upper) not in joined:
                joined.add((lower, upper))
                found.join(line, Cable((lower, upper)))
    _join_groups(found)
    found.notes.append(
        "the file says which switches are above a host: one cable to each is a choice, and so "
        "are rates"
    )
    return found


def _join_groups(found: Cluster) -> None:
    """Join several DSW by a switch above them, which the file does not name."""
    groups = [name for name in found.switches if "." not in name]
    if len(groups) > 1:
        found.add_switch("core", 1)
        for name in groups:
            found.join(1, Cable((name, "core")))
        found.notes.append("a switch `core` joins the DSW: the file does not say how they are")


def _is_like(head: bytes) -> bool:
    return bool(re.match(rb"\s*ip,DSW,PSW,ASW", head))


READERS = (Reader("lingjun", "Lingjun 2023: topo.csv", _is_like, read),)
