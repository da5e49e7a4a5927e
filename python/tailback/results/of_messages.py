"""How messages fared: those of each traffic class or job, and what no mean tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.statistics import Estimate
from tailback.tables.flows import grouped, percentiles

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.charging import Blame

PERCENTS = (50.0, 90.0, 95.0, 99.0, 99.9)
"""Percentiles that are told."""

#: Columns of the table of messages, and what their means are called.
_MEASURES = {
    "alone_ps": ("message_alone_us", 1e6),
    "late_ps": ("message_late_us", 1e6),
    "slowdown": ("message_slowdown", 1.0),
}


@dataclass(frozen=True, slots=True)
class Fared:
    """How late the messages of one traffic class or job were: those that have a row."""

    early: int
    """Messages that were quicker than alone."""
    means: Mapping[str, Estimate]
    """By metric, as in `metrics.OF_LATENESS`."""
    percentiles: Mapping[str, list[float]]
    """By metric likewise: the least value that so many of `PERCENTS` are not above."""


@dataclass(frozen=True, slots=True)
class Untold:
    """What means of lateness do not tell."""

    early_messages: int | None
    """Messages that were quicker than alone; None where that is not known."""
    early_us: float | None
    """How much quicker, added up."""
    unattributed_us: float | None
    """Lateness for which nobody is charged, added up; None without `run.blame`."""
    unattributed_share: float | None
    """Of all lateness."""
    lost_packets: int
    """Packets lost in the window: a message with a lost packet has no latency."""
    lost_messages: int
    """Messages that have none: of which the first packet was lost in the window."""
    rows: int | None
    """Messages that have a row, of which percentiles of flows, classes and jobs are made; None
    without `run.keep_messages`."""
    received: int
    """All that were received in the window."""

    @property
    def are_thinned(self) -> bool:
        """Whether there were more messages than rows are kept of."""
        return self.rows is not None and self.rows < self.received

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        early = {"messages": self.early_messages, "us": self.early_us}
        unattributed = {"us": self.unattributed_us, "share": self.unattributed_share}
        return {
            "early": None if self.early_messages is None else early,
            "unattributed": None if self.unattributed_us is None else unattributed,
            "lost": {"packets": self.lost_packets, "messages": self.lost_messages},
            **({"rows": {"kept": self.rows, "of": self.received}} if self.are_thinned else {}),
        }


def fared(messages: pa.Table | None, *, exact: bool) -> dict[str, Fared]:
    """Return how the messages of each traffic class or job fared, by its name.

    None unless all messages have a class and it is known how long they take alone. `exact`: they
    are all there is.
    """
    if messages is None or not {"class", "late_ps"}.issubset(messages.column_names):
        return {}
    found = {}
    for (name,), rows in grouped(messages, ("class",), tuple(_MEASURES)):
        means, told = {}, {}
        for column, (metric, size) in _MEASURES.items():
            known = rows[column][~np.isnan(rows[column])] / size
            means[metric] = _mean(known, exact=exact)
            if len(known):
                told[metric] = percentiles(known, PERCENTS)
        early = int((rows["late_ps"] < 0).sum())
        found[name] = Fared(early, means, told)
    return found


def _mean(values: Any, *, exact: bool) -> Estimate:
    if not len(values):
        return Estimate.unknown()
    mean, count = float(values.mean()), len(values)
    if exact:
        return Estimate.exact(mean, count)
    return Estimate(mean, np.nan, np.nan, 1, weight=count)


def untold(
    blame: Blame | None, messages: pa.Table | None, samples: pa.Table, *, begin_ps: int, lost: int
) -> Untold:
    """Return what means of lateness do not tell, of the window from `begin_ps` on.

    `lost`: messages of which a packet was lost.
    """
    early, early_ps, unattributed = _early(messages), None, None
    if blame is not None and blame.has_lateness:
        totals = blame.totals
        early, early_ps = totals.early_messages, totals.early_ps
        unattributed = (totals.unattributed_ps / 1e6, blame.unattributed_share)
    elif early is not None:
        late = messages["late_ps"].drop_null().to_numpy()  # type: ignore[index]
        early_ps = -int(np.minimum(late, 0).sum())
    first = int(np.searchsorted(samples["time_ps"].to_numpy(), begin_ps))

    def grown(name: str) -> int:
        """Return what was counted in the window; 0 of what is not counted."""
        if name not in samples.column_names:
            return 0
        column = samples[name].to_numpy()
        return int(column[-1]) - int(column[min(first, len(samples) - 1)])

    return Untold(
        early_messages=early,
        early_us=None if early_ps is None else early_ps / 1e6,
        unattributed_us=None if unattributed is None else unattributed[0],
        unattributed_share=None if unattributed is None else unattributed[1],
        lost_packets=grown("packets_lost"),
        lost_messages=lost,
        rows=None if messages is None else messages.num_rows,
        received=grown("messages_delivered"),
    )


def _early(messages: pa.Table | None) -> int | None:
    """Return how many messages were quicker than alone, of those that have a row."""
    if messages is None or "late_ps" not in messages.column_names:
        return None
    late = messages["late_ps"].drop_null().to_numpy()
    return int((late < 0).sum()) if len(late) else None
