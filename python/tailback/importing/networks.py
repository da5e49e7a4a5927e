"""Topology, links and routing of a configuration of BookSim2.

A cycle is 1 ns and a flit 8 B here. Every link of a node takes a cycle; those of a mesh, fat tree
or butterfly one, of a torus two, of a dragonfly 10 within a group and 100 between groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import listed
from .any_network import Listed, read_network
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
    places: tuple[int, ...] = ()
    """Where they differ: the numbers here of nodes by those of BookSim2."""
    is_plain: bool = False
    """Whether it is a grid of k nodes in each of n dimensions, numbered alike."""
    used_channels: int | None = None
    """Virtual channels that packets may take between routers, and are delivered on, if not all."""
    port_order: str = "nodes_first"
    """How routers number their ports."""
    listed: Listed | None = None
    """Its links and its routing, if they are in a file."""


def network(settings: Settings) -> Network:
    """Return the network of a configuration. Raises `UserError` for one that cannot be done."""
    kind = settings.word("topology", tuple(_KINDS))
    found = _KINDS[kind](settings)
    settings.limit(found.nodes)
    return found


def _sides(settings: Settings) -> tuple[int, int]:
    k, n = settings.whole("k", 2, 1024), settings.whole("n", 1, 8)
    if k**n > _ROUTERS:
        raise settings.refused("k", f"must give at most {_ROUTERS} routers")
    return k, n


def _routing(settings: Settings, *names: str) -> str:
    """Return the routing function, one of these."""
    if settings.text("routing_function") == "min_adapt":
        allowed = (
            "cannot be done: a packet that takes the escape channel stays on it, unlike with "
            f"minimal_adaptive; must be {listed(names)}"
        )
        raise settings.refused("routing_function", allowed)
    return settings.word("routing_function", names)


def _length(settings: Settings, cycles: int) -> int:
    """Return the cycles of a link, which are of a place on a chip or one for all."""
    return cycles if settings.whole("use_noc_latency") == 1 else 1


def _mesh(settings: Settings) -> Network:
    k, n = _sides(settings)
    names = ("dor", "dim_order", "valiant")
    routing = {"kind": "dimension_order"}
    if _routing(settings, *names) == "valiant":
        _halves(settings)
        routing = {"kind": "valiant"}
    mesh = {"kind": "mesh", "dims": [k] * n}
    return Network(mesh, routing, k**n, is_plain=True, port_order="dimensions")


def _halves(settings: Settings) -> None:
    """Refuse virtual channels that two phases would not share evenly."""
    if settings.whole("num_vcs", 2, 255) % 2:
        raise settings.refused("num_vcs", "must be even with this routing_function")


def _torus(settings: Settings) -> Network:
    k, n = _sides(settings)
    _routing(settings, "dim_order")
    if settings.whole("num_vcs", 1, 255) % 2:
        allowed = "must be even: with an odd number BookSim2's torus can deadlock"
        raise settings.refused("num_vcs", allowed)
    if k < 3:
        allowed = "cannot be done: two routers of a ring have two links there; must be at least 3"
        raise settings.refused("k", allowed)
    routing = {"kind": "dimension_order", "ring_classes": "wrapping"}
    grid = {"kind": "torus", "dims": [k] * n}
    delay = _length(settings, 2)
    return Network(grid, routing, k**n, delay, is_plain=True, port_order="dimensions")


def _fat_tree(settings: Settings) -> Network:
    k, n = _sides(settings)
    _routing(settings, "nca")
    tree = {"kind": "fat_tree", "arity": k, "levels": n}
    return Network(tree, {"kind": "nearest_common_ancestor", "random": True}, k**n)


def _fly(settings: Settings) -> Network:
    k, n = _sides(settings)
    _routing(settings, "dest_tag")
    fly = {"kind": "butterfly", "arity": k, "stages": n}
    return Network(fly, {"kind": "destination_tag"}, k**n)


def _dragonfly(settings: Settings) -> Network:
    p = settings.whole("k", 1, 64)
    settings.whole("n", 1, 1)
    _routing(settings, "min")
    fly = {
        "kind": "dragonfly",
        "nodes_per_switch": p,
        "switches_per_group": 2 * p,
        "global_links": p,
    }
    if settings.whole("num_vcs", 1, 255) < 2:
        raise settings.refused("num_vcs", "must be at least 2: one before and one between groups")
    settings.notes.append("between groups other switches have the link to a group")
    nodes = 2 * p * p * (2 * p * p + 1)
    routing = {"kind": "minimal", "group_classes": "crossing"}
    return Network(fly, routing, nodes, 10, {"local": 10, "global": 100}, used_channels=2)


def _square(settings: Settings) -> tuple[int, int]:
    """Return the routers and the nodes of a router along x, which are as many along y.

    BookSim2 stops at others.
    """
    routers, nodes = settings.whole("x", 1, 64), settings.whole("xr", 1, 16)
    for key, along in (("y", routers), ("yr", nodes)):
        if settings.whole(key, 1) != along:
            allowed = f"must be {along} as along x: BookSim2 stops at other networks"
            raise settings.refused(key, allowed)
    if settings.whole("c", 1) != nodes * nodes:
        raise settings.refused("c", "must be xr · yr")
    return routers, nodes


def _on_squares(columns: int, rows: int, across: int) -> tuple[int, ...]:
    """Return the numbers here of nodes that are a grid of squares, one of them on each router."""
    return tuple(
        (gy // across * columns + gx // across) * across**2 + gy % across * across + gx % across
        for gy in range(rows * across)
        for gx in range(columns * across)
    )


def _concentrated_mesh(settings: Settings) -> Network:
    """Return a mesh of 2 by 2 nodes on each router, without its express links."""
    k = settings.whole("k", 2, 64)
    settings.whole("n", 2, 2)
    settings.whole("c", 4, 4)
    routers, across = _square(settings)
    if routers != k:
        settings.notes.append("x and y have no effect here: cmesh has k by k routers")
    _routing(settings, "dor_no_express")
    mesh = {"kind": "concentrated_mesh", "dims": [k, k], "nodes_per_switch": 4}
    return Network(
        mesh,
        {"kind": "dimension_order"},
        4 * k * k,
        _length(settings, 2),
        places=_on_squares(k, k, across),
        port_order="nodes_then_dimensions",
    )


def _flat_fly(settings: Settings) -> Network:
    """Return a flattened butterfly.

    Routers are a grid of x columns, nodes one of x · xr, of which every router has xr by xr. Links
    are as many cycles long as nodes lie between their ends, or one cycle.
    """
    k, n = settings.whole("k", 2, 64), settings.whole("n", 1, 4)
    columns, across = _square(settings)
    if k**n > _ROUTERS or k**n % columns:
        raise settings.refused("x", f"must divide k^n, {k**n}, at most {_ROUTERS}")
    has_lengths = settings.whole("use_noc_latency") == 1
    if has_lengths and (columns != k or n > 2 or across > 3):
        allowed = "must be 0 here: by length links differ unless n is 1 or 2, x is k and xr up to 3"
        raise settings.refused("use_noc_latency", allowed)
    routing: dict[str, object] = {"kind": "dimension_order"}
    kind = _routing(settings, "ran_min", "ugal", "valiant")
    if kind != "ran_min":
        _halves(settings)
        routing = {"kind": "valiant"}
    if kind == "ugal":
        routing = {"kind": "ugal_l", "threshold": 2, "backlog": "behind"}
    concentration = across * across
    fly = {"kind": "hyperx", "dims": [k] * n, "nodes_per_switch": concentration}
    places = _on_squares(columns, k**n // columns, across) if across > 1 else ()
    if not has_lengths:
        return Network(fly, routing, k**n * concentration, places=places)
    apart = {f"{name}_{steps}": across * steps for name in "xy"[:n] for steps in range(1, k)}
    fly["classes_by_distance"] = True
    return Network(fly, routing, k**n * concentration, 1, apart, places=places)


def _any(settings: Settings) -> Network:
    _routing(settings, "min")
    found = read_network(settings)
    routing = {"kind": "table"}
    return Network({"kind": "graph"}, routing, len(found.nodes), listed=found)


_KINDS: dict[str, Callable[[Settings], Network]] = {
    "mesh": _mesh,
    "torus": _torus,
    "cmesh": _concentrated_mesh,
    "fattree": _fat_tree,
    "flatfly": _flat_fly,
    "fly": _fly,
    "dragonflynew": _dragonfly,
    "anynet": _any,
}
