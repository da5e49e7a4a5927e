"""What an open loop offers: messages counted in time of a node's injection channel, and in flits.

An open loop goes on sending whatever becomes of its messages, so that its load is a given
number. Loads are shares of what the injection channels of the nodes could carry: time that
data packets take on them (header and end included) over time. Every message counts what
messages do on average.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import TYPE_CHECKING

from tailback.metrics import Metric, OpenLoop, of_class
from tailback.workloads import Jobs, Network, Synthetic, Traffic, TrafficClass, Workload
from tailback.workloads.lengths import mixed

if TYPE_CHECKING:
    from tailback.experiment import Experiment


def open_loop(experiment: Experiment) -> OpenLoop | None:
    """Return what the workload offers; None if the network slows it down, or it ends."""
    workload, machine = experiment.workload, experiment.machine
    if not isinstance(workload, Synthetic) or not workload.is_open_loop:
        return None
    messages = workload.lengths
    cycle = machine.cycle()
    injection_ps = None
    if machine.has_injection_channels:
        injection_ps = fmean(map(machine.message_injection_ps, messages))
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
        else fmean(machine.over_packets(n, machine.packet_flits) for n in messages) * cycle.ps,
    )


def class_metrics(experiment: Experiment) -> dict[str, Metric]:
    """Return what is estimated of every traffic class, by name; nothing where there is one."""
    machine = experiment.machine
    found: dict[str, Metric] = {}
    for name, workload, one, network in _classes(experiment.workload, machine):
        if workload is None or one is None:
            found |= of_class(name, injection_ps=None, is_source=False, is_answered=False)
            continue
        injection_ps = None
        if machine.has_injection_channels:
            messages = _lengths_of(one, workload)
            injection_ps = fmean(map(machine.message_injection_ps, messages))
        found |= of_class(
            name,
            injection_ps=injection_ps,
            is_source=not workload.answers(one.name) and one.repeat is None,
            is_answered=one.reply is not None,
            sending_share=one.as_synthetic.sending_share(network),
        )
    return found


def _classes(
    workload: Workload, network: Network, before: str = ""
) -> Iterator[tuple[str, Traffic | None, TrafficClass | None, Network]]:
    """Yield the traffic classes that the network knows: their names, who sends them, and where.

    Of a job that is a class by itself nobody does. A job sees its own nodes alone.
    """
    if isinstance(workload, Traffic):
        for one in workload.traffic_class:
            yield f"{before}{one.name}", workload, one, network
    if not isinstance(workload, Jobs) or not workload.network_classes():
        return
    for job, _, part in workload.parts(network):
        if isinstance(job.workload, Traffic):
            yield from _classes(job.workload, part, f"{job.name}.")
        else:
            yield job.name, None, None, part


def _lengths_of(one: TrafficClass, workload: Traffic) -> list[int]:
    """Return lengths that stand for those of the messages of a class.

    Of replies those that requests ask for, each as often; of several classes of requests alike.
    """
    asked: list[int] = []
    for other in workload.traffic_class:
        if other.reply == one.name and other.reply_sizes:
            weights = other.message_weights or (1,) * len(other.reply_sizes)
            sizes = (size.bytes for size in other.reply_sizes)
            asked += mixed(tuple(zip(sizes, weights, strict=True)))
    return asked or one.as_synthetic.lengths
