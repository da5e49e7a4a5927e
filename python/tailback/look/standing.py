"""A deadlock on the map: the lines that packets of its cycle hold and wait for, and since when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.answers import Head
from tailback.errors import RunFailure
from tailback.standstill import channel_of
from tailback.units import counted
from tailback.wording.phrases import listed
from tailback.wording.scaling import MICROSECONDS, scaled

from .lines import KINDS, Lines

if TYPE_CHECKING:
    from .sliced import Sliced

_NAMED = 6
"""Channels of a cycle that a sentence names."""
_ON_NO_LINE = -1


@dataclass(frozen=True)
class Standing:
    """The cycle of packets that ended a run, each waiting for what the next one holds."""

    at_ps: int
    """When it was found."""
    since_ps: int | None
    """When the last channel of the cycle began to be waited for without end, if that is known."""
    waits: Sequence[int]
    """The line that each packet waits for."""
    holds: Sequence[Sequence[int]]
    """The lines that each packet holds."""
    packets: Sequence[Mapping[str, Any]]
    """As `RunFailure.circle` has them."""

    @classmethod
    def of(cls, failure: RunFailure, lines: Lines, times: Sliced | None) -> Standing:
        """Return where the packets of a deadlock stand."""
        ends = np.column_stack([lines.kind, lines.source, lines.destination]).tolist()
        numbers = {(KINDS[kind], *rest): line for line, (kind, *rest) in enumerate(ends)}

        def line_of(place: Mapping[str, Any]) -> int:
            return numbers.get(channel_of(place), _ON_NO_LINE)

        waits = [line_of(packet["waits_for"]) for packet in failure.circle]
        return cls(
            failure.at_ps or 0,
            None if times is None else _since(times, waits),
            waits,
            [[line_of(place) for place in packet["holds"]] for packet in failure.circle],
            failure.circle,
        )

    def head(self, names: Sequence[str]) -> Head:
        """Return what is said of it first; `names`: those of lines."""
        told = list(dict.fromkeys(names[line] for line in self.waits if line >= 0))
        more = [counted(len(told) - _NAMED, "other", "others")] if len(told) > _NAMED else []
        at = scaled(self.at_ps / 1e6, MICROSECONDS, 4)
        size = counted(len(self.packets), "packet")
        said = [
            f"Deadlock: {size} wait for each other for ever, each for what the next one holds.",
            f"They wait for {listed([*told[:_NAMED], *more])}.",
        ]
        if self.since_ps is None:
            return Head((), (*said, f"The run ends at {at}."))
        since = scaled(self.since_ps / 1e6, MICROSECONDS, 4)
        return Head(
            (), (*said, f"The cycle is closed from about {since} on; the run ends at {at}.")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        told = [
            f"packet {packet['packet']} from {packet['from']} to {packet['to']}"
            for packet in self.packets
        ]
        return {
            "at_ps": self.at_ps,
            "since_ps": self.since_ps,
            "waits": list(self.waits),
            "holds": [list(held) for held in self.holds],
            "packets": told,
        }


def _since(times: Sliced, waits: Sequence[int]) -> int | None:
    """Return from when on all lines are waited for all of the time; None if not even at the end."""
    known = sorted({line for line in waits if line >= 0})
    lengths = (times.end_ps - times.begin_ps)[:, None]
    if not known or not len(lengths):
        return None
    stands = np.all(times.queue_ps[:, known] >= lengths, axis=1)
    if not stands[-1]:
        return None
    moves = np.flatnonzero(~stands)
    return int(times.begin_ps[moves[-1] + 1 if len(moves) else 0])
