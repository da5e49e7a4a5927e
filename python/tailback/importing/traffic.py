"""What nodes of a configuration of BookSim2 send to whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from random import Random
from typing import Any

from .networks import Network
from .settings import Settings
from .statements import called, elements

#: Rows of a traffic matrix: for every node whom it sends to, by weight.
Matrix = list[dict[int, int]]

#: Patterns that have a name here, where nodes have the numbers of BookSim2.
_NAMES = {
    "bitcomp": "bit_complement",
    "transpose": "transpose",
    "bitrev": "bit_reverse",
    "shuffle": "shuffle",
    "tornado": "tornado",
    "neighbor": "neighbour",
}
#: Those of them that are formulas of the bits of a number, whatever the network.
_OF_BITS = ("bitcomp", "transpose", "bitrev", "shuffle")
#: Nodes whose traffic may be drawn by weights: each may have a row for every other.
_MOST_DRAWN = 4096


@dataclass(frozen=True, slots=True)
class _Asked:
    """A pattern as a file has it."""

    settings: Settings
    parameters: list[str]
    nodes: int

    def numbers(self, at: int) -> list[int] | None:
        """Return the whole numbers of a parameter, if it is there."""
        if at >= len(self.parameters):
            return None
        found = elements(self.parameters[at])
        if not found or not all(re.fullmatch(r"-?[0-9]{1,9}", one) for one in found):
            raise self.refused("must have whole numbers as parameters")
        return [int(one) for one in found]

    def number(self, at: int, key: str, least: int = 1) -> int:
        """Return a parameter that is one number, or the value of its key."""
        given = self.numbers(at)
        found = self.settings.whole(key) if given is None else given[0]
        if found < least:
            raise self.refused(f"must have parameters of at least {least}")
        return found

    def refused(self, allowed: str) -> Exception:
        return self.settings.refused("traffic", allowed)


def pattern(settings: Settings, network: Network) -> tuple[dict[str, Any], Matrix | None]:
    """Return the keys of a workload that say who sends to whom, and a matrix if they need one."""
    name, parameters = called(settings.text("traffic"))
    asked = _Asked(settings, parameters, network.nodes)
    if name == "uniform":
        return {"pattern": "uniform"}, None
    if name == "randperm":
        seed = asked.numbers(0)
        of = settings.seed("perm_seed") if seed is None else abs(seed[0])
        return {"pattern": "random_permutation", "pattern_seed": of}, None
    if name == "bad_dragon" and not parameters and network.topology["kind"] == "dragonfly":
        return {"pattern": "next_group", "includes_self": False}, None
    if name in _FORMULAS:
        to = _FORMULAS[name](asked)
        if any(not 0 <= node < network.nodes for node in to):
            raise asked.refused(f"must stay within the {network.nodes} nodes with k, n and xr")
        moves = any(node != place for place, node in enumerate(to))
        is_known = not network.places and (name in _OF_BITS or network.is_plain)
        if is_known and moves and not parameters and settings.whole("xr") == 1:
            return {"pattern": _NAMES[name]}, None
        rows: Matrix = [{node: 1} for node in to]
    elif name in _DRAWN:
        if network.nodes > _MOST_DRAWN:
            raise asked.refused(f"cannot be done with more than {_MOST_DRAWN} nodes")
        rows = _DRAWN[name](asked)
    else:
        known = ", ".join(sorted({"uniform", "randperm", *_FORMULAS, *_DRAWN}))
        raise asked.refused(f"is no pattern that is known; must be one of {known}")
    return {"pattern": "traffic_matrix"}, _placed(rows, network.places)


def _placed(rows: Matrix, places: Sequence[int]) -> Matrix:
    """Return the same rows by the numbers that nodes have here."""
    if not places:
        return rows
    found: Matrix = [{} for _ in rows]
    for node, row in enumerate(rows):
        found[places[node]] = {places[to]: weight for to, weight in row.items()}
    return found


def _bits(asked: _Asked) -> int:
    """Return how many bits numbers of nodes have, of which there must be a power of two."""
    bits = asked.nodes.bit_length() - 1
    if asked.nodes != 1 << bits:
        raise asked.refused(f"needs a power of two of nodes, not {asked.nodes}")
    return bits


def _complement(asked: _Asked) -> list[int]:
    _bits(asked)
    return [asked.nodes - 1 - node for node in range(asked.nodes)]


def _transpose(asked: _Asked) -> list[int]:
    bits = _bits(asked)
    if bits % 2:
        raise asked.refused(f"needs an even power of two of nodes, not {asked.nodes}")
    low = (1 << bits // 2) - 1
    return [node >> bits // 2 | (node & low) << bits // 2 for node in range(asked.nodes)]


def _reverse(asked: _Asked) -> list[int]:
    bits = _bits(asked)
    return [int(f"{node:0{bits}b}"[::-1], 2) if bits else 0 for node in range(asked.nodes)]


def _shuffle(asked: _Asked) -> list[int]:
    bits = _bits(asked)
    turned = (node << 1 | node >> max(0, bits - 1) for node in range(asked.nodes))
    return [node & asked.nodes - 1 for node in turned]


def _along(asked: _Asked, step: Callable[[int], int]) -> list[int]:
    """Return the nodes that are further by a step in all of n digits to the base k · xr."""
    k, n, xr = (asked.number(at, key) for at, key in enumerate(("k", "n", "xr")))
    side = k * xr
    moved = []
    for node in range(asked.nodes):
        weights = [side**digit for digit in range(min(n, 32)) if side**digit <= asked.nodes]
        moved.append(sum((node // at + step(side)) % side * at for at in weights))
    return moved


_FORMULAS: dict[str, Callable[[_Asked], list[int]]] = {
    "bitcomp": _complement,
    "transpose": _transpose,
    "bitrev": _reverse,
    "shuffle": _shuffle,
    "tornado": lambda asked: _along(asked, lambda side: (side + 1) // 2 - 1),
    "neighbor": lambda asked: _along(asked, lambda side: 1),
}


def _hotspot(asked: _Asked) -> Matrix:
    settings = asked.settings
    hot = asked.numbers(0)
    rates = asked.numbers(1)
    if hot is None and settings.text("hotspot_nodes"):
        # Keys of older versions.
        hot = settings.numbers("hotspot_nodes")
        rates = settings.numbers("hotspot_rates", 1) if settings.text("hotspot_rates") else None
    draw = Random(0)
    hot = [draw.randrange(asked.nodes) if node < 0 else node for node in hot or [-1]]
    if not asked.parameters and "hotspot_nodes" not in settings.given:
        settings.notes.append(f"traffic = hotspot is to a node drawn at random: here node {hot[0]}")
    if max(hot) >= asked.nodes:
        raise asked.refused(f"must name nodes below {asked.nodes}, the number of nodes")
    rates = list(rates or [1])
    rates += rates[-1:] * (len(hot) - len(rates))
    if min(rates) < 1:
        raise asked.refused("must have rates of at least 1")
    row: dict[int, int] = {}
    for node, rate in zip(hot, rates, strict=False):
        row[node] = row.get(node, 0) + rate
    return [row] * asked.nodes


def _background(asked: _Asked) -> Matrix:
    excluded = asked.numbers(0)
    if excluded is None and asked.settings.text("background_excludes"):
        excluded = asked.settings.numbers("background_excludes")
    row = {node: 1 for node in range(asked.nodes) if node not in set(excluded or ())}
    if not row:
        raise asked.refused("must leave a node to send to")
    return [row] * asked.nodes


def _diagonal(asked: _Asked) -> Matrix:
    count = asked.nodes
    return [{(node + 1) % count: 1, node: 2} if count > 1 else {0: 1} for node in range(count)]


def _asymmetric(asked: _Asked) -> Matrix:
    half = asked.nodes // 2
    if not half:
        raise asked.refused("needs two nodes")
    return [{node % half: 1, node % half + half: 1} for node in range(asked.nodes)]


def _taper(asked: _Asked) -> Matrix:
    """Return half of all traffic to nodes at most one row and one column away, of 8 by 8."""
    if asked.nodes != 64:
        raise asked.refused(f"needs 64 nodes, not {asked.nodes}")
    rows: Matrix = [dict.fromkeys(range(64), 9) for _ in range(64)]
    for node, row in enumerate(rows):
        for step in (8 * x + y for x in (-1, 0, 1) for y in (-1, 0, 1)):
            row[(node + step) % 64] += 64
    return rows


def _next_group(asked: _Asked) -> Matrix:
    """Return traffic to any node of the next group of a dragonfly, of 2 k² nodes."""
    k = asked.number(0, "k")
    group = 2 * k * k
    return [
        {((node // group + 1) * group + at) % asked.nodes: 1 for at in range(group)}
        for node in range(asked.nodes)
    ]


def _columns(asked: _Asked) -> Matrix:
    """Return traffic in which all nodes of a row send to a column: that of the row's number."""
    k, _, xr = (asked.number(at, key) for at, key in enumerate(("k", "n", "xr")))
    side = k * xr
    if side * side != asked.nodes:
        raise asked.refused(f"needs a square of k · xr = {side} nodes, not {isqrt(asked.nodes)}")
    return [{row * side + node // side: 1 for row in range(side)} for node in range(asked.nodes)]


_DRAWN: dict[str, Callable[[_Asked], Matrix]] = {
    "hotspot": _hotspot,
    "background": _background,
    "diagonal": _diagonal,
    "asymmetric": _asymmetric,
    "taper64": _taper,
    "bad_dragon": _next_group,
    "badperm_yarc": _columns,
}
