"""Counters of every port, from the tables of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tailback.charging import BATCHES, Ints

from .ports import Ports
from .recorded import ROOM, Waiting

if TYPE_CHECKING:
    from tailback.experiment import Experiment

WORD_OCTETS = 4
"""Octets of `PortXmitData` and `PortRcvData`; a tick of `PortXmitWait` is the time of one."""


@dataclass(frozen=True, eq=False)
class Counters:
    """What every port of a machine has counted in the measurement window."""

    ports: Ports
    table: pa.Table
    """A row for each port; what is not known is null."""
    notes: tuple[str, ...]
    """What is not known, and why."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        found: list[dict[str, Any]] = self.table.to_pylist()
        return found


def counters_of(
    experiment: Experiment, tables: Mapping[str, pa.Table], waiting: Waiting | None = None
) -> Counters:
    """Return the counters of a run with these tables, as a folder of results has them.

    `nodes` and `channels` must be there; `blame_waits` and `frames` say more, and so does when
    packets waited.
    """
    channels = tables["channels"]
    ports = Ports.of(experiment, tables["nodes"], channels)
    busy_ps = ports.by_wire(_numbers(channels, "busy_ps"))
    packets = ports.by_wire(_numbers(channels, "packets"))
    octets = busy_octets(experiment, ports, busy_ps)
    utilisation = np.bincount(ports.wire_of, channels["utilisation"].to_numpy(), len(ports.flit_ps))
    wait_ps = _waited(ports, tables)
    queue = None if waiting is None else waiting.longest(len(ports.flit_ps))
    frames = {
        name: None if (of := tables.get("frames")) is None else ports.by_wire(_numbers(of, name))
        for name in ("lost", "pauses", "paused_ps")
    }
    out = [one.out for one in ports.all]
    back = [one.in_ for one in ports.all]
    stalled = _taken(wait_ps, out, "int64")
    busy = _taken(busy_ps, out, "int64")
    columns = {
        **identity_of(ports),
        "xmit_octets": _taken(octets, out, "int64"),
        "xmit_packets": _taken(packets, out, "int64"),
        "rcv_octets": _taken(octets, back, "int64"),
        "rcv_packets": _taken(packets, back, "int64"),
        "xmit_wait_ps": stalled,
        "xmit_wait_ticks": [
            None
            if ps is None
            else ps * experiment.machine.link.flit.bytes // (WORD_OCTETS * int(ports.flit_ps[wire]))
            for ps, wire in zip(stalled, out, strict=True)
        ],
        "busy_ps": busy,
        "utilisation": _taken(utilisation, out, "float64"),
        "stall_to_flit": [
            None if stall is None or not sent else stall / sent
            for stall, sent in zip(stalled, busy, strict=True)
        ],
        "queue_max": _taken(queue, out, "int64"),
        "rcv_discards": _taken(frames["lost"], back, "int64"),
        "xmit_pauses": _taken(frames["pauses"], back, "int64"),
        "rcv_pauses": _taken(frames["pauses"], out, "int64"),
        "paused_ps": _taken(frames["paused_ps"], out, "int64"),
    }
    table = pa.table({name: pa.array(values, _TYPES.get(name)) for name, values in columns.items()})
    return Counters(ports, table, tuple(_notes(wait_ps, queue)))


_FLOATS = ("utilisation", "stall_to_flit")
_WORDS = ("device", "kind", "peer")
_TYPES = {name: pa.float64() for name in _FLOATS} | {name: pa.string() for name in _WORDS}
_TYPES |= {
    name: pa.int64()
    for name in (
        *("port", "xmit_octets", "xmit_packets", "rcv_octets", "rcv_packets", "xmit_wait_ps"),
        *("xmit_wait_ticks", "busy_ps", "queue_max", "rcv_discards", "xmit_pauses"),
        *("rcv_pauses", "paused_ps"),
    )
}


def identity_of(ports: Ports) -> dict[str, list[Any]]:
    """Return the columns that say which port a row is of."""
    return {
        "device": [ports.names[one.device] for one in ports.all],
        "kind": [one.device[0] for one in ports.all],
        "port": [one.number for one in ports.all],
        "peer": [ports.names[one.peer] for one in ports.all],
    }


def busy_octets(experiment: Experiment, ports: Ports, busy_ps: Ints) -> Ints:
    """Return how many octets a wire carries in these times, by wire."""
    return np.asarray(busy_ps * experiment.machine.link.flit.bytes // ports.flit_ps, np.int64)


def _waited(ports: Ports, tables: Mapping[str, pa.Table]) -> Ints | None:
    """Return by wire how long it was idle because the next packet had no room; None: not known.

    Where virtual channels share a wire, time that a granted packet kept its channel idle may be
    that in which others had their turns; then only heads of packets count.
    """
    waits, channels = tables.get("blame_waits"), tables["channels"]
    if waits is None:
        return None
    room = np.zeros(channels.num_rows, np.int64)
    of = waits["channel"].fill_null(channels.num_rows).to_numpy().astype(np.int64)
    known = (np.array(waits["cause"].to_pylist(), str) == ROOM) & (of < channels.num_rows)
    batches = waits["batches"].combine_chunks().flatten().to_numpy()
    times = batches.astype(np.int64).reshape(-1, BATCHES).sum(axis=1)
    np.add.at(room, of[known], times[known])
    kept = _numbers(channels, "held_ps") - _numbers(channels, "busy_ps")
    kept[ports.channels_of[ports.wire_of] > 1] = 0
    return ports.by_wire(np.maximum(room, kept))


def _notes(wait_ps: Ints | None, queue: Ints | None) -> list[str]:
    found = []
    if wait_ps is None:
        found.append(
            "PortXmitWait is not known: the run did not keep waits (run.packet_waits), as none "
            "with [[fault]] of links does"
        )
    if queue is None:
        found.append(
            "the longest queues are not known: they are counted in mode full without [[fault]] "
            "of links, if it ends or has a run.duration, of at most 1,000,000 turns and waits"
        )
    return found


def _taken(values: Any, wires: list[int | None], kind: str) -> list[Any]:
    """Return the values of wires; None where there is no wire, or nothing is known."""
    if values is None:
        return [None] * len(wires)
    listed = np.asarray(values, kind).tolist()
    return [None if wire is None else listed[wire] for wire in wires]


def _numbers(table: pa.Table, name: str) -> Ints:
    return np.asarray(table[name].to_numpy(), np.int64)
