"""The page of a report, without a browser: what is in it, and that text stays text."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from numpy.typing import NDArray

import tailback as tb
from benches.stores import MODES, SMALL, Tables, synthetic_runs
from tailback import engine
from tailback.analysis import merged
from tailback.errors import UserError
from tailback.figures.curves import Axis, Line, curves
from tailback.figures.description import Bars, HeatMap, Panel
from tailback.figures.drawing import Cells, Choice, Drawing, View
from tailback.importing.toml import to_toml
from tailback.report import across
from tailback.report.encoding import Encoder
from tailback.report.loads import Loads
from tailback.report.of_store import page_of, write_report
from tailback.report.page import Cell, Figure, Page, Section, Table, html, write
from tailback.report.series import Series
from tailback.report.variation import PointChoices, Variation
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.tables.frames import dictionaries
from tests.machines import t9000, t9000_tables
from tests.stores import nested_of, runs_of, small_store

PERIOD = "workload.compute_period_us"
SYNC = "workload.sync"
HOSTILE = "</script><img src=x onerror=alert(1)>&\"'`<b>`"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Two kinds of waiting, three periods, two seeds, one of 13 points failed."""
    axes = {SYNC: ["loosely_synchronous", "asynchronous"], "workload.compute_period": PERIODS}
    store = small_store(tmp_path_factory.mktemp("store"), axes, seeds=[1, 2])
    labels = {SYNC: HOSTILE, PERIOD: 1.0, "run.seed": 1}
    store.save_failure(Failure("f" * 64, "deadlock", f"nothing moves: {HOSTILE}", labels))
    return store


PERIODS = ["20 us", "5 us", "80 us"]


@pytest.fixture(scope="module")
def page(store: PointStore) -> Page:
    return page_of(store)


def inflated(text: str) -> bytes:
    return gzip.decompress(base64.b64decode(text))


def numbers(chunk: str) -> NDArray[np.float32]:
    """Return a chunk as the page's script reads it."""
    planes = np.frombuffer(inflated(chunk), np.uint8).reshape(4, -1)
    return planes.T.copy().view("<f4").ravel()


def figures(section: Section) -> dict[str, Figure]:
    return {part.name: part for part in section.content if isinstance(part, Figure)}


def plot(*values: float) -> Drawing:
    return curves([Line("a", [*range(len(values))], list(values))], Axis("x"), Axis("y"))


class TestEncoding:
    def test_arrays_come_back_from_their_chunks(self) -> None:
        encoder = Encoder()
        arrays = [np.linspace(0, 1, 40_000, dtype=np.float32) * i for i in range(5)]
        places = [encoder.array(array)["$array"] for array in arrays]
        chunks = [numbers(chunk) for chunk in encoder.finish()]
        assert len(chunks) == 5
        for array, (chunk, start, count) in zip(arrays, places, strict=True):
            np.testing.assert_array_equal(chunks[chunk][start : start + count], array)

    def test_an_array_used_twice_is_written_once(self) -> None:
        encoder = Encoder()
        at = np.arange(4, dtype=np.int32)
        cells = [Cells(np.full(4, float(i)), at, (2, 2)) for i in range(3)]
        maps = tuple(Panel((HeatMap(each, Axis("z"), ""),)) for each in cells)
        [data] = encoder.drawing(Drawing.of(View(maps)))["views"].values()
        places = [trace["z"]["$cells"] for trace in data["data"]]
        assert len({tuple(place[1]) for place in places}) == 1
        assert len({tuple(place[0]) for place in places}) == 3
        assert len(numbers(encoder.finish()[0])) == 4 + 3 * 4

    def test_what_views_share_is_written_once(self) -> None:
        places = ["here", "there"]
        views = {
            (i,): View((Panel((Bars("", places, [float(i), 1.0]),), Axis("x"), Axis("y")),))
            for i in range(3)
        }
        found = Encoder().drawing(Drawing(views, (Choice("a", "a", ("0", "1", "2")),)))
        assert found["by"] == ["a"]
        assert list(found["views"]) == ["0", "1", "2"]
        bars = [view["data"][0] for view in found["views"].values()]
        assert [trace["y"] for trace in bars] == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
        assert bars[0]["x"] == places
        [shared] = {trace["x"]["$shared"] for trace in bars[1:]}
        assert found["shared"][shared] == places

    def test_numbers_have_six_digits_and_nan_is_null(self) -> None:
        bars = Bars("", [0, 1, 2], [1 / 3, float("nan"), float(np.float64(2))])
        [view] = Encoder().drawing(Drawing.of(View((Panel((bars,)),))))["views"].values()
        assert view["data"][0]["y"] == [0.333333, None, 2.0]

    def test_what_json_does_not_know_is_refused(self) -> None:
        bars = Bars("", [{1}], [1.0])
        with pytest.raises(TypeError, match="set"):
            Encoder().drawing(Drawing.of(View((Panel((bars,)),))))


