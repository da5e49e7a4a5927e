"""The share of their links that switches of a kind of queue and of a buffer carry, evenly loaded.

Uniform traffic of equal packets, many ports, all inputs busy. With one queue at each input
(`fifo`) 2 - sqrt(2) of the links, whatever the buffer: the first packet of a queue keeps those
behind it from idle outputs [Karol et al. 1987]. One switch of few nodes carries more. With
`output` and room for B packets at every input (B + 1) - sqrt(B^2 + 1): then B packets are in the
switch for every output, as many as stand on average in a queue of packets of one length that is
busy for that share of the time. (For B = 1 both are the same.)
`voq` carries up to 0.04 less. Several switches in a row may carry less.

Messages of several packets that leave a node one after the other carry less still: who waits for
its output keeps the next message in the node, as with one queue at every input. Measured on stars
of 32 nodes, the share is between that of B packets over those of a message, one half at least, and
that of one message more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback.workloads import Synthetic

from .buffers import links_with_buffers

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.machines import Machine

#: By how much a switch with `voq` may carry less than one with `output`.
_MATCHING = 0.04
#: A node link loaded less than the most loaded wire by this part is not what limits.
_EVEN = 0.95
_WHOLE = ("cut_through", "store_and_forward")
#: Share of their links that single switches with one queue at each input carry, by number of ports,
#: if packets go to all ports alike [Karol et al. 1987, table I].
_FEW_PORTS = {1: 1, 2: 0.75, 3: 0.6825, 4: 0.6553, 5: 0.6399, 6: 0.6302, 7: 0.6234, 8: 0.6184}
#: The same if no packet goes back to the port it came from: the same model, in which the first
#: packets of all queues change places in slots of one packet. Up to three ports exact.
_FEW_OTHERS = {2: 1, 3: 0.75, 4: 0.6904, 5: 0.6608, 6: 0.6439, 7: 0.6332, 8: 0.6255}
_MANY_PORTS = 2 - math.sqrt(2)
#: What long messages carry at least: their packets share outputs, so that several end late.
_LONG = 0.5
_OF_WORMS = ("worm", "flits", "slots", "tokens")


@dataclass(frozen=True, slots=True)
class SwitchLimit:
    """What switches carry under the workload's traffic, if all their links are loaded alike."""

    queueing: str
    """`fifo`, `voq` or `output`."""
    packets: float | None
    """Packets that an input buffer holds besides those that replace a round trip of credits; None:
    any number, or with `fifo`, where it does not matter."""
    share: float
    """Share of their links that such switches carry at most."""
    least: float
    """The same at least: less only with `voq`."""
    is_bound: bool
    """Whether longer messages or different lengths make it less than `share`."""
    saturation_messages_per_node_per_ms: float | None
    """Predicted saturation with this limit; None where links between switches bound before those
    of nodes, so that inputs are not loaded as outputs are."""
    offered_messages_per_node_per_ms: float | None
    """What the workload sends; None where it waits for the network."""
    message_packets: int = 1
    """Packets of a message that leave the node before those of the next one; 1 if they mix."""

    @property
    def carried(self) -> str:
        """The share of links in words: "about 59 %"."""
        low, high = (f"{100 * share:.0f}" for share in (self.least, self.share))
        span = high if low == high else f"{low} to {high}"
        return f"{'at most' if self.is_bound else 'about'} {span} %"

    @property
    def in_words(self) -> str:
        """What switches carry, in words."""
        return f"{self.queueing} switches carry {self.carried} of their links, evenly loaded"

    @property
    def is_exceeded(self) -> bool:
        """Whether the workload offers more than the predicted saturation."""
        offered, most = self.offered_messages_per_node_per_ms, self._saturation
        return self.share < 1 and offered is not None and most is not None and offered > most

    @property
    def _saturation(self) -> float | None:
        return self.saturation_messages_per_node_per_ms

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "queueing": self.queueing,
            "packets_per_input": self.packets,
            **({"packets_per_message": self.message_packets} if self.message_packets > 1 else {}),
            "share_of_links": self.share,
            "share_of_links_least": self.least,
            "is_bound": self.is_bound,
            "saturation_messages_per_node_per_ms": self._saturation,
            "offered_messages_per_node_per_ms": self.offered_messages_per_node_per_ms,
            "exceeded": self.is_exceeded,
        }


def share_of_links(queueing: str, packets: float, with_one_queue: float = _MANY_PORTS) -> float:
    """Return the share that a switch carries with room for so many packets at every input.

    `with_one_queue`: what it carries with one queue at each input; others carry no less.
    """
    if queueing == "fifo":
        return with_one_queue
    # The difference of two large numbers, written as a quotient.
    many = 2 * packets / (packets + 1 + math.sqrt(packets**2 + 1)) if packets < math.inf else 1.0
    return max(many, with_one_queue) if packets >= 1 else many


