"""What a reader sees and can do, in a browser without network."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tailback.store.points import PointStore
from tests.browser.conftest import settle
from tests.stores import nested_of, runs_of

if TYPE_CHECKING:
    from playwright.sync_api import Download, Locator, Page

Opened = Callable[..., "Page"]

SYNC, PERIOD = "workload.sync", "workload.compute_period_us"
FIGURES = [
    *("glance_latency", "glance_accepted", "message_latency", "accepted_load"),
    *("theta_r", "theta_t", "message_rate", "lifetime", "starting_points", "waiting"),
    *("load_of_nodes", "load_of_channels", "latency"),
]


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#figure-{name}")


def control(page: Page, name: str, within: str = "") -> Locator:
    return page.locator(f'{within} [data-choice="{name}"]').first


def drawn(page: Page, name: str) -> Any:
    """Return the data of a plot, when it is drawn."""
    settle(page)
    return figure(page, name).locator(".plot").evaluate("plot => plot.data")


def downloaded(page: Page, name: str, ending: str) -> Download:
    with page.expect_download() as waiting:
        figure(page, name).locator(f'[data-format="{ending}"]').click()
    return waiting.value


def content(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


def test_every_figure_is_drawn_and_nothing_is_fetched(page: Page) -> None:
    names = page.locator("figure.figure").evaluate_all("all => all.map(f => f.dataset.name)")
    assert names == FIGURES
    for name in FIGURES:
        plot = figure(page, name).locator(".plot")
        assert plot.locator("svg.main-svg").count() > 0
        marks = plot.locator(".scatterlayer path, .heatmaplayer image, .barlayer path")
        assert marks.count() > 0
        box = plot.bounding_box()
        assert box is not None
        assert box["height"] > 250


@pytest.mark.verify
def test_maps_are_those_of_the_point_that_is_chosen(opened: Opened, store: PointStore) -> None:
    page = opened()
    control(page, SYNC).select_option(label="asynchronous")
    period = control(page, PERIOD)
    assert period.get_attribute("type") == "range"
    for value, us in (("1", 20.0), ("3", 80.0)):
        period.fill(value)
        control(page, "run.seed").select_option(label="2")
        control(page, "mode", "#s1").select_option(label="endpoints")
        control(page, "measure", "#figure-load_of_nodes").select_option(
            label="processor utilisation"
        )
        where = {SYNC: "asynchronous", PERIOD: us, "run.seed": 2}
        identity = runs_of(store).filter(**where)["identity"].unique()
        nodes = nested_of(store, "nodes", identity).filter(mode="endpoints").sort("node")
        z = np.ravel(drawn(page, "load_of_nodes")[0]["z"])
        np.testing.assert_allclose(z, nodes["cpu_utilisation"], rtol=1e-3)


def test_a_click_on_a_point_shows_it(opened: Opened) -> None:
    page = opened()
    [line, *_] = [trace for trace in drawn(page, "message_rate") if "customdata" in trace]
    mode, _, numbers = line["customdata"][-1].partition(":")
    plot = figure(page, "message_rate").locator(".plot")
    plot.evaluate(
        "(plot, at) => plot.emit('plotly_click', { points: [{ customdata: at }] })",
        line["customdata"][-1],
    )
    settle(page)
    within = "section[data-points]"
    chosen = [control(page, name, within) for name in (SYNC, PERIOD, "mode")]
    values = [int(each.input_value()) for each in chosen]
    assert values[:2] == [int(number) for number in numbers.split(",")]
    assert chosen[2].locator("option:checked").inner_text() == mode


def test_it_begins_with_the_load(opened: Opened) -> None:
    page = opened()
    assert (
        control(page, "against").locator("option:checked").inner_text().startswith("load: offered")
    )
    assert Path(page.url.removeprefix("file://")).stat().st_size < 3_000_000


@pytest.mark.verify
def test_where_there_is_no_point_other_choices_follow(opened: Opened) -> None:
    page = opened()
    control(page, SYNC).select_option(label="asynchronous")
    period = control(page, PERIOD)
    before = period.input_value()
    period.fill("0")
    settle(page)
    chosen = control(page, SYNC).locator("option:checked").inner_text()
    assert (before, period.input_value()) != ("0", "1")
    assert chosen == "loosely_synchronous"
    assert page.locator(".message:visible").count() == 0


@pytest.mark.verify
def test_a_scale_holds_for_this_map_or_for_all(opened: Opened) -> None:
    page = opened()
    plot = figure(page, "load_of_channels").locator(".plot")
    ends = []
    for option in range(3):
        control(page, "scale", "#figure-load_of_channels").select_option(index=option)
        settle(page)
        ends.append(
            plot.evaluate("p => [p._fullLayout.coloraxis.cmin, p._fullLayout.coloraxis.cmax]")
        )
    assert ends[0][0] == ends[2][0] == 0
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-4)
    assert ends[2][1] >= ends[0][1]


@pytest.mark.verify
def test_what_figures_are_drawn_against_is_chosen_once_for_all(opened: Opened) -> None:
    page = opened()
    before = {name: drawn(page, name) for name in ("theta_r", "message_rate", "lifetime")}
    control(page, "against").select_option(label="load: utilisation of internal channels")
    for name, old in before.items():
        new = drawn(page, name)
        assert new != old
        titles = figure(page, name).locator(".xtitle").all_text_contents()
        assert titles == ["utilisation of internal channels"]
    control(page, "modes").select_option(label="endpoints")
    lines = [t["name"] for t in drawn(page, "message_rate") if t["showlegend"]]
    assert lines == ["sync = loosely_synchronous", "sync = asynchronous"]


def test_latencies_have_their_percentiles_below(page: Page) -> None:
    note = figure(page, "latency").locator(".note table")
    heading, *rows = note.locator("tr").all_inner_texts()
    assert heading.split() == ["p50", "p90", "p99", "counted"]
    assert [row.split()[0] for row in rows] == ["full", "endpoints"]


@pytest.mark.verify
def test_latencies_are_of_the_time_that_is_chosen(opened: Opened) -> None:
    page = opened()
    note = figure(page, "latency").locator(".note table")
    before = note.inner_text()
    control(page, "variable").select_option(label="message latency")
    settle(page)
    assert note.inner_text() != before


@pytest.mark.verify
def test_legends_hide_lines_with_the_keyboard(opened: Opened) -> None:
    page = opened()
    control(page, "against").select_option(label="compute period")
    settle(page)
    button = figure(page, "theta_r").locator(".legend button").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert [t["visible"] for t in drawn(page, "theta_r")].count(False) >= 1
    page.keyboard.press("Enter")
    assert all(t["visible"] for t in drawn(page, "theta_r"))


@pytest.mark.verify
def test_points_are_sorted_and_filtered(opened: Opened) -> None:
    page = opened()
    table = page.locator(".table", has=page.locator("input[type=search]"))
    rows = table.locator("tbody tr")
    assert rows.count() == 15
    heading = table.locator("thead button", has_text="compute period")
    heading.click()
    values = [float(text.split()[0]) for text in rows.locator("td:nth-child(2)").all_inner_texts()]
    assert values == sorted(values)
    heading.click()
    values = [float(text.split()[0]) for text in rows.locator("td:nth-child(2)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    search = table.locator("input[type=search]")
    texts = rows.all_inner_texts()
    matching = [text for text in texts if "80" in text and "loosely" in text]
    search.fill("80 LOOSELY")
    assert table.locator("tbody tr:visible").all_inner_texts() == matching
    assert table.locator("output").inner_text() == f"rows: {len(matching)} of 15"
    search.fill("deadlock")
    [failed] = table.locator("tbody tr:visible").all_inner_texts()
    assert "nothing moves: </script><img src=x onerror=alert(1)><b>&" in failed


def test_text_of_others_stays_text(page: Page) -> None:
    assert page.locator("img").count() == 0
    assert page.locator("main b").count() == 0


@pytest.mark.verify
def test_figures_are_saved_as_pictures(opened: Opened) -> None:
    page = opened(scheme="dark")
    control(page, "against").select_option(label="compute period")
    settle(page)
    picture = downloaded(page, "load_of_nodes", "png")
    assert content(picture).startswith(b"\x89PNG")
    assert len(content(picture)) > 5000
    assert picture.suggested_filename.startswith("load_of_nodes_loosely_synchronous_5-us_1_full")
    vector = content(downloaded(page, "message_rate", "svg")).decode()
    assert vector.startswith("<svg")
    assert "Message rate" in vector
    assert "against: compute period" in vector
    assert "loosely_synchronous" in vector


#: Chromium asks before a page saves more.
MOST_DOWNLOADS = 10


@pytest.mark.verify
def test_figures_are_saved_as_numbers(opened: Opened) -> None:
    for number, name in enumerate(FIGURES):
        if number % MOST_DOWNLOADS == 0:
            page = opened()
        file = downloaded(page, name, "csv")
        rows = list(csv.DictReader(io.StringIO(content(file).decode(), newline="")))
        assert file.suggested_filename.endswith(".csv")
        assert len(rows) > 1
        assert None not in rows[0]


def test_the_csv_of_a_map_has_the_numbers_of_its_point(page: Page, store: PointStore) -> None:
    text = content(downloaded(page, "load_of_nodes", "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    where = {SYNC: "loosely_synchronous", PERIOD: 5.0, "run.seed": 1}
    identity = runs_of(store).filter(**where)["identity"].unique()
    nodes = nested_of(store, "nodes", identity).filter(mode="full").sort("node")
    found = [float(row["messages_per_ms"]) for row in rows]
    np.testing.assert_allclose(found, nodes["messages_per_ms"], rtol=1e-3)
    assert {row["compute_period"] for row in rows} == {"5 µs"}
    assert [row["node"] for row in rows] == [str(i) for i in range(9)]


def ink(page: Page) -> str:
    """Return the colour of a label, when its figure has been drawn."""
    settle(page)
    label = figure(page, "theta_r").locator(".xtick text").first
    return str(label.evaluate("text => getComputedStyle(text).fill"))


def paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


#: Whether a page has these colours of text and paper; figures are drawn anew a while later.
LOOKS = """([ink, paper]) => {
    const label = document.querySelector('#figure-theta_r .xtick text');
    const found = getComputedStyle(document.body).backgroundColor;
    return label !== null && getComputedStyle(label).fill === ink && found === paper;
}"""


def wait_for_looks(page: Page, ink: str, paper: str) -> None:
    """Wait until a page has these colours: its policy forbids Playwright's `wait_for_function`."""
    for _ in range(3000):
        if page.evaluate(LOOKS, [ink, paper]):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"never had ink {ink} on paper {paper}")


