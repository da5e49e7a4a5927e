"""Channels in a timeline: a track for each with its packets, waiting packets below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .lanes import counted, laned
from .model import Columns, Counter, Numbers, Slices, Subject, Track

#: Number of intervals for which the load of a channel is given.
_SPANS = 200


@dataclass(frozen=True, slots=True)
class Occupied:
    """Which packets held channels when, and which waited for them."""

    turns: Columns
    waits: Columns
    """Tables of the engine (docs/critical-path.md)."""
    shown: Sequence[int]
    """Numbers of the channels to show, in order."""
    names: Sequence[str]
    """By channel."""
    causes: Sequence[str]
    """By number, as in `waits`."""
    counted: Sequence[int] = ()
    """Numbers of the channels of which the queue length is shown, in order."""


def add_channels(
    tracks: list[Track], counters: list[Counter], occupied: Occupied
) -> tuple[Slices, ...]:
    """Add tracks and counters of channels; return the slices on them."""
    subject = Subject.CHANNEL
    tracks.append(Track("Channels", subject=subject))
    group = len(tracks) - 1
    edges = _edges(occupied)
    slices: list[Slices] = []
    for channel in occupied.shown:
        name = occupied.names[channel]
        tracks.append(Track(name, parent=group, subject=subject))
        place = len(tracks) - 1
        turns, waits = (_of(rows, channel) for rows in (occupied.turns, occupied.waits))
        slices.append(laned(tracks, _turns(turns, place), "also there"))
        slices.append(
            laned(tracks, _waits(waits, place, occupied), f"waiting for {name}", below=True)
        )
        tracks.append(Track(f"load of {name}", parent=place, unit="%", subject=subject))
        counters.append(Counter(len(tracks) - 1, edges[:-1], load(turns, edges)))
    for channel in occupied.counted:
        name = f"queue of {occupied.names[channel]}"
        counters.append(_waiting(tracks, _of(occupied.waits, channel), name, group))
    counters.append(_waiting(tracks, occupied.waits, "packets waiting for channels"))
    return tuple(slices)


def busiest(turns: Columns, most: int | None) -> list[int]:
    """Return the channels in descending order of the time that packets held them.

    At most ``most``; None: all that were used.
    """
    channel = turns["channel"].astype(np.int64)
    held = np.bincount(channel, weights=turns["end_ps"] - turns["granted_ps"])
    order = np.lexsort((np.arange(len(held)), -held))
    used = order[held[order] > 0]
    found: list[int] = used[:most].tolist()
    return found


def load(turns: Columns, edges: Numbers) -> Numbers:
    """Return the load of a channel between consecutive edges, in per cent.

    The busy time of a packet whose flits stop is spread evenly over its time there.
    """
    order = np.argsort(turns["start_ps"], kind="stable")
    begin, end, busy = (turns[name][order] for name in ("start_ps", "end_ps", "busy_ps"))
    done = np.concatenate([[0], np.cumsum(busy)])
    times = np.stack([begin, end], axis=1).ravel()
    sums = np.stack([done[:-1], done[1:]], axis=1).ravel()
    if len(times) == 0:
        return np.zeros(len(edges) - 1)
    share = np.diff(np.interp(edges, times, sums)) / np.diff(edges)
    return np.asarray(100 * share)


def _edges(occupied: Occupied) -> Numbers:
    """Return the edges of the intervals for the load."""
    turns = occupied.turns
    begin = int(turns["granted_ps"].min(initial=0))
    end = int(turns["end_ps"].max(initial=begin))
    return np.unique(np.linspace(begin, max(end, begin + 1), _SPANS + 1).astype(np.int64))


def _of(rows: Columns, channel: int) -> Columns:
    found = rows["channel"] == channel
    return {name: column[found] for name, column in rows.items()}


def _turns(rows: Columns, place: int) -> Slices:
    """Return one slice per packet, or two if it was granted the channel before it started."""
    begins, starts, ends = (rows[name] for name in ("granted_ps", "start_ps", "end_ps"))
    pairs, pair = np.unique(
        np.stack([rows["source"], rows["destination"]]), axis=1, return_inverse=True
    )
    named = [f"{source} -> {destination}" for source, destination in pairs.T.tolist()]
    kinds = ("{}", "{}, stopped for a part", "{}: cannot start")
    names = [kind.format(name) for kind in kinds for name in named]
    stops = rows["busy_ps"] < ends - starts
    name = pair.ravel() + len(named) * stops
    held = starts > begins
    details = {
        "message": rows["message"],
        "busy_ps": rows["busy_ps"],
        "stopped_ps": np.where(stops, ends - starts - rows["busy_ps"], 0),
    }
    number = np.full(len(starts), place)
    early = {each: np.zeros_like(values[held]) for each, values in details.items()}
    early["message"] = rows["message"][held]
    return Slices(
        np.concatenate([number, number[held]]),
        np.concatenate([starts, begins[held]]),
        np.concatenate([ends, starts[held]]),
        np.concatenate([name, pair.ravel()[held] + 2 * len(named)]),
        tuple(names),
        {each: np.concatenate([details[each], early[each]]) for each in details},
    )


def _waits(rows: Columns, place: int, occupied: Occupied) -> Slices:
    """Return a slice for each part of a wait, named by its cause."""
    return Slices(
        np.full(len(rows["channel"]), place),
        rows["begin_ps"],
        rows["begin_ps"] + rows["time_ps"],
        rows["cause"].astype(np.int64),
        tuple(f"waits: {cause.replace('_', ' ')}" for cause in occupied.causes),
        {name: rows[name] for name in ("message", "source", "destination", "culprit_message")},
    )


def _waiting(tracks: list[Track], waits: Columns, name: str, parent: int | None = None) -> Counter:
    """Return the number of packets waiting for channels, at every change."""
    tracks.append(Track(name, parent, unit="packets", subject=Subject.CHANNEL))
    begin = waits["begin_ps"]
    return Counter(len(tracks) - 1, *counted(begin, begin + waits["time_ps"]))
