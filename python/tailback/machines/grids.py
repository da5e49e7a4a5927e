"""Meshes and tori of any number of dimensions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from ..errors import UserError, shown
from .base import MOST_NODES
from .lattice import Lattice

_Dims = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=8),
]


class _Grid(Lattice, init=False):
    """Switches at the places of a grid."""

    dims: _Dims = Field(default=(16, 16), description="Switches along each dimension, x first.")

    @property
    def shape(self) -> tuple[int, ...]:
        """`dims`."""
        return self.dims

    @property
    def degree(self) -> int:
        """Two links per dimension."""
        return 2 * len(self.dims)

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology, "dims": list(self.dims)}


class Mesh(_Grid, init=False):
    """An open grid of any number of dimensions, one switch and node at each place."""

    topology: Literal["mesh"] = "mesh"


class Torus(_Grid, init=False):
    """A grid whose lines are closed to rings; not yet routable without deadlock."""

    topology: Literal["torus"] = "torus"

    @model_validator(mode="after")
    def _free_of_deadlock(self) -> Torus:
        reason = (
            "can deadlock on a torus: its rings need virtual channels, "
            'which are not available yet; use topology = "mesh"'
        )
        raise UserError("routing", shown(self.routing), reason)
