"""The processes of one run: each a coroutine that goes on when its node tells it something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Protocol

from ..errors import RunFailure, UserError
from ..units import Time
from . import wire
from .loading import Program, mistake
from .node import Node
from .speaking import Machine

MOST_ROUNDS = 1 << 16
"""Answers at one instant after which the clock counts as stuck, if no more events are allowed."""


class Running(Protocol):
    """Processes of one run that are carried out here, of one program or several."""

    most_rounds: int
    """Answers at one instant after which the clock counts as stuck."""

    def number_from(self, first: int) -> None:
        """Let the run know the processes by their numbers plus ``first``."""

    def begin(self, neighbours: Callable[[int], list[int]]) -> None:
        """Tell how to find the nodes one link away from that of a process."""

    def answer(self, now_ps: int, asking: Sequence[tuple[int, wire.Told | None]]) -> list[int]:
        """Let those that ask go on; return the instructions they give."""

    def place(self, process: int) -> str | None:
        """Return the line that a process waits in."""

    def close(self) -> None:
        """End all that have not ended."""


class Processes:
    """One process on every node, or on some, that carries out a program.

    The engine's side asks; `answer` lets those that ask go on, one after the other.
    """

    def __init__(
        self,
        program: Program,
        nodes: int,
        places: Collection[int] | None,
        seed: int,
        cycle: Time | None = None,
    ) -> None:
        """``places``: the nodes that have a process; None: all. ``cycle``: of the clock, if any."""
        self._program = program
        self._machine = Machine(nodes, None if places is None else frozenset(places), seed, cycle)
        self._coroutines: dict[int, Coroutine[None, Any, Any]] = {}
        self._resume: dict[int, Callable[[Any], Any]] = {}
        self._rounds = 0
        self.most_rounds = MOST_ROUNDS

    def number_from(self, first: int) -> None:
        """Let the run know the processes by their numbers plus ``first``."""
        self._machine.first = first

    def begin(self, neighbours: Callable[[int], list[int]]) -> None:
        """Tell how to find the nodes one link away from one."""
        self._machine.neighbours = neighbours

    def answer(self, now_ps: int, asking: Sequence[tuple[int, wire.Told | None]]) -> list[int]:
        """Let those that ask go on, in this order; return the instructions they give.

        Raises `UserError` for an exception in a program, `RunFailure` if more than
        `most_rounds` answers follow each other at one instant.
        """
        reads = self._program.reads
        if reads is None:
            return self._answer(now_ps, asking)
        with reads:
            words = self._answer(now_ps, asking)
        if reads.refusal is not None:
            # The program has caught it.
            raise UserError(self._program.name, None, str(reads.refusal))
        return words

    def _answer(self, now_ps: int, asking: Sequence[tuple[int, wire.Told | None]]) -> list[int]:
        self._count_round(now_ps)
        self._machine.now_ps = now_ps
        words, resume, first = self._machine.words, self._resume, self._machine.first
        words.clear()
        for process, told in asking:
            said = len(words)
            send = resume.get(process) or self._begun(process)
            if send is None:
                words += (first + process, wire.END)
                continue
            try:
                given = send(told)
            except StopIteration:
                words += (first + process, wire.END)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self._mistake(process, error) from error
            else:
                if given is not None or len(words) == said or words[said] != first + process:
                    raise self._foreign(process)
        return words

    def _count_round(self, now_ps: int) -> None:
        self._rounds = self._rounds + 1 if now_ps == self._machine.now_ps else 0
        if self._rounds > self.most_rounds:
            text = (
                f"the clock stands still at {now_ps / 1e3:g} ns: processes were asked "
                f"more than {self.most_rounds} times at one instant"
            )
            raise RunFailure(text, "clock stands still", now_ps)

    def place(self, process: int) -> str | None:
        """Return the line that a process waits in: ``ring.py:12``."""
        coroutine: Any = self._coroutines.get(process)
        line = None
        while coroutine is not None and getattr(coroutine, "cr_frame", None) is not None:
            if coroutine.cr_code.co_filename == self._program.filename:
                line = coroutine.cr_frame.f_lineno
            coroutine = coroutine.cr_await
        return None if line is None else f"{self._program.name}:{line}"

    def close(self) -> None:
        """End all that have not ended, at the end of the run."""
        for coroutine in self._coroutines.values():
            # A program may wait or fail even while it is ended; it is not heard.
            with suppress(BaseException):
                coroutine.close()

    def _begun(self, process: int) -> Callable[[Any], Any] | None:
        """Begin a process; None if there is none on that node."""
        places = self._machine.places
        if places is not None and process not in places:
            return None
        try:
            coroutine = self._program.function(Node(self._machine, process))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._mistake(process, error) from error
        if not isinstance(coroutine, Coroutine):
            problem = "must be written `async def program(node)`, without yield"
            raise UserError(self._program.name, None, problem)
        self._coroutines[process] = coroutine
        self._resume[process] = coroutine.send
        return coroutine.send

    def _mistake(self, process: int, error: BaseException) -> UserError:
        program = self._program
        return mistake(program.name, program.filename, error, f"process on node {process}")

    def _foreign(self, process: int) -> UserError:
        place = self.place(process) or self._program.name
        problem = "awaits something that its own node was not told to do"
        return UserError(f"{place}: process on node {process}", None, problem)
