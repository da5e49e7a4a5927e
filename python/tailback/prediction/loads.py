"""How loaded channels are where there are too many pairs of nodes to walk the ways of all.

A sample of sources, scaled up, would make what is near to a sampled source the most loaded by
far. So

* where all nodes send alike and a few sources stand for all, their loads are those of all: exact,
  as averages over all channels that are alike;
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
from tailback.survey import Symmetry, symmetry
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
#: The same on machines of more nodes than this.
_MANY_NODES = 16_384
_SAME = 1e-9

#: Routing that moves with networks of a kind, by the shortest ways.
_MOVING = {
    "torus": ("dimension_order", "minimal_adaptive"),
    "concentrated_torus": ("dimension_order", "minimal_adaptive"),
    "hypercube": ("dimension_order", "minimal_adaptive"),
    "hyperx": ("dimension_order", "minimal_adaptive"),
    "fully_connected": ("shortest",),
    "dragonfly": ("minimal",),
    "dragonfly_plus": ("minimal",),
    "fat_tree": ("nearest_common_ancestor",),
    "pod_fat_tree": ("nearest_common_ancestor",),
    "xgft": ("nearest_common_ancestor",),
}
#: The same by ways that are drawn, where every node sees the same network: loads are estimates.
_DRAWING = ("valiant", "ugal_l", "ugal_g", "dal", "profitable", "chaos", "deflection")
_DRAWN_ON = ("torus", "concentrated_torus", "hypercube", "hyperx")

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
    nodes = machine.nodes
    most = max(min(PAIRS, _HOPS // hops), min(_FEW_HOPS // hops, 3 * PAIRS))
    if nodes > _MANY_NODES:
        most = max(nodes, _FEW_HOPS // hops)
    if nodes * (nodes - 1) > most and sends_alike(experiment):
        if (same := moving_symmetry(experiment)) is not None:
            return _of_few_sources(experiment, channels, same)
        return _of_samples(experiment, channels, most, None)
    if _pairs_in_reach(experiment) > most:
        return _of_samples(experiment, channels, most, None)
    spec, messages = experiment.spec(), experiment.messages_arrays()
    predicted = engine.predict(spec, most, messages)
    if predicted["exact"]:
        return Loads(predicted, exact=True, max_exact=True)
    return _of_samples(experiment, channels, most, predicted)


def _pairs_in_reach(experiment: Experiment) -> int:
    """Return the pairs of nodes if all send to all others within a radius; else 0."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or workload.includes_self:
        return 0
    reach = workload.reach(machine)
    if reach is None:
        return 0
    boxes = np.ones(machine.nodes, np.int64)
    for first, last, _ in _boxes(experiment, reach):
        boxes *= last - first + 1
    return int(boxes.sum()) - machine.nodes


