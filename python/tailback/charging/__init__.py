"""Who made whom wait: charges of one run, by traffic class, channel and cause.

Every wait of every packet delivered in the window is charged to one cause and to
the traffic class of the packet that was in the way (`docs/model.md`). The tables
hold sums of picoseconds in up to 16 batches of time of equal length; from these
come means per message and their confidence intervals.
"""

from .charges import Blame, Charged, unknown_blame
from .sums import BATCHES, REST, Ints, Sums, exactly, numbered, per_message

__all__ = [
    "BATCHES",
    "REST",
    "Blame",
    "Charged",
    "Ints",
    "Sums",
    "exactly",
    "numbered",
    "per_message",
    "unknown_blame",
]
