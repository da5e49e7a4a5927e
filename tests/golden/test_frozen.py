"""Results are those whose hashes are in `frozen.txt`: no byte has changed by accident.

Examples, points of studies and random experiments for every part of the engine that simulates
channels: all packets, all tables, all JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from tests.frozen.cases import Case, Outcome, computed
from tests.frozen.hashing import Hasher, Hashes
from tests.frozen.running import all_cases, differences, missing, random_count, read

FILE = Path(__file__).parent / "frozen.txt"
KNOWN = read(FILE)
CASES = all_cases(random_count(KNOWN))
EVERY_DAY = ("examples/messages", "examples/deadlock", "examples/ethernet", "examples/clusters")
"""With as many random cases as there are families, nearly."""
QUICK = 24
GROUPS = (
    *("examples/", "docs/", "traces/"),
    *("studies/adaptive", "studies/buzzard_mudge", "studies/paragon", "studies/tweedie"),
    "studies/",
    "random/",
)
ADVICE = """
If results were to change: raise RESULTS_VERSION, give them a heading in CHANGELOG.md, and write
the hashes anew with `python -m tests.frozen --out tests/golden/frozen.txt`. If not: `python -m
tests.frozen --only NAME --keep DIR` runs one case and keeps the files of a random one; with
PYTHONPATH=.../python of another checkout, --check and --out tell what it does there."""


def _run(cases: Sequence[Case]) -> list[Outcome]:
    """Run cases, which must be as they were."""
    done = [computed(case) for case in cases]
    lines = [line for outcome in done for line in differences(outcome, KNOWN)]
    if lines:
        pytest.fail("\n".join(lines) + ADVICE, pytrace=False)
    return done


def test_some_results_are_as_they_were() -> None:
    drawn = [case for case in CASES if case.name.startswith("random/")]
    _run([*(case for case in CASES if case.name in EVERY_DAY), *drawn[:QUICK]])


#: All kernels but `chaos`, which takes more cases than are kept.
KERNELS = {
    *("packet", "flits", "slots", "tokens", "clocked", "worm", "stream", "circuit", "stored"),
    *("cells", "frames", "fluid", "baseline"),
}


@pytest.mark.verify
@pytest.mark.parametrize("group", GROUPS)
def test_all_results_are_as_they_were(group: str) -> None:
    before = GROUPS[: GROUPS.index(group)]
    names = (case.name for case in CASES if case.name.startswith(group))
    wanted = {name for name in names if not name.startswith(before)}
    done = _run([case for case in CASES if case.name in wanted])
    if group == "random/":
        assert {kernel for outcome in done for kernel in outcome.kernels} >= KERNELS
        assert sum(outcome.end == "run" for outcome in done) >= 0.85 * len(done)


def test_every_line_is_of_a_case() -> None:
    names = [Outcome(case.name, Hashes("", "", ""), (), "run") for case in CASES]
    assert list(missing(names, KNOWN, random_count(KNOWN))) == []
    assert all(case.name.startswith(GROUPS) for case in CASES)


def _hashes(table: pa.Table, **answer: object) -> Hashes:
    hasher = Hasher()
    hasher.table("tables", "nodes", table)
    hasher.answer(answer)
    return hasher.hashes()


def test_what_differs_is_named() -> None:
    table = pa.table({"busy": [1, 2], "share": [0.5, 1 / 3]})
    before = _hashes(table, events=5)
    for after, differing in (
        (_hashes(table, events=6), "json"),
        (_hashes(table.slice(1), events=5), "tables"),
        (_hashes(table.rename_columns(["held", "share"]), events=6), "tables, json"),
    ):
        outcome = Outcome("a/case@1", after, (), "run")
        assert list(differences(outcome, {"a/case@1": before})) == [f"a/case@1: {differing}"]
    [line] = differences(Outcome("a/case@2", before, (), "run"), {"a/case@1": before})
    assert "another experiment" in line
    assert list(differences(Outcome("b", before, (), "run"), {"a/case@1": before})) == []


def test_what_is_no_result_is_not_hashed() -> None:
    table = pa.table({"share": [1 / 3]})
    hashes = _hashes(table, value=1 / 3)
    named = table.append_column("kernel", pa.array(["flit"]))
    nearly = pa.table({"share": [1 / 3 + 1e-12]})
    assert _hashes(named, value=1 / 3, kernel="flit", version="2", identity="0") == hashes
    assert _hashes(nearly, value=1 / 3 - 1e-12) == hashes
    assert _hashes(pa.table({"share": [1 / 3 + 1e-8]}), value=1 / 3) != hashes
