"""A few cases of the fuzzer, and whether it would notice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tailback.importing import import_network
from tests.fuzz import networks, valid
from tests.fuzz.cases import FAULTS, Case
from tests.fuzz.judging import Outcome, problems
from tests.fuzz.keys import known_keys
from tests.fuzz.running import tried

SEED = 14


@pytest.mark.parametrize("number", range(24))
def test_one_thing_wrong_is_one_line(number: int, tmp_path: Path) -> None:
    case, outcome = tried(SEED, number, tmp_path / "case")
    assert list(problems(case, outcome)) == []


def test_a_case_is_the_same_again(tmp_path: Path) -> None:
    def content() -> dict[str, bytes]:
        tried(SEED, 3, tmp_path / "case")
        files = [path for path in (tmp_path / "case").rglob("*") if path.is_file()]
        return {path.name: path.read_bytes() for path in files if path.suffix != ".parquet"}

    assert content() == content()


def test_experiments_are_valid_before_something_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    accepted = 0
    for number in range(30):
        description, named = valid.experiment(random.Random(number))
        for name, text in named.items():
            (tmp_path / name).write_text(text)
        accepted += valid.accepted(description, tmp_path / "e.toml")
    assert accepted >= 25


def test_every_table_is_known() -> None:
    keys = known_keys()
    assert {"machine.topology", "machine.routing", "workload"} == set(keys.kinds)
    assert {"machine.link", "machine.switch", "machine.interface", "run"} <= set(keys.plain)
    assert all(keys.of(table) for table in keys.tables())


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Outcome(1, "", ""), "exit code 1"),
        (Outcome(2, "", ""), "0 error lines with exit code 2"),
        (Outcome(2, "", "error: a\nerror: b\n"), "2 error lines with exit code 2"),
        (Outcome(0, "", "error: a\n"), "an error line with exit code 0"),
        (Outcome(4, "", "error: a\n"), "an error line with exit code 4"),
        (Outcome(2, "", "error: a\x1b[31m\n"), "not printable: 'error: a\\x1b[31m'"),
        (Outcome(2, "", f"error: {'a' * 2000}\n"), "a line of 2007 characters"),
        (Outcome(2, "", "error: a\nTraceback\n"), "unforeseen: Traceback"),
        (Outcome(0, "", "", "Traceback\nZeroDivisionError: 1"), "exception ZeroDivisionError: 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_noticed(outcome: Outcome, problem: str) -> None:
    told = list(problems(Case(0, "nothing", ["run", "e.toml"]), outcome))
    assert [line[: len(problem)] for line in told] == [problem]


@pytest.mark.parametrize("stdout", ["", "{", "[]", '{"a": NaN}', "{}{}"])
def test_standard_output_must_be_one_object(stdout: str) -> None:
    case = Case(0, "nothing", ["run", "e.toml", "--json"])
    assert list(problems(case, Outcome(0, stdout, "")))
    assert list(problems(case, Outcome(0, '{"a": 1}', ""))) == []


def test_there_are_faults_of_every_kind() -> None:
    assert {"nothing", "value", "file", "sweep", "option"} <= set(FAULTS)


def test_broken_networks_are_one_line(tmp_path: Path) -> None:
    assert list(networks.problems(12, tmp_path)) == []


def test_networks_are_read_before_something_is_broken(tmp_path: Path) -> None:
    for sample in networks.samples().values():
        for name, content in (*sample.beside, ("broken", sample.content)):
            (tmp_path / name).write_bytes(content)
        network = tmp_path / ("broken" if sample.role == "network" else "n")
        given = {} if sample.role == "network" else {sample.role: tmp_path / "broken"}
        assert import_network(network, **given).counts()["hosts"] >= 2
