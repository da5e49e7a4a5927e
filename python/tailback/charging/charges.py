"""The tables of one run, or of several taken together, and what is asked of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.errors import UserError
from tailback.statistics import Estimate, Floats

from .sums import BATCHES, NOBODY, REST, Estimator, Ints, Sums, exactly, per_message

KIND_WORDS = {
    "source": "other messages of its own node",
    "destination": "contention at its destination's link",
    "network": "contention in the network",
    "spread": "a queue that grew backwards from another node",
    "detour": "a longer route, because of others",
    "fault": "links that were down, or slower, for a time",
}
"""Where the root of a wait was, as the late message sees it, by the names of the engine."""
KINDS = tuple(KIND_WORDS)

#: Parts of the keys, by table, in the order of the fields of `Blame`.
_KEYS = {
    "pairs": ("victim", "culprit", "kind"),
    "channels": ("channel", "victim", "culprit", "kind"),
    "victims": ("victim",),
    "waits": ("channel", "cause"),
}
#: Those of messages, which are there where messages are compared with themselves alone.
_OF_MESSAGES = ("pairs", "channels", "victims")
#: Parts of the key that a shortened table has only of what is largest.
_SUMMED_UP = {"pairs": (1,), "channels": (1, 2)}
_DETOUR, _FAULT = KINDS.index("detour"), KINDS.index("fault")


@dataclass(frozen=True, slots=True)
class Charged:
    """Mean time per message of the victims of one row of a table."""

    key: tuple[int, ...]
    per_message_us: Estimate
    share: float
    """Of all lateness of the victims; NaN if there is none."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the messages of a window, in picoseconds."""

    alone_ps: int = 0
    """How long they would have taken alone."""
    early_messages: int = 0
    """Messages that took less than alone."""
    early_ps: int = 0
    """How much less."""
    unattributed_ps: int = 0
    """How late messages were for which nobody is charged."""
    waited_ps: int = 0
    """Waits on the chains of messages, some of which cost nothing."""

    def __add__(self, other: Totals) -> Totals:
        """Return the totals of both."""
        names = [field.name for field in fields(self)]
        return Totals(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, eq=False)
