"""The page on jobs that slow each other down, in a browser without network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tailback import Experiment
from tailback.comparison.of_jobs import interference
from tailback.report.of_interference import write_interference
from tests.browser.conftest import Reader, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.verify
def test_every_matrix_is_drawn(browser: Browser, tmp_path: Path) -> None:
    ring = {"kind": "ring_allreduce", "size": "20 kB"}
    jobs = [{"name": name, "share": 8, "placement": "random", "workload": ring} for name in "ab"]
    description = {"machine": {"topology": {"kind": "mesh", "dims": [4, 4]}}, "job": jobs}
    page_file = tmp_path / "page.html"
    write_interference(interference(Experiment.from_dict(description)), page_file)
    reader = Reader(browser, page_file)
    page = reader.open()
    names = page.locator("figure.figure").evaluate_all("all => all.map(f => f.dataset.name)")
    assert names == ["runs", "charges"]
    settle(page)
    for name in names:
        plot = page.locator(f"#figure-{name} .plot")
        assert plot.evaluate("plot => plot.data[0].y") == ["a", "b"]
        assert plot.locator(".heatmaplayer image").count() >= 1
    reader.close()
