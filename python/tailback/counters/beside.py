"""Measured counters beside simulated ones, port by port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailback.errors import line_mistake, nearest
from tailback.importing.cluster.readers import read_cluster

from .counting import Counters
from .measured import Block
from .readers import Counted, between

TRAFFIC = ("xmit_octets", "rcv_octets", "xmit_packets", "rcv_packets")
"""Columns by which ports disagree: what they count means the same everywhere."""


@dataclass(frozen=True)
class Row:
    """One port: simulated, measured, and how far apart they are."""

    device: str
    port: int
    peer: str
    simulated: dict[str, int | None]
    measured: dict[str, int]
    apart: float
    """The largest difference of a column of `TRAFFIC`, over the most that any port measured (or
    where none has measured any: simulated)."""
    by: str
    """The column that it is of."""
    wrapped: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the row for JSON."""
        return {**vars(self), "wrapped": list(self.wrapped)}


@dataclass(frozen=True)
class Beside:
    """Ports that were measured, those that disagree most first."""

    rows: tuple[Row, ...]
    not_measured: int
    """Ports of the machine that the files do not have."""

    @property
    def is_idle(self) -> bool:
        """Whether no port has counted any traffic between the files."""
        return not any(row.measured.get(name) for row in self.rows for name in TRAFFIC)


def beside(counters: Counters, before: Path, after: Path, network: Path | None = None) -> Beside:
    """Return what was measured between two files beside simulated counters.

    ``network``: a file with the addresses of devices (`ibnetdiscover`). Raises `UserError`.
    """
    cluster = None if network is None else read_cluster(network)
    rows = counters.rows
    known = {(row["device"], row["port"]): row for row in rows}
    devices = {row["device"] for row in rows}

    def place(block: Block) -> tuple[str, int]:
        names = [block.device]
        if cluster is not None:
            addresses = cluster.lids.get(block.lid or -1), cluster.guids.get(block.guid or -1)
            names += [name for name in addresses if name is not None]
        name = next((one for one in names if one in devices), None)
        if name is None:
            given = f"Lid {block.lid}" if block.device == str(block.lid) else block.device
            hint = "" if network or block.lid is None else "; --network names addresses"
            allowed = f"is no switch or node of the machine{hint}"
            raise line_mistake(block.path, block.line, given, allowed, nearest(given, devices))
        if (name, block.port) not in known:
            ports = sorted(port for device, port in known if device == name)
            if name != block.device and len(ports) == 1:
                return name, ports[0]  # An address of its own: a port of an adapter.
            allowed = f"is no port of {name}, which has {', '.join(map(str, ports))}"
            raise line_mistake(block.path, block.line, block.port, allowed)
        return name, block.port

    found = between(before, after, place)
    simulated = [known[one.device, one.port] for one in found]
    most = {name: _most(name, found, simulated) for name in TRAFFIC}
    made = [_row(*pair, most) for pair in zip(found, simulated, strict=True)]
    made.sort(key=lambda row: -row.apart)
    return Beside(tuple(made), len(known) - len(made))


def _most(name: str, found: Sequence[Counted], simulated: Sequence[dict[str, Any]]) -> int:
    """Return the most of a column that any port measured; if none did, simulated; at least 1."""
    measured = max(one.values.get(name, 0) for one in found)
    return measured or max(1, *(row[name] or 0 for row in simulated))


def _row(one: Counted, simulated: dict[str, Any], most: dict[str, int]) -> Row:
    apart = {
        name: abs(one.values[name] - (simulated[name] or 0)) / most[name]
        for name in TRAFFIC
        if name in one.values
    }
    by = max(apart, key=apart.__getitem__, default="")
    values = {name: simulated[name] for name in one.values}
    peer = str(simulated["peer"])
    return Row(one.device, one.port, peer, values, one.values, apart.get(by, 0.0), by, one.wrapped)
