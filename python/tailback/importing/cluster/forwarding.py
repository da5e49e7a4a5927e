"""InfiniBand: forwarding tables, as `dump_lfts`, `ibroute` and OpenSM write them.

One block for each switch; a line is the address (lid) of a destination and the output port. What
stands behind them, and the two lines of headings, may be missing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import UserError, line_mistake, read_lines
from .description import Cluster

_BLOCK = re.compile(
    rb"Unicast lids .* of switch (?:DR path .*? |Lid (\d{1,5}) )?.*?guid (0x[0-9a-fA-F]{1,16})"
)
_ROW = re.compile(rb"\s*(0x[0-9a-fA-F]{1,4})\s+(\d{1,3})\b")
_IGNORED = re.compile(
    rb"\s*(?:Lid\s+Out\b|Port\s+Info\b|\d+ (?:valid )?(?:mlids|lids)\b|#|$)|.*dumped"
)

#: The port of a switch for what it does not forward.
NONE = 0xFFFF
_DROPPED = 255


@dataclass
class Tables:
    """The output port of every switch for every address."""

    path: Path
    ports: dict[str, array[int]] = field(default_factory=dict)
    """By switch, then by lid; `NONE`: the table has no line."""
    lines: dict[str, int] = field(default_factory=dict)
    """In which line the block of a switch begins."""

    def mistake(self, line: int | None, given: object, allowed: str) -> UserError:
        """Return a mistake in a line of the file."""
        return line_mistake(self.path, line, given, allowed)


def read_tables(path: Path, cluster: Cluster) -> Tables:
    """Read tables of the switches of a cluster.

    Raises `UserError` for a switch that is not there or has two tables, an address of nothing, a
    port without a cable, and what is no line of a table.
    """
    if not cluster.lids:
        allowed = "has addresses (lids) of InfiniBand, which the file of the network does not have"
        raise UserError(str(path), None, allowed)
    found = Tables(path)
    cabled = _cabled(cluster)
    size = max(cluster.lids) + 1
    rows: Iterator[tuple[int, bytes]] = enumerate(read_lines(path), 1)
    name, ports, own = None, array("H"), dict[int, int]()
    for number, line in rows:
        row = _ROW.match(line)
        if row is None:
            if line.startswith(b"Unicast"):
                name = _switch(found, cluster, number, line)
                ports = found.ports[name] = array("H", [NONE]) * size
                own = cabled[name]
            elif line.startswith(b"Multicast"):
                raise found.mistake(number, _text(line), "are multicast tables; not read")
            elif not _IGNORED.match(line):
                raise found.mistake(number, _text(line), "must be like 0x0004 012")
            continue
        if name is None:
            allowed = "stands before the first line that begins with Unicast lids"
            raise found.mistake(number, _text(line), allowed)
        lid, port = int(row[1], 16), int(row[2])
        if port == _DROPPED:
            continue
        if lid not in cluster.lids:
            raise found.mistake(number, f"lid {lid}", f"is of no port that {cluster.path} names")
        if port not in own and not (port == 0 and cluster.lids[lid] == name):
            raise found.mistake(number, f"port {port}", _no_port(port, name, own))
        if ports[lid] != NONE:
            raise found.mistake(number, f"lid {lid}", f"has a line already for switch {name}")
        ports[lid] = port
    if not found.ports:
        allowed = "has no tables, such as: Unicast lids [0x0-0x5f] of switch Lid 9 guid 0x8f1..."
        raise found.mistake(None, None, allowed)
    return found


def _no_port(port: int, name: str, own: dict[int, int]) -> str:
    if port == 0:
        return f"is switch {name} itself, and the address is not its own"
    return f"has no cable at switch {name}; must be one of its ports, {min(own)} to {max(own)}"


def _switch(found: Tables, cluster: Cluster, line: int, text: bytes) -> str:
    """Return the switch that a block is of."""
    head = _BLOCK.match(text)
    if head is None:
        allowed = "must be like Unicast lids [0x0-0x5f] of switch Lid 9 guid 0x0008f10500200b50"
        raise found.mistake(line, _text(text), allowed)
    name = cluster.guids.get(int(head[2], 16))
    if name is None or name not in cluster.switches:
        raise found.mistake(line, _text(head[2]), f"is no switch of {cluster.path}")
    if name in found.lines:
        allowed = f"switch {name} has a table already, in line {found.lines[name]}"
        raise found.mistake(line, _text(head[2]), allowed)
    found.lines[name] = line
    return name


def _text(text: bytes) -> str:
    return text.decode(errors="replace").strip()


def _cabled(cluster: Cluster) -> dict[str, dict[int, int]]:
    """Return the ports of every switch that have a cable, by number."""
    found: dict[str, dict[int, int]] = {name: {} for name in cluster.switches}
    for number, cable in enumerate(cluster.cables):
        for name, port in zip(cable.ends, cable.ports, strict=True):
            if name in found and port is not None:
                found[name][port] = number
    return found
