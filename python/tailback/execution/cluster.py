"""Workers of a Dask cluster: one that runs already, or jobs of a batch system.

Needs the extra `dask`. Workers need the same version of Tailback installed.
What a worker computed comes back over the network; nothing is written there.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tailback.distribution import installing
from tailback.errors import UserError, choice, shown
from tailback.since311 import Self

from .outcome import Answer, Item, Outcome, PoolLostError, described
from .scheduler import scheduler_problem

BATCH_SYSTEMS = {
    "htcondor": "HTCondorCluster",
    "lsf": "LSFCluster",
    "moab": "MoabCluster",
    "oar": "OARCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "slurm": "SLURMCluster",
}
"""Batch systems and what dask-jobqueue calls them."""

_TIMEOUT_S = 8.0
_CLOSING_S = 2.0
_LOGGERS = ("distributed", "tornado", "asyncio")
"""What Dask says of lost connections, with tracebacks, through the logging of Python."""


class DaskPool:
    """A Dask cluster that applies a function to items; see `Pool`.

    A worker that is lost takes only its own items with it: Dask gives them to others,
    and gives an item up when that happened too often (its scheduler's
    `allowed-failures`, 3). A scheduler that is lost ends the work: `PoolLostError`.
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """`client`: a connected `distributed.Client`; `cluster`: to be closed in the end."""
        self._client, self._cluster = client, cluster
        self._is_lost = False
        self._quiet = [
            logger
            for name, logger in logging.root.manager.loggerDict.items()
            if name.partition(".")[0] in _LOGGERS
            and isinstance(logger, logging.Logger)
            and not logger.disabled
        ]
        for logger in self._quiet:
            logger.disabled = True

    @classmethod
    def at(cls, address: str, timeout_s: float = _TIMEOUT_S) -> Self:
        """Connect to the scheduler at `address`, such as `"tcp://node1:8786"`.

        Raises `UserError` if within `timeout_s` none answers there, or it has no worker.
        """
        distributed = _library("distributed", "--scheduler")
        reason = scheduler_problem(address, timeout_s)
        if reason is not None:
            raise UserError("--scheduler", shown(address), reason)
        try:
            return cls(distributed.Client(address, timeout=timeout_s, set_as_default=False))
        except (OSError, TimeoutError, ValueError) as error:
            reason = f"no Dask scheduler answers there ({described(error)})"
            raise UserError("--scheduler", shown(address), reason) from None

    @classmethod
    def on(cls, batch_system: str, jobs: int) -> Self:
        """Start `jobs` jobs of a batch system, as dask-jobqueue's own configuration describes them.

        Raises `UserError` if it is not known, not configured, or its commands are missing.
        """
        if batch_system not in BATCH_SYSTEMS:
            raise choice("--cluster", batch_system, BATCH_SYSTEMS)
        dask_jobqueue = _library("dask_jobqueue", "--cluster")
        distributed = _library("distributed", "--cluster")
        try:
            cluster = getattr(dask_jobqueue, BATCH_SYSTEMS[batch_system])()
            cluster.scale(jobs=jobs)
        except (OSError, ValueError, RuntimeError) as error:
            reason = f"cannot be used as jobqueue.{batch_system} is configured: {described(error)}"
            raise UserError("--cluster", shown(batch_system), reason) from None
        return cls(distributed.Client(cluster, set_as_default=False), cluster)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the cluster; end the jobs if they are ours."""
        self._client.close(**({"timeout": _CLOSING_S} if self._is_lost else {}))
        if self._cluster is not None:
            self._cluster.close()
        for logger in self._quiet:
            logger.disabled = False

    @property
    def capacity(self) -> int:
        """How many threads the workers have at the moment."""
        return sum(int(threads) for threads in self._client.nthreads().values())

    def run(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Outcome[Answer]]:
        """Yield an outcome for each item; see `Pool`.

        Raises `PoolLostError` if the scheduler is no more.
        """
        futures = {
            self._client.submit(function, item, pure=False, priority=-index): index
            for index, item in enumerate(items)
        }
        try:
            distributed = _library("distributed", "--scheduler")
            completed = distributed.as_completed(list(futures), loop=self._client.loop)
            for future in completed:
                if future.status == "lost":
                    # Its worker died before the answer was fetched: Dask computes it again.
                    completed.add(future)
                    continue
                yield self._outcome(futures.pop(future), future)
                future.release()
        finally:
            if not self._is_lost:
                self._client.cancel(list(futures), force=True)

    def _outcome(self, index: int, future: Any) -> Outcome[Any]:
        """Return what came of an item, which is fetched from the scheduler."""
        from distributed import KilledWorker

        try:
            # Nobody else cancels: the connection has broken and does not come back.
            error = None if future.status == "cancelled" else future.exception()
            if error is None:
                return Outcome(index, future.result())
        except (OSError, asyncio.CancelledError, concurrent.futures.CancelledError):
            self._is_lost = True
            raise PoolLostError("--scheduler", None, "the scheduler was lost") from None
        if isinstance(error, KilledWorker):
            return Outcome(index, None, "its workers were lost (out of memory?)", lost=True)
        return Outcome(index, None, described(error))


def _library(name: str, option: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        needed = f"needs Dask: {installing('dask')}"
        raise UserError(option, None, needed) from None