class TestPage:
    hostile = Page(
        HOSTILE,
        lead=(HOSTILE,),
        facts=((HOSTILE, HOSTILE),),
        terms=((HOSTILE, HOSTILE),),
        footer=HOSTILE,
        sections=(
            Section(
                HOSTILE,
                (
                    HOSTILE,
                    Figure("f", HOSTILE, plot(1, 2), HOSTILE),
                    Table((HOSTILE,), ((Cell(HOSTILE, HOSTILE, "bad", HOSTILE),),), HOSTILE, True),
                    Section(HOSTILE, (HOSTILE,)),
                ),
            ),
        ),
    )

    def test_hostile_text_stays_text(self) -> None:
        text = html(self.hostile)
        assert "<img" not in text.replace(_scripts(text), "")
        assert HOSTILE not in text
        scripts = text.count("</script>")
        assert scripts == html(Page("x", sections=(_figure_section(),))).count("</script>")

    def test_backticks_are_code(self) -> None:
        text = html(Page("x", lead=("the mode `full` <b>",)))
        assert "the mode <code>full</code> &lt;b&gt;" in text

    def test_the_same_page_is_the_same_bytes(self, store: PointStore) -> None:
        assert html(page_of(store)) == html(page_of(store))

    def test_it_needs_no_other_file_and_is_small(self, page: Page) -> None:
        text = html(page)
        assert len(text.encode()) < 6e6
        outside = re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)
        assert re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*\"", outside) == []
        assert "url(" not in re.findall(r"<style>(.*?)</style>", text, re.DOTALL)[0]
        assert "default-src 'none'" in text

    def test_verdicts_have_a_sign_beside_their_colour(self) -> None:
        cells = (Cell("agrees", mark="good"), Cell("differs", mark="bad"), Cell("-", mark="open"))
        text = html(Page("x", sections=(Section("s", (Table(("a", "b", "c"), (cells,)),)),)))
        for sign, mark in (("✓", "good"), ("✗", "bad"), ("?", "open")):
            assert re.search(
                rf'class="mark {mark}"><span aria-hidden="true">{re.escape(sign)}', text
            )

    def test_numbers_in_tables_are_short_and_sorted_by_their_value(self) -> None:
        row = (1234.5678, 0.000123456, 1_000_000, None, "text")
        text = html(Page("x", sections=(Section("s", (Table(tuple("abcde"), (row,)),)),)))
        cells = re.findall(r"<td([^>]*)>([^<]*)</td>", text)
        shown = [unescape(content) for _, content in cells]
        assert shown == ["1,235", "0.0001235", "1,000,000", "-", "text"]
        assert 'data-order="1234.5678"' in cells[0][0]

    def test_a_page_that_cannot_be_written_is_one_line(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=r"cannot be written: no such file"):
            write(Page("x"), tmp_path / "missing" / "page.html")


def _figure_section() -> Section:
    return Section("s", (Figure("f", "t", plot(1, 2)),))


def _scripts(text: str) -> str:
    """Return plotly's script, which has tags in its strings."""
    return max(re.findall(r"<script>(.*?)</script>", text, re.DOTALL), key=len)


