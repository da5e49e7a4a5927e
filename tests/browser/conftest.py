"""A report in a headless browser that is offline."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tailback.report.of_store import write_report
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tests.stores import file_of, runs_of, small_store
from tests.waiting import HANG_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SYNC, PERIOD = "workload.sync", "workload.compute_period_us"
PERIODS = ["20 us", "5 us", "80 us", "40 us"]
HOSTILE = "</script><img src=x onerror=alert(1)><b>&"

Opened = Callable[..., "Page"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, if there is one."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found: none of {', '.join(BROWSERS)}")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Two kinds of waiting and four periods, of which one combination is missing; two seeds."""
    axes = {SYNC: ["loosely_synchronous", "asynchronous"], "workload.compute_period": PERIODS}
    store = small_store(tmp_path_factory.mktemp("store"), axes, seeds=[1, 2])
    missing = runs_of(store).filter(**{SYNC: "asynchronous", PERIOD: 5.0})["identity"]
    for identity in missing.unique():
        file_of(store.folder, identity).unlink()
    (store.folder / "runs.parquet").unlink()
    labels = {SYNC: HOSTILE, PERIOD: 1.0, "run.seed": 1}
    store.save_failure(Failure("f" * 64, "deadlock", f"nothing moves: {HOSTILE}", labels))
    return store


@pytest.fixture(scope="session")
def report(store: PointStore) -> Path:
    """The file."""
    return write_report(store.folder)


def settle(page: Page) -> None:
    """Wait until every figure has drawn what is chosen."""
    page.wait_for_selector("figure.figure[data-drawing]", state="detached")


class Reader:
    """Opens the report offline and notes what should not happen."""

    def __init__(self, browser: Browser, report: Path) -> None:
        self.problems: list[str] = []
        self._browser, self._report = browser, report
        self._contexts: list[BrowserContext] = []

    def open(
        self,
        scheme: Literal["light", "dark"] = "light",
        width: int = 1280,
        ready: str = "html[data-ready]",
    ) -> Page:
        """Return the page when all its figures are drawn."""
        viewport: ViewportSize = {"width": width, "height": 900}
        context = self._browser.new_context(color_scheme=scheme, viewport=viewport)
        self._contexts.append(context)
        context.set_default_timeout(HANG_S * 1000)
        context.route("**/*", self._only_files)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.on("console", lambda told: self.problems.append(f"{told.type}: {told.text}"))
        page.goto(self._report.as_uri())
        page.wait_for_selector(ready)
        return page

    def _only_files(self, route: Route) -> None:
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.problems.append(f"request: {route.request.url}")
            route.abort()

    def close(self) -> None:
        """Close all pages; fail if something happened that should not."""
        for context in self._contexts:
            context.close()
        assert self.problems == []


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    """Open pages that a test may change."""
    reader = Reader(browser, report)
    yield reader.open
    reader.close()


@pytest.fixture(scope="session")
def untouched(browser: Browser, report: Path) -> Iterator[tuple[Reader, Page]]:
    reader = Reader(browser, report)
    yield reader, reader.open()
    reader.close()


@pytest.fixture
def page(untouched: tuple[Reader, Page]) -> Iterator[Page]:
    """One page for all tests that only look."""
    reader, page = untouched
    yield page
    assert reader.problems == []
