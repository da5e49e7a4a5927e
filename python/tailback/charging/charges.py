"""The tables of one run, or of several taken together, and what is asked of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.errors import UserError
from tailback.statistics import Estimate, Floats

from .sums import BATCHES, REST, Estimator, Sums, exactly, per_message

#: Parts of the keys, by table, in the order of the fields of `Blame`.
_KEYS = {
    "pairs": ("victim", "culprit", "cause"),
    "channels": ("channel", "victim", "culprit", "cause"),
    "passed_pairs": ("victim", "culprit", "cause"),
    "passed_channels": ("channel", "victim", "culprit", "cause"),
    "roots": ("channel", "cause"),
    "victims": ("victim",),
}
#: Parts of the key that a shortened table has only of what is largest.
_SUMMED_UP = {
    "pairs": (1,),
    "channels": (1, 2),
    "passed_pairs": (1,),
    "passed_channels": (1, 2),
}
_EMPTY = {name: Sums.empty(len(parts)) for name, parts in _KEYS.items()}


@dataclass(frozen=True, slots=True)
class Charged:
    """Mean time per message of the victims of one row of a table."""

    key: tuple[int, ...]
    per_message_us: Estimate
    share: float
    """Of all contention of the victims; NaN if there is none."""


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
    batch_begin_ps: int | None
    """None for what was merged from several runs, which have batches of their own."""
    batch_length_ps: int | None
    estimate: Estimator = per_message
    passed_pairs: Sums = _EMPTY["passed_pairs"]
    """As `pairs`, passed on: the culprits are root culprits. Empty where these are not known."""
    passed_channels: Sums = _EMPTY["passed_channels"]
    """As `channels`, likewise."""
    share: float = 1.0
    """Of all packets, how many are victims whose waits are charged."""
    exact: bool = False
    """Whether all there was has been charged, so that means have no intervals."""

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any],
        causes: Sequence[str],
        *,
        share: float = 1.0,
        finished: bool = False,
    ) -> Blame:
        """Return the engine's tables; `finished`: of a run that came to its end, all of it."""

        def sums(name: str) -> Sums:
            table = columns[name]
            keys = np.column_stack([table[part].astype(np.int64) for part in _KEYS[name]])
            batches = table["batches"].astype(np.float64).reshape(-1, BATCHES)
            return Sums(keys, table["count"].astype(np.int64), batches)

        return cls(
            causes=tuple(causes),
            pairs=sums("pairs"),
            channels=sums("channels"),
            passed_pairs=sums("passed_pairs"),
            passed_channels=sums("passed_channels"),
            roots=sums("roots"),
            victims=sums("victims"),
            batch_begin_ps=columns["batch_begin_ps"],
            batch_length_ps=columns["batch_length_ps"],
            share=share,
            exact=finished and share == 1,
            estimate=exactly if finished and share == 1 else per_message,
        )

    def own_share(self, *, root: bool = False) -> float:
        """Return the share of all charges that classes owe to themselves; NaN if there are none."""
        pairs = self.passed_pairs if root else self.pairs
        told = (pairs.keys != REST).all(axis=1)
        own = told & (pairs.keys[:, 0] == pairs.keys[:, 1])
        whole = float(pairs.totals_ps.sum())
        return float(pairs.totals_ps[own].sum()) / whole if whole else math.nan

    @classmethod
    def of_tables(
        cls,
        tables: Mapping[str, pa.Table],
        begin_ps: int | None,
        length_ps: int | None,
        share: float = 1.0,
        *,
        exact: bool = False,
    ) -> Blame:
        """Return what `tables` was made from."""
        named = [table["cause"] for table in tables.values() if "cause" in table.column_names]
        causes = tuple(sorted({cause for column in named for cause in column.unique().to_pylist()}))
        sums = {name: _sums_in(tables[f"blame_{name}"], name, causes) for name in _KEYS}
        return cls(
            causes,
            **sums,
            batch_begin_ps=begin_ps,
            batch_length_ps=length_ps,
            estimate=exactly if exact else per_message,
            share=share,
            exact=exact,
        )

    def shortened(self, most: int) -> Blame:
        """Return the same with the `most` largest pairs, and pairs at channels, told apart.

        Others are summed up by victim and cause, and by channel and cause: sums by cause,
        victim or channel are what they were. So it is with root culprits. Root channels and
        victims are all kept.
        """
        short = {
            name: getattr(self, name).shortened(most, parts) for name, parts in _SUMMED_UP.items()
        }
        return replace(self, **short)

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables as Arrow tables, each under the name of its file.

        `batches` are picoseconds, of victims messages; `count` counts pieces of waits, of
        victims packets. Null where charges were summed up: see `REST`.
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
        return self.estimate(self.pairs.batches_ps.sum(axis=0), self.messages(), confidence)

    def by_cause(self, confidence: float) -> list[Charged]:
        """Return the mean time per message charged to each cause, most first."""
        return self.by_sums(self.pairs.by(2), confidence)

    def by_root(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message by root channel, most first."""
        return self.by_sums(self.roots.by(0), confidence, most)

    def by_channel(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message by channel waited for, most first."""
        return self.by_sums(self.channels.by(0), confidence, most)

    @property
    def knows_roots(self) -> bool:
        """Whether waits are passed on: where victims are sampled only if all are followed."""
        return self.share == 1 or len(self.passed_pairs.keys) > 0

    def culprits(
        self, confidence: float, most: int | None = None, *, root: bool = False
    ) -> list[Charged]:
        """Return what a class costs another: victim, culprit; per message of the victim.

        `root`: the culprits are those at the root of waits, not those that were in the way.
        """
        sums = self.passed_pairs if root else self.pairs
        return self._of_victims(sums.by(0, 1), 0, confidence, most)

    def culprits_on_channels(
        self, confidence: float, most: int | None = None, *, root: bool = False
    ) -> list[Charged]:
        """Return the same with the channel waited for first: channel, victim, culprit."""
        sums = self.passed_channels if root else self.channels
        return self._of_victims(sums.by(0, 1, 2), 1, confidence, most)

    @property
    def rest_share(self) -> float:
        """Share of all charges that the table by channel does not tell apart."""
        return _rest_share(self.channels)

    @property
    def rest_share_of_pairs(self) -> float:
        """Share of all charges that the table of pairs does not tell apart."""
        return _rest_share(self.pairs)

    def by_sums(self, sums: Sums, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message for each row of sums over all victims, most first."""
        messages, whole = self.messages(), float(self.pairs.totals_ps.sum())
        return [
            Charged(
                tuple(sums.keys[row].tolist()),
                self.estimate(sums.batches_ps[row], messages, confidence),
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
        # Of a known victim or channel, the rest is not anybody's to blame.
        untold = (sums.keys == REST).any(axis=1) & (sums.keys != REST).any(axis=1)
        for row in _largest(sums, most, ~untold):
            key = tuple(sums.keys[row].tolist())
            # What cannot be told apart is everybody's.
            who = None if key[victim] == REST else key[victim]
            share = float(sums.totals_ps[row]) / whole.get(key[victim], math.nan)
            mean = self.estimate(sums.batches_ps[row], self.messages(who), confidence)
            found.append(Charged(key, mean, share))
        return found


def unknown_blame() -> UserError:
    """Return the mistake of asking of a run who made whom wait that did not note it."""
    return UserError("run.blame", "false", "must be true to know who made whom wait")


def _sums_in(table: pa.Table, name: str, causes: Sequence[str]) -> Sums:
    """Return the sums in a table of `Blame.tables`."""
    numbers = {cause: number for number, cause in enumerate(causes)}
    parts = [
        np.array([numbers[cause] for cause in table[part].to_pylist()], dtype=np.int64)
        if part == "cause"
        else table[part].fill_null(REST).to_numpy().astype(np.int64)
        for part in _KEYS[name]
    ]
    batches = table["batches"].combine_chunks().flatten().to_numpy()
    counts = table["count"].to_numpy().astype(np.int64)
    return Sums(np.column_stack(parts), counts, batches.astype(np.float64).reshape(-1, BATCHES))


def _rest_share(sums: Sums) -> float:
    rest = (sums.keys == REST).any(axis=1)
    whole = float(sums.totals_ps.sum())
    return float(sums.totals_ps[rest].sum()) / whole if whole else 0.0


def _largest(sums: Sums, most: int | None, wanted: NDArray[np.bool_] | None = None) -> list[int]:
    """Return the numbers of the largest rows, of those that are wanted; the rest comes last."""
    is_rest = (sums.keys == REST).any(axis=1)
    order = np.lexsort((-sums.totals_ps, is_rest))
    found: list[int] = (order if wanted is None else order[wanted[order]]).tolist()
    return found[:most]
