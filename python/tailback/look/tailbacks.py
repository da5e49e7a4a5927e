"""The tailback of a root: the tree of lines for which packets wait because of it.

A packet waits in a place (a node, or a switch) for a line out of it. It waits because of a root
line: because its own line is held or full as far as there, or because it stands behind packets for
another line out of the same place. So a tailback grows from the place in which its root line
begins, backwards over lines that lead there. A line that a packet holds in passing, as in wormhole
switching, is part of the way and not of the tree. The depth of a place is the number of lines on
the shortest way from it to the root; of several ways, those on which packets wait come first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tailback.charging import Ints
from tailback.statistics import Floats

from .lines import KINDS, Lines

UNCONNECTED = -1
"""Depth of a line from which no way leads to the root; parent of such a line, and of the root."""


def trees(lines: Lines, root: Ints, line: Ints, waited_ps: Floats) -> tuple[Ints, Ints]:
    """Return depth and parent line of each pair of a root and a line behind it.

    The root itself has depth 0 and no parent.
    """
    depth, parent = (np.full(len(root), UNCONNECTED, dtype=np.int64) for _ in range(2))
    ways = _Ways.of(lines)
    order = np.argsort(root, kind="stable")
    roots, first = np.unique(root[order], return_index=True)
    parts = np.split(order, first[1:]) if len(roots) else []
    for number, rows in zip(roots.tolist(), parts, strict=True):
        waited = dict(zip(line[rows].tolist(), waited_ps[rows].tolist(), strict=True))
        tree = _Tree.of(number, waited, ways)
        depth[rows] = [tree.depths.get(ways.begins[each], UNCONNECTED) for each in waited]
        parent[rows] = [tree.parent(each) for each in waited]
    return depth, parent


@dataclass(frozen=True, eq=False)
class _Ways:
    """Places are switches from 0 on, and nodes below: where they send, then where they receive.

    No way leads through a node.
    """

    begins: Sequence[int]
    ends: Sequence[int]
    """By line."""
    into: Mapping[int, Sequence[int]]
    """The lines that lead to a place."""

    @classmethod
    def of(cls, lines: Lines) -> _Ways:
        kind = np.array(KINDS)[lines.kind]
        from_node = np.isin(kind, ("injection", "direct"))
        to_node = np.isin(kind, ("ejection", "direct"))
        begins = np.where(from_node, -1 - lines.source, lines.source).tolist()
        nodes = int(max(lines.source.max(initial=0), lines.destination.max(initial=0))) + 1
        ends = np.where(to_node, -1 - nodes - lines.destination, lines.destination).tolist()
        into: defaultdict[int, list[int]] = defaultdict(list)
        for line, end in enumerate(ends):
            into[end].append(line)
        return cls(begins, ends, into)


@dataclass(frozen=True, eq=False)
class _Tree:
    root: int
    waited: Mapping[int, float]
    ways: _Ways
    depths: Mapping[int, int]
    """By place."""
    ahead: Mapping[int, int]
    """Of each place, the line that leads on to the root."""

    @classmethod
    def of(cls, root: int, waited: Mapping[int, float], ways: _Ways) -> _Tree:
        """Search backwards, breadth first, until all places of waiting packets are reached."""
        begin = ways.begins[root]
        depths, ahead = {begin: 0}, {begin: root}
        missing = {ways.begins[line] for line in waited} - {begin}
        edge = [begin]
        while edge and missing:
            # Lines on which packets wait, those waited for longest first; then all others.
            found = [line for place in edge for line in ways.into.get(place, ())]
            found.sort(key=lambda line: (-waited.get(line, 0.0), line))
            here, edge = depths[edge[0]], []
            for line in found:
                place = ways.begins[line]
                if place not in depths:
                    depths[place], ahead[place] = here + 1, line
                    edge.append(place)
            missing.difference_update(edge)
        return cls(root, waited, ways, depths, ahead)

    def parent(self, line: int) -> int:
        """Return the line of the tree that a line waits for, towards the root."""
        begin, end = self.ways.begins[line], self.ways.ends[line]
        if line == self.root or begin not in self.depths:
            return UNCONNECTED
        leads_on = self.depths.get(end, self.depths[begin]) < self.depths[begin]
        # Else its packets stand behind those for the line that leads on from the same place.
        ahead = self.ahead[end if leads_on else begin]
        while ahead != self.root and (ahead == line or ahead not in self.waited):
            ahead = self.ahead[self.ways.ends[ahead]]
        return ahead
