"""Pages of points, made for the report on a sweep: which there are, and what leads to them."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.look import write_pages
from tailback.report.of_store import NAME, points_with_pages
from tailback.store.points import PointStore
from tests.commands import tailback
from tests.stores import small_store

SWEEP = """
[machine]
topology = {kind = "mesh", dims = [2, 2]}
[workload]
preset = "uniform_open_loop"
message_size = "256 B"
[run]
warmup = "1 us"
duration = "10 us"
[sweep]
workload.load = [0.2, 0.6]
seeds = 2
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two loads with two seeds, and the report with its pages."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "loads.toml").write_text(SWEEP)
    for words in (("sweep", "loads.toml", "--out", "results"), ("report", "results", "--pages")):
        done = tailback(*words, "--jobs", 1, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder / "results"


def test_each_combination_has_a_page_of_its_first_seed(results: Path) -> None:
    runs = PointStore.open(results).runs().to_pylist()
    first = {run["identity"] for run in runs if run["run.seed"] == 1}
    pages = sorted((results / "report-pages").iterdir())
    assert [page.stem for page in pages] == sorted(identity[:16] for identity in first)
    assert all("--seed 1" in unescape(page.read_text()) for page in pages)


def test_the_report_leads_to_the_pages(results: Path) -> None:
    text = (results / NAME).read_text()
    [given] = re.findall(r' data-pages="([^"]+)"', text)
    links = json.loads(unescape(given))
    assert sorted(links) == ["0", "1"]
    assert all((results / link).is_file() for link in links.values())
    assert re.findall(r'<td><a href="([^"]+)">page</a>', text) == [links["0"], links["1"]]


def test_the_command_on_a_page_makes_it(results: Path, tmp_path: Path) -> None:
    [*_, (identity, command)] = points_with_pages(PointStore.open(results)).items()
    made = tmp_path / "page.html"
    _, *words = shlex.split(command)
    assert tailback(*words, "--html", made, cwd=results).returncode == 0
    linked = results / "report-pages" / f"{identity[:16]}.html"
    shown, expected = (
        re.findall(
            r'<script type="application/octet-stream".*?</script>', page.read_text(), re.DOTALL
        )
        for page in (made, linked)
    )
    assert shown == expected != []


def test_pages_that_are_there_are_kept(results: Path) -> None:
    [first, *_] = sorted((results / "report-pages").iterdir())
    before = first.read_bytes()
    first.write_text("mine")
    try:
        assert first in write_pages(results).values()
        assert first.read_text() == "mine"
    finally:
        first.write_bytes(before)


def test_results_that_keep_no_sweep_have_no_pages(tmp_path: Path) -> None:
    store = small_store(tmp_path, {"run.seed": [1]})
    with pytest.raises(UserError, match="keeps no experiment"):
        tb.write_report(store, pages=True)
    assert not (tmp_path / NAME).exists()


def test_runs_without_blame_are_refused(tmp_path: Path) -> None:
    (tmp_path / "flows.toml").write_text(SWEEP.replace("[run]", '[run]\nfidelity = "fluid"'))
    sweep = ("sweep", "flows.toml", "--out", "results", "--jobs", 1)
    assert tailback(*sweep, cwd=tmp_path).returncode == 0
    refused = tailback("report", "results", "--pages", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "run.blame" in refused.stderr
    assert not (tmp_path / "results" / NAME).exists()
