"""A schedule: who sends to whom in which step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Schedule:
    """Messages in steps on a mesh, and barriers between groups of steps.

    Nodes are numbered as on every mesh: the first coordinate (the column) fastest.
    """

    name: str
    shape: tuple[int, ...]
    """Nodes along each dimension: columns, rows, ..."""
    step: Numbers
    """Of each message; ascending from 0."""
    source: Numbers
    destination: Numbers
    steps: int
    group: int
    """Steps between two barriers; `steps` if there are none."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(self.shape)

    @property
    def groups(self) -> int:
        """Number of groups of steps: one more than barriers between them."""
        return -(-self.steps // self.group)

    @cached_property
    def messages(self) -> int:
        """Number of messages; those of a node to itself are none."""
        return int(np.count_nonzero(self.source != self.destination))

    @property
    def mesh(self) -> str:
        """The mesh in words: `8 x 8`."""
        return " x ".join(map(str, self.shape))

    def in_groups_of(self, group: int) -> Schedule:
        """Return the same with a barrier after every ``group`` steps."""
        return replace(self, group=group)

    def of_steps(self, first: int, last: int) -> tuple[Numbers, Numbers]:
        """Return sources and destinations of steps ``first`` to ``last``, the last included."""
        low, high = np.searchsorted(self.step, [first, last + 1])
        return self.source[low:high], self.destination[low:high]

    def rounds(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield sources and destinations of each group, in the order in which nodes send."""
        for number in range(self.groups):
            yield self.of_steps(number * self.group, (number + 1) * self.group - 1)

    def coordinates(self, nodes: Any) -> tuple[Numbers, ...]:
        """Return the coordinates of nodes, the column first."""
        return coordinates(self.shape, nodes)


def coordinates(shape: tuple[int, ...], nodes: Any) -> tuple[Numbers, ...]:
    """Return the coordinates of nodes of a mesh, the column first."""
    found = []
    rest = np.asarray(nodes, dtype=np.int64)
    for side in shape:
        rest, along = np.divmod(rest, side)
        found.append(along)
    return tuple(found)
