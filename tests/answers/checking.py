"""What must hold of every message on every machine: see docs/answer.md.

1. A run with one message takes the same picosecond in full, endpoints and free, and that is what is
   told as its time alone in company.
2. In free every message takes as long as alone: its slowdown is 1.
3. Its own time and its waits are its latency. What is charged is never more than it is late, and is
   all of it where anything is charged. Nobody is charged for its own lateness.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from tailback import engine
from tailback.errors import RunFailure, UserError
from tailback.experiment import Experiment

from .drawing import Case, Row

MODES = ("full", "endpoints", "free")
_EVENTS = 300_000
_SINGLE = 4
"""So many messages of a case are sent alone, too."""
_UNTIL_PS = 10**12


@dataclass(frozen=True)
class Told:
    """What the engine says of a message."""

    alone: int
    latency: int
    own: int
    waited: int
    charged: int
    late: int
    label: int
    culprits: tuple[int, ...]


@dataclass
class Found:
    """What came of a case."""

    kernel: str = "refused"
    counted: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    """What does not hold, and of which message."""

    def fails(self, what: str, which: str) -> None:
        """Note what does not hold."""
        self.failures.append((what, which))


def check(case: Case) -> Found:
    """Run a case in all modes, and some of its messages alone."""
    found = Found()
    try:
        runs = {mode: _run(case, case.rows, mode, found) for mode in MODES}
        _check_modes(runs, found)
        _check_single(case, runs, found)
        if case.requests is not None:
            asked = {mode: _run_requests(case, mode, found) for mode in MODES}
            _check_modes(asked, found)
    except UserError:
        found.kernel = "refused"
    except KeyboardInterrupt:
        raise
    except BaseException as broken:  # a panic of the engine is no Exception
        found.fails("broken", f"{type(broken).__name__}: {str(broken).splitlines()[0]}")
    return found


def _check_modes(runs: dict[str, dict[int, Told] | None], found: Found) -> None:
    for mode, run in runs.items():
        messages = Counter(told.label for told in (run or {}).values())
        for number, told in (run or {}).items():
            which = f"{mode}, message {number}: {told}"
            found.counted["messages"] += 1
            found.counted["own above alone"] += told.own > told.alone and told.waited > 0
            found.counted["early"] += told.late < 0
            if told.own + told.waited != told.latency:
                found.fails("own and waits are not the latency", which)
            if told.charged > max(told.late, 0):
                found.fails("more is charged than it is late", which)
            elif 0 < told.charged < told.late:
                found.counted["charged in part"] += 1
            elif told.charged == 0 < told.late:
                found.counted["unattributed"] += 1
            if told.label in told.culprits and messages[told.label] == 1:
                found.fails("is charged to itself", which)
            if mode == "free" and told.latency != told.alone:
                found.fails("free is not alone", which)
            if mode == "free" and told.charged:
                found.fails("somebody is charged in free", which)


def _check_single(case: Case, runs: dict[str, dict[int, Told] | None], found: Found) -> None:
    """Send messages alone: each the first of its node, whose draws are those in company."""
    sources: set[int] = set()
    tried = 0
    for number, row in enumerate(case.rows):
        if row[1] in sources:
            continue
        sources.add(row[1])
        # One to its own node takes no time, but is the first that draws.
        if row[1] == row[2]:
            continue
        tried += 1
        if tried > _SINGLE:
            return
        alone = {mode: _run(case, (row,), mode, found) for mode in MODES}
        took = {mode: one[0].latency for mode, one in alone.items() if one}
        if not took:
            continue
        found.counted["alone"] += 1
        which = f"message {number} {row}: {took}"
        if len(set(took.values())) > 1:
            found.fails("one message takes another time in another mode", which)
        for mode, one in alone.items():
            if one and one[0].late:
                found.fails("a message that is alone is late", f"{which}; {mode} {one[0]}")
        for mode, run in runs.items():
            told = (run or {}).get(number)
            if told and not _has_software(case) and told.alone != took.get("full", told.alone):
                found.fails("alone is not what one message takes", f"{which}; {mode} {told}")


def _has_software(case: Case) -> bool:
    """Whether software gives packets to the network: when, depends on what is in their way."""
    given = case.machine.get("interface", {})
    return any("overhead" in key or "packet_interval" in key for key in given)


def _run(case: Case, rows: tuple[Row, ...], mode: str, found: Found) -> dict[int, Told] | None:
    """Return what is told of each message; None if the run does not come to its end."""
    tables = case.tables() | {"workload": {"kind": "messages", "messages": list(rows)}}
    try:
        experiment, sim = _begun(tables, mode, blame=True)
    except UserError as error:
        # Where messages flow nobody is charged.
        if "blame" not in str(error):
            raise
        experiment, sim = _begun(tables, mode, blame=False)
    if mode == "full":
        found.kernel = sim.kernel
    return _ended(sim, "label" if experiment.run.blame else "message", found)


def _run_requests(case: Case, mode: str, found: Found) -> dict[int, Told] | None:
    """Return the same of requests and replies: those of a node are a class."""
    _, sim = _begun(case.asking(), mode, blame=True)
    told = _ended(sim, "message", found)
    found.counted["requests and replies"] += len(told or ())
    return told


def _ended(sim: engine.Simulation, key: str, found: Found) -> dict[int, Told] | None:
    try:
        if sim.advance(_UNTIL_PS, _EVENTS) != "finished":
            found.counted["long"] += 1
            return None
    except RunFailure as failure:
        found.counted[failure.kind] += 1
        return None
    return dict(_told(sim.take_late(), key))


def _begun(
    tables: dict[str, Any], mode: str, *, blame: bool
) -> tuple[Experiment, engine.Simulation]:
    """Return a run at its beginning, in which every message of a list is a class of its own."""
    run = tables["run"] | {"keep_messages": True, "blame": blame}
    experiment = _experiment(json.dumps({**tables, "run": run}))
    rows = len(tables["workload"].get("messages", ()))
    classes = np.arange(rows, dtype=np.uint32) if blame and rows else None
    spec, messages = experiment.spec(mode), experiment.messages_arrays()
    return experiment, engine.Simulation(spec, messages, classes)


@lru_cache(maxsize=2)
def _experiment(tables: str) -> Experiment:
    """Return what tables describe, as JSON: all modes are run of it."""
    return Experiment.from_dict(json.loads(tables))


def _told(late: dict[str, Any], key: str) -> Iterator[tuple[int, Told]]:
    """Yield each message by its place in the list, or its number, and what is told of it."""
    first = 0
    for row, number in enumerate(late[key].tolist()):
        last = first + int(late["charges"][row])
        alone, latency = int(late["alone_ps"][row]), int(late["delivered_ps"][row])
        latency -= int(late["queued_ps"][row])
        of = slice(first, last)
        yield (
            number,
            Told(
                alone=alone,
                latency=latency,
                own=int(late["own_ps"][row]),
                waited=int(late["waited_ps"][of].sum()),
                charged=int(late["late_ps"][of].sum()),
                late=latency - alone,
                label=int(late["label"][row]),
                culprits=tuple(late["culprit"][of].tolist()),
            ),
        )
        first = last