def _with_one_queue(machine: Machine, workload: Synthetic) -> float:
    """Return the share that switches carry with one queue at each input: more with few ports."""
    if machine.topology.facts.switches != 1:
        return _MANY_PORTS
    to_itself = workload.includes_self and machine.interface.local == "switch"
    return (_FEW_PORTS if to_itself else _FEW_OTHERS).get(machine.nodes, _MANY_PORTS)


def switch_limit(
    experiment: Experiment,
    kernel: str,
    classes: list[int],
    node_load: float,
    most_load: float,
    saturation: float | None,
) -> SwitchLimit | None:
    """Return what limits switches; None where no such limit is known.

    `kernel` simulates the run; `classes` are virtual channels of each class of routing;
    `node_load` and `most_load` are the loads of the links of nodes and of the most loaded wire;
    `saturation` is what wires allow.
    """
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or not _is_uniform(workload, machine):
        return None
    if not _has_limit(machine, kernel):
        return None
    queueing = machine.queueing
    several = max(classes, default=1) > 1 or machine.node_channels_per_wire > 1
    if queueing == "fifo" and several:
        return None  # A queue for each virtual channel is more than one queue.
    packets = _packets(experiment, workload)
    if packets is None or (queueing != "fifo" and packets <= 0):
        return None
    share = share_of_links(queueing, packets, _with_one_queue(machine, workload))
    least = max(0.0, share - _MATCHING) if queueing == "voq" else share
    each = _message_packets(workload, machine)
    is_known = each > 1 and queueing != "fifo" and machine.topology.facts.switches == 1
    if is_known and packets < math.inf:
        messages = packets / each
        fewer = share_of_links(queueing, messages, _LONG)
        least = min(least, max(_LONG, fewer))
        share = min(share, share_of_links(queueing, messages + 1))
    even = saturation is not None and node_load >= _EVEN * most_load
    return SwitchLimit(
        queueing=queueing,
        packets=packets if queueing != "fifo" and packets < math.inf else None,
        share=share,
        least=least,
        is_bound=_varies(workload, machine) and not is_known,
        saturation_messages_per_node_per_ms=saturation * share if even and saturation else None,
        offered_messages_per_node_per_ms=offered(workload),
        message_packets=each,
    )


def _has_limit(machine: Machine, kernel: str) -> bool:
    """Return whether the rules above hold for the switches of a machine.

    Worms that stand in several switches at once are limited more, by how much is not known.
    """
    switch = machine.switch
    if switch.integrated:
        return False
    if switch.switching == "wormhole":
        return kernel in _OF_WORMS and machine.topology.facts.switches == 1
    return kernel == "packet" and switch.switching in _WHOLE


def _is_uniform(workload: Synthetic, machine: Machine) -> bool:
    """Return whether all nodes send to all, equally often."""
    if workload.pattern != "uniform":
        return False
    reach = workload.reach(machine)
    return reach is None or reach >= max(machine.shape) - 1


def _packets(experiment: Experiment, workload: Synthetic) -> float | None:
    """Return the packets that wait at an input without keeping its link from sending.

    Less than one where a link waits for credits of its buffer; None where it is not known.
    """
    machine = experiment.machine
    flits = machine.input_flits(experiment.fidelity)
    if flits is None:
        return math.inf
    if not machine.has_credits:
        return None
    full = machine.interface.packet_room.bytes
    packet = machine.packet_flits(min(workload.mean_bytes, full))
    stored = machine.switch.switching == "store_and_forward"
    fewest = math.inf
    for link in links_with_buffers(experiment, flits):
        replaced = link.needed - machine.packet_flits(full) * (2 if stored else 1)
        fewest = min(fewest, link.held // packet - replaced / packet)
    return fewest - stored


def _message_packets(workload: Synthetic, machine: Machine) -> int:
    """Return how many packets of a message leave a node before those of the next; 1 if they mix."""
    if workload.message_distribution != "constant" or machine.interface.message_order != "fifo":
        return 1
    return max(1, -(-workload.mean_bytes // machine.interface.packet_room.bytes))


def _varies(workload: Synthetic, machine: Machine) -> bool:
    """Return whether there are messages of several packets, or of different lengths."""
    lengths = {size for size, _ in workload.portions} or {workload.mean_bytes}
    drawn = workload.message_distribution not in ("constant", "mixed")
    return drawn or len(lengths) > 1 or max(lengths) > machine.interface.packet_room.bytes


def offered(workload: Synthetic) -> float | None:
    """Return the messages that a node sends per ms, whatever becomes of them."""
    if not workload.is_open_loop or workload.compute_period.ps <= 0:
        return None
    return workload.messages * 1e9 / workload.compute_period.ps
