"""Names of links, and of groups of traffic: the row, group or switch of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import NOBODY, Sums
from tailback.places import End, Place, shown
from tailback.results.names import Names

if TYPE_CHECKING:
    from tailback.results import Result

FEW = 12
"""So many classes are told apart; more nodes or processes are told by groups."""

_AXES = "xyz"
_GRID = ("place", "row", "plane", *["layer"] * 61)
"""What the nodes with one value of the last coordinate are, by the number of that coordinate."""


@dataclass(frozen=True)
class Groups:
    """Traffic classes, each by itself or by groups of nodes."""

    names: tuple[str, ...]
    """Of each group."""
    of_class: tuple[int, ...]
    """Group of each class."""
    are_classes: bool
    """Whether a group is one class: a job, a traffic class, a process or a node; else it is the
    nodes of a row, group or switch."""

    def of(self, number: int) -> int:
        """Return the group of a class; what is nobody's or not told apart stays so."""
        return number if number >= NOBODY else self.of_class[number]

    def name(self, group: int, names: Names) -> str:
        """Return what a group is called."""
        return names.traffic(group) if group >= NOBODY else self.names[group]

    def regrouped(self, sums: Sums, parts: Sequence[int]) -> Sums:
        """Return sums with groups in place of classes in these parts of their keys."""
        keys = sums.keys.copy()
        known = np.array(self.of_class, dtype=np.int64)
        for part in parts:
            told = keys[:, part] < NOBODY
            keys[told, part] = known[keys[told, part]]
        return replace(sums, keys=keys).by(*range(keys.shape[1]))


def groups_of_places(names: Names, known: Sequence[int]) -> Groups:
    """Return the groups of nodes of a stored run: by the last coordinate on a grid."""
    numbers = range(max(known, default=-1) + 1)
    apart = Groups(tuple(map(names.traffic, numbers)), tuple(numbers), are_classes=True)
    places = names.ends.places.get("node")
    if names.classes != "node" or places is None or len(places[0]) < 2:
        return apart
    return _numbered([_on_axis(places[node]) for node in numbers]) or apart


def groups_of(result: Result, names: Names, known: Sequence[int]) -> Groups:
    """Return the groups of the `known` classes of a run: those with messages or charges.

    A few are told apart. Nodes, and processes by their nodes, are grouped by the last coordinate
    on a grid, by groups where the topology has some, else by switch.
    """
    classes = max(known, default=-1) + 1
    numbers = range(classes)
    apart = Groups(tuple(map(names.traffic, numbers)), tuple(numbers), are_classes=True)
    if len(known) <= FEW or names.classes not in {"node", "process"}:
        return apart
    home = _group_of_nodes(result, names)
    nodes: Sequence[int] = numbers
    if names.classes == "process":
        nodes = result.processes["node"].to_pylist()
    return _numbered([home(node) for node in nodes]) or apart


def _numbered(told: Sequence[str]) -> Groups | None:
    """Return groups by the name that each class is told by; None if they tell apart all or none."""
    order = list(dict.fromkeys(told))
    if not 1 < len(order) < len(told):
        return None
    numbered = {name: number for number, name in enumerate(order)}
    return Groups(tuple(order), tuple(numbered[name] for name in told), are_classes=False)


def _on_axis(place: Place) -> str:
    """Return `row y = 3` for a place on a grid."""
    axis = len(place) - 1
    called = _AXES[axis] if axis < len(_AXES) else f"x{axis}"
    return f"{_GRID[axis]} {called} = {place[axis]}"


def _group_of_nodes(result: Result, names: Names) -> Callable[[int], str]:
    machine = result.experiment.machine
    homes, of_group = machine.homes(), machine.group_nodes
    places = names.ends.places.get("switch")
    if places is not None and len(places[0]) > 1:
        return lambda node: _on_axis(places[homes[node]])
    if of_group is not None and 1 < of_group < machine.nodes:
        return lambda node: f"group {node // of_group}"
    return lambda node: shown(names.ends.of_end("switch", homes[node]))


def channel_text(name: str) -> str:
    """Return `the link to node (3, 4)`, `channel 3->4`, or `leaf1->spine2` if ends have names."""
    if name.startswith(("to node ", "from node ")):
        return f"the link {name}"
    return f"channel {name}" if name[:1].isdigit() else name


def link_text(kind: str, source: End, destination: End) -> str:
    """Return the same of a channel by its ends, as `Names.channel` calls it."""
    first, last = (shown(end).removeprefix("node ") for end in (source, destination))
    if kind == "injection":
        return channel_text(f"from node {first}")
    if kind == "ejection":
        return channel_text(f"to node {last}")
    return channel_text("->".join(end.removeprefix("switch ") for end in (first, last)))
