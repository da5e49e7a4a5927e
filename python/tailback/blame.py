"""Who made whom wait: charges of one run, by traffic class, channel and cause.

Every wait of every packet delivered in the window is charged to one cause and to
the traffic class of the packet that was in the way (`docs/model.md`). The tables
hold sums of picoseconds in up to 16 batches of time of equal length; from these
come means per message and their confidence intervals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.statistics import Estimate, student_t

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BATCHES = 16
REST = 2**32 - 1
"""Stands for all classes and channels that came when a table was full."""

_KEYS = {
    "pairs": ("victim", "culprit", "cause"),
    "channels": ("channel", "victim", "culprit", "cause"),
    "roots": ("channel", "cause"),
    "victims": ("victim",),
}
_LEAST_BATCHES = 4
_PS_IN_US = 1e6


@dataclass(frozen=True, slots=True)
class Charged:
    """Mean time per message of the victims of one row of a table."""

    key: tuple[int, ...]
    per_message_us: Estimate
    share: float
    """Of all contention of the victims; NaN if there is none."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of charges by key: a row for each, with a column of `keys` for each part of it."""

    keys: Ints
    counts: Ints
    batches_ps: Floats
    """By row and batch of time."""

    def by(self, *parts: int) -> Sums:
        """Add up rows that agree in these parts of the key; rows in order of their keys."""
        keys, row = np.unique(self.keys[:, parts], axis=0, return_inverse=True)
        row = row.reshape(-1)
        batches = np.zeros((len(keys), self.batches_ps.shape[1]))
        np.add.at(batches, row, self.batches_ps)
        counts = np.bincount(row, weights=self.counts, minlength=len(keys)).astype(np.int64)
        return Sums(keys, counts, batches)

    @property
    def totals_ps(self) -> Floats:
        """By row."""
        totals: Floats = self.batches_ps.sum(axis=1)
        return totals


