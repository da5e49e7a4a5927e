"""One function over many items, on all processors of this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tailback.execution import Display, LocalPool

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def answers(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    name: str,
    events: Callable[[Answer], int] = lambda answer: 0,
) -> list[Answer]:
    """Return what `function` makes of each item, in their order; progress on standard error.

    `name` is what items are called, `events` how many events an answer took. Raises
    `RuntimeError` if there is no answer to an item.
    """
    found: dict[int, Answer] = {}
    with LocalPool() as pool, Display(name, len(items), pool.capacity) as display:
        for outcome in pool.run(function, items):
            if outcome.answer is None:
                raise RuntimeError(f"{items[outcome.index]}: {outcome.problem}")
            found[outcome.index] = outcome.answer
            display.finished(events=events(outcome.answer))
    return [found[index] for index in range(len(items))]
