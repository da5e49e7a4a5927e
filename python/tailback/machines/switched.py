"""Machines with one switch per node."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from ..errors import UserError, shown
from ..units import Size, Time
from .base import MOST_NODES, Fidelity, Machine, not_above_a_second

_NAMES = "xyz"


class SwitchedMachine(Machine, init=False):
    """A machine with one switch per node; defaults are those of the C104 switch."""

    routing: Literal["dimension_order"] = Field(
        default="dimension_order", description="One dimension after the other (greedy)."
    )
    dimension_order: Annotated[tuple[int | str, ...], Strict(False)] | None = Field(
        default=None,
        description='Order of the dimensions, as ["y", "x"] or [1, 0]; default: x first.',
    )
    switch_delay: Time = Field(
        default=Time(0), description="Time from a header's arrival to the request for an output."
    )
    internal_link_width: int = Field(
        default=1, ge=1, le=256, description="Parallel links between neighbouring switches."
    )
    input_buffer: Size = Field(
        default=Size(70), description="Buffer at every input of a switch, one token per byte."
    )
    queue_policy: Literal["fifo", "random", "net_first", "oldest_first", "hops_first"] = Field(
        default="fifo", description="Which waiting input is granted a free output."
    )
    switch_ack_priority: bool = Field(
        default=False, description="Whether switches grant acknowledgements before data."
    )

    @model_validator(mode="after")
    def _network_possible(self) -> SwitchedMachine:
        if self.nodes > MOST_NODES:
            problem = f"is {self.nodes} nodes; must be at most {MOST_NODES}"
            raise UserError("dims", shown(list(self.shape)), problem)
        if self.nodes < 2:
            raise UserError("dims", shown(list(self.shape)), "is one node; must be at least 2")
        not_above_a_second("switch_delay", self.switch_delay)
        _ = self.order
        return self

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
    def _switch_delay_ps(self) -> int:
        return self.switch_delay.ps

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if an input buffer has no room for a whole packet."""
        tokens = self.header.bytes + self.packet_size.bytes + 1
        if self.input_buffer.bytes < tokens:
            needed = f"must hold a whole packet, at least {tokens} B (header, data and end token)"
            given = shown(str(self.input_buffer))
            raise UserError("machine.input_buffer", given, f"{needed} with fidelity {fidelity}")

    def resolved(self) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        names = [_dimension_name(number) for number in self.order]
        return super().resolved() | {"dimension_order": names}

    def spec(self) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        routing = {"kind": self.routing, "order": list(self.order)}
        return super().spec() | {"routing": routing}

    def _switch_spec(self) -> dict[str, Any]:
        return {
            "input_buffer_tokens": self.input_buffer.bytes,
            "link_width": self.internal_link_width,
            "policy": self.queue_policy,
            "ack_priority": self.switch_ack_priority,
        }


def _dimension_name(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else f"x{number}"
