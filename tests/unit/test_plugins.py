"""Kinds and readers of other distributions: found by entry points, told apart by their version."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import tailback as tb
from tailback import engine, entry_points
from tailback.errors import UserError
from tailback.execution import LocalPool
from tailback.importing import read_foreign
from tailback.machines import TOPOLOGIES
from tailback.since311 import tomllib
from tailback.workloads import KINDS
from tests.plugin import EXAMPLE, install

LADDER = {"machine": {"topology": {"kind": "ladder", "rungs": 6}}, "workload": {"kind": "shift"}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder in which distributions are found; forget afterwards what was found."""
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    _forget()
    yield folder
    _forget()


def _forget() -> None:
    for kinds in (TOPOLOGIES, KINDS):
        for word in [word for word in kinds if word not in kinds.built_in]:
            del kinds[word]
    entry_points._entries.cache_clear()
    entry_points._origin.cache_clear()
    entry_points.forget()
    for name in [name for name in sys.modules if name.startswith("tailback_ladder")]:
        del sys.modules[name]


def identity(description: dict[str, object] = LADDER) -> str:
    return tb.Experiment.from_dict(description).identity(engine.RESULTS_VERSION)


def test_a_topology_is_the_graph_it_names(place: Path) -> None:
    install(place)
    machine = tb.Experiment.from_dict(LADDER).machine
    assert (machine.topology.node_count, machine.topology.degree) == (12, 3)
    assert machine.topology.facts.one_way is None
    assert machine.resolved("packet")["topology"]["links"] == 2 * (6 + 2 * 5)
    assert machine.topology.routings[0] == "up_down"


def test_a_program_and_a_function_run(place: Path) -> None:
    install(place)
    shift = tb.Experiment.from_dict(LADDER)
    result = tb.run(shift.machine, shift.workload)
    # Ten messages of each of twelve nodes.
    assert sum(result.nodes["messages_sent"].to_pylist()) == 120
    token = tb.Experiment.from_dict({**LADDER, "workload": {"kind": "token", "rounds": 3}})
    result = tb.run(token.machine, token.workload)
    assert sum(result.nodes["messages_sent"].to_pylist()) == 3 * 12


def test_they_may_be_jobs(place: Path) -> None:
    install(place)
    jobs = [
        {"name": "a", "nodes": ["0-5"], "workload": {"kind": "shift", "distance": 2}},
        {"name": "b", "nodes": ["6-11"], "workload": {"kind": "token"}},
    ]
    experiment = tb.Experiment.from_dict({"machine": LADDER["machine"], "job": jobs})
    assert [origin.distribution for origin in experiment.plugins()] == ["tailback-ladder"] * 3
    assert "plugin" in experiment.resolved()["job"][0]["workload"]
    assert tb.run(experiment.machine, experiment.workload).complete


def test_a_sweep_of_it_keeps_which_version_it_was(place: Path, tmp_path: Path) -> None:
    install(place)
    sweep = tb.Sweep.load(EXAMPLE / "ladder.toml")
    with LocalPool(1) as pool:
        tb.sweep(sweep, tmp_path / "results", pool=pool)
    files = sorted((tmp_path / "results/points").glob("*.parquet"))
    assert len(files) == 3
    rows = pq.read_table(files[0]).to_pylist()
    assert rows[0]["machine.topology.rungs"] == 6
    assert rows[0]["machine.topology.plugin"].startswith("tailback-ladder 1.0 (")
    assert rows[0]["workload.plugin"] == rows[0]["machine.topology.plugin"]


