"""What machines of tests accept of loads that they cannot carry."""

from __future__ import annotations

from typing import Any

import tailback as tb
from tailback.machines import Machine


def accepted(machine: Machine, fidelity: str, **pattern: Any) -> float:
    """Return the load that a machine accepts of one that it cannot carry."""
    workload = tb.Synthetic(
        **pattern,
        sync="asynchronous",
        throttle="queue_length",
        max_queue=32,
        compute_period="5 ns",
        compute_distribution="exponential",
        message_size="3 B",
    )
    run: dict[str, Any] = {"mode": "full", "fidelity": fidelity}
    return tb.run(machine, workload, **run, warmup="5 us", duration="15 us")["accepted_load"].value
