"""The state of runs in words: what to be wary of before reading any number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailback.results import Result
from tailback.units import counted
from tailback.wording import warnings
from tailback.wording.phrases import listed, percent
from tailback.workloads import Synthetic

_SATURATED = "SATURATED"
#: Share of a message's latency below which its packets are said to hardly wait.
_LITTLE = 0.25


@dataclass(frozen=True)
class Head:
    """What is said first about a result."""

    status: tuple[str, ...]
    """What to be wary of: `SATURATED: …`, `NOT SETTLED: …`, `CUT OFF by …`; mostly nothing."""
    sentences: tuple[str, ...]
    """The answer: how much, where, by whom."""

    @property
    def lines(self) -> list[str]:
        """All of it, the status first."""
        return [*self.status, *self.sentences]


def status(results: Mapping[str, Result]) -> tuple[str, ...]:
    """Return the warnings about runs by their names; runs with the same warning share a line.

    Names are left out if there is only one run.
    """
    found: dict[str, list[str]] = {}
    for name, result in results.items():
        for text in warnings(result.ending):
            found.setdefault(_with_load(text, result), []).append(name)
        for text in lost_texts(result):
            found.setdefault(text, []).append(name)
    # What is in capitals says most.
    found = dict(sorted(found.items(), key=lambda item: not item[0][:2].isupper()))
    if len(results) == 1:
        return tuple(found)
    return tuple(f"{text} ({listed(names)})" for text, names in found.items())


def lost_texts(result: Result) -> list[str]:
    """Return what was lost: nothing unless frames are forwarded."""
    lost = result.untold
    if not lost.lost_packets:
        return []
    packets = counted(lost.lost_packets, "packet")
    of = f" of {counted(lost.lost_messages, 'message')}" if lost.lost_messages else ""
    return [f"LOST: {packets}{of}; a message with a lost packet never arrives and is in no mean"]


def _with_load(text: str, result: Result) -> str:
    """Say how much of the offered load a saturated network accepts."""
    loads = [result.estimates.get(name) for name in ("accepted_load", "offered_load")]
    if not text.startswith(_SATURATED) or None in loads:
        return text
    accepted, offered = (load.value for load in loads if load is not None)
    if not 0 < accepted < offered:
        return text
    share = percent(accepted / offered)
    told = f"{_SATURATED}: the network accepts {share} of the load that it is offered"
    workload = result.experiment.workload
    if not isinstance(workload, Synthetic) or not _drops(result):
        return told
    if _waits_for_sources(result, workload):
        most = counted(workload.max_outstanding, "message")
        return (
            f"{_SATURATED} at its sources: they send {share} of the load, because no more than "
            f"{most} of a process may be under way (workload.max_outstanding); hardly any packet "
            "waits"
        )
    name = "max_outstanding" if workload.throttle == "outstanding" else "max_queue"
    return f"{told}; sources drop the rest (workload.{name} = {getattr(workload, name)})"


def _waits_for_sources(result: Result, workload: Synthetic) -> bool:
    """Whether sources drop messages although packets hardly wait for each other."""
    names = ("throttling_us", "internal_contention_us", "message_latency_us")
    at_node, inside, latency = (result.estimates.get(name) for name in names)
    if at_node is None or inside is None or latency is None:
        return False
    hardly = at_node.value + inside.value < _LITTLE * latency.value
    return workload.throttle == "outstanding" and hardly


def _drops(result: Result) -> bool:
    """Whether sources dropped messages."""
    dropped = result.estimates.get("failed_messages_per_node_per_ms")
    return dropped is not None and dropped.value > 0
