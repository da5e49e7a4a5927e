"""Channel loads if there are too many pairs of nodes to walk all routes.

A sample of sources, scaled up, would make channels near sampled sources the most loaded by far.
So

* if all nodes send alike and a few sources stand for all by symmetry, loads are exact: averages
  over all equivalent channels (on small machines, too, where routes are drawn at random);
* if moreover all nodes of a switch are reached by the same routes, one of each stands for them;
* else two samples are taken: of as many messages from every node, or of different sources if
  destinations differ. Loads are estimates, the means of both; the load of a channel for the
  maximum is the smaller of both. Loads of node links are exact if all nodes send alike: means over
  all nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine
from tailback.machines import topologies
from tailback.threads import usual_jobs
from tailback.workloads import Synthetic

from .few_sources import between_nodes, is_exact, moving_symmetry, of_few_sources, sends_alike
from .lines import is_of_lines, of_lines
from .spreading import is_spread, of_spread
from .wires import ENDS, NODE_LINKS, Loads, Rows, by_wire, ends, even_out, rows, spec_of_list

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Pairs of nodes whose routes are walked, and roughly the links of these routes: seconds.
PAIRS = 2_000_000
_HOPS = 500_000_000
#: Links of all routes that are walked in a second or two, whatever the number of pairs.
_FEW_HOPS = 12_000_000
#: Links of the routes in each of two samples.
_DRAWN_HOPS = 4_000_000
#: The same on machines of more nodes than this.
_MANY_NODES = 16_384
_SAME = 1e-9

_Floats = NDArray[np.float64]
_Numbers = NDArray[np.int64]


def predicted_loads(experiment: Experiment, channels: pa.Table) -> Loads:
    """Return what is predicted; `channels` are those of the machine, with their ends."""
    machine = experiment.machine
    hops = max(1, machine.topology.facts.typical_hops)
    nodes = machine.nodes
    most = max(min(PAIRS, _HOPS // hops), min(_FEW_HOPS // hops, 3 * PAIRS))
    if nodes > _MANY_NODES:
        most = max(nodes, _FEW_HOPS // hops)
    if nodes * (nodes - 1) > most and sends_alike(experiment):
        return _of_alike(experiment, channels, most)
    if _pairs_in_reach(experiment) > most:
        return _of_samples(experiment, channels, most, None)
    spec, messages = experiment.spec(), experiment.messages_arrays()
    predicted = engine.predict(spec, most, messages)
    if predicted["exact"]:
        load = np.array(predicted["channel_load"])
        # Drawn routes differ between switches alone.
        if not predicted["drawn"] or _is_at_nodes(experiment, channels, load):
            return Loads(predicted, exact=True, max_exact=True)
        same = moving_symmetry(experiment) if sends_alike(experiment) else None
        if same is not None and is_exact(experiment):
            return of_few_sources(experiment, channels, same)
        return Loads(predicted, exact=True, max_exact=False)
    return _of_samples(experiment, channels, most, predicted)


def _is_at_nodes(experiment: Experiment, channels: pa.Table, load: _Floats) -> bool:
    """Return whether no wire between switches is loaded more than a wire of a node."""
    wires, kinds = by_wire(experiment, channels, load)
    outside = float(wires[kinds != "internal"].max(initial=0.0))
    return outside >= float(wires.max(initial=0.0)) * (1 - _SAME)


#: Routing by tables that have one route to all nodes of a switch.
_BY_SWITCH = ("hop_classes", "shortest")


def _nodes_of_switches(experiment: Experiment, channels: pa.Table) -> list[_Numbers] | None:
    """Return the nodes of each switch that has any.

    None where routes depend on more than the switches of their ends.
    """
    routing = experiment.machine.chosen_routing
    if routing is None or routing.kind not in _BY_SWITCH or routing.parallel_links != "any":
        return None
    kinds, ends = channels["kind"].to_numpy(), {}
    for kind, node, switch in (("injection", *ENDS), ("ejection", *ENDS[::-1])):
        of = kinds == kind
        nodes, at = np.unique(channels[node].to_numpy()[of], return_index=True)
        ends[kind] = channels[switch].to_numpy()[of][at]
    if len(nodes) < experiment.machine.nodes or (ends["injection"] != ends["ejection"]).any():
        return None
    order = np.argsort(ends["injection"], kind="stable")
    starts = np.unique(ends["injection"][order], return_index=True)[1]
    return np.split(order, starts[1:])


def _of_switch_pairs(
    experiment: Experiment, channels: pa.Table, beside: Sequence[_Numbers]
) -> Loads:
    """Return the loads of all pairs of nodes by one pair for every two switches."""
    workload, nodes = experiment.workload, experiment.machine.nodes
    assert isinstance(workload, Synthetic)
    switches = len(beside)
    first = np.array([nodes[0] for nodes in beside])
    last = np.array([nodes[-1] for nodes in beside])
    count = np.array([len(nodes) for nodes in beside])
    # Routes to one destination, one after the other, find their tables in the cache.
    to, source = np.divmod(np.arange(switches * switches), switches)
    weight = count[source] * (count[to] - (source == to))
    # Within a switch from its first node to its last.
    sent = weight > 0
    listed = rows(first[source[sent]].astype(np.uint32), last[to[sent]], workload)
    predicted = engine.predict(
        spec_of_list(experiment), len(listed[0]), listed, weight[sent].astype(np.float64)
    )
    load = np.array(predicted["channel_load"]) * between_nodes(experiment)
    even_out(load, channels)
    changed = {
        "channel_load": load,
        "pairs": nodes * (nodes - 1),
        **ends(experiment, channels, load),
    }
    return Loads(predicted | changed, exact=True, max_exact=True)


def _of_alike(experiment: Experiment, channels: pa.Table, most: int) -> Loads:
    """Return loads where all nodes send to all others equally often: exact if a way is known."""
    same = moving_symmetry(experiment)
    if same is not None and is_exact(experiment):
        return of_few_sources(experiment, channels, same)
    if is_of_lines(experiment):
        return of_lines(experiment, channels)
    if is_spread(experiment):
        return of_spread(experiment, channels)
    beside = _nodes_of_switches(experiment, channels)
    if beside is not None and len(beside) ** 2 <= most:
        return _of_switch_pairs(experiment, channels, beside)
    if same is not None:
        return of_few_sources(experiment, channels, same)
    return _of_samples(experiment, channels, most, None)


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


def _of_samples(
    experiment: Experiment, channels: pa.Table, most: int, first: dict[str, Any] | None
) -> Loads:
    """Return loads of two samples: their means, and what both have at least.

    `first`: a sample of sources, of at most so many pairs; None where all nodes send alike.
    """
    everywhere = sends_alike(experiment)
    if first is None:
        spec = spec_of_list(experiment)
        # The engine runs without the GIL.
        with ThreadPoolExecutor(min(2, usual_jobs())) as crew:
            walked = crew.map(
                lambda one: engine.predict(spec, len(one[0]), one), _drawn(experiment)
            )
            samples = list(walked)
    else:
        given = experiment.spec(), experiment.messages_arrays()
        samples = [first, engine.predict(given[0], most // 2, given[1])]
    leaving = between_nodes(experiment) if first is None else 1.0
    loads = [np.array(sample["channel_load"]) * leaving for sample in samples]
    for load in loads:
        even_out(load, channels, _levelled(experiment))
    mean, least = np.mean(loads, axis=0), np.min(loads, axis=0)
    best = max(samples, key=lambda sample: int(sample["pairs"]))
    found = ends(experiment, channels, least)
    found["channel_load_mean_internal"] = best["channel_load_mean_internal"]
    if best["saturation_messages_per_node_per_ms"] is None:
        found["saturation_messages_per_node_per_ms"] = None
    max_exact = everywhere and _is_at_nodes(experiment, channels, least)
    return Loads(best | {"channel_load": mean} | found, False, max_exact, least)


def _levelled(experiment: Experiment) -> tuple[str, ...]:
    """Return the kinds of channels that are as loaded as each other: where all nodes send alike.

    On a butterfly each of its only routes uses one link behind every stage, all as often.
    """
    workload, topology = experiment.workload, experiment.machine.topology
    if sends_alike(experiment):
        stages = isinstance(topology, topologies.Butterfly) and not topology.facts.failed_links
        return (*NODE_LINKS, "internal") if stages else NODE_LINKS
    if not isinstance(workload, Synthetic) or workload.pattern == "traffic_matrix":
        return ()
    return ("injection",)


def _drawn(experiment: Experiment) -> Iterator[Rows]:
    """Yield two lists of messages: every node sends as many, to any others; always the same.

    One each where links are averaged over all the same.
    """
    workload, machine = experiment.workload, experiment.machine
    assert isinstance(workload, Synthetic)
    nodes = machine.nodes
    hops = max(1, machine.topology.facts.typical_hops)
    each = max(1, round(_DRAWN_HOPS / hops / nodes))
    if "internal" in _levelled(experiment):
        each = 1
    reach = None if sends_alike(experiment) else workload.reach(machine)
    draw = np.random.Generator(np.random.PCG64(1))
    for _ in range(2):
        source = np.tile(np.arange(nodes, dtype=np.uint32), each)
        if reach is None:
            further = draw.integers(1, nodes, len(source), dtype=np.uint32)
            to = (source + further) % np.uint32(nodes)
            # Routes to one destination, one after the other, find their tables in the cache.
            order = np.argsort(to, kind="stable")
            yield rows(source[order], to[order], workload)
            continue
        # Who draws itself draws again.
        destination = source.astype(np.int64)
        while len(again := np.flatnonzero(destination == source)):
            destination[again] = 0
            for first, last, stride in _boxes(experiment, reach):
                node = source[again]
                drawn = draw.integers(first[node], last[node], endpoint=True)
                destination[again] += drawn * stride
        yield rows(source, destination, workload)
