"""Who made whom late in runs that differ only in what does not matter, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import BATCHES, REST, Blame, Sums, Totals, exactly, numbered, per_message

from .pooling import pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tailback.charging import Ints
    from tailback.charging.sums import Estimator
    from tailback.statistics import Estimate, Floats

#: Parts of the keys that are `REST` where a run has summed up what is small.
_SUMMED_UP = {"pairs": (1,), "channels": (1, 2), "victims": ()}


def merged_blame(runs: Sequence[Blame]) -> Blame:
    """Return the blame of several runs as one: times and messages are added up.

    What one of the runs does not tell apart is not told apart, and waits of packets that one of
    them did not keep are not known. Means are those of all
    messages, their intervals as of other merged values (`pooling`).
    """
    if len(runs) == 1:
        return runs[0]
    causes = tuple(sorted({cause for run in runs for cause in run.causes}))
    together = {name: _together([getattr(run, name) for run in runs]) for name in _SUMMED_UP}
    sums = {
        name: _told_by_all(sums, there, _SUMMED_UP[name]) if name != "victims" else sums
        for name, (sums, there) in together.items()
    }
    return Blame(
        causes,
        pairs=sums["pairs"],
        channels=sums["channels"],
        victims=sums["victims"],
        waits=_merged_waits(runs, causes),
        totals=sum((run.totals for run in runs), Totals()),
        batch_begin_ps=None,
        batch_length_ps=None,
        # Runs that are known exactly differ in their seeds.
        estimate=partial(_of_runs, exactly if all(run.exact for run in runs) else per_message),
        share=min(run.share for run in runs),
        has_lateness=all(run.has_lateness for run in runs),
    )


def _of_runs(of_one: Estimator, times_ps: Floats, messages: Floats, confidence: float) -> Estimate:
    """Return microseconds per message from the batches of several runs."""
    parts = zip(times_ps.reshape(-1, BATCHES), messages.reshape(-1, BATCHES), strict=True)
    return pooled((of_one(*part, confidence) for part in parts), confidence)


def _merged_waits(runs: Sequence[Blame], causes: Sequence[str]) -> Sums | None:
    """Return what packets waited in all runs; None if one of them did not keep that."""
    kept = [(run.waits, run.causes) for run in runs]
    known = [_renumbered(waits, old, causes) for waits, old in kept if waits is not None]
    if len(known) < len(runs):
        return None
    sums, there = _together(known)
    return _told_by_all(sums, there, ())


def _renumbered(waits: Sums, old: Sequence[str], new: Sequence[str]) -> Sums:
    """Return sums whose keys have other numbers for causes, the last part of a key."""
    keys = waits.keys.copy()
    keys[:, -1] = np.array([new.index(cause) for cause in old], dtype=np.int64)[keys[:, -1]]
    return replace(waits, keys=keys)


def _together(runs: Sequence[Sums]) -> tuple[Sums, NDArray[np.bool_]]:
    """Return all keys with the batches of every run beside each other, and which run has which."""
    every, place = numbered(np.concatenate([run.keys for run in runs]))
    starts = np.cumsum([0, *(len(run.keys) for run in runs)])
    counts = np.zeros(len(every), dtype=np.int64)
    batches = np.zeros((len(every), len(runs), BATCHES))
    there = np.zeros((len(every), len(runs)), dtype=bool)
    for number, run in enumerate(runs):
        rows = place[starts[number] : starts[number + 1]]
        counts[rows] += run.counts
        batches[rows, number] = run.batches_ps
        there[rows, number] = True
    return Sums(every, counts, batches.reshape(len(every), len(runs) * BATCHES)), there


def _told_by_all(sums: Sums, there: NDArray[np.bool_], parts: tuple[int, ...]) -> Sums:
    """Add up keys, all their kinds, that a run may have in what stands for several.

    That has `REST` in these `parts` of the key, or, where the engine's table was full, in all
    but the kind. What is in neither was never charged in that run.
    """
    width = sums.keys.shape[1]
    keys = sums.keys.copy()
    groups, group = numbered(keys[:, :-1])
    known = np.zeros((len(groups), there.shape[1]), dtype=bool)
    for run, has in enumerate(there.T):
        known[group[has], run] = True
    for rest in dict.fromkeys((parts, tuple(range(width - 1)))):
        general = groups.copy()
        general[:, rest] = REST
        summed_up = _rows_of(general, groups, known)
        untold: NDArray[np.bool_] = np.any(~known & summed_up, axis=1)
        keys[:, :-1] = np.where(untold[group, None], general[group], keys[:, :-1])
    return replace(sums, keys=keys).by(*range(width))


def _rows_of(wanted: Ints, keys: Ints, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the row of each key that is wanted; False where it is none of `keys`."""
    every, place = numbered(np.concatenate([keys, wanted]))
    found = np.zeros((len(every), rows.shape[1]), dtype=bool)
    found[place[: len(keys)]] = rows
    return found[place[len(keys) :]]
