"""The node of a process, as its program sees it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from operator import index
from typing import Any, Final

from tailback.helping import Helped

from ..errors import UserError, shown
from ..units import Size, Time
from . import wire
from .operations import Receiving, Sending
from .speaking import Machine, length_of
from .together import Together


class Wildcard(Enum):
    """What stands for anything."""

    ANY = "any"


#: Any source, or any type, of a receive.
ANY: Final = Wildcard.ANY

_MOST_TYPES = 2**32


class Node(Together, metaclass=Helped):
    """The node a process runs on: what the process knows, and what it can have done.

    Instructions are carried out in the order in which they are called. What is not awaited
    goes on while the process does.
    """

    def __init__(self, machine: Machine, number: int) -> None:
        """``machine``: what all nodes of the run share."""
        super().__init__(machine, number)
        self._operations = 0
        self._neighbours: tuple[int, ...] | None = None
        self._random: random.Random | None = None

    @property
    def number(self) -> int:
        """Its number, from 0."""
        return self._number

    @property
    def nodes(self) -> int:
        """Nodes of the machine."""
        return self.machine.nodes

    @property
    def now(self) -> Time:
        """Simulated time."""
        return Time(self.machine.now_ps)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """Nodes one link away, in ascending order."""
        if self._neighbours is None:
            self._neighbours = tuple(self.machine.neighbours(self._number))
        return self._neighbours

    @property
    def random(self) -> random.Random:
        """Random numbers of its own: the same in every run with the same seed."""
        if self._random is None:
            self._random = random.Random(f"{self.machine.seed}/{self._number}")
        return self._random

    def compute(self, time: str | Time) -> wire.Pause:
        """Use the processor for a time; to be awaited."""
        self._words += (self._process, wire.COMPUTE, self._ps(time))
        return wire.PAUSE

    def _ps(self, time: str | Time) -> int:
        """Return a time in ps, one in cycles by the clock of the machine; texts are read once."""
        if (
            time.__class__ is Time
            and time.cycles is None
            and 0 <= (amount := time.amount) <= Time.largest
        ):
            return amount
        try:
            return _time(time, self.machine.cycle).amount
        except UserError as error:
            raise error.inside("compute") from None
        except TypeError:  # not hashable, and so no text
            allowed = f'must be a text such as "{Time.example}"'
            raise UserError("compute", shown(time), allowed) from None

    def send(
        self,
        to: int | Sequence[int],
        size: str | Size = "32 B",
        *,
        type: int = 0,
        content: Any = None,
    ) -> Sending:
        """Send a message; awaiting what is returned waits for its completion.

        ``to`` is a node, or several: then it is a multicast, and gets to them as
        ``machine.interface.multicast`` says. ``content`` is any object, which the receiver finds
        in its message; it costs nothing.
        """
        if isinstance(to, list | tuple):
            return self._multicast(to, size, type, content)
        number = self._operations
        machine = self.machine
        if to.__class__ is not int or not 0 <= to < machine.nodes:
            to = self._checked_node(to, "send.to")
        if machine.places is not None and to not in machine.places:
            raise UserError("send.to", str(to), "no process runs on that node")
        if type.__class__ is not int or not 0 <= type < _MOST_TYPES:
            type = _checked_type(type, "send.type")
        length = length_of(size, "send.size")
        self._words += (self._process, wire.SEND, to, type, length)
        self._operations = number + 1
        if content is not None:
            machine.keep_content(self._number, number, content, 1)
        return Sending(self, number)

    def _multicast(self, to: Sequence[int], size: str | Size, type: int, content: Any) -> Sending:
        nodes = [self._checked_node(node, "send.to") for node in to]
        if not nodes:
            raise UserError("send.to", shown(to), "must be at least one node")
        places = self.machine.places
        for place, node in enumerate(nodes):
            if node in nodes[:place]:
                raise UserError("send.to", str(node), "must be there once")
            if places is not None and node not in places:
                raise UserError("send.to", str(node), "no process runs on that node")
        type = _checked_type(type, "send.type")
        length = length_of(size, "send.size")
        self._words += (self._process, wire.MULTICAST, type, length, len(nodes), *nodes)
        number = self._operations
        self._operations = number + 1
        self.machine.keep_content(self._number, number, content, len(nodes))
        return Sending(self, number)

    def broadcast(
        self,
        size: str | Size = "32 B",
        *,
        to: Iterable[int] | None = None,
        type: int = 0,
        content: Any = None,
    ) -> Sending:
        """Send a message to every other node, or to the near neighbours ``to``.

        To all it is passed on along a tree by the nodes' interfaces, without their processors.
        """
        number = self._operations
        type = _checked_type(type, "broadcast.type")
        length = length_of(size, "broadcast.size")
        if to is None:
            self._words += (self._process, wire.BROADCAST, type, length)
            receivers = self._receivers()
        else:
            nodes = self._checked_neighbours(to)
            head = (self._process, wire.BROADCAST_NEAR, type, length, len(nodes))
            self._words += (*head, *nodes)
            receivers = len(nodes)
        self._operations = number + 1
        self.machine.keep_content(self._number, number, content, receivers)
        return Sending(self, number)

    def receive(
        self,
        source: int | Wildcard = ANY,
        type: int | Wildcard = ANY,
        *,
        buffer: str | Size | None = None,
    ) -> Receiving:
        """Be ready for a message from a node, of a type; awaiting what is returned gives it.

        It comes into the process' own ``buffer`` of that length, else into one of the
        system's, which is to be released. The oldest message that fits is taken, by the
        oldest receive that it fits.
        """
        number = self._operations
        if source is ANY:
            source = -1
        elif source.__class__ is not int or not 0 <= source < self.machine.nodes:
            source = self._checked_node(source, "receive.source")
        if type is ANY:
            type = -1
        elif type.__class__ is not int or not 0 <= type < _MOST_TYPES:
            type = _checked_type(type, "receive.type")
        own = None if buffer is None else length_of(buffer, "receive.buffer")
        self._words += (self._process, wire.RECEIVE, source, type, own is not None)
        self._operations = number + 1
        return Receiving(self, number, own)

    def _receivers(self) -> int:
        places = self.machine.places
        return self.machine.nodes - 1 if places is None else len(places - {self._number})

    def _checked_node(self, given: Any, place: str) -> int:
        node = _whole(given, place)
        if not 0 <= node < self.machine.nodes:
            allowed = f"must be a node of the machine, 0 to {self.machine.nodes - 1}"
            raise UserError(place, shown(given), allowed)
        return node

    def _checked_neighbours(self, to: Iterable[int]) -> list[int]:
        nodes = [self._checked_node(node, "broadcast.to") for node in to]
        if not nodes:
            raise UserError("broadcast.to", "[]", "must name at least one near neighbour")
        for node in nodes:
            if node == self._number:
                raise UserError("broadcast.to", str(node), "must not be the node itself")
            if node not in self.neighbours:
                allowed = f"must be near neighbours of node {self._number}: {self.neighbours}"
                raise UserError("broadcast.to", str(node), allowed)
        return nodes


@lru_cache(maxsize=4096)
def _time(given: str | Time, cycle: Time | None) -> Time:
    return Time.parse(given).at(cycle)


def _checked_type(given: Any, place: str) -> int:
    number = _whole(given, place)
    if not 0 <= number < _MOST_TYPES:
        raise UserError(place, shown(given), f"must be 0 to {_MOST_TYPES - 1}")
    return number


def _whole(given: Any, place: str) -> int:
    try:
        return index(given)
    except TypeError:
        raise UserError(place, shown(given), "must be a whole number") from None
