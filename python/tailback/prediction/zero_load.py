"""Zero-load latency of the messages of a workload, by traffic class and length.

Of a message of one packet it is the mean over all pairs of nodes that send it, by the lengths of
routes. A longer one takes longer by what separates its first packet from its last, and any by what
it costs in software. Some pairs are simulated, each message alone, and the mean difference is
added: exact where links have one rate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tailback import engine
from tailback.workloads import Messages, Synthetic, Traffic

from .alone import latencies
from .few_sources import moving_symmetry, predicted_of_few, sends_alike

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Most lengths shown of one class.
_MOST = 4
#: Most pairs of nodes on a machine on which a few sources stand for all.
_PAIRS = 2_000_000
_SELDOM_PS = 10**17
#: Packets of the longest message that is simulated; longer ones take longer in proportion.
_PACKETS = 120
#: Packets of the two messages whose difference tells by how much.
_STEADY = (60, 120)
#: Roughly the links of all routes walked for a length.
_HOPS = 2_000_000
#: The same on machines of more nodes than this.
_FEW_HOPS = 500_000
_MANY_NODES = 16_384


@dataclass(frozen=True, slots=True)
class ZeroLoad:
    """The zero-load latency of messages of one length."""

    traffic_class: str | None
    """Its traffic class; None if there is only one."""
    data_bytes: int
    """Data bytes of a message."""
    latency_us: float
    """From its first packet's start to its delivery, with what it costs in software: mean over the
    pairs of nodes that send it."""
    neighbour_us: float
    """The same to a neighbour."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "class": self.traffic_class,
            "message_bytes": self.data_bytes,
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
        differ = isinstance(experiment.workload, Messages) and len(sizes) > 1
        for size in [size for size in sizes if size > 0][:_MOST]:
            packet = min(size, interface.packet_room.bytes)
            is_full = sender is None and packet == interface.packet_room.bytes and not differ
            predicted = full if is_full else _predicted(experiment, sender, size, packet)
            if predicted["pairs"]:
                found.append(_of_messages(experiment, name, size, packet, predicted))
    return tuple(found)


def _of_messages(
    experiment: Experiment, name: str | None, size: int, packet: int, predicted: dict[str, Any]
) -> ZeroLoad:
    """Return the latency of messages whose first packet is `predicted`."""
    times = (predicted["zero_load_data_ps"], predicted["zero_load_data_1hop_ps"])
    latency, neighbour = (time / 1e6 for time in times)
    if size > packet or experiment.machine.interface.has_costs:
        pairs = list(
            zip(
                predicted["sample_source"].tolist(),
                predicted["sample_destination"].tolist(),
                strict=True,
            )
        )
        packets = [(*pair, packet) for pair in pairs]
        alone = np.array(list(latencies(experiment, packets, costs=False)))
        later = _whole(experiment, pairs, size, packet) - alone
        nearest = int(np.argmin(np.abs(alone - neighbour)))
        latency += float(np.average(later, weights=predicted["sample_weight"]))
        neighbour += float(later[nearest])
    return ZeroLoad(name, size, latency, neighbour)


def _whole(
    experiment: Experiment, pairs: Sequence[tuple[int, int]], size: int, packet: int
) -> NDArray[np.float64]:
    """Return what messages of several packets take, each alone, in µs."""
    packets, rest = divmod(size, packet)
    if packets <= _PACKETS:
        return np.array(list(latencies(experiment, [(*pair, size) for pair in pairs])))
    few, many = (_whole(experiment, pairs, n * packet + rest, packet) for n in _STEADY)
    return few + (many - few) * ((packets - _STEADY[0]) / (_STEADY[1] - _STEADY[0]))


def _predicted(
    experiment: Experiment, sender: int | None, size: int, packet: int
) -> dict[str, Any]:
    """Return what is predicted of a first packet of messages of one class and length."""
    nodes = experiment.machine.nodes
    are_many = nodes * (nodes - 1) > _PAIRS and sends_alike(experiment)
    if are_many and (same := moving_symmetry(experiment)) is not None:
        return predicted_of_few(experiment, same, packet)
    spec = json.loads(experiment.spec())
    spec["machine"]["interface"]["packet_bytes"] = packet
    for number, one in enumerate(spec["workload"]["classes"] if sender is not None else ()):
        if number != sender:
            one["messages"]["compute"]["mean"] = _SELDOM_PS
    hops = max(1, experiment.machine.topology.facts.typical_hops)
    most = _HOPS if nodes <= _MANY_NODES else _FEW_HOPS
    rows = experiment.messages_arrays()
    if rows is not None and isinstance(experiment.workload, Messages):
        rows = tuple(column[rows[3] == size] for column in rows)
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