class TestVariation:
    @pytest.fixture
    def variation(self) -> Variation:
        axes = {SYNC: ["b", "a"], PERIOD: [5.0, 1.0, 20.0]}
        return Variation.of(synthetic_runs(axes, seeds=2).to_arrow(), [])

    def test_only_what_differs_is_told(self, variation: Variation) -> None:
        assert sorted(variation.columns) == [PERIOD, SYNC]
        assert "run.precision" in variation.common()
        assert PERIOD not in variation.common()

    def test_numbers_rise_and_words_stay_in_their_order(self, variation: Variation) -> None:
        assert variation.values(PERIOD) == [1.0, 5.0, 20.0]
        assert variation.values(SYNC) == ["b", "a"]

    def test_sweeps_give_the_order_of_parameters_and_points(self) -> None:
        axes = {SYNC: ["b", "a"], PERIOD: [5.0, 1.0]}
        runs = synthetic_runs(axes)
        points = runs.unique("identity", maintain_order=True).select("identity", PERIOD, SYNC)
        asked = {
            "columns": [PERIOD, SYNC],
            "points": pa.Table.from_pylist(points.reverse().to_dicts()),
        }
        variation = Variation.of(runs.to_arrow(), [asked])
        assert variation.columns == [PERIOD, SYNC]
        assert variation.values(SYNC) == ["a", "b"]

    def test_what_follows_from_others_is_left_out(self) -> None:
        runs = synthetic_runs({PERIOD: [5.0, 1.0, 20.0]})
        derived = (runs[PERIOD] * 2).alias("run.sample_interval_us")
        variation = Variation.of(runs.with_columns(derived).to_arrow(), [])
        assert len(variation.columns) == 1
        none = pa.table({"identity": pa.array([], pa.string())})
        asked = Variation.of(
            runs.with_columns(derived).to_arrow(), [{"columns": [PERIOD], "points": none}]
        )
        assert asked.columns == [PERIOD]

    def test_every_point_has_a_key_of_its_own(self, variation: Variation) -> None:
        choices = PointChoices(variation)
        assert len(set(choices.keys.values())) == len(choices.keys) == 12
        assert choices.columns[-1] == "run.seed"
        start = tuple(choice.start for choice in choices.choices)
        assert start in choices.keys.values()


class TestSeries:
    @staticmethod
    def series(unsettled: float = 0.0, **more: Any) -> Series:
        axes = {SYNC: ["a", "b"], PERIOD: [1.0, 5.0, 20.0], **more}
        runs = synthetic_runs(axes, seeds=3, unsettled=unsettled)
        table = runs.to_arrow()
        known = [metric for metric in across.METRICS if metric in runs.columns]
        return Series(Variation.of(table, []), merged(table, values=known), table)

    def test_numbers_come_first_and_loads_last(self) -> None:
        labels = [abscissa.label for abscissa in self.series().abscissas]
        assert labels[:2] == ["compute period", "sync"]
        assert [label.startswith("load") for label in labels] == [False, False, True, True]

    def test_lines_hold_merged_values_in_order(self) -> None:
        series = self.series()
        abscissa = series.abscissas[0]
        [combinations] = series.groups(abscissa).values()
        lines = list(series.lines("theta_r", abscissa, combinations, ["full"]))
        assert [line.name for line in lines] == ["sync = a", "sync = b"]
        for line in lines:
            assert line.x == [1.0, 5.0, 20.0]
            rows = (
                pl.DataFrame(series.merged)
                .filter(mode="full", **{SYNC: line.name[-1]})
                .sort(PERIOD)
            )
            assert line.y == rows["theta_r"].to_list()
            assert line.low == rows["theta_r_low"].to_list()
            assert set(line.remarks or ()) == {"3 seeds"}

    def test_a_load_is_that_of_the_full_mode_at_the_same_point(self) -> None:
        series = self.series()
        load = next(a for a in series.abscissas if a.column == "internal_utilisation")
        [combinations] = series.groups(load).values()
        endpoints = list(series.lines("lifetime_us", load, combinations, ["endpoints"]))
        full = pl.DataFrame(series.merged).filter(mode="full", **{SYNC: "a"}).sort(PERIOD)
        assert endpoints[0].x == full["internal_utilisation"].to_list()

    def test_means_of_runs_that_may_drift_are_hollow(self) -> None:
        series = self.series(unsettled=0.4)
        abscissa = series.abscissas[0]
        [combinations] = series.groups(abscissa).values()
        drawn = 0
        for line in series.lines("lifetime_us", abscissa, combinations, ["full"]):
            rows = pl.DataFrame(series.merged).filter(mode="full", **{SYNC: line.name[-1]})
            assert line.y == rows.sort(PERIOD)["lifetime_us"].to_list()
            assert line.hollow == (rows.sort(PERIOD)["unsettled"] > 0).to_list()
            drawn += sum(line.hollow or ())
        assert drawn > 0

    def test_of_many_combinations_the_last_parameters_are_held_fixed(self) -> None:
        series = self.series(**{"workload.messages": list(range(1, 8))})
        abscissa = next(a for a in series.abscissas if a.column == PERIOD)
        groups = series.groups(abscissa)
        assert len(groups) * len(next(iter(groups.values()))) == 14
        assert max(len(group) for group in groups.values()) <= 8
        assert all("=" in held for held in groups)


