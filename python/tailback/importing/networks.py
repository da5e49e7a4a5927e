"""Topology, links and routing of a configuration of BookSim2.

A cycle is 1 ns and a flit 8 B here. Every link of a node takes a cycle; those of a mesh or fat tree
one, of a torus two, of a dragonfly 10 within a group and 100 between groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import listed
from .settings import Settings

_ROUTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Network:
    """Parts of a machine, and what patterns have to know of it."""

    topology: dict[str, Any]
    routing: dict[str, Any]
    nodes: int
    delay: int = 1
    """Cycles that a flit is on a link."""
    classes: dict[str, int] = field(default_factory=dict)
    """The same of classes of links."""
    notes: tuple[str, ...] = ()
    """What is not as in BookSim2."""
    places: tuple[int, ...] = ()
    """Where they differ: the numbers here of nodes by those of BookSim2, a grid by rows."""
    side: int = 0
    """Nodes along every dimension, where that is the grid of the patterns."""


def network(settings: Settings) -> Network:
    """Return the network of a configuration. Raises `UserError` for one that cannot be done."""
    kind = settings.word("topology", tuple(_KINDS))
    return _KINDS[kind](settings)


def _sides(settings: Settings) -> tuple[int, int]:
    k, n = settings.whole("k", 2, 1024), settings.whole("n", 1, 8)
    if k**n > _ROUTERS:
        raise settings.refused("k", f"must give at most {_ROUTERS} routers")
    if settings.whole("c", 1) != 1:
        raise settings.refused("c", "cannot be done; must be 1 on this topology")
    return k, n


def _keeps_to_an_order(settings: Settings, *names: str) -> None:
    """Refuse routing on a grid that is no dimension order, of which there are these names."""
    if settings.text("routing_function") == "min_adapt":
        allowed = (
            "cannot be done: who takes the way out stays on it, unlike with minimal_adaptive; "
            f"must be {listed(names)}"
        )
        raise settings.refused("routing_function", allowed)
    settings.word("routing_function", names)


def _mesh(settings: Settings) -> Network:
    k, n = _sides(settings)
    _keeps_to_an_order(settings, "dor", "dim_order")
    grid = {"kind": "mesh", "dims": [k] * n}
    return Network(grid, {"kind": "dimension_order"}, k**n, side=k)


def _torus(settings: Settings) -> Network:
    k, n = _sides(settings)
    _keeps_to_an_order(settings, "dim_order")
    if settings.whole("num_vcs", 1, 255) % 2:
        allowed = "must be even: with an odd number BookSim2's torus can deadlock"
        raise settings.refused("num_vcs", allowed)
    grid = {"kind": "torus", "dims": [k] * n}
    routing = {"kind": "dimension_order", "ring_classes": "wrapping"}
    return Network(grid, routing, k**n, delay=2, side=k)


def _fat_tree(settings: Settings) -> Network:
    k, n = _sides(settings)
    settings.word("routing_function", ("nca",))
    tree = {"kind": "fat_tree", "arity": k, "levels": n}
    return Network(tree, {"kind": "nearest_common_ancestor", "random": True}, k**n)


def _dragonfly(settings: Settings) -> Network:
    p, n = settings.whole("k", 1, 64), settings.whole("n", 1, 1)
    settings.word("routing_function", ("min",))
    fly = {
        "kind": "dragonfly",
        "nodes_per_switch": p,
        "switches_per_group": 2 * p,
        "global_links": p,
    }
    nodes = 2 * p * p * (2 * p * p + 1) * n
    notes = ("links between groups: which switch has which differs",)
    classes = {"local": 10, "global": 100}
    routing = {"kind": "minimal", "group_classes": "crossing"}
    return Network(fly, routing, nodes, 10, classes, notes)


def _flat_fly(settings: Settings) -> Network:
    """Return a flattened butterfly of two dimensions.

    Nodes are a grid of x · xr by y · yr, of which every router has xr by yr; links are as many
    cycles long as nodes lie between their ends.
    """
    k = settings.whole("k", 2, 64)
    settings.whole("n", 2, 2)
    for key in ("x", "y"):
        settings.whole(key, k, k)
    across = settings.whole("xr", 1, 16), settings.whole("yr", 1, 16)
    concentration = settings.whole("c", 1)
    if concentration != across[0] * across[1]:
        raise settings.refused("c", "must be xr · yr")
    routing: dict[str, object] = {"kind": "dimension_order"}
    if settings.word("routing_function", ("ran_min", "ugal")) == "ugal":
        if settings.whole("num_vcs", 2, 255) % 2:
            raise settings.refused("num_vcs", "must be even with ugal")
        routing = {"kind": "ugal_l", "threshold": 2, "backlog": "behind"}
    fly = {
        "kind": "hyperx",
        "dims": [k, k],
        "nodes_per_switch": concentration,
        "classes_by_distance": True,
    }
    apart = {
        f"{name}_{steps}": nodes * steps
        for name, nodes in zip("xy", across, strict=True)
        for steps in range(1, k)
    }
    places = tuple(
        (gy // across[1] * k + gx // across[0]) * concentration
        + gy % across[1] * across[0]
        + gx % across[0]
        for gy in range(k * across[1])
        for gx in range(k * across[0])
    )
    return Network(fly, routing, k * k * concentration, 1, apart, places=places)


_KINDS: dict[str, Callable[[Settings], Network]] = {
    "mesh": _mesh,
    "torus": _torus,
    "fattree": _fat_tree,
    "flatfly": _flat_fly,
    "dragonflynew": _dragonfly,
}
