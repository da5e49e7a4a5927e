"""What a timeline consists of, whatever file it is written to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Track:
    """A line of a timeline, perhaps below another one."""

    name: str
    parent: int | None = None
    """The number of the track that it is below."""
    unit: str | None = None
    """What a counter counts; None: it has slices."""


@dataclass(frozen=True, slots=True)
class Slices:
    """What lasts for a time. Arrays of one length; slices of one track do not overlap."""

    track: Numbers
    begin_ps: Numbers
    end_ps: Numbers
    name: Numbers
    """Places in ``names``."""
    names: tuple[str, ...]
    details: Mapping[str, Numbers] = field(default_factory=dict)
    """What else is told of each, by its name."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.track)


@dataclass(frozen=True, slots=True)
class Instants:
    """What happens at once: the two ends of messages. Arrays of one length."""

    track: Numbers
    time_ps: Numbers
    message: Numbers
    is_end: Numbers
    """Whether the message ends there."""


@dataclass(frozen=True, slots=True)
class Counter:
    """What a counter has counted from each time on."""

    track: int
    time_ps: Numbers
    value: Numbers


@dataclass(frozen=True, slots=True)
class Timeline:
    """Tracks, and what is on them."""

    tracks: tuple[Track, ...]
    slices: tuple[Slices, ...]
    instants: Instants
    counters: tuple[Counter, ...] = ()

    @property
    def events(self) -> int:
        """How many things there are to be drawn."""
        counted = sum(len(counter.time_ps) for counter in self.counters)
        return sum(map(len, self.slices)) + len(self.instants.time_ps) + counted


def lanes(track: Numbers, begin_ps: Numbers, end_ps: Numbers) -> Numbers:
    """Return a lane for each slice, from 0, such that those of a lane of a track do not overlap.

    A slice has the first lane that is free when it begins.
    """
    found = np.zeros(len(track), dtype=np.uint32)
    order = np.lexsort((end_ps, begin_ps, track))
    free: list[int] = []
    latest = None
    for place in order.tolist():
        if track[place] != latest:
            latest, free = track[place], []
        begin, end = int(begin_ps[place]), int(end_ps[place])
        lane = next((lane for lane, until in enumerate(free) if until <= begin), len(free))
        if lane == len(free):
            free.append(end)
        else:
            free[lane] = end
        found[place] = lane
    return found
