"""Flows: the messages of one source, destination and class; their ways, their waits, for whom.

They are made from the turns and waits of packets on channels, which the engine keeps for timelines
and up to a limit. What it did not keep is not known, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.charging import Ints, numbered
from tailback.recording import MOST_TURNS, Channels, Window, has_turns, keeping
from tailback.runner import run_mode
from tailback.statistics import Floats
from tailback.units import counted
from tailback.wording.scaling import MICROSECONDS, scaled

from .charged import NONE, OTHERS, Rows
from .lines import Lines, added

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.progress import Watch
    from tailback.results import Result

MOST_FLOWS = 1000
"""Flows on the page: those that waited, or kept others waiting, longest."""
MANY_NODES = 256
"""On more nodes flows of workloads that end must be asked for: all may be sent at once."""

_MOST_WAYS = 32
_MOST_ROWS = 6
_NEVER = np.iinfo(np.uint64).max

_UNKNOWN = (
    "whose turn it is on channels is known in mode full, and not in fidelity fluid, of a share of "
    "messages (run.blame_share), without a network or where links have a [[fault]]"
)
_NOT_KEPT = "Flows are not kept: `tailback look --flows`, without --out, keeps them."


def run_with_flows(
    experiment: Experiment, mode: str, watch: Watch, *, asked: bool = False
) -> Result:
    """Run a mode for its page, and keep flows where they are known and cheap, or `asked` for.

    Then charges are rounded message by message, and may differ by picoseconds.
    """
    cheap = not experiment.finite or experiment.machine.topology.facts.nodes <= MANY_NODES
    keeps = has_flows(experiment, mode) and (asked or cheap)
    change = keeping(Window(channels=Channels(None))) if keeps else None
    return run_mode(experiment, mode, watch=watch, until_failure=True, change=change)


def has_flows(experiment: Experiment, mode: str) -> bool:
    """Whether flows are known in a mode: keeping them must not change who is charged."""
    return has_turns(experiment, mode) and experiment.run.blame_share == 1


def flows(result: Result, lines: Lines) -> dict[str, Any]:
    """Return the flows for JSON; without any, why they are not known."""
    if result.turns is None or result.waits is None or result.transfers is None:
        is_known = has_flows(result.experiment, result.mode)
        return {"why_not": _NOT_KEPT if is_known else f"Flows are not known: {_UNKNOWN}."}
    found = _Flows.of(result, lines)
    return found.shown(notes(result, len(found.keys)))


def notes(result: Result, count: int) -> list[str]:
    """Return what of flows the page does not tell, and what the run has not kept."""
    told = []
    if count > MOST_FLOWS:
        told.append(
            f"The {MOST_FLOWS:,} of {counted(count, 'flow')} that waited, or kept others waiting, "
            "longest."
        )
    if result.turns_missing_ps is not None:
        until = scaled(result.turns_missing_ps / 1e6, MICROSECONDS, 4)
        for rows, what in ((result.turns, "Ways"), (result.waits, "Waits")):
            if rows is not None and len(rows["channel"]) >= MOST_TURNS:
                told.append(
                    f"{what} are those of packets delivered until {until}: {MOST_TURNS:,} rows are "
                    "kept."
                )
    return told


@dataclass(frozen=True, eq=False)
class _Flows:
    keys: Ints
    """Source, destination (nodes) and class of each."""
    messages: Ints
    """Those that arrived in the window of measurement."""
    bytes: Ints
    took_ps: Floats
    """From sending until all of a message has arrived, added up."""
    ways: tuple[Ints, Ints, Floats]
    """Flow, line, and how long its packets kept it busy."""
    waits: tuple[Ints, Ints, Floats]
    """Flow, line, and how long its packets waited for it."""
    blamed: tuple[Ints, Ints, Floats]
    """Flow, the flow it waited for, and how long."""

    @classmethod
    def of(cls, result: Result, lines: Lines) -> _Flows:
        turns, waits, sent = result.turns, result.waits, result.transfers
        assert turns is not None
        assert waits is not None
        assert sent is not None
        node = result.processes["node"].to_numpy().astype(np.int64)
        ends = [node[sent[name].astype(np.int64)] for name in ("source", "destination")]
        keys, flow = numbered(np.column_stack([*ends, sent["class"].astype(np.int64)]))
        begin = round(1e9 * result.ending.warmup_ms)
        arrived = sent["arrived_ps"]
        is_there = (arrived != _NEVER) & (arrived >= begin)
        took = np.where(is_there, arrived - sent["sent_ps"], 0).astype(np.float64)

        def summed(values: Any) -> Any:
            return added(flow, np.asarray(values, dtype=np.float64), len(keys))

        flow_of = _OfMessages(sent["message"].astype(np.int64), flow)
        start, end = (turns[name].astype(np.int64) for name in ("start_ps", "end_ps"))
        busy = np.minimum(turns["busy_ps"].astype(np.int64), end - np.maximum(start, begin))
        of, line = flow_of(turns["message"]), lines.of_channel[turns["channel"].astype(np.int64)]
        since = waits["begin_ps"].astype(np.int64)
        time = since + waits["time_ps"].astype(np.int64) - np.maximum(since, begin)
        who, at = flow_of(waits["message"]), lines.of_channel[waits["channel"].astype(np.int64)]
        return cls(
            keys,
            messages=summed(is_there).astype(np.int64),
            bytes=summed(np.where(is_there, sent["bytes"], 0)).astype(np.int64),
            took_ps=summed(took),
            ways=_pairs(of, line, busy),
            waits=_pairs(who, at, time),
            blamed=_pairs(who, flow_of(waits["culprit_message"]), time),
        )

    def shown(self, notes: list[str]) -> dict[str, Any]:
        """Return the flows that are told apart, the one that waited longest first."""
        count = len(self.keys)
        victim, culprit, time_ps = self.blamed
        waited = added(victim, time_ps, count)
        for_others = (culprit >= 0) & (culprit != victim)
        delays = added(culprit[for_others], time_ps[for_others], count)
        order = np.lexsort((np.arange(count), -waited))
        chosen = np.sort(np.lexsort((np.arange(count), -np.maximum(waited, delays)))[:MOST_FLOWS])
        chosen = order[np.isin(order, chosen)]
        number = np.full(count + 1, OTHERS)
        number[chosen] = np.arange(len(chosen))

        def rows(table: tuple[Ints, Ints, Floats], others: Ints, most: int) -> dict[str, Any]:
            owner = number[table[0]]
            known = owner >= 0
            found = Rows.of(*_pairs(owner[known], others[known], table[2][known]), most)
            return {
                "owner": found.owner.tolist(),
                "other": found.other.tolist(),
                "ps": np.rint(found.time_ps).astype(np.int64).tolist(),
            }

        because = np.where(culprit >= 0, number[culprit], NONE)
        source, destination, in_class = self.keys[chosen].T
        sums: Mapping[str, Ints | Floats] = {
            "source": source,
            "destination": destination,
            "class": in_class,
            "messages": self.messages[chosen],
            "bytes": self.bytes[chosen],
            "took_ps": np.rint(self.took_ps[chosen]).astype(np.int64),
            "waited_ps": np.rint(waited[chosen]).astype(np.int64),
            "delays_ps": np.rint(delays[chosen]).astype(np.int64),
        }
        away = (culprit[for_others], victim[for_others], time_ps[for_others])
        return {
            "count": count,
            "notes": notes,
            **{name: column.tolist() for name, column in sums.items()},
            "ways": rows(self.ways, self.ways[1], _MOST_WAYS),
            "waits": rows(self.waits, self.waits[1], _MOST_WAYS),
            "blamed": rows(self.blamed, because, _MOST_ROWS),
            "delayed": rows(away, number[away[1]], _MOST_ROWS),
        }


@dataclass(frozen=True, eq=False)
class _OfMessages:
    """The flow of each message, in the order of their numbers."""

    message: Ints
    flow: Ints

    def __call__(self, messages: Any) -> Ints:
        """Return the flows of messages; `NONE` of what is no message."""
        wanted = messages.astype(np.int64)
        place = np.minimum(np.searchsorted(self.message, wanted), max(len(self.message) - 1, 0))
        if not len(self.message):
            return np.full(len(wanted), NONE)
        found: Ints = np.where(self.message[place] == wanted, self.flow[place], NONE)
        return found


def _pairs(owner: Ints, other: Ints, time_ps: Ints | Floats) -> tuple[Ints, Ints, Floats]:
    """Return sums by owner and other; what has no owner, or takes no time, is left out."""
    known = (owner >= 0) & (time_ps > 0)
    keys, row = numbered(np.column_stack([owner[known], other[known]]))
    sums = added(row, np.asarray(time_ps[known], dtype=np.float64), len(keys))
    return keys[:, 0], keys[:, 1], sums
