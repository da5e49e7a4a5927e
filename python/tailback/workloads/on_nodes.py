"""Workloads whose processes, one on each node, are coroutines: the base of those built in."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from .base import Network, Workload

if TYPE_CHECKING:
    from ..programs import Node, Processes


class OnNodes(Workload, init=False):
    """What nodes do is written as a coroutine, the same for all."""

    @property
    def finite(self) -> bool:
        """It ends when all have done what they were to do."""
        return True

    @abstractmethod
    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

    def places(self, network: Network) -> Collection[int] | None:
        """Return the nodes that do anything; None: all."""
        return None

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it; instructions come from `processes`."""
        return {"kind": "external", "comparators": None}

    def processes(self, network: Network, seed: int) -> Processes:
        """Return the processes of one run."""
        from ..programs import Processes
        from ..programs.loading import Program

        program = Program(self.program(network, seed), __file__, self.kind)
        places = self.places(network)
        return Processes(program, network.nodes, places, seed, network.cycle())

    def digest(self) -> str:
        """Return a hash of all parameters: none of them is in the specification of the engine."""
        parameters = json.dumps(self.written(), sort_keys=True)
        return hashlib.sha256(parameters.encode()).hexdigest()