class TestReport:
    def test_it_tells_what_was_run(self, page: Page) -> None:
        facts = dict(page.facts)
        assert (facts["points"], facts["runs"]) == ("12", "24")
        assert (facts["failed points"], facts["seeds"]) == ("1", "2")
        assert facts["Tailback"].startswith(tb.__version__)

    def test_every_figure_is_there(self, page: Page) -> None:
        sections = {section.title: section for section in page.sections}
        assert list(figures(sections["Across the sweep"])) == [
            "message_latency",
            "accepted_load",
            "theta_r",
            "theta_t",
            "message_rate",
            "lifetime",
            "starting_points",
            "waiting",
        ]
        names = ["load_of_nodes", "load_of_channels", "latency"]
        assert list(figures(sections["One point"])) == names

    def test_every_point_has_maps_and_distributions(self, page: Page, store: PointStore) -> None:
        section = next(s for s in page.sections if s.title == "One point")
        drawing = figures(section)["load_of_nodes"].drawing
        assert len(drawing.views) == 12 * 2 * 4
        latency = figures(section)["latency"].drawing
        assert len({key[:3] for key in latency.views}) == 12

    def test_a_map_is_that_of_its_point(self, page: Page, store: PointStore) -> None:
        section = next(s for s in page.sections if s.title == "One point")
        drawing = figures(section)["load_of_nodes"].drawing
        chosen = {SYNC: "asynchronous", PERIOD: "5 µs", "run.seed": "2"}
        parts = drawing.chosen(**chosen, mode="endpoints", measure="processor utilisation")
        runs = runs_of(store)
        row = runs.filter(**{SYNC: "asynchronous", PERIOD: 5.0, "run.seed": 2}, mode="endpoints")
        nodes = nested_of(store, "nodes", row["identity"]).filter(mode="endpoints").sort("node")
        drawn = parts["data"][0]["z"].matrix().ravel()
        np.testing.assert_allclose(drawn, nodes["cpu_utilisation"], rtol=2**-11)

    def test_all_points_and_failures_are_listed(self, page: Page) -> None:
        section = next(s for s in page.sections if s.title == "All points")
        table = next(part for part in section.content if isinstance(part, Table))
        assert len(table.rows) == 13
        failed = table.rows[-1][-1]
        assert isinstance(failed, Cell)
        assert (failed.text, failed.mark) == ("deadlock", "bad")
        assert HOSTILE in failed.hint

    def test_every_parameter_is_told(self, page: Page, store: PointStore) -> None:
        section = next(s for s in page.sections if s.title == "What was run")
        varied, common = (part for part in section.content if isinstance(part, Table))
        told = {str(row[1]).strip("`") for row in varied.rows}
        told |= {str(row[0]).strip("`") for row in common.rows}
        columns = store.runs().column_names
        known = {c for c in columns if c.split(".")[0] in ("machine", "workload", "run")}
        assert known - told == {"run.seed"}

    def test_too_many_points_are_thinned_and_it_is_said(
        self, store: PointStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tailback.report.loads.MOST_NUMBERS", 20_000)
        runs = store.runs()
        choices = PointChoices(Variation.of(runs, store.sweeps()))
        loads = Loads(store, choices, ["full", "endpoints"], dictionaries(runs))
        loads.read(list(choices.keys))
        section = loads.section({})
        assert 0 < loads.left_out < 12
        assert str(loads.left_out) in str(section.content[0])
        assert len({key[:-1] for key in loads.nodes.values}) == 12 - loads.left_out

    def test_of_very_many_points_some_are_shown_and_all_are_counted(
        self, store: PointStore, page: Page, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tailback.report.shown.ALL", 11)
        monkeypatch.setattr("tailback.report.shown.MOST", 4)
        some = page_of(store)
        assert some.facts == page.facts
        assert some.lead[:-1] == page.lead
        assert "3 of 12 points, with 3 of 6 combinations" in some.lead[-1]
        [table] = [part for part in some.sections[-2].content if isinstance(part, Table)]
        assert len(table.rows) == 4  # and that which failed
        [lines] = [s for s in some.sections if s.title == "Across the sweep"]
        assert "2 seeds" in str(figures(lines)["theta_r"].drawing.chosen())

    def test_a_report_is_written_into_its_folder_or_elsewhere(
        self, store: PointStore, tmp_path: Path
    ) -> None:
        assert write_report(store.folder) == store.folder / "report.html"
        other = tmp_path / "other.html"
        assert write_report(store.folder, other) == other
        assert other.read_bytes() == (store.folder / "report.html").read_bytes()

    def test_a_folder_without_results_is_one_line(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="holds no results"):
            write_report(tmp_path)

    def test_machines_without_coordinates_are_drawn(self, tmp_path: Path) -> None:
        star = {"machine": t9000_tables("star", nodes=4)}
        workload = {"workload": {"radius": "all", "compute_period": "20 us"}}
        base: Tables = {**star, **workload, "run": {"duration": "200 us"}}
        store = small_store(tmp_path, {}, base=base)
        section = page_of(store).sections[0]
        parts = figures(section)["load_of_nodes"].drawing.chosen()
        assert len(parts["data"][0]["y"]) == 4

    def test_one_point_has_no_section_across(self, tmp_path: Path) -> None:
        store = small_store(tmp_path, {"workload.compute_period": ["20 us"]}, modes=["full"])
        titles = [section.title for section in page_of(store).sections]
        assert titles == ["One point", "All points", "What was run"]


class TestNotebook:
    @pytest.fixture
    def cost(self) -> tb.Cost:
        workload = tb.Synthetic(radius=2, compute_period="3 us")
        return tb.cost(t9000(dims=(3, 3)), workload, duration="300 us")

    def test_a_comparison_shows_its_key_numbers(self, cost: tb.Cost) -> None:
        text = cost._repr_html_()
        words = ("full", "endpoints", "free", "theta_r =", "theta_t =", "theta_r_endpoints =")
        assert all(word in text for word in words)
        assert "<script" not in text
        # The picture is an image of its own.
        assert len(text.partition("<img")[0]) < 4000

    def test_a_result_warns_where_it_has_to(self, cost: tb.Cost) -> None:
        text = cost.modes["full"]._repr_html_()
        assert ("NOT SETTLED" in text) == (not cost.modes["full"].ending.settled)


def test_the_example_in_the_document_makes_a_page(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (repository / "docs" / "report.md").read_text()
    [example] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "report.md", "exec"), {})
    assert "✓" in (tmp_path / "study.html").read_text()


def test_points_say_how_their_page_of_look_is_made(tmp_path: Path) -> None:
    axes = {
        "workload.compute_period": ["5 us", "20 us"],
        "machine.topology.dims": [[2, 2], [3, 2]],
        "workload.sync": ["asynchronous"],
    }
    (tmp_path / "sweep").mkdir()
    store = small_store(tmp_path / "sweep", axes, seeds=[1, 7])
    [section] = [one for one in page_of(store).sections if one.title == "All points"]
    text, points = section.content[1], section.content[2]
    assert str(text).startswith("`tailback look FILE` with the options of a point")
    assert isinstance(points, Table)
    assert points.columns[-2] == "options of its page"
    asked = [shlex.split(str(row[-2]).strip("`")) for row in points.rows]
    rows = dictionaries(store.runs().filter(pc.field("mode") == "full"))
    found = []
    for *words, option, seed in asked:
        assert option == "--seed"
        (tmp_path / "small.toml").write_text(to_toml(SMALL))
        changes = [*words[1::2], f"run.seed={seed}"]
        experiment = tb.Experiment.load(tmp_path / "small.toml", changes)
        found.append(experiment.identity(engine.RESULTS_VERSION, MODES))
    assert sorted(found) == sorted(row["identity"] for row in rows)


def test_the_data_of_a_page_is_json_in_base64(page: Page) -> None:
    text = html(page)
    found = re.findall(r'<script type="text/plain" class="drawing">([^<]*)</script>', text)
    assert len(found) == 13
    for block in found:
        assert re.fullmatch(r"[A-Za-z0-9+/=]+", block)
        assert json.loads(inflated(block)).keys() == {"choices", "by", "views", "shared"}
