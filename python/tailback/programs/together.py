"""What several processes do together: barriers and other collectives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from ..door import ALGORITHMS, OPERATIONS
from ..errors import UserError, choice, shown
from ..parts import size_of_machine
from ..units import Size
from . import wire
from .speaking import Speaker, length_of

_OPERATION = {name: place for place, name in enumerate(OPERATIONS)}
_ALGORITHM = {name: place for place, name in enumerate(ALGORITHMS)} | {
    "messages": wire.NOT_GIVEN,
    "free": wire.FREE,
}


class Together(Speaker):
    """The collectives of a node: every process of a group calls the same, in the same order.

    All are to be awaited. ``group`` lists the nodes whose processes take part, in order (default:
    all that have one), ``root`` one of them (default: the first), ``algorithm`` how it is made
    of messages (default: as the machine has it) or ``"free"``, ``segment`` the longest piece that
    is passed on alone. Where each member has a block, the length may be a list: one for each.
    """

    def barrier(self, **more: Any) -> wire.Pause:
        """Wait until all processes of the group have come here."""
        return self._together("barrier", 0, **more)

    def broadcast_from(self, root: int, size: str | Size, **more: Any) -> wire.Pause:
        """Give all what the root has."""
        return self._together("broadcast", size, root=root, **more)

    def reduce(self, size: str | Size, **more: Any) -> wire.Pause:
        """Give the root the sum of what all have."""
        return self._together("reduce", size, **more)

    def all_reduce(self, size: str | Size, **more: Any) -> wire.Pause:
        """Give all the sum of what all have."""
        return self._together("all_reduce", size, **more)

    def gather(self, size: str | Size | Sequence[str | Size], **more: Any) -> wire.Pause:
        """Give the root a block of each."""
        return self._together("gather", size, **more)

    def scatter(self, size: str | Size | Sequence[str | Size], **more: Any) -> wire.Pause:
        """Give each a block of the root."""
        return self._together("scatter", size, **more)

    def all_gather(self, size: str | Size | Sequence[str | Size], **more: Any) -> wire.Pause:
        """Give all a block of each."""
        return self._together("all_gather", size, **more)

    def reduce_scatter(self, size: str | Size | Sequence[str | Size], **more: Any) -> wire.Pause:
        """Give each its block of the sum of what all have."""
        return self._together("reduce_scatter", size, **more)

    def all_to_all(
        self,
        size: str | Size | Sequence[str | Size],
        receives: Sequence[str | Size] | None = None,
        **more: Any,
    ) -> wire.Pause:
        """Give each a block of its own of each.

        ``size``: of every block; or a list of what this process sends to each, ``receives``
        then of what it gets from each.
        """
        return self._together("all_to_all", size, receives=receives, **more)

    def _together(  # noqa: PLR0913  # one argument per key
        self,
        operation: str,
        size: Any,
        *,
        group: Iterable[int] | None = None,
        root: int | None = None,
        algorithm: str = "messages",
        segment: str | Size | None = None,
        receives: Any = None,
    ) -> wire.Pause:
        if algorithm not in _ALGORITHM:
            raise choice(f"{operation}.algorithm", algorithm, _ALGORITHM)
        sizes = received = None
        if isinstance(size, list | tuple):
            sizes = [length_of(one, operation) for one in size]
            received = [length_of(one, f"{operation}.receives") for one in receives or ()]
        places = self.machine.places
        if group is None and places is not None:
            group = sorted(places)
        members = None if group is None else self._members(tuple(group), operation)
        root = wire.NOT_GIVEN if root is None else self._root(root, members, operation)
        self._words += (
            self._process,
            wire.COLLECTIVE,
            _OPERATION[operation],
            _ALGORITHM[algorithm],
            root,
            wire.NOT_GIVEN if segment is None else _segment(segment, f"{operation}.segment"),
            length_of(size, operation) if sizes is None and size != 0 else 0,
        )
        for entries in (members, sizes, received):
            self._words += (wire.NOT_GIVEN,) if entries is None else (len(entries), *entries)
        return wire.PAUSE

    def _members(self, group: tuple[Any, ...], operation: str) -> tuple[int, ...]:
        """Return the nodes of a group; refuse in one line what is none."""
        field = f"{operation}.group"
        _check_group(group, field, self.machine.nodes, self.machine.places)
        if self._number not in group:
            allowed = f"must have node {self._number} itself in it"
            raise UserError(field, shown(list(group)), allowed)
        return group

    def _root(self, root: Any, members: tuple[int, ...] | None, operation: str) -> int:
        known = range(self.machine.nodes) if members is None else members
        if root.__class__ is not int or root not in known:
            raise UserError(f"{operation}.root", shown(root), "must be one of the group")
        number: int = root
        return number


@lru_cache(maxsize=1024)
def _check_group(
    group: tuple[Any, ...], field: str, nodes: int, places: frozenset[int] | None
) -> None:
    known = range(nodes) if places is None else places
    if not group:
        raise UserError(field, "[]", "must name nodes")
    for node in group:
        if node.__class__ is not int or not 0 <= node < nodes:
            raise UserError(field, shown(node), f"must be a node of the machine, 0 to {nodes - 1}")
        if node not in known:
            raise UserError(field, str(node), "no process runs on that node")
    if len(set(group)) < len(group):
        twice = next(node for place, node in enumerate(group) if node in group[:place])
        raise UserError(field, str(twice), "is named twice")


def _segment(given: str | Size, place: str) -> int:
    """Return the length of a segment in bytes: it has the limits of packets."""
    try:
        return size_of_machine(Size(length_of(given, place))).bytes
    except UserError as error:
        raise error if error.field else error.inside(place) from None
