"""Processes written in Python: what a program says to its node, and how it is run.

A program is an ``async def`` function of one argument, its `Node`. There is one process
on every node; each awaits what it has told its node to do, in simulated time. The
instructions are those of [Buzzard & Mudge 1988], section 2.
"""

from __future__ import annotations

from .loading import Program, from_file, from_function
from .node import ANY, Node
from .operations import Message, Receiving, Sending
from .processes import Processes, Running

__all__ = [
    "ANY",
    "Message",
    "Node",
    "Processes",
    "Program",
    "Receiving",
    "Running",
    "Sending",
    "from_file",
    "from_function",
]
