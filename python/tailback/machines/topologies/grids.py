"""Meshes and tori of any number of dimensions, and hypercubes."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from ...parts import key
from .base import MOST_NODES, Topology

__all__ = ["Hypercube", "Mesh", "Torus"]

Dims = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=8),
]


class Lattice(Topology):
    """Switches with one node each, joined to their neighbours along dimensions."""


class _Grid(Lattice):
    """Switches at the places of a grid."""

    dims: Dims = key(default=(16, 16), description="Switches along each dimension, x first.")

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "dims": list(self.dims)}


class Mesh(_Grid):
    """An open grid of any number of dimensions, one switch and node at each place.

    Node i is on switch i; x runs fastest.
    """

    kind: ClassVar[str] = "mesh"


class Torus(_Grid):
    """A grid whose lines are closed to rings.

    As a mesh.
    """

    kind: ClassVar[str] = "torus"


class Hypercube(Lattice):
    """The binary n-cube: 2^n switches with one node each.

    As a mesh of n dimensions with two switches along each.
    """

    kind: ClassVar[str] = "hypercube"

    dimensions: int = key(default=6, ge=1, le=20, description="The degree n; 2^n nodes.")

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return {"kind": self.kind, "dimensions": self.dimensions}
