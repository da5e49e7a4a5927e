"""Builds a timeline from the tables that the engine records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .channels import Occupied, add_channels
from .lanes import counted, laned
from .model import Columns, Counter, Instants, Numbers, Slices, Timeline, Track

#: Names of what processes do, as the engine calls it.
ACTIVITIES = {
    "compute": "computes",
    "send": "software: sends",
    "receive": "software: receives",
    "wait_message": "waits for a message",
    "wait_sent": "waits for what it sent",
    "meet": "meets others",
}
#: Names of waits, by the category of most of their time.
WAITS = {
    "partner_ps": "waits for a late partner",
    "own_ps": "waits: message on its way",
    "source_ps": "waits: contention at its own node's link",
    "destination_ps": "waits: contention at the destination's link",
    "network_ps": "waits: contention in the network",
    "spread_ps": "waits: contention spread from another node's link",
}
#: With more messages, or more tracks for them, they are only counted: viewers open no more.
MOST_MESSAGES = 100_000
MOST_LANES = 2_000
_NEVER = np.iinfo(np.uint64).max


def timeline(
    activities: Columns,
    transfers: Columns,
    kinds: Sequence[str],
    names: Sequence[str],
    occupied: Occupied | None = None,
    counters: Sequence[Counted] = (),
) -> Timeline:
    """Return the timeline of processes with these names.

    ``activities`` and ``transfers`` are tables of the engine (docs/critical-path.md), ``kinds`` the
    names of activities; ``occupied`` selects channels; ``counters`` are additional counters. More
    than `MOST_MESSAGES` messages, or `MOST_LANES` tracks for them, are only counted.
    """
    tracks = [Track(name) for name in names]
    slices = [laned(tracks, _of_processes(activities, kinds), "also")]
    none = {name: column[:0] for name, column in transfers.items()}
    told = transfers if len(transfers["message"]) <= MOST_MESSAGES else none
    before = len(tracks)
    messages = laned(tracks, _of_messages(told), "messages", below=True)
    if len(tracks) - before > MOST_LANES:
        del tracks[before:]
        told, messages = none, _of_messages(none)
    slices.append(messages)
    found = [_in_flight(tracks, transfers)]
    for each in counters:
        tracks.append(Track(each.name, unit=each.unit))
        found.append(Counter(len(tracks) - 1, each.time_ps, each.value))
    ends = _ends(told)
    channels = () if occupied is None else add_channels(tracks, found, occupied)
    return Timeline(tuple(tracks), tuple(slices), ends, tuple(found), channels)


def _of_processes(rows: Columns, kinds: Sequence[str]) -> Slices:
    """Return the activities of processes; tracks are processes."""
    names = list(kinds)
    waiting = [number for number, kind in enumerate(kinds) if kind.startswith("wait")]
    name = rows["kind"].astype(np.int64)
    parts = np.stack([rows[part].astype(np.int64) for part in WAITS])
    largest = np.argmax(parts, axis=0)
    is_wait = np.isin(name, waiting) & (parts.max(axis=0) > 0)
    name = np.where(is_wait, len(names) + largest, name)
    names += WAITS.values()
    details = {"message": rows["message"], "call": rows["call"]}
    details |= {part: rows[part] for part in WAITS}
    return Slices(
        rows["process"].astype(np.int64),
        rows["begin_ps"],
        rows["end_ps"],
        name,
        tuple(ACTIVITIES.get(name, name) for name in names),
        details,
    )


def _of_messages(rows: Columns) -> Slices:
    """Return the received messages; tracks are their senders."""
    there = rows["received_ps"] != _NEVER
    found = {name: column[there] for name, column in rows.items()}
    to, place = np.unique(found["destination"], return_inverse=True)
    details = {name: found[name] for name in ("message", "bytes", "tag", "left_ps", "arrived_ps")}
    return Slices(
        found["source"].astype(np.int64),
        found["sent_ps"],
        found["received_ps"],
        place,
        tuple(f"to {process}" for process in to.tolist()),
        details,
    )


def _ends(rows: Columns) -> Instants:
    """Return the ends of messages."""
    there = rows["received_ps"] != _NEVER
    sent = (rows["source"], rows["sent_ps"], rows["message"])
    received = tuple(rows[name][there] for name in ("destination", "received_ps", "message"))
    track, time_ps, message = (np.concatenate(pair) for pair in zip(sent, received, strict=True))
    is_end = np.arange(len(track)) >= len(rows["source"])
    return Instants(track.astype(np.int64), time_ps, message, is_end)


def _in_flight(tracks: list[Track], rows: Columns) -> Counter:
    """Return the number of messages in flight, at every change."""
    there = rows["received_ps"] != _NEVER
    tracks.append(Track("messages in flight", unit="messages"))
    return Counter(len(tracks) - 1, *counted(rows["sent_ps"], rows["received_ps"][there]))


class Counted(NamedTuple):
    """An additional counter: name, unit, and values from each time on."""

    name: str
    unit: str
    time_ps: Numbers
    value: Numbers


def loads_of(
    samples: Columns, busy: Mapping[str, str], counted: Mapping[str, int]
) -> list[Counted]:
    """Return the load of kinds of channels between samples, in per cent.

    ``busy``: columns of ``samples`` with the busy time of all channels of a kind; ``counted``: the
    number of these channels.
    """
    time_ps = samples["time_ps"].astype(np.int64)
    length = np.diff(time_ps, prepend=0)
    found = []
    for name, column in busy.items():
        if counted[name] and len(time_ps):
            share = np.diff(samples[column].astype(np.int64), prepend=0) / counted[name]
            percent = 100 * share / np.maximum(length, 1)
            found.append(Counted(name, "%", time_ps - length, percent))
    return found


def packets_of(samples: Columns) -> list[Counted]:
    """Return the packets queued at nodes and those in the network, at each sample."""
    time_ps = samples["time_ps"].astype(np.int64)

    def total(what: str) -> Numbers:
        each = (samples[f"packets_{what}_{of}"] for of in ("data", "ack"))
        return np.asarray(sum(column.astype(np.int64) for column in each))

    queued, sent, delivered = map(total, ("queued", "sent", "delivered"))
    return [
        Counted("packets waiting at nodes", "packets", time_ps, queued - sent),
        Counted("packets in the network", "packets", time_ps, sent - delivered),
    ]