def _boxes(
    experiment: Experiment, reach: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Yield the first and the last coordinate that each node sends to, by dimension; its stride."""
    node, stride = np.arange(experiment.machine.nodes), 1
    for side in experiment.machine.shape:
        at = node // stride % side
        yield np.maximum(at - reach, 0), np.minimum(at + reach, side - 1), stride
        stride *= side


def moving_symmetry(experiment: Experiment) -> Symmetry | None:
    """Return the symmetry of a network whose routing has it, too; None if that is not known."""
    machine = experiment.machine
    same, routing = symmetry(machine), machine.chosen_routing
    if same is None or routing is None or not machine.has_internal_channels:
        return same
    apart = machine.link.sharing == "separate" and machine.channels_per_wire > 1
    if apart or routing.parallel_links != "any":
        return None
    kind, topology = routing.kind, machine.topology
    if kind == "nearest_common_ancestor":
        # Ways by the numbers of nodes are as loaded as each other on some trees only.
        facts = routing.facts(topology)
        return same if facts.chooses or facts.draws else None
    moves = kind in _MOVING[topology.kind]
    return same if moves or _draws(experiment) else None


def _draws(experiment: Experiment) -> bool:
    """Return whether a pair's ways differ in what they cross, so that those drawn matter."""
    machine = experiment.machine
    routing, kind = machine.chosen_routing, machine.topology.kind
    if routing is None or kind not in _DRAWN_ON:
        return False
    uneven = routing.kind == "minimal_adaptive" and bool(machine.link_classes)
    return uneven or routing.kind in _DRAWING


def sends_alike(experiment: Experiment) -> bool:
    """Return whether every node sends to every other, and to all equally often."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or workload.pattern != "uniform":
        return False
    reach = workload.reach(machine)
    everywhere = reach is None or reach >= max(machine.shape) - 1
    return everywhere and not workload.includes_self


def predicted_of_few(
    experiment: Experiment, same: Symmetry, packet_bytes: int | None = None
) -> dict[str, Any]:
    """Return what is predicted of the messages of nodes that stand for all.

    `packet_bytes`: data that a full packet has, if that shall be another number.
    """
    machine, workload = experiment.machine, experiment.workload
    assert isinstance(workload, Synthetic)
    source, destination, weights = _standing_for_all(machine.nodes, same)
    rows = _rows(source, destination, workload)
    # Otherwise all ways of a pair cross as many channels of each kind.
    most = PAIRS if _draws(experiment) else 1
    spec = _spec_of_list(experiment, packet_bytes)
    return engine.predict(spec, max(most, len(source)), rows, weights)


def _of_few_sources(experiment: Experiment, channels: pa.Table, same: Symmetry) -> Loads:
    """Return loads as the nodes make them that stand for all, averaged over channels alike."""
    nodes = experiment.machine.nodes
    predicted = predicted_of_few(experiment, same)
    drawn = _draws(experiment)
    load: _Floats = predicted["channel_load"]
    alike = same.kinds(channels)
    means = (np.bincount(alike, load) / np.bincount(alike))[alike]
    # Which virtual channels packets take may depend on more than moves keep; which wires not.
    first = first_of_wires(experiment, channels)
    size = np.diff(np.append(first, len(means)))
    means = np.repeat(np.add.reduceat(means, first) / size, size)
    changed = {
        "channel_load": means,
        "pairs": nodes * (nodes - 1),
        **_ends(experiment, channels, means),
    }
    return Loads(predicted | changed, exact=not drawn, max_exact=not drawn)


def _standing_for_all(
    nodes: int, same: Symmetry
) -> tuple[NDArray[np.uint32], NDArray[np.int64], _Floats]:
    """Return sources and destinations of messages, and how many each stands for.

    From every node that stands for all to a few nodes of each switch, and one of its own.
    """
    if same.rings:
        return _mirrored(same.rings)
    each, few = same.leaf_nodes, same.told_apart
    first = np.arange(0, nodes, each)
    ends = (first[:, None] + np.arange(few)).ravel()
    found = []
    for node in same.nodes:
        own = node // each
        others = ends[ends // each != own]
        weights = np.full(len(others), each / few)
        if each > 1:
            others = np.append(others, own * each + (node + 1) % each)
            weights = np.append(weights, float(each - 1))
        found.append((np.full(len(others), node, np.uint32), others, weights))
    source, destination, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    return source, destination, weights


def _mirrored(rings: tuple[int, ...]) -> tuple[NDArray[np.uint32], NDArray[np.int64], _Floats]:
    """Return the same for node 0 of a torus: to a place at each distance along all rings.

    Each stands for its mirror images, too.
    """
    destination, weights = np.zeros(1, np.int64), np.ones(1)
    stride = 1
    for side in rings:
        along = np.arange(side // 2 + 1)
        both = np.where((along > 0) & (2 * along < side), 2.0, 1.0)
        destination = (destination + along[:, None] * stride).ravel()
        weights = (weights * both[:, None]).ravel()
        stride *= side
    return np.zeros(len(destination) - 1, np.uint32), destination[1:], weights[1:]


def _of_samples(
    experiment: Experiment, channels: pa.Table, most: int, first: dict[str, Any] | None
) -> Loads:
    """Return loads of two samples: their means, and what both have at least.

    `first`: a sample of sources, of at most so many pairs; None where all nodes send alike.
    """
    everywhere = sends_alike(experiment)
    if first is None:
        spec = _spec_of_list(experiment)
        samples = [engine.predict(spec, len(rows[0]), rows) for rows in _drawn(experiment)]
    else:
        given = experiment.spec(), experiment.messages_arrays()
        samples = [first, engine.predict(given[0], most // 2, given[1])]
    loads = [np.array(sample["channel_load"], dtype=np.float64) for sample in samples]
    kinds = channels["kind"].to_numpy()
    for load in loads:
        for kind in ("injection", "ejection") if everywhere else _levelled(experiment):
            load[kinds == kind] = load[kinds == kind].mean() if (kinds == kind).any() else 0.0
    mean, least = np.mean(loads, axis=0), np.min(loads, axis=0)
    best = max(samples, key=lambda sample: int(sample["pairs"]))
    ends = _ends(experiment, channels, least)
    ends["channel_load_mean_internal"] = best["channel_load_mean_internal"]
    if best["saturation_messages_per_node_per_ms"] is None:
        ends["saturation_messages_per_node_per_ms"] = None
    wires, of = by_wire(experiment, channels, least)
    outside = float(wires[of != "internal"].max(initial=0.0))
    max_exact = everywhere and outside >= ends["channel_load_max"] * (1 - _SAME)
    return Loads(best | {"channel_load": mean} | ends, False, max_exact, least)


def _levelled(experiment: Experiment) -> tuple[str, ...]:
    """Return the kinds of channels that are as loaded as each other: where all nodes send alike."""
    workload = experiment.workload
    if not isinstance(workload, Synthetic) or workload.pattern == "traffic_matrix":
        return ()
    return ("injection",)


def _drawn(experiment: Experiment) -> Iterator[Rows]:
    """Yield two lists of messages: every node sends as many, to any others; always the same."""
    workload, machine = experiment.workload, experiment.machine
    assert isinstance(workload, Synthetic)
    nodes = machine.nodes
    hops = max(1, machine.topology.facts.typical_hops)
    each = max(1, round(_DRAWN_HOPS / hops / nodes))
    reach = None if sends_alike(experiment) else workload.reach(machine)
    draw = np.random.Generator(np.random.PCG64(1))
    for _ in range(2):
        source = np.tile(np.arange(nodes, dtype=np.uint32), each)
        if reach is None:
            further = draw.integers(1, nodes, len(source), dtype=np.uint32)
            yield _rows(source, (source + further) % np.uint32(nodes), workload)
            continue
        # Who draws itself draws again.
        destination = source.astype(np.int64)
        while len(again := np.flatnonzero(destination == source)):
            destination[again] = 0
            for first, last, stride in _boxes(experiment, reach):
                node = source[again]
                drawn = draw.integers(first[node], last[node], endpoint=True)
                destination[again] += drawn * stride
        yield _rows(source, destination, workload)


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


def _spec_of_list(experiment: Experiment, packet_bytes: int | None = None) -> str:
    """Return the description of the machine with a list of messages."""
    spec = json.loads(experiment.spec())
    if packet_bytes is not None:
        spec["machine"]["interface"]["packet_bytes"] = packet_bytes
    spec.pop("blame", None)
    columns = ("time_ps", "source", "destination", "bytes")
    spec["workload"] = {"kind": "messages"} | {column: [] for column in columns}
    return json.dumps(spec)


def _rows(source: NDArray[Any], destination: NDArray[Any], workload: Synthetic) -> Rows:
    """Return messages at time 0: columns of times, sources, destinations and bytes."""
    count = len(source)
    sizes = np.full(count, workload.mean_bytes, np.uint32)
    return np.zeros(count, np.uint64), source, destination.astype(np.uint32), sizes
