"""The tailback of a root: the tree of lines for which packets wait because of it.

A packet waits in a place (a node, or a switch) for a line out of it. It waits because of a root
line: either behind packets for other lines out of the same place, or because its line's far end is
full. So a tailback grows from the place in which its root line begins, backwards over the lines for
which packets wait because of it. The depth of a place is the number of such lines from it to there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tailback.charging import Ints
from tailback.statistics import Floats

from .lines import KINDS, Lines

UNCONNECTED = -1
"""Depth and parent of a line that no line of the tree leads to, and parent of the root itself."""

_Behind = list[tuple[int, float]]


def trees(lines: Lines, root: Ints, line: Ints, waited_ps: Floats) -> tuple[Ints, Ints]:
    """Return depth and parent line of each pair of a root and a line behind it.

    The root itself has depth 0 and no parent, and so has a line that is not connected with it.
    """
    depth, parent = (np.full(len(root), UNCONNECTED, dtype=np.int64) for _ in range(2))
    begins, ends = _places(lines)
    order = np.argsort(root, kind="stable")
    roots, first = np.unique(root[order], return_index=True)
    for number, rows in zip(roots.tolist(), np.split(order, first[1:]), strict=True):
        behind = list(zip(line[rows].tolist(), waited_ps[rows].tolist(), strict=True))
        depth[rows], parent[rows] = _tree(number, behind, begins, ends)
    return depth, parent


def _places(lines: Lines) -> tuple[list[int], list[int]]:
    """Return the places where lines begin and end: switches from 0 on, nodes below."""
    kind = np.array(KINDS)[lines.kind]
    from_node = np.isin(kind, ("injection", "direct"))
    to_node = np.isin(kind, ("ejection", "direct"))
    begins = np.where(from_node, -1 - lines.source, lines.source)
    ends = np.where(to_node, -1 - lines.destination, lines.destination)
    return begins.tolist(), ends.tolist()


def _tree(
    root: int, behind: _Behind, begins: Sequence[int], ends: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return depth and parent of each line of one tree."""
    into: defaultdict[int, list[int]] = defaultdict(list)
    for line, _ in behind:
        into[ends[line]].append(line)
    depths = {begins[root]: 0}
    reached = [begins[root]]
    # Breadth first; places that are reached are appended.
    for place in reached:
        for line in into[place]:
            if begins[line] not in depths:
                depths[begins[line]] = depths[place] + 1
                reached.append(begins[line])
    waited = dict(behind)
    ahead: dict[int, int] = {begins[root]: root}
    for line, _ in behind:
        place = begins[line]
        if place != begins[root] and depths.get(ends[line], -2) == depths.get(place, -9) - 1:
            best = ahead.get(place)
            # Of several ways on, the one that is waited for longest.
            if best is None or (-waited[line], line) < (-waited[best], best):
                ahead[place] = line
    found_depth, found_parent = [], []
    for line, _ in behind:
        place = begins[line]
        found_depth.append(depths.get(place, UNCONNECTED))
        found_parent.append(_parent(line, root, (place, ends[line]), depths, ahead))
    return found_depth, found_parent


def _parent(
    line: int, root: int, ends: tuple[int, int], depths: dict[int, int], ahead: dict[int, int]
) -> int:
    """Return the line that a line waits for, towards the root."""
    begin, end = ends
    if line == root or begin not in depths:
        return UNCONNECTED
    leads_on = end in depths and depths[end] < depths[begin]
    # Else its packets stand behind those for the line that leads on from the same place.
    return ahead[end] if leads_on else ahead[begin]
