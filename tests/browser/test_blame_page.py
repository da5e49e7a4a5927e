"""The page on who makes whom wait, in a browser without network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benches.stores import Tables
from tailback import Experiment
from tailback.report.of_blame import write_blame
from tailback.report.of_store import write_report
from tailback.runner import run_mode
from tests.browser.conftest import Reader, settle
from tests.machines import t9000_tables
from tests.stores import small_store
from tests.waiting import HANG_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.verify
def test_matrix_and_map_are_drawn(browser: Browser, tmp_path: Path) -> None:
    description = {
        "machine": t9000_tables(dims=[4, 3]),
        "workload": {"radius": 3, "compute_period": "3 us"},
        "run": {"duration": "1 ms", "blame": True},
    }
    result = run_mode(Experiment.from_dict(description), "full")
    write_blame(result, tmp_path / "page.html")
    problems: list[str] = []
    page = browser.new_page()
    page.set_default_timeout(HANG_S * 1000)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("html[data-ready]")
    names = page.locator("figure.figure").evaluate_all("all => all.map(f => f.dataset.name)")
    assert names == ["blame", "roots"]
    settle(page)
    plot = page.locator("#figure-blame .plot").evaluate("plot => plot.data[0]")
    assert len(plot["y"]) == 12
    assert plot["y"][5] == "(1, 1)"
    for name in names:
        box = page.locator(f"#figure-{name} .plot .heatmaplayer image").first.bounding_box()
        assert box is not None
        assert box["width"] > 100
    assert problems == []
    page.close()


@pytest.mark.verify
def test_the_report_draws_them_for_every_point(browser: Browser, tmp_path: Path) -> None:
    base: Tables = {
        "machine": t9000_tables(dims=[4, 3]),
        "workload": {"radius": 3},
        "run": {"duration": "1 ms", "warmup": "100 us", "blame": True},
    }
    periods = {"workload.compute_period": ["3 us", "9 us"]}
    store = small_store(tmp_path, periods, seeds=[1, 2], base=base)
    reader = Reader(browser, write_report(store.folder))
    page = reader.open()
    section = page.locator("section", has=page.locator("#figure-blame"))
    period, mode = (
        section.locator(f'[data-choice="{name}"]')
        for name in ("workload.compute_period_us", "mode")
    )
    assert section.locator('[data-choice="run.seed"]').count() == 0
    told = set()
    for us in ("3 µs", "9 µs"):
        period.select_option(label=us)
        mode.select_option(label="full")
        settle(page)
        told.add(section.locator("#figure-blame .note").inner_text())
        for figure in ("blame", "roots"):
            plot = page.locator(f"#figure-{figure} .plot")
            assert plot.locator(".heatmaplayer image").count() >= 1
            data = plot.evaluate("plot => plot.data[0].z")
            assert any(value for row in data for value in row)
    assert len(told) == 2
    cells = section.locator("#figure-blame .note tbody tr").first.locator("td")
    aligned = cells.evaluate_all("all => all.map(cell => cell.className)")
    assert aligned == ["", "", "", "number", "number"]
    reader.close()
