"""How a process speaks to its node, and what the nodes of a run have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..errors import UserError, shown
from ..units import Size, Time


class Machine:
    """What the nodes of one run have in common."""

    def __init__(
        self, nodes: int, places: frozenset[int] | None, seed: int, cycle: Time | None = None
    ) -> None:
        """``places``: nodes that have a process; None: all. ``cycle``: of the clock, if any."""
        self.nodes, self.places, self.seed, self.cycle = nodes, places, seed, cycle
        self.now_ps = 0
        self.first = 0
        """The process of the run that is number 0 here."""
        self.words: list[int] = []
        self.neighbours: Callable[[int], list[int]] = lambda node: []
        self._contents: dict[tuple[int, int], list[Any]] = {}

    def keep_content(self, source: int, operation: int, content: Any, receivers: int) -> None:
        """Keep what a message carries, for so many receivers."""
        if content is not None:
            self._contents[source, operation] = [content, receivers]

    def take_content(self, source: int, operation: int) -> Any:
        """Return what a message carries, for one of its receivers."""
        kept = self._contents.get((source, operation))
        if kept is None:
            return None
        kept[1] -= 1
        if kept[1] == 0:
            del self._contents[source, operation]
        return kept[0]


class Speaker:
    """A process, as what it says is written for the engine: after its number."""

    def __init__(self, machine: Machine, number: int) -> None:
        """``machine``: what all nodes of the run share."""
        self.machine = machine
        self._number = number
        self._process = machine.first + number
        self._words = machine.words

    def say(self, *words: int) -> None:
        """Have an instruction carried out, written as the engine reads it."""
        self._words += (self._process, *words)


def length_of(given: Any, place: str) -> int:
    """Return a length in bytes; texts are read once."""
    if given.__class__ is Size and 0 <= given.amount <= Size.largest:
        amount: int = given.amount
        return amount
    try:
        return _bytes(given)
    except UserError as error:
        raise error.inside(place) from None
    except TypeError:  # not hashable, and so no text
        raise UserError(place, shown(given), f'must be a text such as "{Size.example}"') from None


@lru_cache(maxsize=4096)
def _bytes(given: str) -> int:
    return Size.parse(given).bytes
