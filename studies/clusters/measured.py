"""Programs run on networks: what their messages took."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.clusters.published import KINDS
from studies.clusters.settings import Case, Network
from studies.runs import answers
from tailback.charging import KINDS as KINDS_OF_BLAME
from tailback.charging import NOBODY
from tailback.comparison import compare
from tailback.experiment import Experiment
from tailback.results import Result

_CONFIDENCE = 0.95
_LISTED = 3


@dataclass(frozen=True)
class Ran:
    """What was measured of one case."""

    latency_us: Mapping[str, float]
    """Of all messages: `min`, `avg`, `max`, `stdev`; from the send to the last byte."""
    messages: int
    completion_us: float
    """When the last process was done."""
    parted_us: Mapping[str, float]
    """The same by mode, without gaps between messages."""
    thetas: Mapping[str, float]
    kinds: Mapping[str, float]
    """Share of all lateness by kind, most first, where it was charged."""
    channels: tuple[tuple[str, float], ...]
    """The channels at the root of most lateness, and their shares."""
    events: int
    cpu_s: float
    """In mode `full`."""


class Runs:
    """All cases of the study."""

    def __init__(self, found: Mapping[str, Ran]) -> None:
        """By the description of their cases."""
        self._found = found

    def of(self, case: Case) -> Ran:
        """Return what was measured of a case; raises `KeyError` if it was not run."""
        return self._found[name(case)]

    @property
    def events(self) -> int:
        """Events of all runs."""
        return sum(ran.events for ran in self._found.values())

    @property
    def cpu_s(self) -> float:
        """Processor time of all runs with all contention, without accounts of waits."""
        return sum(ran.cpu_s for ran in self._found.values())

    def __len__(self) -> int:
        """Return how many cases there are."""
        return len(self._found)


def run(cases: Iterable[Case]) -> Runs:
    """Run cases on all processors; progress on standard error."""
    listed = {name(case): case for case in cases}
    found = answers(ran, list(listed.values()), "programs", lambda one: one.events)
    return Runs(dict(zip(listed, found, strict=True)))


def ran(case: Case) -> Ran:
    """Run one case in its modes; once more with accounts of waits, where they are asked for."""
    tables = case.description
    started = time.process_time()
    plain = compare(_experiment(tables, blame=False), case.modes[:1])
    cpu_s = time.process_time() - started
    full = plain.modes["full"]
    parted: dict[str, Result] = {}
    thetas: dict[str, float] = {}
    # Gaps between messages are no contention, and would hide that of hosts' links.
    tables = {**tables, "machine": {"preset": case.network.preset}}
    if len(case.modes) > 1:
        cost = compare(_experiment(tables, blame=False), case.modes)
        parted = dict(cost.modes)
        thetas = {theta: value.value for theta, value in cost.thetas.items()}
    kinds, channels = _blamed(tables) if case.blame else ({}, ())
    return Ran(
        _latency_us(full),
        full.messages.num_rows if full.messages else 0,
        full["completion_us"].value,
        {mode: result["completion_us"].value for mode, result in parted.items()},
        thetas,
        kinds,
        channels,
        sum(result.ending.events for result in (full, *parted.values())),
        cpu_s,
    )


def _experiment(tables: dict[str, Any], *, blame: bool) -> Experiment:
    return Experiment.from_dict({**tables, "run": {**tables["run"], "blame": blame}})


def _latency_us(result: Result) -> dict[str, float]:
    assert result.messages is not None
    found = result.messages["latency_ps"].to_numpy().astype(np.float64) / 1e6
    values = (found.min(), found.mean(), found.max(), found.std())
    return dict(zip(KINDS, map(float, values), strict=True))


def _blamed(tables: dict[str, Any]) -> tuple[dict[str, float], tuple[tuple[str, float], ...]]:
    result = compare(_experiment(tables, blame=True), ("full",)).modes["full"]
    blame = result.blame
    assert blame is not None
    kinds = {KINDS_OF_BLAME[one.key[0]]: one.share for one in blame.by_kind(_CONFIDENCE)}
    roots = blame.by_channel(_CONFIDENCE, _LISTED + 1)
    ends = [result.channels[name].to_pylist() for name in ("kind", "from_node", "to_node")]
    channels = list(zip(*ends, strict=True))
    listed = [(one.key[0], one.share) for one in roots if one.key[0] < NOBODY]
    return kinds, tuple((_named(*channels[n]), share) for n, share in listed[:_LISTED])


def _named(kind: str, start: int, end: int) -> str:
    """Return what a channel is called: hosts and switches by their numbers."""
    if kind == "injection":
        return f"from host {start}"
    return f"to host {end}" if kind == "ejection" else f"switch {start} to {end}"


def as_timers_send(ran: Ran, network: Network) -> dict[str, float]:
    """Return the latencies of `token_pass` as the source's hosts count them.

    All messages but the first are sent by a timer, which takes so much longer.
    """
    extra, count = network.timer_us, ran.messages
    found = dict(ran.latency_us)
    # The first goes between hosts on one switch, like most others: it is the only one so short.
    found["avg"] += extra * (count - 1) / count
    found["max"] += extra
    return found


def name(case: Case) -> str:
    """Return what tells a case from all others."""
    return json.dumps([case.description, case.modes], sort_keys=True)
