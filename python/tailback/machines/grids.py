"""Meshes and tori of any number of dimensions."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict, model_validator

from ..errors import UserError, shown
from .base import MOST_NODES, Fidelity
from .lattice import Lattice
from .routing import ANYWHERE

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
    routings: ClassVar[tuple[str, ...]] = (
        "dimension_order",
        "west_first",
        "negative_first",
        "odd_even",
        "adaptive",
        *ANYWHERE,
        "profitable",
        "first_hop",
    )

    @model_validator(mode="after")
    def _turns_possible(self) -> Mesh:
        if self.routing == "odd_even" and len(self.dims) != 2:
            allowed = f"needs two dimensions; there are {len(self.dims)}"
            raise UserError("routing", shown(self.routing), allowed)
        return self


class Torus(_Grid, init=False):
    """A grid whose lines are closed to rings."""

    topology: Literal["torus"] = "torus"
    routings: ClassVar[tuple[str, ...]] = ("dimension_order", "adaptive", *ANYWHERE, "profitable")

    balanced: bool | None = Field(
        default=None,
        description="With dimension_order: whether packets that cross no dateline are spread over "
        "both classes of virtual channels; default: false.",
    )

    @property
    def _way_classes(self) -> int:
        """Two where there are rings: before and after their datelines."""
        return 2 if max(self.dims) > 2 else 1

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        has = "balanced" in self._algorithm.options
        return super().resolved(fidelity) | {"balanced": bool(self.balanced) if has else None}

    def _routing_spec(self) -> dict[str, Any]:
        balanced = {"balanced": True} if self.balanced else {}
        return super()._routing_spec() | balanced
