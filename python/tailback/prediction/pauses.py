"""Deadlock by cyclic pauses of switches, and loss by pauses that come too late."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback import engine
    from tailback.machines import Machine

_PAUSE_BYTES = 72
"""A pause frame: 64 bytes and its preamble."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """Deadlock and loss on a machine whose switches send pause frames."""

    circle: tuple[int, ...]
    """A cycle of switches, each of which the next can pause; empty: none."""
    headroom_bytes: int | None
    """Room of a memory above the mark at which pauses are sent; None: no limit."""
    late_bytes: int
    """Largest amount that can still arrive at a switch after it has sent pauses."""

    @property
    def may_lose(self) -> bool:
        """Whether frames can be lost in spite of pauses."""
        return self.headroom_bytes is not None and self.late_bytes > self.headroom_bytes

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "circle": [*self.circle],
            "headroom_bytes": self.headroom_bytes,
            "late_bytes": self.late_bytes,
            "may_lose": self.may_lose,
        }


def pauses_of(
    machine: Machine, graph: engine.Columns, channels: pa.Table, load: NDArray[np.float64]
) -> Pauses | None:
    """Return what pauses can cause; None without pauses.

    `graph` has links and nodes as from `survey`. Switches can pause each other in a cycle if
    traffic goes around it; without any known `load` all links count.
    """
    switch = machine.switch
    if not switch.forwards_frames or switch.pause == "off":
        return None
    internal = channels["kind"].to_numpy() == "internal"
    used = internal & ((load > 0) | (not load.any()))
    ends = (channels[name].to_numpy()[used].tolist() for name in ("from_node", "to_node"))
    high, _ = switch.pause_marks
    room = None if switch.memory_bytes is None else switch.memory_bytes - high.bytes
    return Pauses(circle_of(zip(*ends, strict=True)), room, _late(machine, graph))


def _late(machine: Machine, graph: engine.Columns) -> int:
    """Return what may come to a switch after it has told its neighbours: of the switch with most.

    Of each link what is under way for two delays, the frame that tells, and two full frames: one
    that has begun there, and one that has not all come here.
    """
    frame = machine.interface.header.bytes + machine.interface.packet_room.bytes
    size = machine.topology.switch_count
    late = np.zeros(size)
    for links, rate, delay, width in (
        (graph["link_to"], machine.link.rate, machine.link.delay, machine.link.width),
        (graph["node_enters"], machine.node_rate, machine.node_delay, machine.node_links),
    ):
        under_way = 2 * float(delay.ps / (8 * rate.bit_ps))
        count = np.bincount(np.asarray(links, np.int64), minlength=size)
        late += count * width * (under_way + _PAUSE_BYTES + 2 * frame)
    return round(float(late.max(initial=0)))


def circle_of(links: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return places that follow each other in a cycle of links, the lowest first; else none."""
    following: dict[int, list[int]] = {}
    for one, other in links:
        following.setdefault(one, []).append(other)
    state: dict[int, bool] = {}  # whether it is on the way that is being followed
    for start in sorted(following):
        if start in state:
            continue
        way, rest = [start], [iter(following[start])]
        state[start] = True
        while way:
            there = next(rest[-1], None)
            if there is None:
                state[way.pop()] = False
                rest.pop()
            elif state.get(there):
                circle = way[way.index(there) :]
                first = circle.index(min(circle))
                return (*circle[first:], *circle[:first])
            elif there not in state:
                state[there] = True
                way.append(there)
                rest.append(iter(following.get(there, ())))
    return ()
