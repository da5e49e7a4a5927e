"""Blame of one run: lateness by victim, culprit, root channel and kind.

The lateness of a message is its latency less its latency alone. It is charged to the traffic
classes of the messages at the ends of its chain of waits, at the channels where these waits begin
(`docs/answer.md`). The tables hold sums of picoseconds in up to 16 batches of equal time, which
give means per message and confidence intervals. Waits of packets are kept beside them on
request.
"""

from .charges import KIND_WORDS, KINDS, Blame, Charged, Totals, empty_table, unknown_blame
from .sums import BATCHES, NOBODY, REST, Ints, Sums, exactly, numbered, per_message

__all__ = [
    "BATCHES",
    "KINDS",
    "KIND_WORDS",
    "NOBODY",
    "REST",
    "Blame",
    "Charged",
    "Ints",
    "Sums",
    "Totals",
    "empty_table",
    "exactly",
    "numbered",
    "per_message",
    "unknown_blame",
]
