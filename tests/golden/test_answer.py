"""How late messages are, and who is charged: cases worked out by a program that shares no code.

`answer/cases.jsonl` has a case a line: a machine of whole packets, its messages, and for each of
them how long it takes alone, its latency in the modes, and what its chain waited for and was
charged, as [culprit, root channel, kind, picoseconds]. Six are drawn in docs/answer.md.
`queues.jsonl` has the same where switches keep a queue for each output.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import engine
from tailback.since311 import tomllib

_FOLDER = Path(__file__).parent / "answer"


def _cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / name).read_text().splitlines()]


CASES = _cases("cases.jsonl")
QUEUES = _cases("queues.jsonl")
FEW = QUEUES[::6]
MODES = ("full", "endpoints", "free")


@pytest.mark.parametrize("mode", MODES)
def test_lateness_and_charges_are_as_worked_out(mode: str) -> None:
    _check(CASES, mode)


@pytest.mark.parametrize("mode", MODES)
def test_queues_for_each_output_are_as_worked_out(mode: str) -> None:
    _check(FEW, mode)


@pytest.mark.verify
@pytest.mark.parametrize("mode", MODES)
def test_all_queues_for_each_output_are_as_worked_out(mode: str) -> None:
    _check(QUEUES, mode)


def test_networks_of_messages_charge_what_is_worked_out() -> None:
    """Nodes that take in packets at once are as any, but each message has a network for itself."""
    kept = [case for case in CASES if "switch.forwarding" not in case["machine"]]
    drained = [
        {**case, "machine": case["machine"] + 'interface.drain_rate = "1 Tbit/s"\n'}
        for case in kept
    ]
    assert _kernel(drained[0], "endpoints") == "private"
    _check(drained, "endpoints")


def test_nothing_is_own_that_would_not_be_alone() -> None:
    """What a chain counts as own a message would take alone, too, however crowded it is."""
    random = np.random.default_rng(5)
    for case in QUEUES[::8]:
        nodes = 1 + max(max(row[1], row[2]) for row in case["messages"])
        times = np.sort(random.integers(0, 600_000, 40)).tolist()
        ends = random.integers(0, nodes, (40, 2)).tolist()
        rows = [
            [f"{time} ps", a, b, f"{random.integers(1, 400)} B"]
            for time, (a, b) in zip(times, ends, strict=True)
            if a != b
        ]
        found = _run({**case, "messages": rows}, "full")
        assert len(found) == len(rows) > 5
        for message in found.values():
            assert message["own"] <= message["alone"], (case["id"], message)
            late = message["latency"] - message["alone"]
            assert sum(message["charges"].values()) == late, (case["id"], message)


def _check(cases: list[dict[str, Any]], mode: str) -> None:
    """Compare all there is of all messages of some cases."""
    wrong = []
    for case in cases:
        told = _run(case, mode)
        for number, expected in enumerate(case["results"]):
            if told[number] != _expected(expected, mode):
                wrong.append((case["id"], number, told[number], _expected(expected, mode)))
    assert not wrong, wrong[:3]


def _expected(result: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return what is to be found of a message."""
    alone = result["alone_ps"]
    if mode == "free":
        return {"alone": alone, "latency": alone, "own": alone, "waits": {}, "charges": {}}
    of_mode = result if mode == "full" else result["endpoints"]
    return {
        "alone": alone,
        "latency": result[f"latency_{mode}_ps"],
        "own": of_mode["own_ps"],
        "waits": _sums((who, kind, ps) for who, _, kind, ps in of_mode["waits"]),
        "charges": _sums((who, kind, ps) for who, _, kind, ps in of_mode["charges"]),
    }


def _kernel(case: dict[str, Any], mode: str) -> str:
    return _begun(case, mode).kernel


def _begun(case: dict[str, Any], mode: str) -> engine.Simulation:
    """Return a run at its beginning; every message is a class of its own."""
    experiment = _experiment(case["machine"], json.dumps(case["messages"]))
    classes = np.arange(len(case["messages"]), dtype=np.uint32)
    spec = experiment.spec(mode, record_packets=False)
    return engine.Simulation(spec, experiment.messages_arrays(), classes)


@cache
def _experiment(machine: str, messages: str) -> tb.Experiment:
    """Return what is run of a case: the same in all modes."""
    # Who asks first is as it was when these were worked out, where they say nothing.
    said = any(f"switch.{key}" in machine for key in ("queueing", "forwarding"))
    usual = "" if said else 'switch.queueing = "fifo"\n'
    return tb.Experiment.from_dict(
        tomllib.loads(
            f'{machine}{usual}\n[workload]\nkind = "messages"\nmessages = {messages}\n'
            "[run]\nblame = true\nkeep_messages = true\n"
        )
    )


def _run(case: dict[str, Any], mode: str) -> dict[int, dict[str, Any]]:
    """Return by message what the engine finds."""
    simulation = _begun(case, mode)
    while simulation.advance(2**62, 10**9) != "finished":
        pass
    late = simulation.take_late()
    found, first = {}, 0
    for row, label in enumerate(late["label"].tolist()):
        last = first + int(late["charges"][row])
        keys = list(
            zip(
                late["culprit"][first:last].tolist(),
                (engine.KINDS[kind] for kind in late["kind"][first:last]),
                strict=True,
            )
        )
        waited, charged = (late[name][first:last].tolist() for name in ("waited_ps", "late_ps"))
        found[label] = {
            "alone": int(late["alone_ps"][row]),
            "latency": int(late["delivered_ps"][row]) - int(late["queued_ps"][row]),
            "own": int(late["own_ps"][row]),
            "waits": _sums((*key, ps) for key, ps in zip(keys, waited, strict=True)),
            "charges": _sums((*key, ps) for key, ps in zip(keys, charged, strict=True)),
        }
        first = last
    return found


def _sums(rows: Any) -> dict[tuple[int, str], int]:
    sums: Counter[tuple[int, str]] = Counter()
    for who, kind, ps in rows:
        sums[who, kind] += ps
    return {key: ps for key, ps in sums.items() if ps}
