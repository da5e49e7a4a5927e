"""`tailback diff`: what was asked differently, and what came out differently, with intervals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tailback as tb
from tailback.sweeps.running import SweepRun
from tests.commands import tailback
from tests.stores import Here

TEXT = """
[machine]
topology.kind = "mesh"
topology.dims = [4, 4]

[workload]
sync = "asynchronous"
radius = "all"
message_size = "1 kB"
compute_period = "2 us"

[run]
duration = "60 us"
"""
SWEEP = "[sweep]\nseeds = 2\nworkload.compute_period = ['1 us', '2 us']\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "a.toml").write_text(TEXT)
    (tmp_path / "b.toml").write_text(TEXT.replace('"1 kB"', '"4 kB"'))
    return tmp_path / "a.toml", tmp_path / "b.toml"


def test_two_experiments_differ_in_what_is_asked(files: tuple[Path, Path]) -> None:
    found = tailback("diff", *files)
    assert found.stdout.splitlines() == [
        "Asked differently",
        "  workload.message_size  1000 B  4000 B",
    ]
    assert tailback("diff", files[0], files[0]).stdout == "The same was asked.\n"
    for file in files:
        file.write_text(file.read_text() + SWEEP)
    assert json.loads(tailback("diff", *files, "--json").stdout)["asked"] == [
        {"name": "base.workload.message_size", "first": "1 kB", "second": "4 kB"}
    ]


def test_two_runs_differ_in_what_came_out(files: tuple[Path, Path], tmp_path: Path) -> None:
    for file in files:
        assert tailback("run", file, "--out", tmp_path / file.stem).returncode == 0
    found = json.loads(tailback("diff", tmp_path / "a", tmp_path / "b", "--json").stdout)
    asked = {one["name"]: (one["first"], one["second"]) for one in found["asked"]}
    assert asked["workload.message_size"] == ("1000 B", "4000 B")
    latency = next(one for one in found["outcomes"] if one["measure"] == "message_latency_us")
    ends = [latency[which] for which in ("first", "second", "difference")]
    first, second, difference = (end["value"] for end in ends)
    assert difference == second - first > 0
    assert latency["clear"]
    # As independent errors add up.
    low = difference - ((second - ends[1]["low"]) ** 2 + (ends[0]["high"] - first) ** 2) ** 0.5
    assert ends[2]["low"] == pytest.approx(low)
    text = tailback("diff", tmp_path / "a", tmp_path / "b").stdout
    assert any(
        line.split()[0] == "message_latency_us" and line.endswith("*")
        for line in text.splitlines()
        if line.strip()
    )
    same = tailback("diff", tmp_path / "a", tmp_path / "a").stdout
    assert same.startswith("The same was asked.\n")
    assert same.count("\n") == 2
    against_file = tailback("diff", tmp_path / "a", files[0]).stdout
    assert against_file == "The same was asked.\n"


def test_two_sweeps_are_compared_place_by_place(files: tuple[Path, Path], tmp_path: Path) -> None:
    for file in files:
        file.write_text(file.read_text() + SWEEP)
        SweepRun(tb.Sweep.load(file), tmp_path / file.stem).run(Here())
    files[1].write_text(files[1].read_text().replace("'2 us'", "'3 us'"))
    SweepRun(tb.Sweep.load(files[1]), tmp_path / "c").run(Here())
    found = json.loads(tailback("diff", tmp_path / "a", tmp_path / "c", "--json").stdout)
    assert {one["where"]["workload.compute_period_us"] for one in found["outcomes"]} == {"1.0"}
    only = [found[name][0]["workload.compute_period_us"] for name in ("only_first", "only_second")]
    assert only == ["2.0", "3.0"]
    assert tailback("pack", tmp_path / "a").returncode == 0
    same = tailback("diff", tmp_path / "a", tmp_path / "a.zip").stdout
    assert same.startswith("The same was asked.\n")
    assert tailback("run", files[0], "--out", tmp_path / "run").returncode == 0
    refused = tailback("diff", tmp_path / "run", tmp_path / "a")
    assert refused.stderr == f"error: {tmp_path / 'a'}: has a sweep; the other is a single run\n"


def test_what_is_neither_is_refused_in_one_line(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "empty").mkdir()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("[]")
    for path in (tmp_path / "empty", tmp_path / "missing", broken):
        refused = tailback("diff", path, files[0])
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert refused.stderr.startswith(f"error: {path}")
