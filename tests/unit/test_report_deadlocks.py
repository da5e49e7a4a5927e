"""Points of sweeps that end in a deadlock: what is kept of them, and what the page shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import RunFailure, UserError
from tailback.figures.blocked import picture_of, write_standstill
from tailback.figures.canvas import svg
from tailback.figures.network_files import network_sheet
from tailback.report.of_store import page_of, write_report
from tailback.report.page import Figure, Page, Section, Table
from tailback.standstill import Standstill, circle_rows
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tests.standstill import RING
from tests.stores import swept

RING_SWEPT = """
[machine]
preset = "wormhole_mesh"
topology = {kind = "torus", dims = [4, 4]}
switch.virtual_channels = 1
routing.allow_deadlock = true
[workload]
preset = "uniform_open_loop"
message_size = "31 B"
[run]
duration = "20 us"
[sweep]
modes = ["full", "endpoints"]
workload.compute_period = ["35 ns", "30 ns", "9 us"]
"""
PROCESSES = """
[machine]
preset = "t9000_c104"
topology.dims = [2, 2]
[workload]
kind = "program"
process = [
  {node = 0, sockets = [1], steps = [{receive = 0}, {send = 1}]},
  {node = 1, sockets = [0], steps = [{receive = 0}, {send = 0}]},
]
[sweep]
machine.switch.input_buffer = ["140 B", "70 B"]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """A torus without classes for the dateline: two of three points stand still."""
    return swept(tmp_path_factory.mktemp("ring"), RING_SWEPT)


def deadlocks(page: Page) -> Section:
    [section] = [section for section in page.sections if section.title == "Deadlocks"]
    return section


def circles(store: PointStore) -> dict[str, Standstill]:
    """Return what is kept of who waits, by where the point lies."""
    return {
        str(failure.varied["workload.compute_period_us"]): failure.standstill
        for failure in store.failures()
        if failure.standstill is not None
    }


def test_what_is_kept_is_drawn_as_the_single_run_draws_it(
    store: PointStore, tmp_path: Path
) -> None:
    experiment = tb.Experiment.from_dict(RING)
    with pytest.raises(RunFailure) as caught:
        tb.run(experiment)
    write_standstill(experiment.machine, caught.value, tmp_path / "one.svg")
    kept = circles(store)["0.03"]
    seen = picture_of(kept, str(caught.value))
    assert seen is not None
    assert svg(network_sheet(seen)) == (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert kept.machine == {"topology": {"kind": "torus", "dims": [4, 4]}}
    assert len(kept.waiting) + kept.more == len(caught.value.waiting)


def test_the_page_shows_one_deadlock_that_is_chosen_in_words_too(store: PointStore) -> None:
    text, figure = deadlocks(page_of(store)).content
    assert "2 points ended in a deadlock" in str(text)
    assert isinstance(figure, Figure)
    [choice] = figure.drawing.choices
    assert choice.options == (
        "compute period = 30 ns, seed = 1",
        "compute period = 35 ns, seed = 1",
    )
    for option, of_store in zip(choice.options, ("0.03", "0.035"), strict=True):
        circle = circles(store)[of_store].circle
        note = figure.drawing.chosen(point=option)["note"]
        assert note[0][:2] == ("number", "packet")
        assert [row[1:] for row in note[1:]] == circle_rows(circle, ", ")
        texts = [trace.get("hovertext") for trace in figure.drawing.chosen(point=option)["data"]]
        assert tuple(packet["text"] for packet in circle) in [tuple(t) for t in texts if t]


def test_the_table_of_points_says_which_stand_still(store: PointStore) -> None:
    [points] = [part for part in page_of(store).sections[-2].content if isinstance(part, Table)]
    assert points.columns[0] == "compute period"
    states = [getattr(row[-1], "text", "") for row in points.rows]
    assert states[1:] == ["deadlock", "deadlock"]
    assert [getattr(row[0], "text", "") for row in points.rows] == ["9 µs", "30 ns", "35 ns"]


def test_a_network_from_a_file_is_told_only(tmp_path: Path) -> None:
    (tmp_path / "ring.edgelist").write_text("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n")
    topology = f'{{kind = "graph", file = "{tmp_path}/ring.edgelist", directed = true}}'
    text = RING_SWEPT.replace('{kind = "torus", dims = [4, 4]}', topology)
    store = swept(tmp_path / "store", text.replace('"35 ns", ', ""))
    [failure] = store.failures()
    assert str(tmp_path) not in json.dumps(failure.standstill, default=str)
    text_, table = deadlocks(page_of(store)).content
    assert "1 point (compute period = 30 ns, seed = 1) ended in a deadlock" in str(text_)
    assert isinstance(table, Table)
    assert "drawn by `tailback run`" in table.caption
    assert table.rows == tuple(circle_rows(circles(store)["0.03"].circle, ", "))


def test_points_of_which_all_stand_still_have_a_page(tmp_path: Path) -> None:
    store = swept(tmp_path, PROCESSES)
    with pytest.raises(UserError, match="holds no finished point; 2 points failed: tailback rep"):
        page_of(store)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    for words in ("2 points ended in a deadlock", "process 1 on node 1", "input buffer = 70 B"):
        assert words in page
    assert page.index("input buffer = 70 B") < page.index("input buffer = 140 B")


def test_what_is_kept_may_be_damaged(store: PointStore, tmp_path: Path) -> None:
    [path, _] = sorted((store.folder / "failures").iterdir())
    whole = json.loads(path.read_text())
    other = PointStore.create(tmp_path)
    other.save_failure(Failure("f" * 64, "deadlock", "", {}))
    [copy] = (tmp_path / "failures").iterdir()
    for name, value in (("circle", [1]), ("waiting", {}), ("more", None), ("machine", 5)):
        kept = {**whole["standstill"], name: value}
        copy.write_text(json.dumps({**whole, "standstill": kept}))
        with pytest.raises(UserError, match="is damaged"):
            other.failures()
    for wrong in (5, {}, {**whole["standstill"], "circle": [{"packet": 1}]}):
        copy.write_text(json.dumps({**whole, "standstill": wrong}))
        with pytest.raises(UserError, match="is damaged"):
            other.failures()
