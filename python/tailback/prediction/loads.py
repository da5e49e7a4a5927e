"""How loaded channels are where there are too many pairs of nodes to walk the ways of all.

A sample of sources, scaled up, would make what is near to a sampled source the most loaded by
far. So

* where every node sees the same network and sends alike, one source's loads are those of all:
  exact, as averages over all channels that are alike;
* elsewhere two samples are taken: of as many messages from every node, or of different sources
  where destinations are not all alike. Loads are estimates, the means of both; a channel counts as
  loaded as much as both samples say. Node links, where all nodes send alike, are means over all
  nodes: exact.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine
from tailback.survey import sees_the_same
from tailback.workloads import Synthetic

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Pairs of nodes whose ways are walked, and links of all these ways, roughly: seconds.
PAIRS = 2_000_000
_HOPS = 500_000_000
#: Links of all ways that are walked in a second or two, whatever the number of pairs.
_FEW_HOPS = 12_000_000
#: Links of the ways in each of two samples.
_DRAWN_HOPS = 4_000_000
_SAME = 1e-9

_Floats = NDArray[np.float64]
Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Loads:
    """What was predicted, by the names of `engine.predict`, and how sure that is."""

    predicted: dict[str, Any]
    exact: bool
    """Whether means and loads are those of all pairs, whether these were all walked or not."""
    max_exact: bool
    """Whether the most loaded channel is known, and not estimated."""
    least_load: _Floats | None = None
    """By channel, how loaded it is at least by two samples; None: as predicted."""


def predicted_loads(experiment: Experiment, channels: pa.Table) -> Loads:
    """Return what is predicted; `channels` are those of the machine, with their ends."""
    machine = experiment.machine
    hops = max(1, machine.topology.facts.typical_hops)
    most = max(min(PAIRS, _HOPS // hops), min(_FEW_HOPS // hops, 3 * PAIRS))
    nodes = machine.nodes
    if nodes * (nodes - 1) > most and sends_alike(experiment):
        if sees_the_same(machine):
            return _of_one_source(experiment, channels)
        return _of_samples(experiment, channels, most, alike=True)
    spec, messages = experiment.spec(), experiment.messages_arrays()
    predicted = engine.predict(spec, most, messages)
    if predicted["exact"]:
        return Loads(predicted, exact=True, max_exact=True)
    return _of_samples(experiment, channels, most, alike=False)


def sends_alike(experiment: Experiment) -> bool:
    """Return whether every node sends to every other, and to all equally often."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or workload.pattern != "uniform":
        return False
    reach = workload.reach(machine)
    everywhere = reach is None or reach >= max(machine.shape) - 1
    return everywhere and not workload.includes_self


def _of_one_source(experiment: Experiment, channels: pa.Table) -> Loads:
    """Return loads as node 0 makes them, averaged over all channels that are alike."""
    nodes = experiment.machine.nodes
    workload = experiment.workload
    assert isinstance(workload, Synthetic)
    rows = _rows(np.zeros(nodes - 1, np.uint32), np.arange(1, nodes), workload)
    predicted = engine.predict(_spec_of_list(experiment), max(PAIRS, nodes), rows)
    load: _Floats = predicted["channel_load"]
    alike = _alike(channels)
    means = np.bincount(alike, load) / np.bincount(alike)
    chooses = predicted["routing_chooses"] or predicted["ways"] > 1
    changed = {
        "channel_load": means[alike],
        "pairs": nodes * (nodes - 1),
        **_ends(experiment, channels, means[alike]),
    }
    return Loads(predicted | changed, exact=not chooses, max_exact=not chooses)


