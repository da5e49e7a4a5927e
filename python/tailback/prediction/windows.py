"""What sources send at most that wait for acknowledgements, or drop messages meanwhile."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tailback.workloads import Synthetic

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
    stays_us = alone[0].latency_us + (0.0 if math.isnan(ack_us) else ack_us)
    if not stays_us > 0:
        return None
    return workload.processes_per_node * workload.max_outstanding / stays_us * 1e3