class Blame:
    """Who made whom late in one run: sums over the messages delivered in the window."""

    causes: tuple[str, ...]
    """Names of the causes in `waits`, by number."""
    pairs: Sums
    """Lateness by victim, culprit and kind (`KINDS`)."""
    channels: Sums
    """The same by root channel, victim, culprit and kind."""
    victims: Sums
    """Messages delivered, by victim."""
    waits: Sums | None
    """Waits of packets by channel waited for and cause: no lateness, and nobody's. None if they
    were not kept."""
    totals: Totals
    batch_begin_ps: int | None
    """None for what was merged from several runs, which have batches of their own."""
    batch_length_ps: int | None
    estimate: Estimator = per_message
    share: float = 1.0
    """Of all messages, how many are victims whose lateness is charged."""
    exact: bool = False
    """Whether all there was has been charged, so that means have no intervals."""
    has_lateness: bool = True
    """Whether messages are compared with themselves alone: not in `throttled` and `ideal`."""

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any] | None,
        causes: Sequence[str],
        *,
        alone_ps: int = 0,
        share: float = 1.0,
        finished: bool = False,
    ) -> Blame:
        """Return the engine's tables; `finished`: of a run that came to its end, all of it.

        Those of messages are left out in modes in which they are not compared with themselves
        alone, and that of waits of packets if they are not kept.
        """
        known = columns or {}
        waits = known.get("waits")
        told = [field.name for field in fields(Totals) if field.name != "alone_ps"]
        return cls(
            tuple(causes),
            **{name: _sums_of(known.get(name), _KEYS[name]) for name in _OF_MESSAGES},
            # Whose waits of packets they were is not told.
            waits=None if waits is None else _sums_of(waits, _KEYS["waits"]).by(0, 1),
            totals=Totals(alone_ps, **{name: int(known.get(name, 0)) for name in told}),
            batch_begin_ps=known.get("batch_begin_ps"),
            batch_length_ps=known.get("batch_length_ps"),
            share=share,
            exact=finished and share == 1,
            estimate=exactly if finished and share == 1 else per_message,
            has_lateness="pairs" in known,
        )

    @classmethod
    def of_tables(
        cls,
        tables: Mapping[str, pa.Table],
        totals: Totals,
        batches_ps: tuple[int | None, int | None],
        share: float = 1.0,
        *,
        exact: bool = False,
    ) -> Blame:
        """Return what `tables` was made from; batches: begin and length."""
        waits = tables.get("blame_waits")
        causes = () if waits is None else tuple(sorted(set(waits["cause"].to_pylist())))
        return cls(
            causes,
            **{
                name: _sums_in(tables.get(f"blame_{name}", empty_table(f"blame_{name}")), name, ())
                for name in _OF_MESSAGES
            },
            waits=None if waits is None else _sums_in(waits, "waits", causes),
            totals=totals,
            batch_begin_ps=batches_ps[0],
            batch_length_ps=batches_ps[1],
            estimate=exactly if exact else per_message,
            share=share,
            exact=exact,
            has_lateness="blame_pairs" in tables,
        )

    def shortened(self, most: int) -> Blame:
        """Return the same with the `most` largest pairs, and pairs at channels, told apart.

        Others are summed up by victim and kind, and by channel and kind: sums by kind, victim or
        channel are what they were. Victims and waits are all kept.
        """
        short = {
            name: getattr(self, name).shortened(most, parts) for name, parts in _SUMMED_UP.items()
        }
        return replace(self, **short)

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables as Arrow tables, each under the name of its file: those that are kept.

        `batches` are picoseconds, of victims messages; `count` counts charges, of waits pieces of
        waits, of victims messages. Null where charges were summed up (`REST`), and for detours,
        for which nobody is charged.
        """
        kept = {name: getattr(self, name) for name in _OF_MESSAGES if self.has_lateness}
        if self.waits is not None:
            kept["waits"] = self.waits
        return {f"blame_{name}": _table(name, sums, self.causes) for name, sums in kept.items()}

    @property
    def waited_ps(self) -> float:
        """What packets waited in all; 0 where that was not kept."""
        return 0.0 if self.waits is None else float(self.waits.totals_ps.sum())

    def messages(self, victim: int | None = None) -> Floats:
        """Return by batch the messages delivered, of one class or of all."""
        chosen = slice(None) if victim is None else self.victims.keys[:, 0] == victim
        counted: Floats = self.victims.batches_ps[chosen].sum(axis=0)
        return counted

    def late(self, confidence: float) -> Estimate:
        """Return how late a message is on average, in microseconds; less than 0 if it is early."""
        found = self.estimate(self.pairs.batches_ps.sum(axis=0), self.messages(), confidence)
        uncharged = self.totals.unattributed_ps - self.totals.early_ps
        if not uncharged or math.isnan(found.value):
            return found
        # Of what nobody is charged with only the sum is known: the interval is that of charges.
        by = uncharged / 1e6 / float(self.messages().sum())
        ends = found.value + by, found.low + by, found.high + by
        return Estimate(*ends, found.batches, found.standard_error, found.weight)

    @property
    def alone_us(self) -> float:
        """How long a message takes alone on average; NaN if there is none."""
        messages = float(self.messages().sum())
        return self.totals.alone_ps / 1e6 / messages if messages else math.nan

    @property
    def late_ps(self) -> float:
        """How late all late messages were: what shares are of."""
        return float(self.pairs.totals_ps.sum()) + self.totals.unattributed_ps

    @property
    def unattributed_share(self) -> float:
        """Share of all lateness for which nobody is charged."""
        return self.totals.unattributed_ps / self.late_ps if self.late_ps else 0.0

    @property
    def own_share(self) -> float:
        """Share of all lateness that classes owe to themselves; NaN if there is none."""
        pairs = self.pairs
        own = (pairs.keys != REST).all(axis=1) & (pairs.keys[:, 0] == pairs.keys[:, 1])
        return float(pairs.totals_ps[own].sum()) / self.late_ps if self.late_ps else math.nan

    def by_kind(self, confidence: float) -> list[Charged]:
        """Return the mean lateness of a message by kind, most first."""
        return self.by_sums(self.pairs.by(2), confidence)

    def by_channel(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean lateness of a message by root channel, most first."""
        return self.by_sums(self.channels.by(0), confidence, most)

    def culprits(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return what a class costs another: victim, culprit; per message of the victim."""
        return self._of_victims(self.pairs.by(0, 1), 0, confidence, most)

    def culprits_on_channels(self, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the same with the root channel first: channel, victim, culprit."""
        return self._of_victims(self.channels.by(0, 1, 2), 1, confidence, most)

    def waits_by(self, sums: Sums) -> list[tuple[int, float, float]]:
        """Return for each row of sums of waits its number, microseconds and share, most first."""
        whole, totals_ps = self.waited_ps, sums.totals_ps
        return [
            (
                int(sums.keys[row, 0]),
                float(totals_ps[row]) / 1e6,
                float(totals_ps[row]) / whole if whole else math.nan,
            )
            for row in _largest(sums, None)
        ]

    @property
    def rest_share(self) -> float:
        """Share of all charges of which the channel is not told."""
        return _rest_share(self.channels.by(0))

    @property
    def rest_share_of_pairs(self) -> float:
        """Share of all charges that the table of pairs does not tell apart."""
        return _rest_share(self.pairs)

    def by_sums(self, sums: Sums, confidence: float, most: int | None = None) -> list[Charged]:
        """Return the mean time per message for each row of sums over all victims, most first."""
        messages, whole, totals_ps = self.messages(), self.late_ps, sums.totals_ps
        return [
            Charged(
                tuple(sums.keys[row].tolist()),
                self.estimate(sums.batches_ps[row], messages, confidence),
                float(totals_ps[row]) / whole if whole else math.nan,
            )
            for row in _largest(sums, most)
        ]

    def _of_victims(
        self, sums: Sums, victim: int, confidence: float, most: int | None
    ) -> list[Charged]:
        suffered = self.pairs.by(0)
        whole = dict(zip(suffered.keys[:, 0].tolist(), suffered.totals_ps.tolist(), strict=True))
        found, totals_ps = [], sums.totals_ps
        # Of a known victim or channel, the rest is not anybody's to blame.
        untold = (sums.keys == REST).any(axis=1) & (sums.keys != REST).any(axis=1)
        for row in _largest(sums, most, ~untold):
            key = tuple(sums.keys[row].tolist())
            # What cannot be told apart is everybody's.
            who = None if key[victim] == REST else key[victim]
            share = float(totals_ps[row]) / whole.get(key[victim], math.nan)
            mean = self.estimate(sums.batches_ps[row], self.messages(who), confidence)
            found.append(Charged(key, mean, share))
        return found


def unknown_blame() -> UserError:
    """Return the mistake of asking of a run who made whom late that did not note it."""
    return UserError("run.blame", "false", "must be true to know who made whom late")


def empty_table(name: str) -> pa.Table:
    """Return the table of `Blame.tables` with this name, with no rows."""
    part = name.removeprefix("blame_")
    return _table(part, Sums.empty(len(_KEYS[part])), ())


def _table(name: str, sums: Sums, causes: Sequence[str]) -> pa.Table:
    columns: dict[str, Any] = {}
    words = {"kind": KINDS, "cause": causes}
    for part, values in zip(_KEYS[name], sums.keys.T, strict=True):
        if part in words:
            columns[part] = pa.array([words[part][number] for number in values], pa.string())
        else:
            columns[part] = pa.array(values.astype(np.uint32), mask=values >= NOBODY)
    flat = pa.array(sums.batches_ps.astype(np.uint64).ravel())
    batches = pa.FixedSizeListArray.from_arrays(flat, BATCHES)
    return pa.table(columns | {"count": sums.counts.astype(np.uint64), "batches": batches})


def _sums_of(table: Mapping[str, Any] | None, parts: Sequence[str]) -> Sums:
    """Return the sums in a table of the engine, which calls kinds causes, too."""
    if table is None:
        return Sums.empty(len(parts))
    names = ["cause" if part == "kind" else part for part in parts]
    keys = np.column_stack([table[name].astype(np.int64) for name in names])
    batches = table["batches"].astype(np.float64).reshape(-1, BATCHES)
    return Sums(_nobodys(keys, parts), table["count"].astype(np.int64), batches)


def _sums_in(table: pa.Table, name: str, causes: Sequence[str]) -> Sums:
    """Return the sums in a table of `Blame.tables`."""
    words = {"kind": KINDS, "cause": causes}
    columns = []
    for part in _KEYS[name]:
        if part in words:
            numbers = {word: number for number, word in enumerate(words[part])}
            found = np.array([numbers[word] for word in table[part].to_pylist()], dtype=np.int64)
        else:
            found = table[part].fill_null(REST).to_numpy().astype(np.int64)
        columns.append(found)
    keys = _nobodys(np.column_stack(columns), _KEYS[name])
    batches = table["batches"].combine_chunks().flatten().to_numpy()
    counts = table["count"].to_numpy().astype(np.int64)
    return Sums(keys, counts, batches.astype(np.float64).reshape(-1, BATCHES))


def _nobodys(keys: Ints, parts: Sequence[str]) -> Ints:
    """Say that a detour is at no channel, and nobody's, as faults are: not among the rest."""
    if "kind" in parts:
        places = [place for place, part in enumerate(parts) if part in ("channel", "culprit")]
        keys[np.ix_(keys[:, -1] == _DETOUR, places)] = NOBODY
        of_faults = keys[np.ix_(keys[:, -1] == _FAULT, places)]
        of_faults[of_faults == REST] = NOBODY
        keys[np.ix_(keys[:, -1] == _FAULT, places)] = of_faults
    return keys


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
