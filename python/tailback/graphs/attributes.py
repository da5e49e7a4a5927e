"""Attributes of vertices and edges, as NetworkX reads them.

* Of a vertex: `kind`, `"switch"` (if left out) or `"node"`; of a switch `nodes`, how many
  nodes are on it; of either `x` and `y`, where it is drawn.
* Of an edge: `width`, its parallel wires (1 if left out); `rate`, such as `"400 Gbit/s"`;
  `delay`, such as `"5 ns"`, or `latency` in cycles: the time a flit is on it. What is left
  out is as on the machine's links, of nodes on `machine.node_link`; `class`, the name of a class
  of links. `source_port` and `target_port`: at which ports of its two
  switches it is, of the link of a node at which of its switch; of all edges, or of none.

`label`, `name`, `id` and `key` may stand anywhere. Attributes that tools call what is meant here,
and misspelt ones, are refused; others have no effect, and `Assembly.ignored` has their names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import UserError, nearest, shown
from ..units import Rate, Time
from .assembling import Assembly, Wires, in_order

_KINDS = ("switch", "node")
_LARGEST_PORT = 65_535
_MOST_DIGITS = 20
_TOO_MUCH = 10**_MOST_DIGITS
_CLASS = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
OF_VERTICES = ("kind", "nodes", "x", "y")
OF_EDGES = ("width", "rate", "delay", "latency", "class", "source_port", "target_port")
_NAMES = ("label", "name", "id", "key", "description")

#: What attributes are called elsewhere.
_MEANT = {
    "bandwidth": "rate",
    "capacity": "rate",
    "speed": "rate",
    "lanes": "width",
    "hosts": "nodes",
}
Attributes = Mapping[str, Any]


def add_vertices(found: Assembly, vertices: Mapping[str, Attributes]) -> None:
    """Add switches and nodes, in the numerical order of their names if these are numbers."""
    for name in in_order(list(vertices)):
        given = vertices[name]
        _understood(found, name, given, OF_VERTICES)
        kind = given.get("kind", "switch")
        if kind not in _KINDS:
            problem = f'{name}: kind is {shown(kind)}; must be "switch" or "node"'
            raise found.mistake(problem, nearest(kind, _KINDS))
        if kind == "node":
            found.add_node(name)
        else:
            found.add_switch(name, _whole(found, name, "nodes", given.get("nodes")))
            place = tuple(given.get(axis) for axis in "xy")
            if all(isinstance(along, int | float) and _is_number(along) for along in place):
                found.positions[name] = (float(place[0] or 0), float(place[1] or 0))


def add_edges(
    found: Assembly,
    edges: Iterable[tuple[str, str, Attributes]],
    cycle_ps: int | None,
    *,
    directed: bool,
) -> None:
    """Add links: one for a directed edge, one each way for another."""
    for source, destination, given in edges:
        what = f"link from {source} to {destination}"
        _understood(found, what, given, OF_EDGES)
        width = _whole(found, what, "width", given.get("width"))
        delay_ps, rate = _delay_ps(found, what, given, cycle_ps), _rate(found, what, given)
        ports = (_port(found, what, given, "source"), _port(found, what, given, "target"))
        in_class = _class(found, what, given)
        wires = Wires(1 if width is None else width, delay_ps, rate, ports, in_class)
        found.add_edge(source, destination, wires)
        if not directed:
            found.add_edge(destination, source, replace(wires, ports=ports[::-1]))


def _class(found: Assembly, what: str, given: Attributes) -> str | None:
    """Return the class of a link, which `machine.link_classes` may name."""
    name = given.get("class")
    if name is None:
        return None
    if not (isinstance(name, str) and _CLASS.fullmatch(name)):
        allowed = "must be letters, digits and underscores, beginning with a letter"
        raise found.mistake(f"{what}: class is {shown(name)}; {allowed}")
    return name


def _port(found: Assembly, what: str, given: Attributes, end: str) -> int | None:
    port = _whole(found, what, f"{end}_port", given.get(f"{end}_port"))
    if port is not None and not 0 <= port <= _LARGEST_PORT:
        raise found.mistake(f"{what}: {end}_port is {port}; must be 0 to {_LARGEST_PORT}")
    return port


def _understood(found: Assembly, what: str, given: Attributes, known: tuple[str, ...]) -> None:
    """Refuse attributes that are called otherwise here; note others, which have no effect."""
    for name in given:
        if name in known or str(name).lower() in _NAMES or name in found.ignored:
            continue
        meant = _MEANT.get(str(name).lower()) or nearest(name, known)
        if meant is not None:
            raise found.mistake(f"{what}: attribute {name} is not understood", meant)
        found.ignored[str(name)] = None


def _rate(found: Assembly, what: str, given: Attributes) -> Rate | None:
    if "rate" not in given:
        return None
    try:
        return Rate.parse(given["rate"])
    except UserError as error:
        raise found.mistake(f"{what}: rate is {error.given}; {error.allowed}") from None


def _whole(found: Assembly, what: str, name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value) if len(value) < _MOST_DIGITS else math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise found.mistake(f"{what}: {name} is {shown(value)}; must be a whole number")
    if not abs(value) < _TOO_MUCH:
        raise found.mistake(f"{what}: {name} is {shown(value)}; must be a number of them")
    return int(value)


def _is_number(value: Any) -> bool:
    """Whether a number is finite, and not one of hundreds of digits."""
    return bool(abs(value) < _TOO_MUCH)


def _delay_ps(found: Assembly, what: str, given: Attributes, cycle_ps: int | None) -> int | None:
    if "delay" in given:
        if "latency" in given:
            raise found.mistake(f"{what}: has both a delay and a latency; must have one")
        try:
            cycle = None if cycle_ps is None else Time(cycle_ps)
            return Time.parse(given["delay"]).at(cycle).amount
        except UserError as error:
            raise found.mistake(f"{what}: delay is {error.given}; {error.allowed}") from None
    if "latency" not in given:
        return None
    cycles = given["latency"]
    if isinstance(cycles, bool) or not isinstance(cycles, int | float):
        raise found.mistake(f"{what}: latency is {shown(cycles)}; must be a number of cycles")
    if not cycles >= 0:
        raise found.mistake(f"{what}: latency is {shown(cycles)}; must not be negative")
    if not _is_number(cycles):
        raise found.mistake(f"{what}: latency is {shown(cycles)}; is too long")
    if cycle_ps is None:
        raise found.mistake(
            f"{what}: latency is in cycles; machine.clock or machine.topology.cycle must be given"
        )
    return round(cycles * cycle_ps)
