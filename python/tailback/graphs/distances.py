"""Steps between the vertices of a graph, by breadth-first search."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)


def distances(
    starts: Iterable[Vertex], beside: Callable[[Vertex], Iterable[Vertex]]
) -> dict[Vertex, int]:
    """Return how many steps from the nearest of `starts` each vertex is, the nearest ones first.

    `beside`: the vertices that are one step from a vertex. What cannot be reached is not there.
    """
    found = dict.fromkeys(starts, 0)
    front = list(found)
    while front:
        further = []
        for vertex in front:
            for other in beside(vertex):
                if other not in found:
                    found[other] = found[vertex] + 1
                    further.append(other)
        front = further
    return found
