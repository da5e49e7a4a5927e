"""Loads of channels and of shared wires, and the lists of messages that predict them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine
from tailback.workloads import Synthetic

if TYPE_CHECKING:
    from tailback.experiment import Experiment

_Floats = NDArray[np.float64]
Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]

#: What a channel leads from and to, in a table of channels.
ENDS = ("from_node", "to_node")
#: Channels between nodes and switches.
NODE_LINKS = ("injection", "ejection")


@dataclass(frozen=True)
class Loads:
    """Predictions by the names of `engine.predict`, and whether they are exact."""

    predicted: dict[str, Any]
    exact: bool
    """Whether means and loads are those of all pairs."""
    max_exact: bool
    """Whether the load of the most loaded channel is exact."""
    least_load: _Floats | None = None
    """By channel, the smaller load of two samples; None: as predicted."""


def ends(experiment: Experiment, channels: pa.Table, load: _Floats) -> dict[str, Any]:
    """Return the load of the most loaded wire, and the message rate that saturates it."""
    wires, kinds = by_wire(experiment, channels, load)
    most = float(wires.max(initial=0.0))
    internal = wires[kinds == "internal"]
    workload = experiment.workload
    drain_ps = experiment.machine.interface.drain_byte_ps or 0
    drained = drain_ps * workload.mean_bytes if isinstance(workload, Synthetic) else 0
    busiest = max(most, drained)
    return {
        "channel_load_max": most,
        "channel_load_mean_internal": float(internal.mean()) if len(internal) else 0.0,
        "saturation_messages_per_node_per_ms": 1e9 / busiest if busiest > 0 else None,
    }


def by_wire(
    experiment: Experiment, channels: pa.Table, load: _Floats
) -> tuple[_Floats, NDArray[Any]]:
    """Return loads and kinds of wires; virtual channels that share a wire are added up."""
    wires = wires_of(experiment, channels)
    summed: _Floats = wires.sums(load)
    return summed, channels["kind"].to_numpy()[wires.first]


@dataclass(frozen=True, eq=False)
class Wires:
    """Which rows of a table of channels share a wire."""

    first: NDArray[np.int64]
    """The row of the first channel of each wire."""
    of: NDArray[np.int64]
    """By row, which of these its wire is."""

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return sums of the values of each wire's channels, by wire."""
        order, starts = self._order
        return np.add.reduceat(values[order], starts) if len(starts) else np.zeros(0)

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.of, kind="stable")
        return order, np.searchsorted(self.of[order], np.arange(len(self.first)))


def wires_of(experiment: Experiment, channels: pa.Table) -> Wires:
    """Return which of all channels of a machine share a wire.

    Those of a link lie on its wires in turn, or where routing tells parallel links apart one link
    after the other.
    """
    machine, rows = experiment.machine, np.arange(channels.num_rows)
    told_apart = machine.routing is not None and machine.routing.parallel_links != "any"
    shared = {
        "internal": machine.channels_per_wire if machine.link.sharing != "separate" else 1,
        "injection": machine.node_channels_per_wire,
        "ejection": machine.node_channels_per_wire,
    }
    if max(shared.values()) == 1:
        return Wires(rows, rows)
    encoded = channels["kind"].combine_chunks()
    sizes = [shared.get(kind, 1) for kind in encoded.dictionary.to_pylist()]
    size = np.array(sizes, np.int64)[encoded.indices.to_numpy()]
    place = channels["place"].to_numpy().astype(np.int64)
    link = rows - place
    width = np.bincount(link, minlength=len(rows))[link]
    size[width % size > 0] = 1
    width //= size
    wire = link + (place // size * size if told_apart else place % width)
    is_first = np.zeros(len(rows), np.int64)
    is_first[wire] = 1
    return Wires(np.flatnonzero(is_first), np.cumsum(is_first)[wire] - 1)


def spec_of_list(experiment: Experiment, packet_bytes: int | None = None) -> str:
    """Return the engine's description of the machine with an empty list of messages."""
    spec = json.loads(experiment.spec())
    if packet_bytes is not None:
        spec["machine"]["interface"]["packet_bytes"] = packet_bytes
    spec.pop("blame", None)
    columns = ("time_ps", "source", "destination", "bytes")
    spec["workload"] = {"kind": "messages"} | {column: [] for column in columns}
    return json.dumps(spec)


def even_out(load: _Floats, channels: pa.Table, kinds: Sequence[str] = NODE_LINKS) -> None:
    """Give all channels of a kind the mean of their loads."""
    of = channels["kind"].to_numpy()
    for kind in kinds:
        if (of == kind).any():
            load[of == kind] = load[of == kind].mean()


def of_some_pairs(experiment: Experiment, count: int) -> dict[str, Any]:
    """Return predictions from messages between some pairs of nodes: drawn, and always the same."""
    workload, nodes = experiment.workload, experiment.machine.nodes
    assert isinstance(workload, Synthetic)
    drawn = np.random.Generator(np.random.PCG64(1))
    start = drawn.integers(0, nodes, count, dtype=np.uint32)
    end = (start + drawn.integers(1, nodes, count, dtype=np.uint32)) % np.uint32(nodes)
    return engine.predict(spec_of_list(experiment), count, rows(start, end, workload))


def rows(source: NDArray[Any], destination: NDArray[Any], workload: Synthetic) -> Rows:
    """Return messages at time 0: columns of times, sources, destinations and bytes."""
    count = len(source)
    sizes = np.full(count, workload.mean_bytes, np.uint32)
    return np.zeros(count, np.uint64), source, destination.astype(np.uint32), sizes
