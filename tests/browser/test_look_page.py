"""The page of `tailback look` in a browser without network: what it shows equals the tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tailback import Experiment
from tailback.look import KEPT, Look, html, kept_with, look_of, run_with_flows
from tailback.progress import ignore
from tailback.results import Result
from tailback.runner import run_mode
from tests.browser.conftest import Reader
from tests.looks import BACKWARDS, HOSTILE, INCAST, channels, hostile_graph, lines_of, made_up, ran
from tests.standstill import LOSING, RING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def incast() -> Result:
    return ran(INCAST)


@pytest.fixture(scope="module")
def written(incast: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with slices that are made up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tailback.look.model.sliced", lambda result, _: made_up(result))
        page = html(look_of(incast, "tailback look incast.toml"))
    path = tmp_path_factory.mktemp("look") / "look.html"
    path.write_text(page)
    return path


@pytest.fixture
def reader(browser: Browser, written: Path) -> Iterator[Reader]:
    reader = Reader(browser, written)
    yield reader
    reader.close()


def listed(page: Page, name: str) -> list[tuple[str, int]]:
    """Return the names and times of a list in the panel."""
    rows = page.locator(f'#panel table[data-list="{name}"] tr').evaluate_all(
        "all => all.map(row => [row.cells[0].innerText.trim(), Number(row.dataset.ps)])"
    )
    return [(name, ps) for name, ps in rows]


def test_the_panel_says_what_the_tables_say(reader: Reader, incast: Result) -> None:
    blame, lines = incast.blame, lines_of(incast)
    assert blame is not None
    page = reader.open()
    roots = [
        (lines.names[c.key[0]], round(c.share * blame.late_ps)) for c in blame.by_channel(0.95)
    ]
    assert listed(page, "Where it begins") == [pytest.approx(root) for root in roots[:12]]
    page.keyboard.press("n")
    assert page.locator("#panel h2").inner_text().startswith(roots[0][0])
    culprits = dict(listed(page, "In the way here"))
    first = lines.numbers(blame.channels.keys[:, 0]) == lines.names.index(roots[0][0])
    charged = blame.channels.totals_ps[first]
    assert sum(culprits.values()) == charged.sum()
    facts = page.locator("#panel dl").inner_text()
    number = lines.names.index(roots[0][0])
    assert f"{incast.channels['packets'].to_pylist()[number]:,}" in facts


def test_the_tailback_is_told_by_depth_and_grows(reader: Reader, incast: Result) -> None:
    page, at = reader.open(), channels(incast)
    root = at["to node (5, 0)"]
    page.evaluate(f"location.hash = '#colour=wait&line={root}'")
    page.wait_for_selector(f'#panel[data-pick="line:{root}"]')

    def tree() -> dict[str, Any]:
        rows = page.locator('#panel table[data-list="Tailback"] tr').evaluate_all(
            "all => all.map(row => [row.dataset.depth, row.dataset.lines, Number(row.dataset.ps)])"
        )
        return {depth: (sorted(map(int, lines.split())), ps) for depth, lines, ps in rows}

    near = sorted([at["(4, 0)->(5, 0)"], at["(4, 0)->(3, 0)"]])
    behind = {"1": (near, 2), "2": ([at["(3, 0)->(4, 0)"]], 1)}
    assert tree() == {"0": ([root], 6), **behind}
    grown = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        grown.append(tree())
    assert [list(depths) for depths in grown] == [["0"], ["0", "1", "2"], ["0"]]
    assert page.locator("#now").inner_text().startswith("2 ns to 3 ns")
    page.keyboard.press("Escape")
    assert page.locator("#panel").get_attribute("data-pick") == ""


def test_a_branch_has_the_part_of_the_tree_behind_it(reader: Reader, incast: Result) -> None:
    page, at = reader.open(), channels(incast)
    branch = at["(4, 0)->(3, 0)"]
    page.evaluate(f"location.hash = '#line={branch}'")
    page.wait_for_selector(f'#panel[data-pick="line:{branch}"]')
    assert "a branch of that of to node (5, 0)" in page.locator("#tailback").inner_text()


def opened_page(browser: Browser, folder: Path, look: Look, address: str = "") -> Iterator[Page]:
    """Open the page of a run, and fail if something happens that should not."""
    path = folder / "page.html"
    path.write_text(html(look))
    reader = Reader(browser, path)
    page = reader.open()
    if address:
        page.evaluate(f"location.hash = '{address}'")
    yield page
    reader.close()


def test_a_run_that_is_cut_off_opens_at_its_end(browser: Browser, tmp_path: Path) -> None:
    tables = {**BACKWARDS, "run": {"max_duration": "30 us", **KEPT}}
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    for page in opened_page(browser, tmp_path, look):
        halted = look.shown["halted"]
        assert [packets for _, packets in listed(page, "Where packets wait at the end")] == (
            halted["packets"]
        )
        slices = len(look.shown["time"]["end_ps"])
        assert page.locator("#slice").input_value() == str(slices - 1)
        page.locator("#whole").click()
        assert "slice=-1" in page.url
        page.reload()
        page.wait_for_selector("html[data-ready]")
        assert page.locator("#slice").input_value() == "-1"


def test_who_waits_for_ever_is_listed_and_chosen(browser: Browser, tmp_path: Path) -> None:
    result = run_mode(Experiment.from_dict({**LOSING, "run": {**KEPT}}), "full", until_failure=True)
    for page in opened_page(browser, tmp_path, look_of(result)):
        rows = page.locator('#panel table[data-list="Who waits at the end"] tr')
        assert rows.first.inner_text().startswith("process 64 on node 64 waits for ")
        rows.first.locator("a").click()
        page.wait_for_selector('#panel[data-pick^="point:"]')
        assert page.locator("#panel h2").inner_text().startswith("node 64")


def test_ways_of_a_job_and_faults(browser: Browser, tmp_path: Path) -> None:
    program = {"kind": "messages", "messages": [["0 us", 0, 1, "1 kB"]]}
    tables: dict[str, Any] = {
        "machine": {"topology": {"kind": "mesh", "dims": [3]}},
        "job": [{"name": "far", "nodes": [0, 2], "workload": program}],
        "fault": [{"link": [0, 1], "duration": "1 us"}],
        "run": {**kept_with(faults=True)},
    }
    look = look_of(run_mode(Experiment.from_dict(tables), "full"))
    for page in opened_page(browser, tmp_path, look):
        faults = page.locator('#panel table[data-list="Faults"]').inner_text()
        assert "down from 0 µs to 1 µs" in faults
        page.evaluate("location.hash = '#class=far'")
        page.wait_for_selector('#panel[data-pick="class:0"]')
        names = [name for name, _ in listed(page, "Its ways")]
        assert sorted(names) == ["0->1", "1->2", "from node 0", "to node 2"]


def test_a_flow_is_found_and_shows_what_the_tables_say(browser: Browser, tmp_path: Path) -> None:
    experiment = Experiment.from_dict({**BACKWARDS, "run": {**KEPT}})
    look = look_of(run_with_flows(experiment, "full", ignore))
    flows, names = look.shown["flows"], look.shown["lines"]["name"]
    flow = flows["source"].index(1)
    for page in opened_page(browser, tmp_path, look):
        page.locator("#search").fill("node 1 to node 4")
        page.wait_for_selector(f'#panel[data-pick="flow:{flow}"]')
        assert f"flow={flow}" in page.url
        for title, table in (("Its packets wait for", "waits"), ("Its ways", "ways")):
            rows = zip(*(flows[table][name] for name in ("owner", "other", "ps")), strict=True)
            of = [(names[line], ps) for owner, line, ps in rows if owner == flow]
            assert listed(page, title)[: len(of)] == of
        culprits = dict(listed(page, "They wait for packets of"))
        assert sum(culprits.values()) == flows["waited_ps"][flow]
        # From a node, and from a channel, a flow is one click away.
        page.evaluate("location.hash = '#point=node 2'")
        page.locator('#panel table[data-list="Its flows"] a').first.click()
        page.wait_for_selector('#panel[data-pick^="flow:"]')
        page.evaluate("location.hash = '#line=3->4'")
        found = dict(listed(page, "Waiting here, by flow"))
        assert sum(found.values()) == look.shown["lines"]["wait_ps"][names.index("3->4")]


def test_what_is_not_known_of_flows_is_said(browser: Browser, tmp_path: Path) -> None:
    for page in opened_page(browser, tmp_path, look_of(ran(INCAST)), "#point=node (2, 0)"):
        assert "tailback look --flows" in page.locator("#panel").inner_text()


def test_clicks_keys_and_the_address(reader: Reader, incast: Result) -> None:
    page = reader.open()
    canvas = page.locator("#canvas")
    box = canvas.bounding_box()
    assert box is not None
    # A row of six switches in the middle of the map: sweep over it until something is hit.
    for share in range(5, 100, 5):
        page.mouse.click(box["x"] + box["width"] * share / 100, box["y"] + box["height"] / 2)
        if page.locator("#panel").get_attribute("data-pick"):
            break
    assert page.locator("#panel").get_attribute("data-pick")
    page.keyboard.press("3")
    assert "colour=queue" in page.url
    assert page.locator('#modes input[value="queue"]').is_checked()
    page.keyboard.press("/")
    page.keyboard.type("to node (5, 0)")
    page.keyboard.press("Enter")
    number = lines_of(incast).names.index("to node (5, 0)")
    assert page.locator("#panel").get_attribute("data-pick") == f"line:{number}"
    assert f"line={number}" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    again = reader.open("dark", width=390)
    width = again.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def test_play_goes_through_the_slices(reader: Reader) -> None:
    page = reader.open()
    page.locator("#play").click()
    page.wait_for_selector('#slice[aria-valuetext^="2 ns to 3 ns"]')
    page.wait_for_selector('#play:text-is("Play")')
    page.locator("#whole").click()
    assert page.locator("#now").inner_text().startswith("all that was measured")


def test_a_deadlock_is_listed_and_ringed(browser: Browser, tmp_path: Path) -> None:
    tables = {**RING, "run": {**RING["run"], "blame": True, "packet_waits": True, "slices": 200}}
    stuck = run_mode(Experiment.from_dict(tables), "full", until_failure=True)
    assert stuck.failure is not None
    path = tmp_path / "look.html"
    path.write_text(html(look_of(stuck)))
    reader = Reader(browser, path)
    page = reader.open()
    rows = page.locator('#panel table[data-list="Deadlock"] tr')
    assert rows.count() == len(stuck.failure.circle)
    first = stuck.failure.circle[0]
    assert rows.first.inner_text().startswith(f"1 packet {first['packet']} from {first['from']}")
    rows.first.locator("a").click()
    page.wait_for_selector('#panel[data-pick^="line:"]')
    number = rows.page.locator("#panel").get_attribute("data-pick")
    assert number == f"line:{look_of(stuck).shown['deadlock']['waits'][0]}"
    reader.close()


def test_it_prints_on_one_page(reader: Reader) -> None:
    page = reader.open()
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") == 1


def test_names_are_text(browser: Browser, tmp_path: Path) -> None:
    topology = {"kind": "graph", "file": str(hostile_graph(tmp_path)), "nodes_per_switch": 2}
    tables = {**INCAST, "machine": {"topology": topology}}
    result = ran({**tables, "workload": {"kind": "fan_in", "message_size": "1 kB"}})
    path = tmp_path / "look.html"
    path.write_text(html(look_of(result, HOSTILE)))
    reader = Reader(browser, path)
    page = reader.open()
    page.keyboard.press("n")
    assert page.locator("img").count() == 0
    page.evaluate("location.hash = '#point=0'")
    page.wait_for_selector('#panel[data-pick="point:0"]')
    assert HOSTILE in page.locator("#panel h2").inner_text()
    assert page.locator("img").count() == 0
    reader.close()


def test_the_whole_of_every_arc_is_on_the_screen(browser: Browser, tmp_path: Path) -> None:
    torus = {
        "machine": {"topology": {"kind": "torus", "dims": [8, 8]}},
        "workload": {"kind": "messages", "messages": [["0 ns", 0, 63, "1 kB"]]},
        "run": {"blame": True, "packet_waits": True},
    }
    path = tmp_path / "look.html"
    path.write_text(html(look_of(ran(torus), "tailback look torus.toml")))
    reader = Reader(browser, path)
    page = reader.open()
    # Nothing is drawn at the upper edge of the map.
    colours = page.evaluate(
        """() => {
          const canvas = document.querySelector("#canvas");
          const row = canvas.getContext("2d").getImageData(0, 0, canvas.width, 1).data;
          const at = (place) => row.slice(4 * place, 4 * place + 4).join();
          return new Set(Array.from({ length: canvas.width }, (_, place) => at(place))).size;
        }"""
    )
    assert colours == 1
    reader.close()
