"""Exact loads of symmetric machines on which all nodes send alike, by a few sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine
from tailback.survey import Symmetry, symmetry
from tailback.workloads import Synthetic

from .wires import Loads, ends, rows, spec_of_list, wires_of

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Routes walked if they are drawn at random.
_WAYS = 2_000_000
#: Minimal routing that has the symmetry of networks of a kind.
_MOVING = {
    "torus": ("dimension_order", "minimal_adaptive"),
    "concentrated_torus": ("dimension_order", "minimal_adaptive"),
    "hypercube": ("dimension_order", "minimal_adaptive"),
    "hyperx": ("dimension_order", "minimal_adaptive"),
    "fully_connected": ("shortest",),
    "dragonfly": ("minimal",),
    "dragonfly_plus": ("minimal",),
    "slim_fly": ("spray", "ecmp", "hop_classes", "shortest"),
    "rail_optimised": ("spray", "ecmp"),
}
#: Routing that picks one of several shortest routes of two nodes. Loads averaged over equivalent
#: channels leave out how unevenly it picks.
_PICKING = ("ecmp", "hop_classes", "shortest")
#: By how much loads of equivalent channels differ then, at most.
_UNEVEN = 1.25
_TREE_WAYS = ("nearest_common_ancestor", "d_mod_k", "s_mod_k")
#: Randomised routing with the symmetry of these networks: loads are estimates.
_DRAWING = ("valiant", "ugal_l", "ugal_g", "dal", "profitable", "chaos", "deflection")
_DRAWN_ON = ("torus", "concentrated_torus", "hypercube", "hyperx")

_Floats = NDArray[np.float64]


def sends_alike(experiment: Experiment) -> bool:
    """Return whether every node sends to every other equally often."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or workload.pattern != "uniform":
        return False
    reach = workload.reach(machine)
    everywhere = reach is None or reach >= max(machine.shape) - 1
    # Processes of one node may send to each other, over its link or not.
    crosses = workload.processes_per_node > 1 and machine.interface.local == "switch"
    return everywhere and not workload.includes_self and not crosses


def between_nodes(experiment: Experiment) -> float:
    """Return the share of messages that leave their node if all processes send to all others."""
    workload, nodes = experiment.workload, experiment.machine.nodes
    assert isinstance(workload, Synthetic)
    each = workload.processes_per_node
    return each * (nodes - 1) / (each * nodes - 1)


def moving_symmetry(experiment: Experiment) -> Symmetry | None:
    """Return the symmetry of network and routing; None if it is not known."""
    machine = experiment.machine
    same, routing = symmetry(machine), machine.chosen_routing
    if same is None or routing is None or not machine.has_internal_channels:
        return same
    apart = machine.link.sharing == "separate" and machine.channels_per_wire > 1
    if apart or routing.parallel_links != "any":
        return None
    kind, topology = routing.kind, machine.topology
    if kind in _TREE_WAYS:
        facts = routing.facts(topology)
        return same if facts.chooses or facts.draws or _is_full(topology.spec()) else None
    moves = kind in _MOVING.get(topology.kind, ())
    return same if moves or _draws(experiment) else None


def _is_full(tree: dict[str, Any]) -> bool:
    """Return whether switches of a fat tree have as many parents as children, except the roots.

    Then routes by node number use one digit on each level, and digits can be exchanged.
    """
    children: list[int] = tree.get("children", [])
    return bool(tree.get("parents", []) == children[:-1])


def is_exact(experiment: Experiment) -> bool:
    """Return whether averages over equivalent channels are the loads of each of them."""
    routing = experiment.machine.chosen_routing
    picks = routing is not None and routing.kind in _PICKING
    several = experiment.machine.topology.kind in ("slim_fly", "rail_optimised")
    return not (_draws(experiment) or (picks and several))


def _draws(experiment: Experiment) -> bool:
    """Return whether routes of a pair differ in length, so that the sample matters."""
    machine = experiment.machine
    routing, kind = machine.chosen_routing, machine.topology.kind
    if routing is None or kind not in _DRAWN_ON:
        return False
    uneven = routing.kind == "minimal_adaptive" and bool(machine.link_classes)
    return uneven or routing.kind in _DRAWING


def predicted_of_few(
    experiment: Experiment, same: Symmetry, packet_bytes: int | None = None
) -> dict[str, Any]:
    """Return predictions from the messages of the nodes that stand for all.

    `packet_bytes`: another number of data bytes of a full packet.
    """
    machine, workload = experiment.machine, experiment.workload
    assert isinstance(workload, Synthetic)
    source, destination, weights = _standing_for_all(machine.nodes, same)
    listed = rows(source, destination, workload)
    # Otherwise all routes of a pair cross as many channels of each kind.
    most = _WAYS if _draws(experiment) else 1
    spec = spec_of_list(experiment, packet_bytes)
    return engine.predict(spec, max(most, len(source)), listed, weights)


def of_few_sources(experiment: Experiment, channels: pa.Table, same: Symmetry) -> Loads:
    """Return loads by the nodes that stand for all, averaged over equivalent channels."""
    nodes = experiment.machine.nodes
    predicted = predicted_of_few(experiment, same)
    exact = is_exact(experiment)
    load: _Floats = predicted["channel_load"]
    alike = same.kinds(channels)
    means = (np.bincount(alike, load) / np.bincount(alike))[alike]
    # Symmetry holds for wires; which virtual channel a packet takes may depend on more.
    wires = wires_of(experiment, channels)
    means = (wires.sums(means) / np.bincount(wires.of))[wires.of] * between_nodes(experiment)
    most = ends(experiment, channels, means)
    inside = channels["kind"].to_numpy()[wires.first] == "internal"
    within = float(wires.sums(means)[inside].max(initial=0.0))
    max_exact = exact or within * _UNEVEN < most["channel_load_max"]
    changed = {"channel_load": means, "pairs": nodes * (nodes - 1), **most}
    return Loads(predicted | changed, exact, max_exact)


def _standing_for_all(
    nodes: int, same: Symmetry
) -> tuple[NDArray[np.uint32], NDArray[np.int64], _Floats]:
    """Return sources, destinations and weights of messages that stand for all.

    From every representative node to a few nodes of each switch, and to one of its own.
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
    """Return the same for node 0 of a torus: to one node at each distance along all rings.

    Each also stands for its mirror images.
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
