"""InfiniBand: forwarding tables, as `dump_lfts`, `ibroute` and OpenSM write them.

One block for each switch; a line is the address (lid) of a destination and the output port. What
stands behind them, and the two lines of headings, may be missing.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError, line_mistake, read_pieces
from .description import Cluster
from .rows import Rows

if TYPE_CHECKING:
    from .rows import Flags, Numbers

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
#: Ports that the three digits of a row can name.
_MOST_PORTS = 1000
#: Bytes of a file that are read at once.
_PIECE = 1 << 22


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
    import numpy as np

    found = Tables(path)
    cabled = _cabled(cluster)
    owned: dict[str, list[int]] = {}
    for lid, owner in cluster.lids.items():
        owned.setdefault(owner, []).append(lid)
    is_there = np.zeros(1 << 16, bool)
    is_there[list(cluster.lids)] = True
    nothing = array("H", [NONE]) * (max(cluster.lids) + 1)
    block = _Block(found, cluster, is_there, None)
    first = 1
    for text in read_pieces(path, _PIECE):
        rows = Rows(text)
        begin = 0
        for at in rows.unusual:
            line = rows.line(at)
            if row := _ROW.match(line):
                rows.lids[at], rows.ports[at] = int(row[1], 16), int(row[2])
                continue
            block.add(first, rows, range(begin, at))
            begin = at + 1
            if line.startswith(b"Unicast"):
                name = _switch(found, cluster, first + at, line)
                found.ports[name] = nothing[:]
                block = _Block(found, cluster, is_there, name, cabled[name], owned.get(name, []))
            elif line.startswith(b"Multicast"):
                raise found.mistake(first + at, _text(line), "are multicast tables; not read")
            elif not _IGNORED.match(line):
                raise found.mistake(first + at, _text(line), "must be like 0x0004 012")
        block.add(first, rows, range(begin, len(rows)))
        first += len(rows)
    if not found.ports:
        allowed = "has no tables, such as: Unicast lids [0x0-0x5f] of switch Lid 9 guid 0x8f1..."
        raise found.mistake(None, None, allowed)
    return found


@dataclass(frozen=True)
class _Block:
    """The table of one switch, to which rows are added."""

    found: Tables
    cluster: Cluster
    is_there: Flags
    """Of each address: whether the file of the network names its port."""
    name: str | None
    """None: before the first switch."""
    own: dict[int, int] = field(default_factory=dict)
    """Its ports that have a cable."""
    own_lids: list[int] = field(default_factory=list)

    def add(self, first: int, rows: Rows, some: range) -> None:
        """Add rows; ``first``: the line of row 0. Raises `UserError` for the first wrong one."""
        import numpy as np

        if not some:
            return
        if self.name is None:
            allowed = "stands before the first line that begins with Unicast lids"
            raise self.found.mistake(first + some.start, _text(rows.line(some.start)), allowed)
        sent = rows.ports[some.start : some.stop] != _DROPPED
        places = some.start + np.flatnonzero(sent)
        lids, ports = rows.lids[places], rows.ports[places]
        of_lids = np.frombuffer(self.found.ports[self.name], np.uint16)
        is_right = (
            self._leads(lids, ports) & _are_first(lids) & (of_lids.take(lids, mode="clip") == NONE)
        )
        if not is_right.all():
            at = int(is_right.argmin())
            raise self._mistake(first + int(places[at]), int(lids[at]), int(ports[at]))
        of_lids[lids] = ports

    def _leads(self, lids: Numbers, ports: Numbers) -> Flags:
        """Return which rows are of an address that is there, over a cable or to the switch."""
        import numpy as np

        has_cable = np.zeros(_MOST_PORTS, bool)
        has_cable[[port for port in self.own if port < len(has_cable)]] = True
        is_own = (ports == 0) & np.isin(lids, self.own_lids)
        found: Flags = self.is_there[lids] & (has_cable[ports] | is_own)
        return found

    def _mistake(self, line: int, lid: int, port: int) -> UserError:
        """Return what is wrong with a row."""
        owners, mistake = self.cluster.lids, self.found.mistake
        if lid not in owners:
            return mistake(line, f"lid {lid}", f"is of no port that {self.cluster.path} names")
        if port not in self.own and not (port == 0 and owners[lid] == self.name):
            return mistake(line, f"port {port}", _no_port(port, str(self.name), self.own))
        return mistake(line, f"lid {lid}", f"has a line already for switch {self.name}")


def _are_first(lids: Numbers) -> Flags:
    """Return which rows are the first of their address among these."""
    import numpy as np

    count = np.arange(len(lids))
    places = np.zeros(1 << 16, np.int64)
    places[lids[::-1]] = count[::-1]
    found: Flags = places[lids] == count
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
