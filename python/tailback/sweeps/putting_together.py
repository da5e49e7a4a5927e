"""Which points of a sweep are put together in one file, and when all of them are there.

These are points next to each other in the order in which they are run, of one kind of topology and
workload, which have the same columns. The order in which they end does not matter, so that a sweep
that was killed ends with the same files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tailback.store.segments import SIZE

if TYPE_CHECKING:
    from tailback.store.points import PointStore

_LATE = 4
"""Parts that are put together at the start: those of a sweep that was killed are fewer, and an
older folder is not held up by all of its points."""


class PuttingTogether:
    """Puts points together as a sweep goes on."""

    def __init__(
        self, store: PointStore, kinds: Iterable[tuple[object, str]], to_do: Iterable[str]
    ) -> None:
        """`kinds`: of all points in order, kind and identity; `to_do`: those that are still run."""
        self._store = store
        of_kind: dict[object, list[str]] = {}
        for kind, identity in kinds:
            of_kind.setdefault(kind, []).append(identity)
        self._parts = [
            of_one[start : start + SIZE]
            for of_one in of_kind.values()
            for start in range(0, len(of_one), SIZE)
        ]
        self._part_of = {point: i for i, part in enumerate(self._parts) for point in part}
        self._open = [{*part}.intersection(to_do) for part in self._parts]
        self._rows: list[dict[str, bytes]] = [{} for _ in self._parts]

    def begin(self) -> None:
        """Put together what a sweep that was killed has left."""
        left = [part for part, open_ in zip(self._parts, self._open, strict=True) if not open_]
        for part in [part for part in left if self._store.are_apart(part)][:_LATE]:
            self._store.put_together(part, {})

    def finished(self, identity: str, rows: bytes | None) -> None:
        """Take note of a point that is finished, or fails whenever it is run.

        `rows`: what its worker sends of it.
        """
        number = self._part_of[identity]
        if rows is not None:
            self._rows[number][identity] = rows
        self._open[number].discard(identity)
        if not self._open[number]:
            self._store.put_together(self._parts[number], self._rows[number])
            self._rows[number] = {}

    def end(self) -> None:
        """Put points of which others are still missing into the index."""
        for rows in self._rows:
            if rows:
                self._store.put_together((), rows)
