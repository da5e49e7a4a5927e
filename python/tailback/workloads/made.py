"""The bases of kinds of workload that plugins add: written programs, and functions in Python."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..entry_points import blamed
from ..errors import UserError
from .base import Network, Workload
from .program import Process, Program
from .python_program import InPython

if TYPE_CHECKING:
    from ..programs import Node, Processes


class ProgramWorkload(Workload, init=False):
    """A workload whose processes execute steps that follow from its keys and the machine.

    A kind has a key ``kind: Literal["word"] = "word"`` and `program`; `finite` too, if its
    processes go on for ever.
    """

    @abstractmethod
    def program(self, network: Network) -> Iterable[Process]:
        """Return the processes on a machine, in order of their numbers."""

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself: every process has ``repeat``."""
        return True

    def check(self, network: Network) -> None:
        """Raise `UserError` if a process is not on a node, or `finite` is not true of them."""
        program = self._program(network)
        program.check(network)
        if program.finite != self.finite:
            name = f"{type(self).__module__}.{type(self).__qualname__}"
            told = f"{name} says finite = {self.finite}, but its processes say {program.finite}"
            raise UserError(self.section, None, told)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        return self._program(network).spec(network)

    def iteration_ps(self, network: Network) -> int:
        """Return the mean over processes of computing and round trips in one iteration."""
        return self._program(network).iteration_ps(network)

    def _program(self, network: Network) -> Program:
        with blamed(self.section, self):
            processes = tuple(self.program(network))
        return Program(process=processes)


class FunctionWorkload(InPython, init=False):
    """A workload whose processes carry out a function written in Python, one on every node.

    A kind has a key ``kind: Literal["word"] = "word"`` and `process`, which sees the keys;
    `finite` too, if the processes go on for ever.
    """

    @abstractmethod
    async def process(self, node: Node) -> None:
        """Carry out the process of a node; see docs/programs.md."""

    @property
    def finite(self) -> bool:
        """Whether the processes end by themselves."""
        return True

    def check(self, network: Network) -> None:
        """Raise `UserError` unless `process` can be carried out."""
        from ..programs import loading

        loading.from_function(self.process)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it; instructions come from `processes`."""
        return {"kind": "external", "comparators": None}

    def processes(self, network: Network, seed: int) -> Processes:
        """Return the processes of one run."""
        from ..programs import Processes, loading

        program = loading.Source(self.process).load()
        return Processes(program, network.nodes, None, seed, network.cycle())

    def digest(self) -> str:
        """Return a hash of the keys and of the function's text."""
        from ..programs import loading

        told = f"{self.written()}\n{loading.Source(self.process).digest()}"
        return hashlib.sha256(told.encode()).hexdigest()
