"""Schedules as what experiments can run: what every node does, and lists of messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailback.csv_files import plain_csv
from tailback.units import Size, Time

from .schedule import Schedule


@dataclass(frozen=True, slots=True)
class Turn:
    """What a node does between two barriers."""

    to: Sequence[int]
    """Nodes it sends to, in this order."""
    receives: int
    """How many messages come."""


def turns(schedule: Schedule) -> list[list[Turn]]:
    """Return for every node what it does in each group; messages to itself are none."""
    made: list[list[Turn]] = [[] for _ in range(schedule.nodes)]
    for all_sources, all_destinations in schedule.rounds():
        between = all_sources != all_destinations
        source, destination = all_sources[between], all_destinations[between]
        order = np.argsort(source, kind="stable")
        bounds = np.searchsorted(source[order], np.arange(schedule.nodes + 1)).tolist()
        to = destination[order].tolist()
        coming = np.bincount(destination, minlength=schedule.nodes).tolist()
        for node, receives in enumerate(coming):
            made[node].append(Turn(to[bounds[node] : bounds[node + 1]], receives))
    return made


def program(schedule: Schedule, size: Size) -> str:
    """Return an experiment file of a program that carries out a schedule, for one to go on from.

    Every node has a process of its own number. It sends what a group of steps asks for, receives
    what comes, and waits for all others before the next group.
    """
    dims = ", ".join(map(str, schedule.shape))
    lines = [
        f"# {schedule.name} on {schedule.mesh}: {schedule.messages} messages of {size} in "
        f"{schedule.steps} steps,",
        f"# a barrier after every {schedule.group}."
        if schedule.groups > 1
        else "# without barriers.",
        "",
        "[machine.topology]",
        'kind = "mesh"',
        f"dims = [{dims}]",
        "",
        "[workload]",
        'kind = "program"',
    ]
    for node, of_node in enumerate(turns(schedule)):
        lines += ["", "[[workload.process]]", f"node = {node}", "repeat = 1", "steps = ["]
        for number, turn in enumerate(of_node):
            if number:
                lines.append('  {barrier = "all"},')
            lines += [f'  {{send = {to}, bytes = "{size}", blocking = false}},' for to in turn.to]
            lines += ['  {receive = "any"},'] * turn.receives
        lines.append("]")
    return "\n".join(lines) + "\n"


def messages(schedule: Schedule, size: Size, period: Time) -> str:
    """Return a schedule as a list of messages: a step is sent a period after the one before."""
    between = schedule.source != schedule.destination
    columns = (schedule.step * period.ps, schedule.source, schedule.destination)
    rows = np.stack([column[between] for column in columns], axis=1).tolist()
    names = ("time_ps", "source", "destination", "bytes")
    return plain_csv(names, ((*row, size.bytes) for row in rows))
