"""Workloads: what the processes of a machine compute, send and receive.

One class per kind; their fields are the keys of ``[workload]``. A workload
knows messages and processor time, never channels or packets. A class that `builtin` or `cluster`
has in its ``__all__`` is a kind, and is known everywhere.
"""

from __future__ import annotations

from typing import Any

from . import builtin, cluster
from .base import Network, Workload
from .builtin import *  # noqa: F403
from .cluster import *  # noqa: F403
from .jobs import Job, Jobs
from .messages import Message, Messages
from .program import Compute, Multicast, Process, Program, Receive, Send
from .python_program import PythonProgram
from .synthetic import Synthetic
from .trace import Trace
from .traffic import Traffic, TrafficClass

__all__ = [
    "DEFAULT_KIND",
    "KINDS",
    "PRESETS",
    "Compute",
    "Job",
    "Jobs",
    "Message",
    "Messages",
    "Multicast",
    "Network",
    "Process",
    "Program",
    "PythonProgram",
    "Receive",
    "Send",
    "Synthetic",
    "Trace",
    "Traffic",
    "TrafficClass",
    "Workload",
]
__all__ += builtin.__all__ + cluster.__all__

#: Every kind of workload by the word in ``workload.kind``.
KINDS: dict[str, type[Workload]] = {
    kind.keys["kind"].default: kind
    for kind in (
        Synthetic,
        Traffic,
        *(kind for name, kind in vars(builtin).items() if name in builtin.__all__),
        Program,
        Messages,
        PythonProgram,
        Trace,
        *(getattr(cluster, name) for name in cluster.__all__),
    )
}

#: The kind of a ``[workload]`` table that names none.
DEFAULT_KIND = "synthetic"

#: Named workloads: ``preset = "tweedie"``, refined by further keys.
#:
#: * ``tweedie``: (D, 8, 1, c, 1, 32), the experiments of the thesis (Tweedie),
#:   chapters 5 and 6, with c = 100 us.
#: * ``tweedie_boundary``: the boundary exchange of section 4.2.1. The period is
#:   not printed; 3.5 us gives the rates of table 4.3.
#: * ``uniform_open_loop``: every node sends 31-byte messages at random instants
#:   (Poisson) to random nodes anywhere, whatever becomes of them: the usual way to
#:   load a network from outside. On the machine ``wormhole_mesh`` a message is 32
#:   flits of 1 ns, so that a mean of 320 ns is a load of 0.1 flits per node and ns.
#: * ``buzzard_mudge``: the messages of [Buzzard & Mudge 1988, section 6] at their heaviest
#:   load, with a tick of 1 ns: the variance of the times between them is half the mean, in
#:   ticks. How many each node sends is not printed; 30 fits what is.
PRESETS: dict[str, dict[str, Any]] = {
    "tweedie": {
        "kind": "synthetic",
        "processes_per_node": 1,
        "radius": 8,
        "compute_period": "100 us",
        "compute_distribution": "constant",
        "messages": 1,
        "message_size": "32 B",
        "message_distribution": "constant",
        "sync": "loosely_synchronous",
        "max_outstanding": 16,
        "start": "random",
    },
    "tweedie_boundary": {
        "kind": "boundary_exchange",
        "period": "3.5 us",
        "message_size": "32 B",
    },
    "uniform_open_loop": {
        "kind": "synthetic",
        "processes_per_node": 1,
        "radius": "all",
        "compute_period": "320 ns",
        "compute_distribution": "exponential",
        "messages": 1,
        "message_size": "31 B",
        "message_distribution": "constant",
        "sync": "asynchronous",
        "throttle": "outstanding",
        "max_outstanding": 1_000_000,
        "start": "random",
    },
    "buzzard_mudge": {
        "kind": "synthetic",
        "processes_per_node": 1,
        "radius": "all",
        "compute_period": "1024 ns",
        "compute_distribution": "normal",
        "compute_sigma": 0.0221,
        "messages": 1,
        "message_size": "512 B",
        "message_distribution": "exponential",
        "sync": "asynchronous",
        "throttle": "outstanding",
        "max_outstanding": 1_000_000,
        "start": "random",
        "repeat": 30,
    },
}
