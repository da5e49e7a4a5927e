"""The hypercube."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from .lattice import Lattice
from .routing import ANYWHERE


class Hypercube(Lattice, init=False):
    """The binary n-cube: 2^n switches with one node each."""

    topology: Literal["hypercube"] = "hypercube"
    routings: ClassVar[tuple[str, ...]] = (
        "dimension_order",
        "west_first",
        "negative_first",
        "adaptive",
        *ANYWHERE,
        "profitable",
        "first_hop",
    )

    dimensions: int = Field(default=6, ge=1, le=20, description="The degree n; 2^n nodes.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Two nodes along each dimension."""
        return (2,) * self.dimensions

    @property
    def degree(self) -> int:
        """One link per dimension."""
        return self.dimensions

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology, "dimensions": self.dimensions}
