"""`tailback blame` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.commands import tailback

SMALL = """
[machine]
preset = "t9000_c104"
topology.dims = [4, 4]
[workload]
radius = 2
compute_period = "3 us"
sync = "asynchronous_blocking"
[run]
duration = "1 ms"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_roots_of_a_share_of_all_packets_are_known_where_they_are_asked_for(small: Path) -> None:
    a_quarter = ("blame", small, "--set", "run.blame_share=0.25")
    unknown = tailback(*a_quarter)
    known = tailback(*a_quarter, "--set", "run.blame_roots=true")
    assert (unknown.returncode, known.returncode) == (0, 0), known.stderr
    assert "run.blame_roots = true" in unknown.stdout
    assert "Where it begins" not in unknown.stdout
    assert "estimates from 25 % of all packets" in known.stdout
    assert "Where it begins" in known.stdout


def test_tables_say_who_makes_whom_wait(small: Path) -> None:
    done = tailback("blame", small, "--top", "3")
    assert done.returncode == 0, done.stderr
    for title in ("Why messages wait", "Who makes whom wait, and where", "Where it begins"):
        assert title in done.stdout
    assert "output_busy" in done.stdout
    assert "contention costs a message" in done.stdout


def test_json_adds_up(small: Path) -> None:
    done = tailback("blame", small, "--json", "--top", "100000")
    assert done.returncode == 0, done.stderr
    blame = json.loads(done.stdout)["blame"]
    total = blame["contention_us_per_message"]["value"]
    for name in ("causes", "roots", "places"):
        assert sum(row["us_per_message"]["value"] for row in blame[name]) == pytest.approx(total)
        assert sum(row["share"] for row in blame[name]) == pytest.approx(1)
    worst = blame["culprits"][0]
    assert set(worst) == {"culprit", "victim", "channel", "us_per_message", "share"}
    assert blame["rest_share"] == 0
    of_one = [row["share"] for row in blame["culprits"] if row["victim"] == worst["victim"]]
    assert sum(of_one) == pytest.approx(1)


def test_the_same_again_is_the_same(small: Path) -> None:
    assert tailback("blame", small, "--json").stdout == tailback("blame", small, "--json").stdout


def test_tables_and_page_are_written(small: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    done = tailback("blame", small, "--out", out, "--html", page, "--set", "run.mode=throttled")
    assert done.returncode == 0, done.stderr
    pairs = pq.read_table(out / "throttled" / "blame_pairs.parquet")
    assert set(pairs["cause"].to_pylist()) == {"throttling"}
    assert "Who makes whom wait" in page.read_text()
    manifest = json.loads((out / "manifest.json").read_text())
    assert "throttled/blame_roots.parquet" in manifest["files"]["throttled"]


def test_mistakes_are_one_line(small: Path, tmp_path: Path) -> None:
    for arguments, problem in (
        (("--set", "workload.classes=[1, 2]"), "workload.classes"),
        (("--html", tmp_path), str(tmp_path)),
    ):
        done = tailback("blame", small, *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error: ")
        assert problem in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.verify
def test_a_sweep_keeps_it_and_the_report_shows_it(small: Path, tmp_path: Path) -> None:
    varied = '[sweep]\nrun.blame = [true]\nworkload.compute_period = ["3 us", "9 us"]\nseeds = 2\n'
    file, out = tmp_path / "sweep.toml", tmp_path / "out"
    file.write_text(SMALL + varied)
    before: dict[Path, bytes] = {}
    for _ in ("first", "and again, where one point is lost"):
        done = tailback("sweep", file, "--out", out)
        assert done.returncode == 0, done.stderr
        contents = {path: path.read_bytes() for path in sorted((out / "points").iterdir())}
        assert len(contents) == 4
        lost = next(iter(contents))
        before = before or contents
        assert contents == before
        lost.unlink()
    lost.write_bytes(before[lost])
    assert pq.read_table(lost)["run.blame"].to_pylist() == [True, True]
    done = tailback("report", out)
    assert done.returncode == 0, done.stderr
    page = (out / "report.html").read_text()
    assert "Who makes whom wait" in page
    assert "output_busy" in page