@pytest.mark.verify
def test_dark_follows_the_system_and_the_switch(opened: Opened, page: Page) -> None:
    light, dark = page, opened("dark")
    inks, papers = (ink(light), ink(dark)), (paper(light), paper(dark))
    assert inks[0] != inks[1]
    assert papers[0] != papers[1]
    dark.locator("#theme").click()
    wait_for_looks(dark, inks[0], papers[0])
    for scheme, number in (("light", 0), ("dark", 1)):
        dark.emulate_media(color_scheme=scheme)
        wait_for_looks(dark, inks[number], papers[number])


@pytest.mark.verify
def test_print_is_light_whole_and_without_controls(opened: Opened, page: Page) -> None:
    light = ink(page), paper(page)
    page = opened("dark")
    dark = ink(page), paper(page)
    page.emulate_media(media="print")
    wait_for_looks(page, *light)
    assert page.locator(".controls:visible, .exports:visible, nav:visible").count() == 0
    assert (
        "compute period: 5 µs" in figure(page, "load_of_nodes").locator(".selection").inner_text()
    )
    assert page.locator("details:not([open])").count() == 0
    page.emulate_media(media="screen")
    wait_for_looks(page, *dark)
    assert dark[0] != light[0]
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.verify
def test_a_narrow_screen_does_not_scroll_sideways(opened: Opened) -> None:
    page = opened(width=380)
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    box = figure(page, "load_of_channels").locator(".plot svg.main-svg").first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 380


def test_controls_have_labels(page: Page) -> None:
    bare = "all => all.filter(c => c.labels.length === 0).length"
    assert page.locator("select, input").evaluate_all(bare) == 0
    assert page.locator("button").evaluate_all("all => all.filter(b => !b.textContent).length") == 0
