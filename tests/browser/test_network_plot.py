"""The page of `describe --plot` in a headless browser that is offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tailback as tb
from tailback.errors import RunFailure
from tailback.figures.blocked import write_standstill
from tests.browser.conftest import Reader
from tests.machines import t9000
from tests.standstill import ASKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DRAWN = "document.querySelectorAll('.scatterlayer .trace').length"
MESH = t9000(dims=[4, 4])
CAMPUS = Path(__file__).resolve().parents[2] / "examples" / "campus.graphml"


@pytest.mark.verify
@pytest.mark.parametrize(
    "machine",
    [MESH, t9000("graph", file=str(CAMPUS)), t9000("fat_tree", arity=2), t9000("star", nodes=5)],
)
def test_it_is_drawn_without_a_network(
    browser: Browser, machine: tb.Machine, tmp_path: Path
) -> None:
    workload = tb.Messages(messages=[["0 ns", 0, 1, "32 B"]])
    prediction = tb.describe(machine, workload)
    path = tmp_path / "net.html"
    prediction.write_plot(path)
    reader = Reader(browser, path)
    page = reader.open(ready=".plot-container .main-svg")
    page.wait_for_function(f"{DRAWN} >= 3")
    points = page.locator(".scatterlayer .trace .points path.point").count()
    # Middles of links, and switches and nodes.
    seen = prediction._picture()
    assert points == len(seen.edges) + len(seen.switches) + len(seen.nodes)
    reader.close()


@pytest.mark.verify
def test_pointing_at_a_link_tells_its_load(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "net.html"
    prediction = tb.describe(MESH, tb.Synthetic(radius=3))
    prediction.write_plot(path)
    reader = Reader(browser, path)
    page = reader.open(ready=".plot-container .main-svg")
    page.wait_for_function(f"{DRAWN} >= 3")
    [line] = [line for line in prediction._picture().edges if line.text == "(1, 1) to (2, 1)"]
    at = {"x": line.points[0][0] / 2 + line.points[1][0] / 2, "y": line.points[0][1]}
    place = page.evaluate(
        """({x, y}) => {
            const plot = document.querySelector('.js-plotly-plot');
            const box = plot.querySelector('.nsewdrag').getBoundingClientRect();
            const {xaxis, yaxis} = plot._fullLayout;
            return [box.left + xaxis.l2p(x), box.top + yaxis.l2p(y)];
        }""",
        at,
    )
    page.mouse.move(*place)
    page.wait_for_selector(".hoverlayer .hovertext")
    told = page.locator(".hoverlayer .hovertext").text_content()
    assert told == f"(1, 1) to (2, 1): {line.value:.4g} µs"
    reader.close()


@pytest.mark.verify
def test_packets_that_wait_for_each_other_have_numbers(browser: Browser, tmp_path: Path) -> None:
    experiment = tb.Experiment.from_dict(ASKING)
    with pytest.raises(RunFailure) as caught:
        tb.run(experiment)
    path = tmp_path / "circle.html"
    write_standstill(experiment.machine, caught.value, path)
    page = Reader(browser, path).open(ready=".plot-container .main-svg")
    page.wait_for_function(f"{DRAWN} >= 3")
    numbers = page.locator(".scatterlayer .textpoint text").all_text_contents()
    assert numbers == [str(number) for number in range(1, 9)]
