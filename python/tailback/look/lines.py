"""The lines of a map: parallel channels from one place to another are drawn as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import NOBODY, Ints, Sums
from tailback.statistics import Floats

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.results.names import Names

KINDS = ("injection", "internal", "ejection", "direct")
"""Kinds of channels, by number."""


def added(places: Ints, values: Floats, count: int) -> Floats:
    """Add up values by their place, of which there are `count`."""
    return np.bincount(places, weights=values, minlength=count).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Lines:
    """All channels of a kind from one place to another are one line, by their lowest channel."""

    kind: Ints
    """Number in `KINDS`."""
    source: Ints
    """Number of the node or the switch it comes from."""
    destination: Ints
    of_channel: Ints
    """Line of every channel."""
    names: tuple[str, ...]
    """As `tailback blame` prints them."""

    @classmethod
    def of(cls, channels: pa.Table, names: Names) -> Lines:
        """Return the lines of a table of channels."""
        numbers = {kind: number for number, kind in enumerate(KINDS)}
        kind = np.array([numbers[name] for name in channels["kind"].to_pylist()], dtype=np.int64)
        ends = [channels[name].to_numpy().astype(np.int64) for name in ("from_node", "to_node")]
        keys = np.column_stack([kind, *ends])
        apart, first, line = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        # In the order of their lowest channels, so that numbers mean the same in every run.
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        told = tuple(names.channel(channel) for channel in first[order].tolist())
        kinds, sources, destinations = apart[order].T
        return cls(kinds, sources, destinations, place[line.reshape(-1)], told)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.kind)

    @property
    def widths(self) -> Ints:
        """How many channels each line stands for."""
        return np.bincount(self.of_channel, minlength=len(self)).astype(np.int64)

    def total(self, values: Ints | Floats) -> Floats:
        """Add up values of channels by line."""
        weights = np.asarray(values, dtype=np.float64)
        return added(self.of_channel, weights, len(self))

    def numbers(self, channels: Ints) -> Ints:
        """Return the line of each channel; what stands for none or the rest is kept."""
        known = channels < NOBODY
        found = channels.copy()
        found[known] = self.of_channel[channels[known]]
        return found

    def sums(self, sums: Sums) -> Sums:
        """Return sums of which the first part of the key is a channel, by line."""
        keys = sums.keys.copy()
        keys[:, 0] = self.numbers(keys[:, 0])
        return Sums(keys, sums.counts, sums.batches_ps).by(*range(keys.shape[1]))
