"""Groups of nodes: where every node has a traffic class of its own, lists tell groups apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import Ints
from tailback.figures.network import is_coordinate
from tailback.places import shown

from .lines import KINDS, Lines
from .plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.results.names import Names

FEW = 32
"""So many nodes are told apart one by one."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of traffic classes, each class in one of them."""

    what: str
    """`group`, `row` or `switch`."""
    names: tuple[str, ...]
    of_class: Ints

    def by(self, classes: Ints) -> Ints:
        """Return the group of each class; what stands for others or nobody is kept."""
        known = (classes >= 0) & (classes < len(self.of_class))
        found = np.minimum(classes, -1)
        found[known] = self.of_class[classes[known]]
        return found


def groups_of(nodes: pa.Table, where: Plan, lines: Lines, names: Names) -> Groups | None:
    """Return the groups of a topology, rows of a grid, or the switches that nodes are attached to.

    None where classes are not nodes, or there are few of them.
    """
    if names.classes != "node" or where.nodes <= FEW:
        return None
    if where.clusters:
        senders = where.cluster[where.switches : where.switches + where.nodes]
        return Groups("group", where.clusters, senders)
    coordinates = [name for name in nodes.column_names if is_coordinate(name)]
    if len(coordinates) > 1:
        last = coordinates[-1]
        place, numbers = np.unique(nodes[last].to_numpy(), return_inverse=True)
        told = tuple(f"{last} = {value}" for value in place.tolist())
        return Groups("row", told, numbers.reshape(-1).astype(np.int64))
    into = lines.kind == KINDS.index("injection")
    homes = np.zeros(where.nodes, dtype=np.int64)
    homes[lines.source[into]] = lines.destination[into]
    switch, numbers = np.unique(homes, return_inverse=True)
    if not 1 < len(switch) < where.nodes:
        return None
    told = tuple(shown(names.ends.of_end("switch", number)) for number in switch.tolist())
    return Groups("switch", told, numbers.reshape(-1).astype(np.int64))
