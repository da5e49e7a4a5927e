"""Input buffers shorter than a round trip of credits, and the rate of links that they limit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tailback.workloads import Messages, Synthetic

if TYPE_CHECKING:
    from tailback.experiment import Experiment


#: Full packets of a message behind which a shorter one does not matter.
_MANY = 16


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
    packets: tuple[int, int] | None = None
    """How many packets they have room for as a whole, and flits of each; None if these differ."""

    @property
    def share(self) -> float:
        """Largest share of its rate that such a link carries."""
        return (self.flits if self.packets is None else math.prod(self.packets)) / self.needed

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "kind": self.kind,
            "buffer_bytes": self.flits * self.flit_bytes,
            "round_trip_bytes": self.needed * self.flit_bytes,
            "packets": None if self.packets is None else self.packets[0],
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
    channels: int
    """Virtual channels of a link, each with its part of `held`."""


def links_with_buffers(
    experiment: Experiment, flits: int, packet_bytes: int | None = None
) -> Iterator[_Buffered]:
    """Yield node links and links between switches, with buffers of `flits` each.

    `packet_bytes`: data of every packet; None: full packets.
    """
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
            needed = machine.credit_flits(delay_ps, rate, packet_bytes)
            yield _Buffered(kind, flits * channels, needed, channels)


def _short(experiment: Experiment, flits: int) -> Iterator[ShortBuffers]:
    machine = experiment.machine
    data = _packet_bytes(experiment) if machine.switch.switching in _WHOLE else None
    for link in links_with_buffers(experiment, flits, data):
        each = machine.packet_flits(data) if data is not None else 0
        packets = (flits // each * link.channels, each) if 0 < each <= flits else None
        flit_bytes = machine.link.flit.bytes
        short = ShortBuffers(link.kind, link.held, link.needed, flit_bytes, packets)
        if short.share < 1:
            yield short


_WHOLE = ("cut_through", "store_and_forward")


def _packet_bytes(experiment: Experiment) -> int | None:
    """Return the data of every packet, if all are alike or nearly all; else None."""
    workload, room = experiment.workload, experiment.machine.interface.packet_room.bytes
    sizes: list[int] = []
    if isinstance(workload, Messages):
        sizes = np.unique(workload.messages_arrays()[3]).tolist()
    elif isinstance(workload, Synthetic) and workload.message_distribution in _GIVEN:
        sizes = [size for size, _ in workload.portions] or [workload.mean_bytes]
    found = {_each(size, room) for size in sizes if size}
    return found.pop() if len(found) == 1 else None


_GIVEN = ("constant", "mixed")


def _each(size: int, room: int) -> int | None:
    """Return the data of each packet of a message."""
    if size <= room:
        return size
    return room if size % room == 0 or size >= _MANY * room else None


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
