"""Long timelines for viewers: activities too short to be seen are put together, with exact sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .model import Numbers, Slices, Timeline

MOST_SLICES = 100_000
"""With more activities of processes, short ones are put together."""
_FEWEST_SPANS = 50
_NONE = {"message": 2**64 - 1, "call": 2**32 - 1}


def folded(timeline: Timeline, most: int = MOST_SLICES) -> Timeline:
    """Return a timeline with about `most` activities of processes, if it has more.

    Time is cut into equal spans, as many as fit. Activities shorter than a span that begin in one
    span of a track become one slice, named by what took most of it. Its details say how many there
    are, and how long each kind took.
    """
    processes, *others = timeline.slices
    if len(processes) <= most:
        return timeline
    return replace(timeline, slices=(_folded(processes, most), *others))


def _folded(slices: Slices, most: int) -> Slices:
    begin, end = (times.astype(np.int64) for times in (slices.begin_ps, slices.end_ps))
    spans = max(_FEWEST_SPANS, most // len(np.unique(slices.track)))
    width = -(-int(end.max()) // spans)
    short = np.flatnonzero(end - begin < width)
    kept = np.flatnonzero(end - begin >= width)
    # No long one lies between short ones that begin in one span: it would end beyond it.
    key = slices.track[short].astype(np.int64) * spans + begin[short] // width
    order = np.argsort(key, kind="stable")
    short, key = short[order], key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    time = end[short] - begin[short]
    by_name = np.stack(
        [
            np.add.reduceat(np.where(slices.name[short] == name, time, 0), first)
            for name in range(len(slices.names))
        ]
    )
    names = (*slices.names, *(f"mostly {name}" for name in slices.names))
    details = {
        name: np.concatenate([values[kept], _sums(name, values[short], first)])
        for name, values in slices.details.items()
    }
    zeros = np.zeros(len(kept), dtype=np.int64)
    counts = np.diff(np.append(first, len(short)))
    details["put together"] = np.concatenate([zeros + 2**32 - 1, counts])
    for name, times in zip(slices.names, by_name, strict=True):
        details[f"{name}_ps"] = np.concatenate([zeros, times])
    return Slices(
        np.concatenate([slices.track[kept], slices.track[short][first]]),
        np.concatenate([begin[kept], np.minimum.reduceat(begin[short], first)]),
        np.concatenate([end[kept], np.maximum.reduceat(end[short], first)]),
        np.concatenate([slices.name[kept], len(slices.names) + by_name.argmax(axis=0)]),
        names,
        details,
    )


def _sums(name: str, values: Numbers, first: Numbers) -> Numbers:
    """Return sums of times; of what is no sum, that it is not known."""
    if name.endswith("_ps"):
        return np.asarray(np.add.reduceat(values, first))
    return np.full(len(first), _NONE[name], dtype=np.uint64)
