"""Who made whom late: charges of one run, by traffic class, root channel and kind.

A message is late by what it took longer than alone. That is divided among the traffic classes of
the messages that its chain of waits leads to, at the channels where these waits begin
(`docs/answer.md`). The tables hold sums of picoseconds in up to 16 batches of time of equal
length; from these come means per message and their confidence intervals. What packets waited is
kept beside them if it is asked for.
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
