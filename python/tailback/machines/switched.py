"""Machines with switches."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from ..errors import UserError, shown
from ..units import Size, Time
from .base import GRANTED, Fidelity, Machine, not_above_a_second


class SwitchedMachine(Machine, init=False):
    """A machine with switches; defaults are those of the C104 switch."""

    switch_delay: Time = Field(
        default=Time(0), description="Time from a header's arrival to the request for an output."
    )
    output_buffer: Size = Field(
        default=Size(35),
        description="Buffer at every output of a switch, one token per byte; for fidelity token.",
    )
    queue_policy: Literal["fifo", "random", "net_first", "oldest_first", "hops_first"] = Field(
        default="fifo", description="Which waiting input is granted a free output."
    )
    switch_ack_priority: bool = Field(
        default=False, description="Whether switches grant acknowledgements before data."
    )

    @model_validator(mode="after")
    def _switch_possible(self) -> SwitchedMachine:
        not_above_a_second("switch_delay", self.switch_delay)
        return self

    @property
    def _switch_delay_ps(self) -> int:
        return self.switch_delay.ps

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""
        super().check(fidelity)
        if fidelity == "token" and self.output_buffer.bytes == 0:
            allowed = "must be at least 1 B with fidelity token"
            raise UserError("machine.output_buffer", shown(str(self.output_buffer)), allowed)

    def _least_input(self, fidelity: Fidelity) -> tuple[int, str]:
        header = self.header.bytes
        if fidelity == "token":
            # A packet asks for an output when all of its header is there.
            content = f"a header (room is granted {GRANTED} B at a time)"
            # All but its last byte may stand there when that is granted.
            return GRANTED + header - 1, content
        if fidelity == "stream":
            # What is sent in the header's time, which a gap makes longer.
            flit_ps = self.data_token_bits * self.link_rate.bit_ps
            return header + -(-self.packet_gap.ps // flit_ps), "a header"
        if fidelity in ("flit", "worm"):
            return header, "a header"
        return self.packet_tokens(self.packet_size.bytes), "a whole packet"

    def _switch_spec(self, fidelity: Fidelity) -> dict[str, Any]:
        return {
            "input_buffer_tokens": self.input_room(fidelity).bytes,
            "output_buffer_tokens": self.output_buffer.bytes,
            "link_width": 1,
            "policy": self.queue_policy,
            "ack_priority": self.switch_ack_priority,
        }
