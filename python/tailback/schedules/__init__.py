"""Schedules of a complete exchange on a mesh: made, counted, read, written.

A schedule says who sends to whom in which step. Barriers between groups of steps bound how many
messages share a node or a link; fewer barriers allow more of them to [Bokhari & Nicol 1996].
"""

from __future__ import annotations

from .checking import Counted, count, verify
from .construction import Naive, Order, collapsible, in_order, naive, scott
from .contention import Contention, contentions, fewest_steps, group_of
from .exporting import Turn, messages, program, turns
from .files import read, written
from .loads import link_loads
from .schedule import Schedule

__all__ = [
    "Contention",
    "Counted",
    "Naive",
    "Order",
    "Schedule",
    "Turn",
    "collapsible",
    "contentions",
    "count",
    "fewest_steps",
    "group_of",
    "in_order",
    "link_loads",
    "messages",
    "naive",
    "program",
    "read",
    "scott",
    "turns",
    "verify",
    "written",
]