@dataclass(frozen=True, eq=False)
class Blame:
    """Who made whom wait in one run: sums over the packets delivered in the window."""

    causes: tuple[str, ...]
    pairs: Sums
    """By victim, culprit and cause."""
    channels: Sums
    """By channel waited for, victim, culprit and cause."""
    roots: Sums
    """By root channel and cause."""
    victims: Sums
    """By victim: packets delivered; in batches: messages whose last packet that was."""
    batch_begin_ps: int
    batch_length_ps: int

    @classmethod
    def of(cls, columns: Mapping[str, Any], causes: Sequence[str]) -> Blame:
        """Return the engine's tables."""

        def sums(name: str) -> Sums:
            table = columns[name]
            keys = np.column_stack([table[part].astype(np.int64) for part in _KEYS[name]])
            batches = table["batches"].astype(np.float64).reshape(-1, BATCHES)
            return Sums(keys, table["count"].astype(np.int64), batches)

        return cls(
            causes=tuple(causes),
            pairs=sums("pairs"),
            channels=sums("channels"),
            roots=sums("roots"),
            victims=sums("victims"),
            batch_begin_ps=columns["batch_begin_ps"],
            batch_length_ps=columns["batch_length_ps"],
        )

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables as Arrow tables, each under the name of its file.

        `batches` are picoseconds, of victims messages; `count` counts pieces of waits, of
        victims packets. Null where a full table has summed up what came later.
        """
        return {f"blame_{name}": self._table(name) for name in _KEYS}

    def _table(self, name: str) -> pa.Table:
        sums: Sums = getattr(self, name)
        columns: dict[str, Any] = {}
        for part, values in zip(_KEYS[name], sums.keys.T, strict=True):
            if part == "cause":
                columns[part] = pa.array([self.causes[cause] for cause in values], pa.string())
            else:
                columns[part] = pa.array(values.astype(np.uint32), mask=values == REST)
        flat = pa.array(sums.batches_ps.astype(np.uint64).ravel())
        batches = pa.FixedSizeListArray.from_arrays(flat, BATCHES)
        return pa.table(columns | {"count": sums.counts.astype(np.uint64), "batches": batches})

    def messages(self, victim: int | None = None) -> Floats:
        """Return by batch the messages delivered, of one class or of all."""
        chosen = slice(None) if victim is None else self.victims.keys[:, 0] == victim
        counted: Floats = self.victims.batches_ps[chosen].sum(axis=0)
        return counted

    def total(self, confidence: float) -> Estimate:
        """Return the mean contention of a message, in microseconds."""
        return _ratio(self.pairs.batches_ps.sum(axis=0), self.messages(), confidence)

    def by_cause(self, confidence: float) -> list[Charged]:
        """Return the mean time per message charged to each cause, most first."""
        return self.by_sums(self.pairs.by(2), confidence)

    def by_root(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message by root channel, most first."""
        return self.by_sums(self.roots.by(0), confidence, most)

    def by_channel(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message by channel waited for, most first."""
        return self.by_sums(self.channels.by(0), confidence, most)

    def culprits(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return what a class costs another: victim, culprit; per message of the victim."""
        return self._of_victims(self.pairs.by(0, 1), 0, confidence, most)

    def culprits_on_channels(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the same with the channel waited for first: channel, victim, culprit."""
        return self._of_victims(self.channels.by(0, 1, 2), 1, confidence, most)

    @property
    def rest_share(self) -> float:
        """Share of all charges that the table by channel could not tell apart."""
        rest = self.channels.keys[:, 0] == REST
        whole = float(self.channels.totals_ps.sum())
        return float(self.channels.totals_ps[rest].sum()) / whole if whole else 0.0

    def by_sums(self, sums: Sums, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message for each row of sums over all victims, most first."""
        messages, whole = self.messages(), float(self.pairs.totals_ps.sum())
        return [
            Charged(
                tuple(sums.keys[row].tolist()),
                _ratio(sums.batches_ps[row], messages, confidence),
                float(sums.totals_ps[row]) / whole if whole else math.nan,
            )
            for row in _largest(sums, most)
        ]

    def _of_victims(
        self, sums: Sums, victim: int, confidence: float, most: int | None
    ) -> list[Charged]:
        suffered = self.pairs.by(0)
        whole = dict(zip(suffered.keys[:, 0].tolist(), suffered.totals_ps.tolist(), strict=True))
        found = []
        for row in _largest(sums, most):
            key = tuple(sums.keys[row].tolist())
            # What cannot be told apart is everybody's.
            who = None if key[victim] == REST else key[victim]
            share = float(sums.totals_ps[row]) / whole.get(key[victim], math.nan)
            mean = _ratio(sums.batches_ps[row], self.messages(who), confidence)
            found.append(Charged(key, mean, share))
        return found


def _largest(sums: Sums, most: int | None) -> list[int]:
    order: list[int] = np.argsort(-sums.totals_ps, kind="stable").tolist()
    return order[:most]


def _ratio(times_ps: Floats, messages: Floats, confidence: float) -> Estimate:
    """Return microseconds per message from sums in batches, with its interval.

    A ratio estimator: the variance is that of the batches' residuals, which are taken
    for independent [Law, Simulation Modeling and Analysis, ch. 9].
    """
    total = float(messages.sum())
    if total == 0:
        return Estimate.unknown()
    used = np.flatnonzero((messages > 0) | (times_ps > 0))
    value = float(times_ps.sum()) / total / _PS_IN_US
    batches = len(used)
    if batches < _LEAST_BATCHES:
        return Estimate(value, math.nan, math.nan, batches, weight=total)
    residuals = times_ps[used] / _PS_IN_US - value * messages[used]
    error = math.sqrt(batches * float(residuals.var(ddof=1))) / total
    half = student_t(confidence, batches - 1) * error
    return Estimate(value, value - half, value + half, batches, error, total)
