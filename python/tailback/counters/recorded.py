"""A run that keeps what counters are made of, and when packets waited for which port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import Ints
from tailback.engine import CAUSES
from tailback.progress import Watch, ignore
from tailback.recording import Channels, Window, has_turns, keeping
from tailback.runner import run_mode

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.results import Result

    from .ports import Ports

ROOM = "buffer_full"
"""The cause of a wait for room behind a channel, or for a credit."""


def with_counters(experiment: Experiment, slices: int | None = None) -> Experiment:
    """Return the same experiment, whose run keeps what counters are made of.

    With faults of links it is not known when packets waited.
    """
    knows_waits = not any(fault.is_of_links for fault in experiment.faults)
    sampled = {} if slices is None else {"slices": slices}
    return experiment.with_run(blame=True, packet_waits=knows_waits, **sampled)


def run_counted(experiment: Experiment, watch: Watch = ignore) -> Result:
    """Run the mode of an experiment and keep when packets waited, where that is known."""
    mode = experiment.run.mode
    ends = experiment.finite or experiment.run.duration is not None
    if not ends or not has_turns(experiment, mode):
        return run_mode(experiment, mode, watch=watch)
    change = keeping(Window(queues=Channels(None)))
    return run_mode(experiment, mode, watch=watch, change=change)


@dataclass(frozen=True, eq=False)
class Waiting:
    """When packets waited for ports: a row for each piece of a wait."""

    wire: Ints
    begin_ps: Ints
    end_ps: Ints
    for_room: Ints
    """1 where the next packet waited for room or a credit, else 0."""

    @classmethod
    def of(cls, result: Result, ports: Ports) -> Waiting | None:
        """Return the waits of a run in its window; None where not all are known."""
        rows = result.waits
        if rows is None or result.turns_missing_ps is not None:
            return None
        first = round(result.ending.warmup_ms * 1e9)
        begin = np.maximum(rows["begin_ps"].astype(np.int64), first)
        end = rows["begin_ps"].astype(np.int64) + rows["time_ps"].astype(np.int64)
        found = end > begin
        wire = ports.wire_of[rows["channel"].astype(np.int64)]
        room = (rows["cause"] == CAUSES.index(ROOM)).astype(np.int64)
        return cls(wire[found], begin[found], end[found], room[found])

    def longest(self, wires: int) -> Ints:
        """Return by wire how many packets waited at the same time, at most."""
        step = np.concatenate([np.ones_like(self.wire), -np.ones_like(self.wire)])
        wire = np.concatenate([self.wire, self.wire])
        time = np.concatenate([self.begin_ps, self.end_ps])
        # What ends at an instant has gone before anything begins.
        order = np.lexsort((step, time, wire))
        length = np.cumsum(step[order])  # All that begins on a wire ends there.
        found = np.zeros(wires, np.int64)
        np.maximum.at(found, wire[order], length)
        return found

    def cut(self, begin_ps: int, width_ps: int, count: int) -> Waiting:
        """Return the same cut at the ends of slices, with the number of the slice behind the wire.

        `wire` is then the wire times `count`, and the slice.
        """
        first = (self.begin_ps - begin_ps) // width_ps
        last = np.minimum((self.end_ps - 1 - begin_ps) // width_ps, count - 1)
        often = np.maximum(last - first + 1, 0)
        row = np.repeat(np.arange(len(often)), often)
        slice_ = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(often) - often, often)
        start = begin_ps + slice_ * width_ps
        return Waiting(
            self.wire[row] * count + slice_,
            np.maximum(self.begin_ps[row], start),
            np.minimum(self.end_ps[row], start + width_ps),
            self.for_room[row],
        )

    def waited_for_room(self, wires: int) -> Ints:
        """Return by wire how long the next packet waited for room."""
        found = np.zeros(wires, np.int64)
        np.add.at(found, self.wire, (self.end_ps - self.begin_ps) * self.for_room)
        return found
