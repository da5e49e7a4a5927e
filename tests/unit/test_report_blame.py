"""The section of a report on who makes whom late: the same as `tailback blame` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tailback as tb
from benches.stores import Tables
from tailback import Experiment
from tailback.analysis.blaming import merged_blame
from tailback.report import blamed as section_of
from tailback.report.of_blame import blame_page
from tailback.report.of_store import page_of
from tailback.report.page import Cell, Figure, Page, Section, Table
from tailback.runner import run_mode
from tailback.store import rows
from tailback.store.points import PointStore
from tests.machines import t9000_tables
from tests.stores import PERIOD, runs_of, small_store

BASE: Tables = {
    "machine": t9000_tables(dims=[3, 3]),
    "workload": {"radius": "all"},
    "run": {"duration": "1 ms", "warmup": "100 us", "blame": True},
}
PERIODS = {"workload.compute_period": ["9 us", "3 us"]}
TITLE = "Who makes whom late"


def section(page: Page) -> Section:
    [found] = [section for section in page.sections if section.title == TITLE]
    return found


def figures(found: Section) -> dict[str, Figure]:
    return {part.name: part for part in found.content if isinstance(part, Figure)}


def table(found: Section) -> Table:
    [kinds] = [part for part in found.content if isinstance(part, Table)]
    return kinds


def text(content: object) -> str:
    return content.text if isinstance(content, Cell) else str(content)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    return small_store(
        tmp_path_factory.mktemp("store"), PERIODS, [3, 4], ("full", "endpoints"), BASE
    )


@pytest.fixture(scope="module")
def page(store: PointStore) -> Page:
    return page_of(store)


def test_seeds_are_taken_together(page: Page, store: PointStore) -> None:
    drawing = figures(section(page))["blame"].drawing
    assert [choice.name for choice in drawing.choices][:2] == [PERIOD, "mode"]
    chosen = drawing.chosen(**{PERIOD: "3 µs"}, mode="full")
    runs = runs_of(store).filter(**{PERIOD: 3.0}, mode="full")["identity"]
    blame = merged_blame([store.blame(identity)["full"] for identity in runs])
    cells = chosen["data"][0]["z"].matrix()
    assert cells.shape == (9, 9)
    messages = [blame.messages(victim).sum() for victim in range(9)]
    for (victim, culprit), time_ps in zip(
        *(blame.pairs.by(0, 1).keys, blame.pairs.by(0, 1).totals_ps), strict=True
    ):
        mean_us = time_ps / 1e6 / messages[victim]
        assert cells[victim, culprit] == pytest.approx(mean_us, rel=2**-10)
    assert np.isfinite(cells).sum() == len(blame.pairs.by(0, 1).keys)


def test_roots_add_up_to_all_lateness(page: Page, store: PointStore) -> None:
    drawing = figures(section(page))["roots"].drawing
    chosen = drawing.chosen(**{PERIOD: "3 µs"}, mode="full")
    runs = runs_of(store).filter(**{PERIOD: 3.0}, mode="full")["identity"]
    total = merged_blame([store.blame(identity)["full"] for identity in runs]).late(0.95)
    values = chosen["table"]["wait"]
    assert sum(values) == pytest.approx(total.value, rel=1e-3)


def test_the_largest_charges_stand_below(page: Page) -> None:
    drawings = figures(section(page))
    for name, width in (("blame", 5), ("roots", 3)):
        heading, *told = drawings[name].drawing.chosen(**{PERIOD: "3 µs"}, mode="full")["note"]
        assert len(told) == 10
        assert {len(row) for row in (heading, *told)} == {width}
    shares = [float(row[2].removesuffix(" %")) for row in told]
    assert shares == sorted(shares, reverse=True)


def test_why_messages_are_late_is_said_of_every_point(page: Page) -> None:
    kinds = table(section(page))
    assert kinds.columns[:3] == ("compute period", "mode", "late, µs per message")
    assert [[text(cell) for cell in row[:2]] for row in kinds.rows] == [
        *(["3 µs", "full"], ["3 µs", "endpoints"]),
        *(["9 µs", "full"], ["9 µs", "endpoints"]),
    ]
    assert {text(row[-1]) for row in kinds.rows} == {"2"}
    first = kinds.columns.index("late, µs per message") + 1
    for row in kinds.rows:
        shares = [cell.order for cell in row[first:-1] if isinstance(cell, Cell)]
        late = row[first - 1]
        is_late = isinstance(late, Cell) and bool(late.order)
        assert sum(float(share or 0) for share in shares) == pytest.approx(int(is_late))
        assert is_late or text(row[1]) == "endpoints"


def test_one_run_is_drawn_as_tailback_blame_does(tmp_path: Path) -> None:
    run = BASE["run"] | {"mode": "full"}
    result = run_mode(Experiment.from_dict(BASE | {"run": run}), "full")
    alone = {f.name: f for s in blame_page(result).sections for f in figures(s).values()}
    found = figures(section(page_of(small_store(tmp_path, {}, base=BASE))))
    for name, figure in found.items():
        one, other = (drawing.drawing.chosen() for drawing in (alone[name], figure))
        for one_trace, other_trace in zip(one["data"], other["data"], strict=True):
            z = [trace.pop("z").matrix() for trace in (one_trace, other_trace)]
            np.testing.assert_array_equal(*z)
        assert one["data"] == other["data"]
        assert figure.caption == alone[name].caption


def test_without_blame_there_is_no_section(tmp_path: Path) -> None:
    plain = BASE | {"run": {"duration": "1 ms", "warmup": "100 us"}}
    page = page_of(small_store(tmp_path, {}, base=plain))
    assert TITLE not in [section.title for section in page.sections]


def test_a_store_may_have_points_without(tmp_path: Path) -> None:
    axes: dict[str, list[Any]] = {**PERIODS, "run.blame": [False, True]}
    page = page_of(small_store(tmp_path, axes, base=BASE))
    drawing = figures(section(page))["blame"].drawing
    assert [choice.name for choice in drawing.choices] == [PERIOD, "mode", "measure", "scale"]
    assert len(table(section(page)).rows) == 4


def test_machines_and_classes_of_different_size(tmp_path: Path) -> None:
    axes: dict[str, list[Any]] = {
        "machine.topology.dims": [[3, 3], [2, 4]],
        "workload.classes": ["node", "process"],
    }
    workload = {"radius": "all", "compute_period": "3 us", "processes_per_node": 2}
    page = page_of(small_store(tmp_path, axes, base=BASE | {"workload": workload}))
    drawing = figures(section(page))["blame"].drawing
    chosen = drawing.chosen(
        **{"machine.topology.dims": "2 x 4", "workload.classes": "process"}, mode="full"
    )
    assert chosen["data"][0]["y"][-1] == "process 15"
    assert chosen["data"][0]["z"].matrix().shape == (16, 16)
    assert len(chosen["table"]["victim"]) == 256
    assert set(chosen["note"][1][0].split()) & {"process"}


def test_what_is_not_told_apart_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "BLAME_PAIRS", 8)
    crowded = BASE | {"workload": {"radius": "all", "compute_period": "3 us"}}
    found = section(page_of(small_store(tmp_path, {}, base=crowded)))
    heads = table(found).columns
    # All channels are: what is summed up keeps its own.
    assert heads[-2:] == ("pairs not told apart", "runs")
    assert "channels not told apart" not in heads
    assert "not told apart" in figures(found)["blame"].caption
    matrix = figures(found)["blame"].drawing.chosen(mode="full")["data"][0]["z"].matrix()
    assert np.isfinite(matrix).sum() == 8


def test_runs_that_did_not_settle_are_marked(store: PointStore) -> None:
    runs = runs_of(store)
    first = runs.filter(**{PERIOD: 3.0})["identity"][0]
    drifting = pl.col("identity") == first
    some = runs.with_columns(steady=~drifting)
    found = section_of.section(store, some.to_arrow(), store.sweeps())
    assert found is not None
    ends = [row[-1] for row in table(found).rows]
    told = [(text(end), end.mark) for end in ends if isinstance(end, Cell)]
    assert told == [("2", "open"), ("2", "open"), ("2", "good"), ("2", "good")]
    none = runs.with_columns(steady=pl.lit(value=False))
    found = section_of.section(store, none.to_arrow(), store.sweeps())
    assert found is not None
    states = [row[-1] for row in table(found).rows]
    assert {(text(s), s.mark) for s in states if isinstance(s, Cell)} == {("2", "open")}


def test_too_many_points_are_thinned_and_it_is_said(
    store: PointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(section_of, "MOST_NUMBERS", 300)
    found = section_of.section(store, store.runs(), store.sweeps())
    assert found is not None
    assert "1 points are not here" in str(found.content[0])
    # What is shown at first is there.
    assert "z" in figures(found)["blame"].drawing.chosen()["data"][0]


def test_switches_of_a_hyperx_are_where_they_lie(tmp_path: Path) -> None:
    machine = t9000_tables("hyperx", dims=[3, 2], nodes_per_switch=2)
    page = page_of(small_store(tmp_path, PERIODS, [1], ("full",), BASE | {"machine": machine}))
    _, *told = figures(section(page))["blame"].drawing.chosen(**{PERIOD: "3 µs"})["note"]
    channels = [row[2] for row in told]
    within = [name for name in channels if "node" not in name]
    assert within
    assert all(re.fullmatch(r"\([012], [01]\)->\([012], [01]\)", name) for name in within)
    [loads] = [part for part in page.sections if part.title == "One point"]
    names = str(figures(loads)["load_of_channels"].drawing.figure().to_dict())
    assert "(2, 1)" in names
    assert "switch 5" not in names


def test_many_nodes_are_taken_together_and_nothing_is_lost() -> None:
    mesh = tb.Machine(topology=tb.Mesh(dims=(6, 6)))
    traffic = tb.Synthetic(sync="asynchronous", compute_period="40 ns")
    result = tb.blame(mesh, traffic, duration="4 us", warmup="1 us").result
    blame = result.blame
    assert blame is not None
    [figure] = [
        part
        for section in blame_page(result).sections
        for part in section.content
        if isinstance(part, Figure) and part.name == "blame"
    ]
    table = figure.drawing.table
    assert set(table["victim"]) == {f"row y = {y}" for y in range(6)}
    messages = {
        f"row y = {y}": sum(blame.messages(node).sum() for node in range(6 * y, 6 * y + 6))
        for y in range(6)
    }
    means = np.nan_to_num(table["mean_lateness_per_message_of_the_victim_us"])
    total_us = sum(m * messages[v] for m, v in zip(means, table["victim"], strict=True))
    assert total_us == pytest.approx(float(blame.pairs.totals_ps.sum()) / 1e6, rel=2e-3)
