"""The page on who makes whom wait, in a browser without network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailback import Experiment
from tailback.report.of_blame import write_blame
from tailback.runner import run_mode

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_matrix_and_map_are_drawn(browser: Browser, tmp_path: Path) -> None:
    description = {
        "machine": {"dims": [4, 3]},
        "workload": {"radius": 3, "compute_period": "3 us"},
        "run": {"duration": "1 ms", "blame": True},
    }
    result = run_mode(Experiment.from_dict(description), "full")
    write_blame(result, tmp_path / "page.html")
    problems: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    names = page.locator("figure.figure").evaluate_all("all => all.map(f => f.dataset.name)")
    assert names == ["blame", "roots"]
    page.wait_for_timeout(150)
    plot = page.locator("#figure-blame .plot").evaluate("plot => plot.data[0]")
    assert len(plot["y"]) == 12
    assert plot["y"][5] == "(1, 1)"
    for name in names:
        box = page.locator(f"#figure-{name} .plot .heatmaplayer image").first.bounding_box()
        assert box is not None
        assert box["width"] > 100
    assert problems == []
    page.close()
