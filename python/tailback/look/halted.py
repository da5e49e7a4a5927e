"""A run that ended before it was complete: why, how far it came, and where packets stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.answers.places import channel_text
from tailback.units import counted
from tailback.wording.phrases import listed, sentence
from tailback.wording.scaling import MICROSECONDS, scaled

from .lines import KINDS, Lines

if TYPE_CHECKING:
    from tailback.results import Result

    from .sliced import Sliced

_NAMED = 3
"""Lines that a sentence names."""
_TOLD = 12
"""Processes and messages that are told to wait."""
_MOST_LINES = 16
_MUCH = 0.5
_INJECTION = KINDS.index("injection")
_PROCESS = re.compile(r"^process (\d+) on ")


@dataclass(frozen=True)
class Halted:
    """What a run that was cut off, or could not go on, left undone."""

    said: Sequence[str]
    """Sentences: why it ended, how far it came, where packets wait."""
    at_ps: int
    lines: Sequence[tuple[int, int]]
    """Lines for which packets wait at the end, and how many: most first."""
    root: int | None
    """The line because of which most of them wait."""
    waiting: Sequence[tuple[str, str, int | None]]
    """Who waits, for what, and the node of a process."""
    more: int
    """How many more wait."""

    @classmethod
    def of(cls, result: Result, lines: Lines, times: Sliced | None) -> Halted | None:
        """Return what is known of the end of a run; None of one that did all it had to do."""
        failure = result.failure
        if failure is None and not (result.experiment.finite and result.ending.cut_off):
            return None
        at_ps = round(1e9 * result.ending.simulated_ms)
        stand, root = ([], None) if times is None else _standing(times)
        waiting = () if failure is None else failure.waiting
        nodes = result.processes["node"].to_pylist()
        said = [] if failure is None else _why(str(failure), waiting)
        said.append(_how_far(result, at_ps))
        # Without any traffic there are no slices, but it was looked for.
        if result.slice_channels is not None:
            said.append(_where(stand, root, lines))
        told = [(who, what, _node(who, nodes)) for who, what in waiting[:_TOLD]]
        return cls(said, at_ps, stand, root, told, len(waiting) - len(told))

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        shown = self.lines[:_MOST_LINES]
        return {
            "at_ps": self.at_ps,
            "lines": [line for line, _ in shown],
            "packets": [packets for _, packets in shown],
            "root": self.root,
            "waiting": self.waiting,
            "more": self.more,
        }

    def named(self) -> list[int]:
        """Return the lines that its sentences name."""
        named = [line for line, _ in self.lines]
        return named if self.root is None else [*named, self.root]


def _why(text: str, waiting: Sequence[tuple[str, str]]) -> list[str]:
    """Return why a run could not go on; the engine says first what happened, then who waits."""
    happened, _, rest = text.partition("; ")
    told = [f"{happened[:1].upper()}{happened[1:]}."]
    others = len(waiting)
    if rest and waiting:
        first, what = waiting[0]
        others -= 1
        if first not in happened:
            told.append(sentence(f"{first[:1].upper()}{first[1:]} waits for {what}"))
    if rest and others > 0:
        told[-1] = f"{told[-1][:-1]}; {counted(others, 'other waits', 'others wait')}, too."
    return told


def _how_far(result: Result, at_ps: int) -> str:
    at = scaled(at_ps / 1e6, MICROSECONDS, 4)
    nodes = result.nodes
    messages, sent, came = (
        int(nodes[name].to_numpy().sum())
        for name in ("messages_delivered", "packets_sent_data", "packets_delivered_data")
    )
    since = " of what was measured" if result.ending.warmup_ms else ""
    said = f"The run ends at {at}: {counted(messages, 'message')} and {counted(came, 'packet')}"
    said += f"{since} had been delivered"
    lost = result.untold.lost_packets
    if lost:
        said += f", {counted(lost, 'was', 'were')} lost"
    if sent > came + lost:
        said += f", {counted(sent - came - lost, 'more was', 'more were')} in the network"
    if result.experiment.finite:
        done = result.processes.num_rows - result.processes["completed_ps"].null_count
        said += f", and {done:,} of {counted(result.processes.num_rows, 'process', 'processes')} "
        said += "had ended"
    return f"{said}."


def _standing(times: Sliced) -> tuple[list[tuple[int, int]], int | None]:
    """Return the lines that packets wait for in the last slice, and the root of most waits."""
    length = float(times.end_ps[-1] - times.begin_ps[-1])
    packets = np.rint(times.queue_ps[-1] / max(length, 1.0)).astype(np.int64)
    order = np.argsort(-packets, kind="stable")
    stand = [(int(line), int(packets[line])) for line in order if packets[line] > 0]
    roots = times.root_ps[-1]
    root = int(roots.argmax()) if len(roots) else 0
    is_most = stand and roots[root] >= _MUCH * times.waited_ps[-1].sum() and roots[root] > 0
    return stand, root if is_most else None


def _where(stand: Sequence[tuple[int, int]], root: int | None, lines: Lines) -> str:
    if not stand:
        return "No packet waits for a channel at the end: what is missing is not in the network."
    within = [(line, packets) for line, packets in stand if lines.kind[line] != _INJECTION]
    total, inside = (sum(packets for _, packets in some) for some in (stand, within))
    told = [f"{total - inside:,} in their nodes"] if total > inside else []
    named = [f"{channel_text(lines.names[n])} ({packets:,})" for n, packets in within[:_NAMED]]
    more = len(within) - len(named)
    named += [counted(more, "other channel")] if more else []
    told += [f"{inside:,} in the network, for {listed(named)}"] if inside else []
    said = f"At the end {counted(total, 'packet waits', 'packets wait')}: {'; '.join(told)}"
    if root is not None:
        said += f". Most of them wait because of {channel_text(lines.names[root])}"
    return f"{said}."


def _node(who: str, nodes: Sequence[int]) -> int | None:
    """Return the node of a process that waits; None of anything else."""
    found = _PROCESS.match(who)
    number = int(found[1]) if found else len(nodes)
    return nodes[number] if number < len(nodes) else None
