"""The only door to the compiled engine: what it knows of a machine, and its errors in words.

Whatever can be said of a description without simulating it is asked for here, and known
nowhere else: sizes, what a routing needs, which fidelity can do what, and why not.
"""

from tailback import _engine as compiled

from .facts import (
    ALGORITHMS,
    MOST_NODES,
    OPERATIONS,
    Exact,
    Network,
    Outage,
    Outages,
    RoutingFacts,
    Suited,
    arbiters,
    cables,
    check,
    exact,
    homes,
    network,
    outages,
    routing,
    routings,
)
from .mistakes import LONGEST_CIRCLE, Named, Names, user_error, user_field
from .traces import TRACE_FORMATS, TraceFacts, TraceFile, trace_facts, trace_format, trace_mistake

__all__ = [
    "ALGORITHMS",
    "LONGEST_CIRCLE",
    "MOST_NODES",
    "OPERATIONS",
    "TRACE_FORMATS",
    "Exact",
    "Named",
    "Names",
    "Network",
    "Outage",
    "Outages",
    "RoutingFacts",
    "Suited",
    "TraceFacts",
    "TraceFile",
    "arbiters",
    "cables",
    "check",
    "compiled",
    "exact",
    "homes",
    "network",
    "outages",
    "routing",
    "routings",
    "trace_facts",
    "trace_format",
    "trace_mistake",
    "user_error",
    "user_field",
]
