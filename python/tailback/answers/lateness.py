"""How late the messages of one run are: rows for people, of what is kept as sums."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import KINDS, NOBODY, Blame, Charged, Sums, unknown_blame
from tailback.results.names import Names
from tailback.statistics import Estimate
from tailback.units import counted
from tailback.wording.scaling import MICROSECONDS, measured, scaled

from .places import Groups, groups_of

if TYPE_CHECKING:
    from tailback.results import Result

SMALL = 0.01
"""Rows with a smaller share are folded into one."""
MUCH = 0.1
"""A share of all lateness from which on something is named in a sentence."""
HALF = 0.5
"""From this share on most of it is somewhere."""


@dataclass(frozen=True)
class Row:
    """A charge with its words."""

    words: tuple[str, ...]
    charged: Charged

    @property
    def share(self) -> float:
        """Of all lateness, or of that of the victim."""
        return self.charged.share


@dataclass(frozen=True)
class Rows:
    """The charges that matter, the largest first, and what the others come to."""

    shown: tuple[Row, ...]
    others: int
    """How many are left out."""
    others_share: float
    """Share of these together; NaN where each is of the lateness of another victim."""
    largest: float
    """The largest share of a row, shown or not; 0 without rows."""
    half: int = 0
    """How many rows, the largest first, come to half of all lateness; 0: all do not, or it is not
    known."""


@dataclass(frozen=True, eq=False)
class Lateness:
    """Lateness of the messages of a run, with the names of channels and of who is charged."""

    result: Result
    blame: Blame
    names: Names
    confidence: float

    @classmethod
    def of(cls, result: Result) -> Lateness:
        """Return that of a run; raise `UserError` where it was not kept."""
        return cls(result, kept(result), Names.of(result), result.experiment.run.confidence)

    @cached_property
    def groups(self) -> Groups:
        """Classes of traffic, each by itself if few of them are charged or late."""
        keys = np.unique(self.blame.pairs.keys[:, :2])
        return groups_of(self.result, self.names, keys[keys < NOBODY].tolist())

    def kinds(self) -> list[tuple[str, Charged]]:
        """Return lateness by kind (`KINDS`), the most first."""
        return [(KINDS[c.key[0]], c) for c in self.blame.by_kind(self.confidence)]

    def roots(self, most: int, least: float = SMALL) -> Rows:
        """Return the channels where lateness begins: name, kind in words, culprit and victim.

        Culprit and victim are those with the largest part of what begins there, as `groups`.
        Virtual channels and parallel cables of a link count together.
        """
        every = self.blame.by_sums(self._links.by(0), self.confidence)
        found = [c for c in every if c.key[0] < NOBODY]
        shown = [c for c in found[:most] if c.share >= least]
        rows = tuple(Row(self._root_words(c.key[0]), c) for c in shown)
        rest = math.fsum(c.share for c in found[len(rows) :])
        sums = accumulate(c.share for c in found)
        half = next((count for count, share in enumerate(sums, 1) if share >= HALF), 0)
        return Rows(rows, len(found) - len(rows), rest, found[0].share if found else 0.0, half)

    def _root_words(self, channel: int) -> tuple[str, ...]:
        culprit, victim, kind = self._largest_at[channel]
        name = self.groups.name
        return (
            self.names.channel(channel),
            KINDS[kind],
            name(culprit, self.names),
            name(victim, self.names),
        )

    @cached_property
    def _links(self) -> Sums:
        """The charges with the first channel of a link in place of each."""
        sums = self.blame.channels
        keys = sums.keys.copy()
        known = keys[:, 0] < NOBODY
        keys[known, 0] = self.names.links[keys[known, 0].astype(np.int64)]
        return replace(sums, keys=keys).by(*range(keys.shape[1]))

    @cached_property
    def _largest_at(self) -> dict[int, tuple[int, int, int]]:
        """Return culprit, victim and kind of the largest charge that begins at each channel."""
        sums = self.groups.regrouped(self._links, (1, 2))
        order = np.argsort(sums.totals_ps, kind="stable")
        return {
            channel: (culprit, victim, kind)
            for channel, victim, culprit, kind in sums.keys[order].tolist()
        }

    def culprits(self, most: int, least: float = SMALL) -> Rows:
        """Return who makes whom late: culprit, victim, of the lateness of the victim.

        What a class does to itself is left out, and counted. Groups of nodes are told without
        victims, with their share of all lateness.
        """
        found = self._pairs() if self.groups.are_classes else self.by_group()
        shown = tuple(row for row in found[:most] if row.share >= least)
        rest = math.fsum(row.share for row in found[len(shown) :])
        return Rows(
            shown,
            len(found) - len(shown),
            math.nan if self.groups.are_classes else rest,
            found[0].share if found else 0.0,
        )

    @property
    def stands_out(self) -> bool:
        """Whether a row of `culprits` says who makes messages late.

        A group of nodes does if it causes a tenth of all lateness, and twice its share.
        """
        groups = self.groups
        largest = self.culprits(1).largest
        return groups.are_classes or largest >= max(MUCH, 2 / len(groups.names))

    def _pairs(self) -> list[Row]:
        traffic = self.names.traffic
        rows = [
            Row((traffic(charged.key[1]), traffic(charged.key[0])), charged)
            for charged in self.blame.culprits(self.confidence)
            if charged.key[0] != charged.key[1] and max(charged.key) < NOBODY
        ]
        return sorted(rows, key=lambda row: -row.share)

    def by_group(self) -> list[Row]:
        """Return the share of all lateness that each group causes, the most first."""
        sums = self.groups.regrouped(self.blame.pairs.by(1), (0,))
        return [
            Row((self.groups.name(charged.key[0], self.names),), charged)
            for charged in self.blame.by_sums(sums, self.confidence)
            if charged.key[0] < NOBODY
        ]

    def worst_class(self) -> Row | None:
        """Return the share of all lateness that the class charged most causes."""
        found = self.blame.by_sums(self.blame.pairs.by(1), self.confidence)
        named = [Row((self.names.traffic(c.key[0]),), c) for c in found if c.key[0] < NOBODY]
        return named[0] if named else None


def kept(result: Result) -> Blame:
    """Return who made whom late; raise `UserError` where that was not kept."""
    if result.blame is None:
        raise unknown_blame()
    return result.blame


def lateness_text(blame: Blame, confidence: float) -> str:
    """Return how late messages are, of how much latency, in a sentence."""
    late = blame.late(confidence)
    if not blame.has_lateness:
        return _UNDEFINED
    if math.isnan(late.value):
        return "lateness is not known"
    whole, alone = (scaled(us, MICROSECONDS, 3) for us in (_latency_us(blame), blame.alone_us))
    if not blame.late_ps and not late.value:
        return f"no message is late: each takes as long as alone, {alone} on average"
    own = measured(late, MICROSECONDS, 4)
    return f"a message is late by {own} on average: it takes {whole}, and {alone} alone"


def _latency_us(blame: Blame) -> float:
    """Return the mean latency of messages whose time alone is known."""
    return blame.alone_us + blame.late(0.95).value


_UNDEFINED = (
    "lateness is defined only in modes full, endpoints and free, where a message is compared with "
    "itself alone; this mode has waits of packets only"
)


def remarks(result: Result) -> list[str]:
    """Return what limits the numbers: sampling, sums, early messages, waits before lateness."""
    found, blame = [], result.blame
    if blame is not None and blame.share < 1:
        found.append(f"estimates from {100 * blame.share:g} % of all messages")
    found += untold_texts(result)
    if blame is not None and blame.rest_share:
        share = 100 * blame.rest_share
        found.append(f"{share:.2g} % of all lateness is not broken down by channel")
    return found + _before_queued(result)


def _before_queued(result: Result) -> list[str]:
    """Return what latency has besides that of blame, where both are known, of the same messages."""
    latency, alone, late = (
        result.estimates.get(name, Estimate.unknown())
        for name in ("message_latency_us", "message_alone_us", "message_late_us")
    )
    more_us = latency.value - alone.value - late.value
    are_known = latency.low == latency.high and alone.low == alone.high
    if not are_known or latency.weight != alone.weight or more_us < SMALL * latency.value:
        return []
    whole, more = (scaled(us, MICROSECONDS, 3) for us in (latency.value, more_us))
    return [
        f"message latency in other tables is {whole}: it includes {more} before a message is "
        "queued, for software or for its turn behind earlier ones"
    ]


def untold_texts(result: Result) -> list[str]:
    """Return what means of lateness leave out; nothing if lateness was not asked for."""
    if not result.asks_for_lateness:
        return []
    found, untold = [], result.untold
    if untold.early_messages and untold.early_us is not None:
        early = counted(untold.early_messages, "message")
        time = scaled(untold.early_us, MICROSECONDS)
        were = "was" if untold.early_messages == 1 else "were"
        found.append(f"{early} {were} faster than alone, by {time} in total (counted as negative)")
    if untold.unattributed_us and untold.unattributed_share is not None:
        share = 100 * untold.unattributed_share
        found.append(f"{share:.2g} % of all lateness is charged to nobody")
    if untold.are_thinned:
        kept_rows = f"{untold.rows:,} of {counted(untold.received, 'message')}"
        found.append(
            f"percentiles of flows, classes and jobs are of {kept_rows}, at equal distances"
        )
    return found
