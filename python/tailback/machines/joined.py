"""Machines whose switches are joined to each other."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ..errors import UserError, choice, shown
from ..units import Rate
from .base import Fidelity
from .switched import SwitchedMachine


class JoinedSwitches(SwitchedMachine, init=False):
    """A machine with links between switches."""

    routings: ClassVar[tuple[str, ...]] = ()
    """The words that `routing` may be; the first is meant if it is left out."""

    routing: str | None = Field(
        default=None, description="Which way packets go; default: the first that there is."
    )
    internal_link_width: int = Field(
        default=1, ge=1, le=255, description="Parallel links between neighbouring switches."
    )
    node_link_rate: Rate | None = Field(
        default=None,
        description="Rate of the links between nodes and switches; default: link_rate.",
    )

    @model_validator(mode="after")
    def _routing_known(self) -> JoinedSwitches:
        if self.routing is None or self.routing in self.routings:
            return self
        if not self.routings:
            problem = f'there is no routing for topology = "{self.topology}" yet'
            raise UserError("routing", shown(self.routing), problem)
        raise choice("routing", self.routing, self.routings)

    @property
    def chosen_routing(self) -> str | None:
        """`routing` or its default; None where there is none."""
        return self.routing or next(iter(self.routings), None)

    @property
    def _node_rate(self) -> Rate:
        return self.link_rate if self.node_link_rate is None else self.node_link_rate

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
        return f'{needed}; use run.fidelity = "{self.exact_fidelity}"'

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        return super().resolved(fidelity) | {
            "routing": self.chosen_routing,
            "node_link_rate": str(self._node_rate),
        }

    def spec(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        routing = {"kind": self.chosen_routing or "dimension_order", "order": []}
        return super().spec(fidelity) | {"routing": routing}

    def _rates_spec(self) -> dict[str, Any]:
        external = self._node_rate
        return super()._rates_spec() | {
            "external_bit_ps": None if external == self.link_rate else external.bit_ps
        }

    def _switch_spec(self, fidelity: Fidelity) -> dict[str, Any]:
        return super()._switch_spec(fidelity) | {"link_width": self.internal_link_width}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema with the words that `routing` may be."""
        schema = handler(core_schema)
        own = handler.resolve_ref_schema(schema)
        described = own["properties"]["routing"]
        words: dict[str, Any] = {"enum": [*cls.routings], "type": "string"}
        if cls.model_fields["routing"].default is None:
            described["anyOf"] = [words, {"type": "null"}] if cls.routings else [{"type": "null"}]
        else:
            described.update(words)
        return schema
