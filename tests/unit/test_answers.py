"""What must hold of messages on machines of every kernel: `tests/answers`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.answers.__main__ import findings, smallest, written
from tests.answers.checking import Found, check
from tests.answers.drawing import KINDS, Case

#: The first of those that `python -m tests.answers` tries, one of each family; `make verify` tries
#: 20,000.
CASES = len(KINDS)
KERNELS = {
    *("packet", "worm", "flits", "slots", "tokens", "clocked", "frames", "circuit"),
    *("stored", "chaos", "cells", "stream", "fluid"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path) -> Iterator[None]:
    """Cases go to folders of their own, which are gone when they are over."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


def test_statements_hold_of_random_machines_of_every_kernel() -> None:
    totals: dict[str, Counter[str]] = {}
    failures: dict[tuple[str, str], list[str]] = {}
    for number, found in findings(range(CASES)):
        totals.setdefault(found.kernel, Counter())["machines"] += 1
        totals[found.kernel] += found.counted
        for what, which in found.failures:
            failures.setdefault((found.kernel, what), []).append(f"case {number}, {which}")
    assert not failures, written(totals, failures)
    assert set(totals) >= KERNELS
    assert sum(counted["alone"] for counted in totals.values()) > 2 * CASES


def test_a_message_that_takes_longer_in_free_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it were so: of two messages in two modes, one is as it should be."""
    case = Case(0, "packet", {}, {"seed": 1}, tuple(["0 ns", node, 2, "64 B"] for node in (0, 1)))
    assert not check(case).failures
    from tests.answers import checking

    told = checking._told

    def later(*arguments: object, **named: object) -> Iterator[tuple[int, object]]:
        for number, one in told(*arguments, **named):  # type: ignore[arg-type]
            yield number, replace(one, latency=one.latency + number, own=one.own + number)

    monkeypatch.setattr(checking, "_told", later)
    found = check(case)
    assert [what for what, _ in found.failures] == ["free is not alone"]
    assert found.failures[0][1].startswith("free, message 1")


def test_cases_are_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(["0 ns", node, 5, "64 B"] for node in range(4))
    machine = {"switch": {"switching": "cut_through", "delay": "1 ns"}, "link": {"delay": "2 ns"}}

    def pretended(case: Case) -> Found:
        found = Found(kernel="packet")
        if case.rows and "delay" in case.machine.get("switch", {}):
            found.fails("wrong", "here")
        return found

    monkeypatch.setattr("tests.answers.__main__.check", pretended)
    case = Case(0, "packet", machine, {}, rows)
    less, _ = smallest(case, pretended(case))
    assert (len(less.rows), less.machine) == (1, {"switch": {"delay": "1 ns"}})
