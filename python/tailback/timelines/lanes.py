"""Separate tracks for overlapping slices."""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from .model import Numbers, Slices, Track


def laned(tracks: list[Track], slices: Slices, name: str, *, below: bool = False) -> Slices:
    """Move overlapping slices to tracks below their own; with ``below``, move all slices."""
    lane = lanes(slices.track, slices.begin_ps, slices.end_ps).astype(np.int64) + below
    track = slices.track.copy()
    moved = lane > 0
    pairs, place = np.unique(np.stack([track[moved], lane[moved]]), axis=1, return_inverse=True)
    track[moved] = len(tracks) + place.ravel()
    for parent in pairs[0].tolist():
        tracks.append(Track(name, parent=parent, subject=tracks[parent].subject))
    return replace(slices, track=track)


def counted(begin_ps: Numbers, end_ps: Numbers) -> tuple[Numbers, Numbers]:
    """Return the times at which the number of open intervals changes, and that number.

    Of very many changes some are left out; see `thinned`.
    """
    time_ps = np.concatenate([begin_ps, end_ps])
    change = np.ones(len(time_ps), dtype=np.int64)
    change[len(begin_ps) :] = -1
    times, place = np.unique(time_ps, return_inverse=True)
    changes = np.zeros(len(times), dtype=np.int64)
    np.add.at(changes, place, change)
    is_new = changes != 0
    return thinned(times[is_new], np.cumsum(changes[is_new]))


#: More values of a counter are not drawn.
_MOST_VALUES = 20_000


def thinned(time_ps: Numbers, value: Numbers) -> tuple[Numbers, Numbers]:
    """Return at most `_MOST_VALUES` values of a counter: the latest in each stretch of time."""
    if len(time_ps) <= _MOST_VALUES:
        return time_ps, value
    begin, end = int(time_ps[0]), int(time_ps[-1])
    length = max(1, -(-(end - begin) // (_MOST_VALUES - 1)))
    stretch = (time_ps.astype(np.int64) - begin) // length
    is_last = np.append(np.diff(stretch) > 0, True)
    return time_ps[is_last], value[is_last]


def lanes(track: Numbers, begin_ps: Numbers, end_ps: Numbers) -> Numbers:
    """Return a lane for each slice, from 0; slices in one lane of a track do not overlap.

    A slice takes the first lane that is free when it begins.
    """
    found = np.zeros(len(track), dtype=np.uint32)
    order = np.lexsort((end_ps, begin_ps, track))
    columns = (column[order].tolist() for column in (track, begin_ps, end_ps))
    taken: list[tuple[int, int]] = []
    free: list[int] = []
    latest, count = None, 0
    lane_of = []
    for on, begin, end in zip(*columns, strict=True):
        if on != latest:
            latest, count, taken, free = on, 0, [], []
        while taken and taken[0][0] <= begin:
            heappush(free, heappop(taken)[1])
        if free:
            lane = heappop(free)
        else:
            lane, count = count, count + 1
        heappush(taken, (end, lane))
        lane_of.append(lane)
    found[order] = lane_of
    return found
