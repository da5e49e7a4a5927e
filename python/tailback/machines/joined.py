"""Machines whose switches are joined to each other."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ..errors import UserError, shown
from ..units import Rate
from .base import Fidelity
from .routed import RoutedMachine


class JoinedSwitches(RoutedMachine, init=False):
    """A machine with links between switches."""

    internal_link_width: int = Field(
        default=1, ge=1, le=255, description="Parallel links between neighbouring switches."
    )
    node_link_rate: Rate | None = Field(
        default=None,
        description="Rate of the links between nodes and switches; default: link_rate.",
    )

    @property
    def _node_rate(self) -> Rate:
        return self.link_rate if self.node_link_rate is None else self.node_link_rate

    @property
    def _injection(self) -> Rate:
        return self._node_rate

    @property
    def _slowest(self) -> Rate:
        return min(self._node_rate, self.link_rate)

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""
        super().check(fidelity)
        if fidelity in ("packet", "stream"):
            self._check_one_rate(fidelity)

    def _check_one_rate(self, fidelity: Fidelity) -> None:
        if self._node_rate != self.link_rate:
            allowed = self._one_rate(fidelity)
            raise UserError("machine.node_link_rate", shown(str(self._node_rate)), allowed)

    def _one_rate(self, fidelity: Fidelity) -> str:
        needed = f"must be that of link_rate, {self.link_rate}, with fidelity {fidelity}"
        if self.exact_fidelity == fidelity:
            return f"{needed}, the only one that can do this routing and its virtual channels"
        return f'{needed}; use run.fidelity = "{self.exact_fidelity}"'

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        return super().resolved(fidelity) | {"node_link_rate": str(self._node_rate)}

    def _rates_spec(self) -> dict[str, Any]:
        external = self._node_rate
        return super()._rates_spec() | {
            "external_bit_ps": None if external == self.link_rate else external.bit_ps
        }

    def _switch_spec(self, fidelity: Fidelity) -> dict[str, Any]:
        return super()._switch_spec(fidelity) | {"link_width": self.internal_link_width}
