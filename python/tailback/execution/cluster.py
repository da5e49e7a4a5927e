"""Workers of a Dask cluster: one that runs already, or jobs of a batch system.

Needs the extra `dask`. Workers need the same version of Tailback installed.
What a worker computed comes back over the network; nothing is written there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tailback.distribution import installing
from tailback.errors import UserError, choice, shown
from tailback.since311 import Self

from .outcome import Answer, Item, Outcome, described

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

_TIMEOUT_S = 10.0


class DaskPool:
    """A Dask cluster that applies a function to items; see `Pool`.

    A worker that is lost takes only its own items with it: Dask gives them to others,
    and gives an item up when that happened too often (its scheduler's
    `allowed-failures`, 3).
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """`client`: a connected `distributed.Client`; `cluster`: to be closed in the end."""
        self._client, self._cluster = client, cluster

    @classmethod
    def at(cls, address: str, timeout_s: float = _TIMEOUT_S) -> Self:
        """Connect to the scheduler at `address`, such as `"tcp://node1:8786"`.

        Raises `UserError` if none answers within `timeout_s`.
        """
        distributed = _library("distributed", "--scheduler")
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
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    @property
    def capacity(self) -> int:
        """How many threads the workers have at the moment."""
        return sum(int(threads) for threads in self._client.nthreads().values())

    def run(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Outcome[Answer]]:
        """Yield an outcome for each item; see `Pool`."""
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
                index = futures.pop(future)
                yield _outcome(index, future)
                future.release()
        finally:
            self._client.cancel(list(futures), force=True)


def _outcome(index: int, future: Any) -> Outcome[Any]:
    from distributed import KilledWorker

    if future.status == "cancelled":
        return Outcome(index, None, "the cluster was lost", lost=True)
    error = future.exception()
    if error is None:
        return Outcome(index, future.result())
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