def _of_samples(experiment: Experiment, channels: pa.Table, most: int, *, alike: bool) -> Loads:
    """Return loads of two samples: their means, and what both have at least."""
    if alike:
        spec = _spec_of_list(experiment)
        samples = [engine.predict(spec, len(rows[0]), rows) for rows in _drawn(experiment)]
    else:
        given = experiment.spec(), experiment.messages_arrays()
        samples = [engine.predict(given[0], most // part, given[1]) for part in (2, 3)]
    loads = [np.array(sample["channel_load"], dtype=np.float64) for sample in samples]
    kinds = channels["kind"].to_numpy()
    for load in loads:
        for kind in ("injection", "ejection") if alike else _levelled(experiment):
            load[kinds == kind] = load[kinds == kind].mean() if (kinds == kind).any() else 0.0
    mean, least = np.mean(loads, axis=0), np.min(loads, axis=0)
    best = max(samples, key=lambda sample: int(sample["pairs"]))
    ends = _ends(experiment, channels, least)
    ends["channel_load_mean_internal"] = best["channel_load_mean_internal"]
    if best["saturation_messages_per_node_per_ms"] is None:
        ends["saturation_messages_per_node_per_ms"] = None
    wires, of = by_wire(experiment, channels, least)
    outside = float(wires[of != "internal"].max(initial=0.0))
    max_exact = alike and outside >= ends["channel_load_max"] * (1 - _SAME)
    return Loads(best | {"channel_load": mean} | ends, False, max_exact, least)


def _levelled(experiment: Experiment) -> tuple[str, ...]:
    """Return the kinds of channels that are as loaded as each other: where all nodes send alike."""
    workload = experiment.workload
    if not isinstance(workload, Synthetic) or workload.pattern == "traffic_matrix":
        return ()
    return ("injection",)


def _drawn(experiment: Experiment) -> Iterator[Rows]:
    """Yield two lists of messages: every node sends as many, to any others; always the same."""
    workload, nodes = experiment.workload, experiment.machine.nodes
    assert isinstance(workload, Synthetic)
    hops = max(1, experiment.machine.topology.facts.typical_hops)
    each = max(1, round(_DRAWN_HOPS / hops / nodes))
    draw = np.random.Generator(np.random.PCG64(1))
    for _ in range(2):
        source = np.tile(np.arange(nodes, dtype=np.uint32), each)
        further = draw.integers(1, nodes, len(source), dtype=np.uint32)
        yield _rows(source, (source + further) % np.uint32(nodes), workload)


def _ends(experiment: Experiment, channels: pa.Table, load: _Floats) -> dict[str, Any]:
    """Return the load of the most loaded wire, and the rate at which it is always busy."""
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
    """Return loads of wires, and their kinds: virtual channels that share one count together."""
    first = first_of_wires(experiment, channels)
    summed: _Floats = np.add.reduceat(load, first) if len(first) else np.zeros(0)
    return summed, channels["kind"].to_numpy()[first]


def first_of_wires(experiment: Experiment, channels: pa.Table) -> NDArray[np.int64]:
    """Return the rows of the first virtual channels of wires; they are one after the other."""
    machine = experiment.machine
    shared = {
        "internal": machine.channels_per_wire if machine.link.sharing != "separate" else 1,
        "injection": machine.node_channels_per_wire,
        "ejection": machine.node_channels_per_wire,
    }
    kinds = channels["kind"].to_numpy()
    found = [np.zeros(0, np.int64)]
    for kind in dict.fromkeys(kinds.tolist()):
        own = np.flatnonzero(kinds == kind)
        size = shared.get(kind, 1)
        found.append(own[:: size if len(own) % size == 0 else 1])
    return np.sort(np.concatenate(found))


def _alike(channels: pa.Table) -> NDArray[np.int64]:
    """Return numbers that channels share which are alike, from 0 on: of one kind and dimension.

    Both directions are alike: where both ways to a place are as short, as many sources take one as
    the other.
    """
    columns = [channels["kind"].to_numpy()]
    if "dimension" in channels.column_names:
        columns.append(channels["dimension"].to_numpy())
    codes = np.zeros(channels.num_rows, np.int64)
    for column in columns:
        _, code = np.unique(column, return_inverse=True)
        codes = codes * (int(code.max(initial=0)) + 1) + code
    _, found = np.unique(codes, return_inverse=True)
    return found.astype(np.int64)


def _spec_of_list(experiment: Experiment) -> str:
    """Return the description of the machine with a list of messages."""
    spec = json.loads(experiment.spec())
    spec.pop("blame", None)
    columns = ("time_ps", "source", "destination", "bytes")
    spec["workload"] = {"kind": "messages"} | {column: [] for column in columns}
    return json.dumps(spec)


def _rows(source: NDArray[Any], destination: NDArray[Any], workload: Synthetic) -> Rows:
    """Return messages at time 0: columns of times, sources, destinations and bytes."""
    count = len(source)
    sizes = np.full(count, workload.mean_bytes, np.uint32)
    return np.zeros(count, np.uint64), source, destination.astype(np.uint32), sizes
