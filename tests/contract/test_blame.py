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


def test_a_share_of_all_messages_gives_estimates_and_roots_are_always_known(small: Path) -> None:
    a_quarter = ("blame", small, "--set", "run.blame_share=0.25")
    done = tailback(*a_quarter)
    assert done.returncode == 0, done.stderr
    assert "estimates from 25 % of all messages" in done.stdout
    assert "Where it begins" in done.stdout
    removed = tailback(*a_quarter, "--set", "run.blame_roots=true")
    assert removed.returncode == 2
    assert removed.stderr.startswith("error: run.blame_roots: is no key any more")
    assert removed.stderr.count("\n") == 1


def test_tables_say_who_makes_whom_late(small: Path) -> None:
    done = tailback("blame", small, "--top", "3", "--packet-waits", "--full")
    assert done.returncode == 0, done.stderr
    titles = ("Why messages are late", "Who makes whom late", "Where it begins", "Packet waits")
    places = [done.stdout.index(title) for title in titles]
    assert places == sorted(places)
    assert "contention in the network" in done.stdout
    assert "A message is late by" in done.stdout
    assert "output_busy" in done.stdout[places[-1] :]
    without = tailback("blame", small, "--top", "3")
    assert "packet waits" not in without.stdout.lower()
    assert "--packet-waits" in without.stdout


def test_json_adds_up(small: Path) -> None:
    done = tailback("blame", small, "--json", "--packet-waits", "--top", "100000")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    blame = told["blame"]
    late = blame["late_us_per_message"]["value"]
    assert told["message_late_us"]["value"] == late
    latency = blame["latency_us_per_message"]
    assert latency == pytest.approx(blame["alone_us_per_message"] + late)
    for name in ("kinds", "roots"):
        assert sum(row["us_per_message"]["value"] for row in blame[name]) == pytest.approx(late)
        assert sum(row["share"] for row in blame[name]) == pytest.approx(1)
    # No more than the run, and no more than the message took.
    assert 0 < late < latency < 1e3 * told["simulated_ms"]
    worst = blame["culprits"][0]
    assert set(worst) == {"culprit", "victim", "channel", "us_per_message", "share"}
    assert blame["rest_share"] == blame["early"]["messages"] == blame["unattributed"]["us"] == 0
    of_one = [row["share"] for row in blame["culprits"] if row["victim"] == worst["victim"]]
    assert sum(of_one) == pytest.approx(1)
    waits = blame["packet_waits"]
    for name in ("places", "causes"):
        assert sum(row["us"] for row in waits[name]) == pytest.approx(waits["us"])
    # Acknowledgements wait, too, and packets that made nobody late.
    assert waits["us"] > late * blame["messages"]


def test_flows_say_how_messages_fared(small: Path, tmp_path: Path) -> None:
    done = tailback("flows", small, "--by", "source", "--json", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    flows = json.loads(done.stdout)["flows"]
    assert [flow["source"] for flow in flows] == list(range(16))
    for flow in flows:
        assert flow["alone_median_ps"] <= flow["latency_median_ps"] <= flow["latency_p99_9_ps"]
        assert flow["slowdown_mean"] >= 1
    rows = pq.read_table(tmp_path / "out" / "full" / "flows.parquet")
    assert rows.column_names[:3] == ["source", "destination", "messages"]
    assert sum(rows["messages"].to_pylist()) == sum(flow["messages"] for flow in flows)
    told = tailback("flows", small, "--top", "1", "--full")
    assert told.returncode == 0, told.stderr
    for title in ("latency, µs", "alone, µs", "late, µs", "slowdown (latency over alone)"):
        assert title in told.stdout
    wrong = tailback("flows", small, "--by", "cause")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith('error: --by = "cause": must be "source", "destination" or')


def test_the_same_again_is_the_same(small: Path) -> None:
    assert tailback("blame", small, "--json").stdout == tailback("blame", small, "--json").stdout


def test_tables_and_page_are_written(small: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    done = tailback("blame", small, "--out", out, "--html", page, "--packet-waits")
    assert done.returncode == 0, done.stderr
    pairs = pq.read_table(out / "full" / "blame_pairs.parquet")
    assert set(pairs["kind"].to_pylist()) <= {"source", "destination", "network", "spread"}
    assert "Who makes whom late" in page.read_text()
    manifest = json.loads((out / "manifest.json").read_text())
    assert "full/blame_waits.parquet" in manifest["files"]["full"]


def test_where_no_message_is_compared_with_alone_that_is_said(small: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = tailback("blame", small, "--html", page, "--set", "run.mode=throttled")
    assert done.returncode == 0, done.stderr
    assert "Lateness is defined only in modes" in done.stdout
    assert "Packet waits, by place" in done.stdout
    told = page.read_text()
    assert "Lateness is defined only in modes" in told
    assert "Packet waits" in told
    assert "Victims and culprits" not in told
    plain = tmp_path / "plain.html"
    assert tailback("blame", small, "--html", plain).returncode == 0
    assert "Packet waits" not in plain.read_text()


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
    assert "Who makes whom late" in page
    assert "contention" in page
