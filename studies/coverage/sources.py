"""Random series with known means, to be measured like the network: they count.

Each is a `tailback.runner.procedure.Source` without a network, and its counters are
those of a metric of Tailback, so that nothing of the procedure is replaced.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tailback.samples import Columns
from tailback.statistics import Floats

INTERVAL_PS = 4_000_000
"""Picoseconds from sample to sample: four packets, as in a real run (`sample_interval_ps`)."""

_MOST = 2**20


class Recorded(ABC):
    """A source that can say what it will have counted at the next sample instants."""

    def __init__(self) -> None:
        self.now_ps, self.events = 0, 0
        self._counted = self._counts(0, 1)
        self._waiting: list[Columns] = []

    @abstractmethod
    def _counts(self, first: int, last: int) -> Columns:
        """Return the cumulative counters at samples `first` to `last` - 1; asked in order."""

    def advance(self, until_ps: int, max_events: int) -> Literal["time"]:
        """Go on to an instant, a multiple of `INTERVAL_PS`."""
        first, last = self.now_ps // INTERVAL_PS + 1, until_ps // INTERVAL_PS + 1
        if last > first:
            rows = self._counts(first, last)
            self._counted = {name: column[-1:] for name, column in rows.items()}
            times = np.arange(first, last, dtype=np.uint64) * np.uint64(INTERVAL_PS)
            self._waiting.append({"time_ps": times} | rows)
        self.now_ps = until_ps
        return "time"

    def catch_up(self) -> None:  # noqa: B027  # all is looked at
        """Go on: nothing is behind."""

    def begin_window(self) -> None:  # noqa: B027  # nothing to forget
        """Go on: there is nothing but counters."""

    def counters(self) -> dict[str, int]:
        """Everything counted since time 0."""
        return {name: int(column[0]) for name, column in self._counted.items()}

    def take_samples(self) -> Columns:
        """Counters at each sample instant passed since the last call."""
        rows, self._waiting = self._waiting, []
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


class Queue(Recorded):
    """One server, first come first served, random arrivals; begins empty.

    Counts waiting times when customers leave. The mean time of service is
    `SERVICE_PS`; services are constant or exponential. Waiting times follow from
    Lindley's recursion [Lindley 1952].
    """

    SERVICE_PS = 1_000_000

    def __init__(
        self, load: float, service: Literal["constant", "exponential"], rng: np.random.Generator
    ) -> None:
        self._load, self._service, self._rng = load, service, rng
        self._arrived, self._before, self._size = 0.0, 0.0, 1024
        self._left, self._waited = np.zeros(0), np.zeros(1)
        super().__init__()

    @staticmethod
    def mean_wait_us(load: float, service: Literal["constant", "exponential"]) -> float:
        """Return the mean waiting time, by Pollaczek's and Khinchine's formula."""
        exponential = load / (1 - load) * Queue.SERVICE_PS / 1e6
        return exponential if service == "exponential" else exponential / 2

    def _counts(self, first: int, last: int) -> Columns:
        while not len(self._left) or self._left[-1] < last * INTERVAL_PS:
            self._serve(self._size)
            self._size = min(2 * self._size, _MOST)
        instants = np.arange(first, last, dtype=np.float64) * INTERVAL_PS
        count = np.searchsorted(self._left, instants, side="right")
        return {
            "routed_data": count.astype(np.uint64),
            "routed_lifetime_data_ps": self._waited[count].astype(np.uint64),
            "routed_ack": np.zeros(len(count), np.uint64),
            "routed_lifetime_ack_ps": np.zeros(len(count), np.uint64),
        }

    def _serve(self, customers: int) -> None:
        """Serve more customers: W' = max(0, W + service - time to the next arrival)."""
        gaps = self._rng.exponential(self.SERVICE_PS / self._load, customers)
        services = np.full(customers, float(self.SERVICE_PS))
        if self._service == "exponential":
            services = self._rng.exponential(self.SERVICE_PS, customers)
        # `_before` is what the last customer left to do: its waiting and service time.
        sums = np.cumsum(np.concatenate([[self._before], services[:-1]]) - gaps)
        waits = sums - np.minimum(np.minimum.accumulate(sums), 0.0)
        arrivals = self._arrived + np.cumsum(gaps)
        self._arrived, self._before = float(arrivals[-1]), float(waits[-1] + services[-1])
        self._left = np.concatenate([self._left, arrivals + waits + services])
        self._waited = np.concatenate([self._waited, self._waited[-1] + np.cumsum(waits)])


class Autoregressive(Recorded):
    """x = mean (1 + z / 4), z' = phi z + noise, of variance 1; begins at x = 0.

    `share` of the variance of z is that of a second generator, which several of
    them may have the same of. Counts x as messages sent.
    """

    RELATIVE_SIGMA = 0.25
    _PER_UNIT = 1e6

    def __init__(
        self,
        phi: float,
        rng: np.random.Generator,
        *,
        mean: float = 1.0,
        share: float = 0.0,
        common: np.random.Generator | None = None,
    ) -> None:
        self._phi, self._mean, self._share = phi, mean, share
        self._own, self._common = rng, rng if common is None else common
        self._z, self._sum = -1 / self.RELATIVE_SIGMA, 0.0
        super().__init__()

    @classmethod
    def mean_rate(cls, mean: float = 1.0) -> float:
        """Return the mean in messages per node and ms, of one node."""
        return mean * cls._PER_UNIT / INTERVAL_PS * 1e9

    def _counts(self, first: int, last: int) -> Columns:
        from scipy.signal import lfilter

        count = last - first
        own, common = self._own.normal(size=count), self._common.normal(size=count)
        noise = math.sqrt(self._share) * common + math.sqrt(1 - self._share) * own
        noise *= math.sqrt(1 - self._phi**2)
        if first == 0:
            # At time 0 nothing has been counted.
            z: Floats = np.full(1, self._z)
            x = np.zeros(1)
        else:
            z, _ = lfilter([1.0], [1.0, -self._phi], noise, zi=[self._phi * self._z])
            x = np.maximum(self._mean * (1 + self.RELATIVE_SIGMA * z), 0.0)
        sums: NDArray[np.float64] = self._sum + np.cumsum(x)
        self._z, self._sum = float(z[-1]), float(sums[-1])
        return {"messages_sent": (sums * self._PER_UNIT).astype(np.uint64)}
