"""Deadlocks on the page of a sweep, in a headless browser that is offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tailback.report.of_store import write_report
from tests.browser.conftest import Reader, settle
from tests.stores import swept
from tests.unit.test_report_deadlocks import RING_SWEPT

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.verify
def test_packets_that_wait_have_numbers_at_the_point_that_is_chosen(
    browser: Browser, tmp_path: Path
) -> None:
    store = swept(tmp_path, RING_SWEPT)
    reader = Reader(browser, write_report(store.folder))
    page = reader.open()
    figure = page.locator("#figure-deadlock")
    for option in ("compute period = 35 ns, seed = 1", "compute period = 30 ns, seed = 1"):
        figure.locator('[data-choice="point"]').select_option(label=option)
        settle(page)
        numbers = figure.locator(".scatterlayer .textpoint text").all_text_contents()
        rows = figure.locator(".note tbody tr td:first-child").all_text_contents()
        assert numbers == rows == [str(number) for number in range(1, len(rows) + 1)]
        assert len(rows) > 1
    reader.close()
