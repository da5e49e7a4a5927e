"""The state of runs in words: what to be wary of before reading any number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailback.metrics import TOLERATED_LOSS, class_name
from tailback.results import Result
from tailback.units import counted
from tailback.wording import warnings
from tailback.wording.phrases import listed, percent
from tailback.wording.saturated import MEASURED, are_sources
from tailback.workloads import Synthetic, Traffic

_SATURATED = "SATURATED"
_AT_SOURCES = f"{_SATURATED} at its sources"
_HARDLY = "hardly any packet waits"


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
    """Say how much of the offered load a saturated network accepts, or its sources send."""
    if not text.startswith(_SATURATED):
        return text
    workload = result.experiment.workload
    if isinstance(workload, Traffic):
        return _of_classes(text, result, workload)
    loads = [result.estimates.get(name) for name in ("accepted_load", "offered_load")]
    values = [load.value for load in loads if load is not None]
    if len(values) < len(loads) or not 0 < values[0] < values[1]:
        return text
    share = percent(values[0] / values[1])
    told = f"{_SATURATED}: the network accepts {share} of the load that it is offered"
    if not isinstance(workload, Synthetic) or not _drops(result):
        return told
    if workload.throttle == "outstanding" and are_sources(_measured(result)):
        most = counted(workload.max_outstanding, "message")
        return (
            f"{_AT_SOURCES}: they send {share} of the load, because no more than {most} of a "
            f"process may be under way (workload.max_outstanding); {_HARDLY}"
        )
    name = "max_outstanding" if workload.throttle == "outstanding" else "max_queue"
    return f"{told}; sources drop the rest (workload.{name} = {getattr(workload, name)})"


def _of_classes(text: str, result: Result, workload: Traffic) -> str:
    """Say of which traffic classes sources send less than they are asked to, if they limit it."""
    shares = {
        one.name: result.estimates.get(class_name("accepted_share", one.name))
        for one in workload.sources
        if one.throttle == "outstanding"
    }
    most = 1 - TOLERATED_LOSS
    sent = [
        f"{percent(share.value)} of {name}"
        for name, share in shares.items()
        if share is not None and share.high < most
    ]
    if not sent or not are_sources(_measured(result)):
        return text
    return (
        f"{_AT_SOURCES}: they send {listed(sent)}, because no more messages of a node may be under "
        f"way (max_outstanding of the traffic class); {_HARDLY}"
    )


def _measured(result: Result) -> dict[str, float]:
    """Return what tells whether sources or the network limit a run."""
    return {name: result.estimates[name].value for name in MEASURED if name in result.estimates}


def _drops(result: Result) -> bool:
    """Whether sources dropped messages."""
    dropped = result.estimates.get("failed_messages_per_node_per_ms")
    return dropped is not None and dropped.value > 0
