"""Input buffers shorter than a round trip of credits, and the rate of links that they limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tailback.experiment import Experiment


@dataclass(frozen=True, slots=True)
class ShortBuffers:
    """Buffers at the ends of links of one kind."""

    kind: str
    """`injection` or `internal`."""
    flits: int
    """Capacity of the buffers of a link, all virtual channels together."""
    needed: int
    """Capacity at which the link is never idle for lack of credits."""
    flit_bytes: int

    @property
    def share(self) -> float:
        """Largest share of its rate that such a link carries."""
        return self.flits / self.needed

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "kind": self.kind,
            "buffer_bytes": self.flits * self.flit_bytes,
            "round_trip_bytes": self.needed * self.flit_bytes,
            "share_of_rate": self.share,
        }


def short_buffers(experiment: Experiment) -> tuple[ShortBuffers, ...]:
    """Return the buffers that hold less than a round trip of credits."""
    machine = experiment.machine
    flits = machine.input_flits(experiment.fidelity)
    if not machine.has_credits or flits is None or experiment.fidelity == "fluid":
        return ()
    return tuple(_short(experiment, flits))


@dataclass(frozen=True, slots=True)
class _Buffered:
    """Links of one kind and the buffers at their ends, in flits."""

    kind: str
    held: int
    """Capacity of the buffers of a link, all virtual channels together."""
    needed: int
    """Flits in a round trip of credits."""


def links_with_buffers(experiment: Experiment, flits: int) -> Iterator[_Buffered]:
    """Yield node links and links between switches, with buffers of `flits` each."""
    machine = experiment.machine
    link = machine.link
    together = machine.channels_per_wire if link.sharing != "separate" else 1
    # Of several link classes the shortest delay counts: the result is a bound.
    delays = [link.delay.ps, *(c.delay.ps for c in machine.link_classes.values() if c.delay)]
    for kind, delay_ps, rate, channels in (
        ("injection", machine.node_delay.ps, machine.node_rate, machine.node_channels_per_wire),
        ("internal", min(delays), min(machine.internal_rates), together),
    ):
        if kind == "injection" or machine.has_internal_channels:
            yield _Buffered(kind, flits * channels, machine.credit_flits(delay_ps, rate))


def _short(experiment: Experiment, flits: int) -> Iterator[ShortBuffers]:
    for link in links_with_buffers(experiment, flits):
        if link.held < link.needed:
            flit_bytes = experiment.machine.link.flit.bytes
            yield ShortBuffers(link.kind, link.held, link.needed, flit_bytes)


def bounded(
    short: tuple[ShortBuffers, ...], wires: NDArray[np.float64], kinds: NDArray[Any], most: float
) -> float:
    """Return the load (us) of the limiting wire; loads of links with short buffers are scaled up.

    `wires` has loads, `kinds` the kinds of wires; `most` is the largest load without buffers.
    """
    for one in short:
        loads = wires[kinds == one.kind]
        most = max(most, float(loads.max(initial=0.0)) / one.share)
    return most