def commanded(place: Path, *words: str) -> str:
    """Return what a command prints in a process that starts with the plugin."""
    path = os.pathsep.join([str(place), *sys.path])
    told = subprocess.run(
        [sys.executable, "-m", "tailback", *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout


def test_the_commands_know_it(place: Path, tmp_path: Path) -> None:
    install(place)
    told = commanded(place, "describe", str(EXAMPLE / "ladder.toml"))
    assert "ladder · shift" in told
    lines = tmp_path / "small.rungs"
    lines.write_text("rungs 5\ndistance 2\n", encoding="utf-8")
    out = tmp_path / "small.toml"
    commanded(place, "import", "rungs", str(lines), "--out", str(out))
    assert tomllib.loads(out.read_text())["machine"]["topology"] == {"kind": "ladder", "rungs": 5}
    lines.write_text("rungs five\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"small\.rungs:1 = .*must be `rungs N`"):
        read_foreign("rungs", lines)


def test_version_and_content_are_part_of_the_identity(place: Path) -> None:
    package = install(place)
    first = identity()
    _forget()
    assert identity() == first
    shutil.rmtree(place / "tailback_ladder-1.0.dist-info")
    install(place, version="1.1")
    _forget()
    second = identity()
    (package / "notes.txt").write_text("What was measured.", encoding="utf-8")
    _forget()
    assert len({first, second, identity()}) == 3


def test_what_is_built_in_has_no_origin() -> None:
    experiment = tb.Experiment.from_dict({})
    assert experiment.plugins() == []
    assert "plugin" not in experiment.resolved()["machine"]["topology"]


def _mistake(description: dict[str, object] = LADDER) -> str:
    with pytest.raises(UserError) as raised:
        tb.Experiment.from_dict(description).spec()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_word_of_nobody_is_refused_with_the_words_there_are(place: Path) -> None:
    assert '"jellyfish", "islands"' in _mistake()
    install(place)
    _forget()
    wrong = {"machine": {"topology": {"kind": "lader"}}}
    assert 'did you mean "ladder"' in _mistake(wrong)


def test_two_plugins_with_one_word_are_refused(place: Path) -> None:
    install(place)
    install(place, name="other-ladder", version="2.0")
    assert _mistake() == (
        'machine.topology.kind = "ladder": is a word of other-ladder 2.0 and '
        "tailback-ladder 1.0; uninstall one of them"
    )


def test_the_word_of_a_kind_that_is_built_in_is_refused(place: Path) -> None:
    words = {"ladder": "tailback_ladder:Ladder", "mesh": "tailback_ladder:Ladder"}
    install(place, points={"tailback.topologies": words})
    assert _mistake().endswith("which is the word of a kind that is built in")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("tailback_ladder:Laddder", "which cannot be loaded: AttributeError: "),
        ("tailback_ladder.gone:Ladder", "which cannot be loaded: ModuleNotFoundError: "),
        ("tailback_ladder:Shift", "which is no class of Topology"),
        ("tailback_ladder.reader:read", "which is no class of Topology"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_one_line(place: Path, value: str, problem: str) -> None:
    install(place, points={"tailback.topologies": {"ladder": value}})
    start = f'machine.topology.kind = "ladder": is {value} of the plugin tailback-ladder 1.0, '
    assert _mistake().startswith(start + problem)


def test_a_class_of_another_word_is_refused(place: Path) -> None:
    install(place, points={"tailback.topologies": {"steps": "tailback_ladder:Ladder"}})
    told = _mistake({"machine": {"topology": {"kind": "steps"}}})
    assert told.endswith("whose kind is 'ladder', not 'steps'")


def test_a_plugin_that_fails_is_one_line(place: Path) -> None:
    package = install(place)
    code = package / "__init__.py"
    text = code.read_text(encoding="utf-8")
    code.write_text(text.replace("yield rung, self.rungs + rung\n", "yield rung, rung / 0\n"))
    failed = "machine.topology: tailback_ladder.Ladder failed: ZeroDivisionError: division by zero"
    assert _mistake() == failed
    # Two rows that no link joins.
    code.write_text(text.replace("yield rung, self.rungs + rung\n", "pass\n"))
    _forget()
    assert "is not connected" in _mistake()


def test_nothing_is_looked_up_for_kinds_that_are_built_in() -> None:
    """Who has no plugin does not pay for them: `importlib.metadata` is not even imported."""
    program = (
        "import sys; import tailback as tb; e = tb.Experiment.from_dict({}); e.resolved(); "
        "from tailback import engine, entry_points; e.identity(engine.RESULTS_VERSION); "
        "sys.exit(entry_points._entries.cache_info().currsize)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
