"""What a distribution needs to add topologies, workloads and readers to Tailback.

A class or function is found by an entry point, in the group ``tailback.topologies``,
``tailback.workloads`` or ``tailback.readers``, whose name is the word that users write. See
docs/plugins.md; ``examples/plugin`` is a whole one.
"""

from __future__ import annotations

from .errors import UserError
from .machines import GraphTopology
from .parts import key
from .programs import Node
from .units import Rate, Size, Time
from .workloads import (
    Compute,
    FunctionWorkload,
    Multicast,
    Network,
    Process,
    ProgramWorkload,
    Receive,
    Send,
)

__all__ = [
    "Compute",
    "FunctionWorkload",
    "GraphTopology",
    "Multicast",
    "Network",
    "Node",
    "Process",
    "ProgramWorkload",
    "Rate",
    "Receive",
    "Send",
    "Size",
    "Time",
    "UserError",
    "key",
]
