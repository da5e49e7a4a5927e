"""What sources send at most that wait for acknowledgements, or drop messages meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback.workloads import Synthetic, Traffic

from .zero_load import ZeroLoad

if TYPE_CHECKING:
    from tailback.experiment import Experiment


def window_rate(experiment: Experiment, alone: tuple[ZeroLoad, ...], ack_us: float) -> float | None:
    """Return the messages of a node and ms that fit into `max_outstanding` [Little 1961].

    A message counts until it is acknowledged, no earlier than it is there if it meets no other.
    None where sources send whatever comes back.
    """
    workload = experiment.workload
    if not isinstance(workload, Synthetic) or not workload.is_open_loop or len(alone) != 1:
        return None
    if workload.throttle != "outstanding":
        return None
    return _fitting(
        workload.processes_per_node * workload.max_outstanding, alone[0].latency_us, ack_us
    )


def _fitting(most: int, latency_us: float, answer_us: float) -> float | None:
    """Return the messages per ms of which `most` are under way at once; None if none takes time."""
    stays_us = latency_us + (0.0 if math.isnan(answer_us) else answer_us)
    return most / stays_us * 1e3 if stays_us > 0 else None


@dataclass(frozen=True, slots=True)
class ClassWindow:
    """A traffic class of which fewer messages may be under way than it is asked to send.

    Rates are messages per node and ms.
    """

    name: str
    max_outstanding: int
    most: float
    """What fits into `max_outstanding`."""
    asked: float
    """What its period asks for."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "class": self.name,
            "messages_per_node_per_ms": self.most,
            "asked_messages_per_node_per_ms": self.asked,
        }


def class_windows(
    experiment: Experiment, alone: tuple[ZeroLoad, ...], ack_us: float
) -> tuple[ClassWindow, ...]:
    """Return the traffic classes whose sources send less than they are asked to, as above.

    A request counts until its reply is there. Classes with messages of several lengths, or with
    replies of several, are left out.
    """
    workload = experiment.workload
    if not isinstance(workload, Traffic):
        return ()
    latencies: dict[str | None, list[float]] = {}
    for one in alone:
        latencies.setdefault(one.traffic_class, []).append(one.latency_us)
    found = []
    for source in workload.sources:
        ways = [latencies.get(name, []) for name in (source.name, source.reply) if name]
        if source.throttle != "outstanding" or any(len(times) != 1 for times in ways):
            continue
        answer_us = ack_us if source.reply is None else ways[1][0]
        most = _fitting(source.max_outstanding, ways[0][0], answer_us)
        asked = workload.rate_factor * 1e9 / source.period.ps if source.period.ps else 0.0
        if most is not None and most < asked:
            found.append(ClassWindow(source.name, source.max_outstanding, most, asked))
    return tuple(found)
