"""What comes of one item of work, and who does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tailback.errors import UserError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

ATTEMPTS = 3
"""How often an item is begun whose worker dies, before it is given up."""


class PoolLostError(UserError):
    """There is nobody any more who could work on the items that are left."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Answer]):
    """What came of one item: an answer, or why there is none."""

    index: int
    """Number of the item in the sequence that was given."""
    answer: Answer | None
    problem: str | None = None
    """One line; None when there is an answer."""
    lost: bool = False
    """Whether its workers died; it may well succeed another time."""


class Pool(Protocol):
    """Workers that apply a function to items."""

    @property
    def capacity(self) -> int:
        """How many items are worked on at once, at most."""

    def run(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Outcome[Answer]]:
        """Yield an outcome for each item, as they are ready; begin the items in their order.

        `function` and items are pickled: they must be importable where the
        workers are. Leaving the iterator early stops the work.
        """


def described(error: BaseException) -> str:
    """Return an unexpected error as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
