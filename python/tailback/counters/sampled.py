"""Counters of every port by slice of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tailback.charging import Ints

from .counting import Counters, busy_octets, identity_of
from .recorded import Waiting

if TYPE_CHECKING:
    from tailback.experiment import Experiment


def sampled(
    experiment: Experiment,
    counters: Counters,
    tables: Mapping[str, pa.Table],
    waiting: Waiting | None = None,
) -> pa.Table | None:
    """Return a row for each slice and port; None for a run that did not keep slices.

    Octets of the slices add up to those of the run. `xmit_wait_ps` is the waiting of heads of
    packets, and null, as the longest queue is, where it is not known when packets waited.
    """
    kept = tables.get("slice_channels")
    if kept is None or not kept.num_rows:
        return None
    ports = counters.ports
    slice_, channel, begin, end = (
        np.asarray(kept[name].to_numpy(), np.int64)
        for name in ("slice", "channel", "begin_ps", "end_ps")
    )
    width = int((end - begin).max())
    first = int(begin[0] - slice_[0] * width)
    count, wires = int(slice_.max()) + 1, len(ports.flit_ps)
    cells = ports.wire_of[channel] * count + slice_

    def by_slice(name: str) -> Ints:
        sums = np.zeros(wires * count, np.int64)
        np.add.at(sums, cells, np.asarray(kept[name].to_numpy(), np.int64))
        return sums.reshape(wires, count)

    busy = by_slice("busy_ps")
    so_far = np.stack([busy_octets(experiment, ports, one) for one in np.cumsum(busy, axis=1).T])
    octets = np.diff(so_far, axis=0, prepend=0).T
    waits = longest = None
    if waiting is not None:
        cut = waiting.cut(first, width, count)
        waits = cut.waited_for_room(wires * count).reshape(wires, count)
        longest = cut.longest(wires * count).reshape(wires, count)
    lengths = np.full(count, width, np.int64)
    lengths[slice_] = end - begin
    out = [one.out for one in ports.all]
    columns: dict[str, Any] = {
        "slice": np.repeat(np.arange(count), len(out)),
        "begin_ps": np.repeat(first + width * np.arange(count), len(out)),
        "end_ps": np.repeat(first + width * np.arange(count) + lengths, len(out)),
        **{name: values * count for name, values in identity_of(ports).items()},
        "xmit_octets": _of(octets, out),
        "rcv_octets": _of(octets, [one.in_ for one in ports.all]),
        "busy_ps": _of(busy, out),
        "utilisation": _of(busy / ports.channels_of[:, None] / lengths, out),
        "xmit_wait_ps": _of(waits, out, count),
        "queue_mean": _of(by_slice("queue_ps") / lengths, out),
        "queue_max": _of(longest, out, count),
    }
    return pa.table(columns)


def _of(values: Any, wires: list[int | None], count: int = 0) -> pa.Array:
    """Return values of wires by slice: slice by slice, in the order of ports."""
    if values is None:
        return pa.nulls(len(wires) * count, pa.int64())
    missing = np.array([wire is None for wire in wires])
    taken = values[[wire or 0 for wire in wires]].T
    mask = np.broadcast_to(missing, taken.shape).ravel()
    return pa.array(taken.ravel(), mask=mask)
