"""Meshes and tori of any number of dimensions, and hypercubes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, Strict

from ...parts import key
from .base import MOST_NODES, Topology

__all__ = ["ConcentratedMesh", "ConcentratedTorus", "Hypercube", "Mesh", "Torus"]

Dims = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=8),
]


class Lattice(Topology):
    """Switches with one node each, joined to their neighbours along dimensions."""


class _Grid(Lattice):
    """Switches at the places of a grid."""

    dims: Dims = key(
        engine=True,
        also="k size radix shape",
        default=(16, 16),
        description="Switches along each dimension, x first.",
    )


class Mesh(_Grid):
    """An open grid of any number of dimensions, one switch and node at each place.

    Node i is on switch i; x runs fastest.
    """

    kind: ClassVar[str] = "mesh"
    also: ClassVar[str] = "k_ary_n_mesh grid"


class Torus(_Grid):
    """A grid whose lines are closed to rings.

    As a mesh.
    """

    kind: ClassVar[str] = "torus"
    also: ClassVar[str] = "k_ary_n_cube ring"


class Hypercube(Lattice):
    """The binary n-cube: 2^n switches with one node each.

    As a mesh of n dimensions with two switches along each.
    """

    kind: ClassVar[str] = "hypercube"
    also: ClassVar[str] = "n_cube"

    dimensions: int = key(
        engine=True, default=6, between=(1, 20), description="The degree n; 2^n nodes."
    )


class _Concentrated(Topology):
    """Switches at the places of a grid, with several nodes each."""

    dims: Dims = key(
        engine=True, default=(4, 4), description="Switches along each dimension, x first."
    )
    nodes_per_switch: int = key(
        engine=True, default=4, between=(1, 65_536), description="Nodes on every switch."
    )


class ConcentratedMesh(_Concentrated):
    """A mesh with several nodes on every switch [Balfour & Dally 2006].

    Switches as in a mesh, x fastest; node i is on switch `i / nodes_per_switch`.
    """

    kind: ClassVar[str] = "concentrated_mesh"


class ConcentratedTorus(_Concentrated):
    """A torus with several nodes on every switch.

    As a concentrated mesh.
    """

    kind: ClassVar[str] = "concentrated_torus"
