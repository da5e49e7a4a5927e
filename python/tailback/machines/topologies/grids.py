"""Meshes and tori of any number of dimensions, and hypercubes."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from ...parts import key
from .base import ANYWHERE, MOST_NODES, Topology

_NAMES = "xyz"

Dims = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=8),
]


def dimension_name(number: int) -> str:
    """Return ``x``, ``y``, ``z``, ``x3``, ..."""
    return _NAMES[number] if number < len(_NAMES) else f"x{number}"


class Lattice(Topology):
    """Switches with one node each, joined to their neighbours along dimensions."""

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return prod(self.shape)

    @property
    def switch_count(self) -> int:
        """Number of switches: one for each node."""
        return self.node_count

    @property
    def link_classes(self) -> tuple[str, ...]:
        """One for each dimension."""
        return tuple(map(dimension_name, range(len(self.shape))))

    @property
    def is_direct(self) -> bool:
        """Always."""
        return True


class _Grid(Lattice):
    """Switches at the places of a grid."""

    dims: Dims = key(default=(16, 16), description="Switches along each dimension, x first.")

    def _check(self) -> None:
        self._check_nodes("dims")

    @property
    def shape(self) -> tuple[int, ...]:
        """`dims`."""
        return self.dims

    @property
    def degree(self) -> int:
        """Two links per dimension."""
        return 2 * len(self.dims)

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "dims": list(self.dims)}


class Mesh(_Grid):
    """An open grid of any number of dimensions, one switch and node at each place."""

    kind: ClassVar[str] = "mesh"
    routings: ClassVar[tuple[str, ...]] = (
        "dimension_order",
        "west_first",
        "negative_first",
        "odd_even",
        "minimal_adaptive",
        *ANYWHERE,
        "profitable",
        "first_hop",
    )


class Torus(_Grid):
    """A grid whose lines are closed to rings."""

    kind: ClassVar[str] = "torus"
    routings: ClassVar[tuple[str, ...]] = (
        "dimension_order",
        "minimal_adaptive",
        *ANYWHERE,
        "profitable",
    )

    @property
    def way_classes(self) -> int:
        """Two where there are rings: before and after their datelines."""
        return 2 if max(self.dims) > 2 else 1


class Hypercube(Lattice):
    """The binary n-cube: 2^n switches with one node each."""

    kind: ClassVar[str] = "hypercube"
    routings: ClassVar[tuple[str, ...]] = (
        "dimension_order",
        "west_first",
        "negative_first",
        "minimal_adaptive",
        *ANYWHERE,
        "profitable",
        "first_hop",
    )

    dimensions: int = key(default=6, ge=1, le=20, description="The degree n; 2^n nodes.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Two nodes along each dimension."""
        return (2,) * self.dimensions

    @property
    def degree(self) -> int:
        """One link per dimension."""
        return self.dimensions

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "dimensions": self.dimensions}
