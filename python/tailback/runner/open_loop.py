"""What an open loop offers: messages counted in time of a node's injection channel, and in flits.

An open loop goes on sending whatever becomes of its messages, so that its load is a given
number. Loads are shares of what the injection channels of the nodes could carry: time that
data packets take on them (header and end included) over time. Every message counts what
messages do on average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd, log
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from tailback.metrics import Metric, OpenLoop, of_class
from tailback.workloads import Jobs, Synthetic, Traffic, TrafficClass, Workload

if TYPE_CHECKING:
    from tailback.experiment import Experiment

_QUANTILES = 4096


def open_loop(experiment: Experiment) -> OpenLoop | None:
    """Return what the workload offers; None if the network slows it down, or it ends."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or not workload.is_open_loop:
        return None
    size = machine.interface.packet_room.bytes
    messages = lengths(workload.message_distribution, workload.mean_bytes, workload)
    cycle = machine.cycle()
    injection_ps = None
    if machine.has_injection_channels:
        injection_ps = fmean(_over_packets(n, size, machine.injection_ps) for n in messages)
    return OpenLoop(
        # Nodes that send nothing complete iterations as well.
        offered={
            "iterations": workload.messages * workload.sending_share(machine),
            "messages_local": -1.0,
        },
        accepted={"messages_delivered": 1.0, "messages_local": -1.0},
        injection_ps=injection_ps,
        flits=None
        if cycle is None
        else in_flits(messages, size, machine.packet_flits, float(cycle.ps)),
    )


def class_metrics(experiment: Experiment) -> dict[str, Metric]:
    """Return what is estimated of every traffic class, by name; nothing where there is one."""
    machine = experiment.machine
    size = machine.interface.packet_room.bytes
    found: dict[str, Metric] = {}
    for name, workload, one in _classes(experiment.workload):
        if workload is None or one is None:
            found |= of_class(name, injection_ps=None, is_source=False, is_answered=False)
            continue
        injection_ps = None
        if machine.has_injection_channels:
            messages = _lengths_of(one, workload)
            injection_ps = fmean(_over_packets(n, size, machine.injection_ps) for n in messages)
        # Which nodes of a job have nobody to send to depends on where the job is: not counted.
        alone = workload is experiment.workload
        share = one.as_synthetic.sending_share(machine) if alone else 1.0
        found |= of_class(
            name,
            injection_ps=injection_ps,
            is_source=not workload.answers(one.name) and one.repeat is None,
            is_answered=one.reply is not None,
            sending_share=share,
        )
    return found


def _classes(
    workload: Workload, before: str = ""
) -> Iterator[tuple[str, Traffic | None, TrafficClass | None]]:
    """Yield the traffic classes that the network knows: their names, and who sends them.

    Of a job that is a class by itself nobody does.
    """
    if isinstance(workload, Traffic):
        yield from ((f"{before}{one.name}", workload, one) for one in workload.traffic_class)
    if not isinstance(workload, Jobs) or not workload.network_classes():
        return
    for job in workload.jobs:
        if isinstance(job.workload, Traffic):
            yield from _classes(job.workload, f"{job.name}.")
        else:
            yield job.name, None, None


def _lengths_of(one: TrafficClass, workload: Traffic) -> list[int]:
    """Return lengths that stand for those of the messages of a class.

    Of replies those that requests ask for, each as often; of several classes of requests alike.
    """
    asked: list[int] = []
    for other in workload.traffic_class:
        if other.reply == one.name and other.reply_sizes:
            weights = other.message_weights or (1,) * len(other.reply_sizes)
            sizes = (size.bytes for size in other.reply_sizes)
            asked += _mixed(tuple(zip(sizes, weights, strict=True)))
    given = one.as_synthetic
    return asked or lengths(given.message_distribution, given.mean_bytes, given)


def in_flits(
    messages: list[int], packet_bytes: int, packet_flits: Callable[[int], int], clock_ps: float
) -> float:
    """Return the flits of a message of one of these lengths, times a clock cycle (ps).

    `packet_flits` counts the flits of a packet with so many bytes of data.
    """
    return fmean(_over_packets(n, packet_bytes, packet_flits) for n in messages) * clock_ps


def lengths(shape: str, mean: int, workload: Synthetic) -> list[int]:
    """Return lengths of messages in bytes that stand for their distribution: equal quantiles."""
    if shape == "constant":
        return [mean]
    if shape == "mixed":
        return _mixed(workload.portions)
    middles = [(i + 0.5) / _QUANTILES for i in range(_QUANTILES)]
    if shape == "exponential":
        return [round(-mean * log(1 - p)) for p in middles]
    normal = NormalDist(mean, workload.message_sigma * mean) if workload.message_sigma else None
    return [mean if normal is None else max(0, round(normal.inv_cdf(p))) for p in middles]


def _mixed(portions: tuple[tuple[int, int], ...]) -> list[int]:
    """Return each length as often as its weight says, in lowest terms."""
    common = gcd(*(weight for _, weight in portions))
    return [size for size, weight in portions for _ in range(weight // common)]


def _over_packets(message_bytes: int, size: int, of_packet: Callable[[int], int]) -> int:
    """Add up what the packets of a message count: full ones, and the last."""
    full = max(0, -(-message_bytes // size) - 1)
    whole = full * of_packet(size) if full else 0
    return whole + of_packet(message_bytes - full * size)
