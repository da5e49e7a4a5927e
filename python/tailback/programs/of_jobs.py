"""The processes of several jobs that are written in Python, as one run has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import UserError
from . import wire
from .processes import Running

Part = tuple[str, int, Running]
"""A job, the number of its first process in the run, and its processes."""


class ProcessesOfJobs:
    """Tells the processes of every job what is asked of them, by their numbers there."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """``parts``: in order of their processes."""
        self._parts = tuple(parts)
        self.most_rounds = max(processes.most_rounds for _, _, processes in parts)
        for _, first, processes in self._parts:
            processes.number_from(first)

    def number_from(self, first: int) -> None:
        """Let the run know the processes by their numbers plus ``first``."""
        for _, own, processes in self._parts:
            processes.number_from(first + own)

    def begin(self, neighbours: Callable[[int], list[int]]) -> None:
        """Tell how to find the nodes one link away from that of a process."""
        for _, first, processes in self._parts:
            processes.begin(lambda node, first=first: neighbours(first + node))  # type: ignore[misc]

    def answer(self, now_ps: int, asking: Sequence[tuple[int, wire.Told | None]]) -> list[int]:
        """Let those that ask go on, job by job; return the instructions they give."""
        asked: dict[int, list[tuple[int, wire.Told | None]]] = {}
        for process, told in asking:
            asked.setdefault(self._part_of(process), []).append((process, told))
        words: list[int] = []
        for place in sorted(asked):
            name, first, processes = self._parts[place]
            own = [(process - first, told) for process, told in asked[place]]
            processes.most_rounds = self.most_rounds
            try:
                words += processes.answer(now_ps, own)
            except UserError as error:
                raise error.inside(f"job {name}, ") from None
        return words

    def place(self, process: int) -> str | None:
        """Return the line that a process waits in: ``ring.py:12``."""
        _, first, processes = self._parts[self._part_of(process)]
        return processes.place(process - first)

    def close(self) -> None:
        """End all that have not ended."""
        for _, _, processes in self._parts:
            processes.close()

    def _part_of(self, process: int) -> int:
        behind = [place for place, (_, first, _) in enumerate(self._parts) if first <= process]
        return behind[-1] if behind else 0
