"""Machines with one switch per node, joined along dimensions."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from ..errors import UserError, shown
from ..units import Rate
from .base import MOST_NODES, Fidelity
from .transport import TransportMachine

_NAMES = "xyz"


class Lattice(TransportMachine, init=False):
    """A machine with one switch per node, each joined to its neighbours along dimensions."""

    routing: str = Field(
        default="dimension_order",
        description="Which way packets go; not every topology has every word, nor the same usual "
        "one (docs/routing.md).",
    )
    dimension_order: Annotated[tuple[int | str, ...], Strict(False)] | None = Field(
        default=None,
        description="With dimension_order, two_phase and adaptive: order of the dimensions, as "
        '["y", "x"] or [1, 0]; default: x first.',
    )
    dimension_rates: Annotated[tuple[Rate, ...], Strict(False)] | None = Field(
        default=None,
        description="Rate of the links along each dimension, x first; default: link_rate.",
    )

    @model_validator(mode="after")
    def _network_possible(self) -> Lattice:
        if self.nodes > MOST_NODES:
            problem = f"is {self.nodes} nodes; must be at most {MOST_NODES}"
            raise UserError("dims", shown(list(self.shape)), problem)
        if self.nodes < 2:
            raise UserError("dims", shown(list(self.shape)), "is one node; must be at least 2")
        _ = self.order
        if self.dimension_rates is not None and len(self.dimension_rates) != len(self.shape):
            given = shown([str(rate) for rate in self.dimension_rates])
            needed = f"must be {len(self.shape)} rates, one for each dimension"
            raise UserError("dimension_rates", given, needed)
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(self.shape)

    @property
    def switches_in_all(self) -> int:
        """Number of switches: one for each node."""
        return self.nodes

    @property
    def order(self) -> tuple[int, ...]:
        """Numbers of the dimensions in the order they are routed."""
        count = len(self.shape)
        if self.dimension_order is None:
            return tuple(range(count))
        numbers = {_dimension_name(number): number for number in range(count)}
        order = tuple(numbers.get(str(entry), entry) for entry in self.dimension_order)
        if sorted(order, key=str) != sorted(range(count), key=str):
            needed = f"must name each of {', '.join(numbers)} once"
            raise UserError("dimension_order", shown(list(self.dimension_order)), needed)
        return tuple(int(entry) for entry in order)

    @property
    def _dimension_rates(self) -> tuple[Rate, ...]:
        return self.dimension_rates or (self.link_rate,) * len(self.shape)

    @property
    def _slowest(self) -> Rate:
        return min(self._node_rate, *self._dimension_rates)

    def _check_one_rate(self, fidelity: Fidelity) -> None:
        super()._check_one_rate(fidelity)
        if set(self._dimension_rates) != {self.link_rate}:
            given = shown([str(rate) for rate in self._dimension_rates])
            raise UserError("machine.dimension_rates", given, self._one_rate(fidelity))

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        order = [_dimension_name(number) for number in self.order]
        return super().resolved(fidelity) | {
            "dimension_order": order if self._has_order else None,
            "dimension_rates": [str(rate) for rate in self._dimension_rates],
        }

    @property
    def _has_order(self) -> bool:
        return "dimension_order" in self._algorithm.options

    def _routing_spec(self) -> dict[str, Any]:
        order = {"order": list(self.order)} if self._has_order else {}
        return super()._routing_spec() | order

    def _rates_spec(self) -> dict[str, Any]:
        internal = self._dimension_rates
        differ = set(internal) != {self.link_rate}
        rates = [rate.bit_ps for rate in internal] if differ else []
        return super()._rates_spec() | {"dimension_bit_ps": rates}


def _dimension_name(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else f"x{number}"
