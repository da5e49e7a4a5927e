"""Workloads: what the processes of a machine compute, send and receive.

One class per kind; their fields are the keys of ``[workload]``. A workload
knows messages and processor time, never channels or packets. A class that `builtin`, `exchanges` or
`all_to_all` has in its ``__all__`` is a kind, and is known everywhere.
"""

from __future__ import annotations

from ..entry_points import Kinds, word_of
from ..parts import Presets
from . import all_to_all, builtin, exchanges
from .all_to_all import *  # noqa: F403
from .base import Network, Workload
from .builtin import *  # noqa: F403
from .exchanges import *  # noqa: F403
from .jobs import Job, Jobs
from .made import FunctionWorkload, ProgramWorkload
from .messages import Message, Messages
from .program import Compute, Multicast, Process, Program, Receive, Send
from .python_program import InPython, PythonProgram
from .synthetic import Synthetic
from .trace import Trace
from .traffic import Traffic, TrafficClass

__all__ = [
    "DEFAULT_KIND",
    "KINDS",
    "PRESETS",
    "Compute",
    "FunctionWorkload",
    "InPython",
    "Job",
    "Jobs",
    "Message",
    "Messages",
    "Multicast",
    "Network",
    "Process",
    "Program",
    "ProgramWorkload",
    "PythonProgram",
    "Receive",
    "Send",
    "Synthetic",
    "Trace",
    "Traffic",
    "TrafficClass",
    "Workload",
]
__all__ += builtin.__all__ + exchanges.__all__ + all_to_all.__all__

#: The order of kinds in documents and schema; others follow.
_FIRST = (
    *(Synthetic, Traffic),
    *(exchanges.CompleteExchange, exchanges.PeerExchange, exchanges.BoundaryExchange),
    *(builtin.ComputeOnly, builtin.Bandwidth, exchanges.RingAllreduce),
    *(Program, Messages, PythonProgram, Trace),
    *(builtin.FanIn, builtin.FanOut),
    *(exchanges.MeshExchange, builtin.TokenPass, exchanges.TorusExchange),
)

_BUILT_IN = (
    *_FIRST,
    *(
        getattr(module, name)
        for module in (exchanges, builtin, all_to_all)
        for name in module.__all__
    ),
)

#: Every kind of workload by its word in ``workload.kind``, those of plugins included.
KINDS: Kinds[Workload] = Kinds(
    {word_of(kind): kind for kind in _BUILT_IN},
    "tailback.workloads",
    Workload,  # type: ignore[type-abstract]
)

#: The kind of a ``[workload]`` table that names none.
DEFAULT_KIND = "synthetic"

#: Named workloads, such as ``preset = "tweedie"``: ``presets.toml`` has them and their sources.
PRESETS = Presets(__file__)
