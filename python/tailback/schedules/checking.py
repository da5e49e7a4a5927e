"""Whether a schedule is what it should be: counted message by message, however it was made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailback.errors import UserError

from .contention import fewest_steps
from .loads import most_of_a_node, most_on_a_link
from .schedule import Schedule


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted in a schedule that is complete."""

    steps: int
    groups: int
    messages: int
    node: int
    """Most messages that a node sends, or receives, in a group."""
    link: int
    """Most messages on a directed link in a group."""
    busy: float
    """Share of the nodes that send in a group, on average."""
    fewest_groups: int
    """Lower bound for a complete exchange with this contention."""


def verify(schedule: Schedule, node: int | None = None, link: int | None = None) -> Counted:
    """Return what is counted in a schedule.

    Raises `UserError` unless every node sends to every other exactly once, and no node and no link
    has more messages in a group than ``node`` and ``link``, where they are given.
    """
    _check_complete(schedule)
    counted = count(schedule)
    for name, found, allowed in (("node", counted.node, node), ("link", counted.link, link)):
        if allowed is not None and found > allowed:
            where = f"groups of {schedule.group} steps" if schedule.group > 1 else "its steps"
            raise UserError(
                schedule.name, None, f"has {name} contention {found} in {where}, not {allowed}"
            )
    return counted


def count(schedule: Schedule) -> Counted:
    """Return what is counted in a schedule, whether it is complete or not."""
    between = schedule.source != schedule.destination
    window = schedule.step[between] // schedule.group
    source, destination = schedule.source[between], schedule.destination[between]
    nodes = schedule.nodes
    node = max(most_of_a_node(window, ends, nodes) for ends in (source, destination))
    link = most_on_a_link(schedule.shape, window, source, destination)
    # Who sends to itself is busy, too, in the paper's sense; it takes no time.
    senders = np.unique((schedule.step // schedule.group) * nodes + schedule.source).size
    return Counted(
        schedule.steps,
        schedule.groups,
        schedule.messages,
        node,
        link,
        senders / (schedule.groups * nodes),
        fewest_steps(schedule.shape, max(node, 1), max(link, 1)),
    )


def _check_complete(schedule: Schedule) -> None:
    """Raise `UserError` unless every pair of nodes is there, once in each direction."""
    nodes = schedule.nodes
    times = np.bincount(schedule.source * nodes + schedule.destination, minlength=nodes * nodes)
    times = times.reshape(nodes, nodes)
    twice = np.argwhere(times > 1)
    if twice.size:
        source, destination = twice[0]
        steps = schedule.step[(schedule.source == source) & (schedule.destination == destination)]
        text = f"node {source} sends to node {destination} in steps {steps[0]} and {steps[1]}"
        more = _more(len(twice))
        raise UserError(schedule.name, None, f"is not a complete exchange: {text}{more}")
    never = np.argwhere((times == 0) & ~np.eye(nodes, dtype=bool))
    if never.size:
        source, destination = never[0]
        text = f"node {source} never sends to node {destination}"
        raise UserError(
            schedule.name, None, f"is not a complete exchange: {text}{_more(len(never))}"
        )


def _more(pairs: int) -> str:
    return f", and {pairs - 1} more such pairs" if pairs > 1 else ""
