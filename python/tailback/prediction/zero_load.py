"""Zero-load latency of the packets of a workload, by traffic class and length."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import engine
from tailback.workloads import Messages, Synthetic, Traffic

from .few_sources import moving_symmetry, predicted_of_few, sends_alike

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Most lengths shown of one class.
_MOST = 4
#: Most pairs of nodes on a machine on which a few sources stand for all.
_PAIRS = 2_000_000
_SELDOM_PS = 10**17
#: Roughly the links of all routes walked for a length.
_HOPS = 2_000_000
#: The same on machines of more nodes than this.
_FEW_HOPS = 500_000
_MANY_NODES = 16_384


@dataclass(frozen=True, slots=True)
class ZeroLoad:
    """The zero-load latency of one kind of packet."""

    traffic_class: str | None
    """Its traffic class; None if there is only one."""
    data_bytes: int
    """Data bytes: of a whole message, or of a full packet of a longer message."""
    is_whole: bool
    """Whether the packet is a whole message."""
    latency_us: float
    """Mean lifetime over the pairs of nodes that send it."""
    neighbour_us: float
    """The same to a neighbour."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "class": self.traffic_class,
            "packet_bytes": self.data_bytes,
            "whole_message": self.is_whole,
            "latency_us": self.latency_us,
            "neighbour_us": self.neighbour_us,
        }


def zero_loads(experiment: Experiment, full: dict[str, Any]) -> tuple[ZeroLoad, ...]:
    """Return zero-load latencies by class and length; empty if lengths are not known.

    At most the four most frequent lengths above zero of a class. Empty on machines that send
    messages whole, or with a first packet of another length: full packets are reported there.
    `full` is the prediction for full packets.
    """
    machine = experiment.machine
    interface = machine.interface
    if machine.sends_whole_messages or interface.first_packet not in {None, interface.packet_room}:
        return ()
    found = []
    for name, sender, sizes in _classes(experiment):
        told = [min(size, interface.packet_room.bytes) for size in sizes if size > 0]
        for size in dict.fromkeys(told[:_MOST]):
            is_full = sender is None and size == interface.packet_room.bytes
            predicted = full if is_full else _predicted(experiment, sender, size)
            if predicted["pairs"]:
                times = (predicted["zero_load_data_ps"], predicted["zero_load_data_1hop_ps"])
                latency, neighbour = (time / 1e6 for time in times)
                found.append(ZeroLoad(name, size, size in sizes, latency, neighbour))
    return tuple(found)


def _predicted(experiment: Experiment, sender: int | None, size: int) -> dict[str, Any]:
    """Return what is predicted if packets have so much data, and one class is sent above all."""
    nodes = experiment.machine.nodes
    are_many = nodes * (nodes - 1) > _PAIRS and sends_alike(experiment)
    if are_many and (same := moving_symmetry(experiment)) is not None:
        return predicted_of_few(experiment, same, size)
    spec = json.loads(experiment.spec())
    spec["machine"]["interface"]["packet_bytes"] = size
    for number, one in enumerate(spec["workload"]["classes"] if sender is not None else ()):
        if number != sender:
            one["messages"]["compute"]["mean"] = _SELDOM_PS
    hops = max(1, experiment.machine.topology.facts.typical_hops)
    most = _HOPS if nodes <= _MANY_NODES else _FEW_HOPS
    rows = experiment.messages_arrays()
    return engine.predict(json.dumps(spec), max(1000, most // hops), rows)


def _classes(experiment: Experiment) -> Iterator[tuple[str | None, int | None, list[int]]]:
    """Yield the classes of packets: name, the number of who asks for them, and lengths.

    No name and no number where there is one class.
    """
    workload = experiment.workload
    if isinstance(workload, Synthetic):
        yield None, None, _lengths(workload)
    elif isinstance(workload, Messages):
        sizes, counts = np.unique(workload.messages_arrays()[3], return_counts=True)
        yield None, None, sizes[np.argsort(-counts, kind="stable")].tolist()
    elif isinstance(workload, Traffic):
        for one in workload.traffic_class:
            asking = [other for other in workload.traffic_class if other.reply == one.name]
            asked = [size.bytes for other in asking for size in other.reply_sizes]
            # Replies go the other way between the nodes between which requests go.
            sender = workload.traffic_class.index((asking or [one])[0])
            yield one.name, sender, asked or _lengths(one.as_synthetic)


def _lengths(workload: Synthetic) -> list[int]:
    """Return the lengths of messages in bytes, the most frequent first; the mean of drawn ones."""
    portions = sorted(workload.portions, key=lambda portion: -portion[1])
    return [size for size, _ in portions] or [workload.mean_bytes]
