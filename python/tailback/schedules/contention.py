"""Which contention a collapsible schedule can be given, and in how few steps there can be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from tailback.errors import UserError

from .construction import per_full


@dataclass(frozen=True, slots=True)
class Contention:
    """At most so many messages of a node each way, and on a directed link, between two barriers."""

    node: int
    link: int
    group: int
    """Steps of the schedule between two barriers."""


def contentions(shape: Sequence[int]) -> list[Contention]:
    """Return every contention that groups of a mesh's steps have, the least first.

    Links are shared by c messages where c divides the number of steps that keep every node busy
    once; from there on, j times as many steps have j messages of every node [Bokhari & Nicol 1996,
    section 5].
    """
    full, nodes = per_full(shape), prod(shape)
    shared = [Contention(1, c, c) for c in _divisors(full)]
    return shared + [Contention(j, j * full, j * full) for j in _divisors(nodes) if j > 1]


def group_of(
    shape: Sequence[int],
    node: int | None = None,
    link: int | None = None,
    group: int | None = None,
) -> int:
    """Return the steps between barriers that give a contention; of nothing given: 1.

    Raises `UserError` for a contention that there is not, with the reason.
    """
    full, nodes = per_full(shape), prod(shape)
    for name, given in (("node", node), ("link", link), ("group", group)):
        if given is not None and given < 1:
            raise UserError(name, str(given), "must be at least 1")
    if group is not None:
        return _checked_group(shape, group, node, link)
    if link is None:
        return 1 if node is None else _of_node(shape, node)
    if link <= full:
        if full % link:
            where = f"{max(shape)} / 4 = {full}" if full > 1 else "1, on so small a mesh"
            raise UserError("link", str(link), f"must divide {where}, or be a multiple of it")
        found = link
    elif link % full or nodes % (link // full):
        allowed = f"must be at most {full}, or {full} times a divisor of the {nodes} nodes"
        raise UserError("link", str(link), allowed)
    else:
        found = link
    expected = max(1, found // full)
    if node not in (None, expected):
        allowed = f"must be {expected} where link = {link}: links have {full} times the messages "
        raise UserError("node", str(node), allowed + f"of nodes, or 1 to {full} where node = 1")
    return found


def _of_node(shape: Sequence[int], node: int) -> int:
    full, nodes = per_full(shape), prod(shape)
    if nodes % node:
        raise UserError("node", str(node), f"must divide the number of nodes, {nodes}")
    return node * full


def _checked_group(shape: Sequence[int], group: int, node: int | None, link: int | None) -> int:
    if node is not None or link is not None:
        raise UserError("group", str(group), "must not be given together with node or link")
    allowed = [contention.group for contention in contentions(shape)]
    if group not in allowed:
        full, steps = per_full(shape), prod(shape) * per_full(shape)
        reason = f"must divide {full}, or be {full} times a divisor of {prod(shape)}, so that the "
        raise UserError("group", str(group), reason + f"{steps} steps are groups of one contention")
    return group


def fewest_steps(shape: Sequence[int], node: int = 1, link: int = 1) -> int:
    """Return a lower bound of steps in which nodes and links have so many messages.

    Every node sends to all others; and in each dimension all messages from one half to the other
    go over the links between them [Scott 1991].
    """
    nodes = prod(shape)
    bounds = [-(-(nodes - 1) // node)]
    for side in shape:
        # side // 2 by side - side // 2 places, times the nodes beside each, for one link of each.
        crossing = (side // 2) * (side - side // 2) * (nodes // side)
        bounds.append(-(-crossing // link))
    return max(bounds)


def _divisors(number: int) -> Iterator[int]:
    return (n for n in range(1, number + 1) if number % n == 0)
