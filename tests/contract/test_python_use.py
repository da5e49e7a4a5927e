"""The package as people use it: paths as text, folders of results, pictures, pandas."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.units import Rate, Size, Time

FILE = """
[machine]
preset = "t9000_c104"
topology.dims = [3, 3]
[workload]
kind = "synthetic"
radius = 2
compute_period = "5 us"
[run]
duration = "600 us"
warmup = "100 us"
"""
SWEEP = (
    FILE
    + """
title = "Three loads"
[sweep]
workload.compute_period = ["2 us", "8 us", "40 us"]
"""
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "mesh.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tb.PointStore:
    folder = tmp_path_factory.mktemp("results")
    (folder / "sweep.toml").write_text(SWEEP)
    from tailback.execution import LocalPool

    with LocalPool(1) as pool:
        return tb.sweep(str(folder / "sweep.toml"), str(folder / "store"), pool=pool)


class TestWhat:
    """What `run`, `cost`, `describe` and `blame` take."""

    def test_a_topology_alone_is_a_machine(self) -> None:
        mesh, workload = tb.Mesh(dims=(2, 2)), tb.Synthetic()
        results = [
            tb.run(what, workload, duration="2 us") for what in (mesh, tb.Machine(topology=mesh))
        ]
        assert results[0].to_dict() == results[1].to_dict()

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ((tb.Machine(),), "workload: must be given with a machine"),
            ((tb.Machine(), tb.Mesh()), 'workload = "Mesh": must be given with a machine'),
            ((tb.Synthetic(),), 'what = "Synthetic": must be an experiment'),
            ((None,), 'what = "NoneType": must be an experiment'),
        ],
    )
    def test_others_are_refused_in_one_line(self, arguments: Any, expected: str) -> None:
        with pytest.raises(UserError) as refused:
            tb.run(*arguments)
        assert str(refused.value).startswith(expected)


class TestBlame:
    def test_takes_what_the_others_take(self, file: Path) -> None:
        for what in (file, str(file), tb.load(str(file))):
            found = tb.blame(what, seed=3)
            assert found.result.seed == 3
            assert found.kinds()
        assert {"culprit", "victim", "channel", "us_per_message", "share"} == set(
            found.culprits(2)[0]
        )
        assert len(found.roots(4)) == 4
        assert "a message is late by" in repr(found)

    def test_parts_and_a_page(self, tmp_path: Path) -> None:
        workload = tb.Synthetic(radius=2, compute_period="5 us")
        found = tb.blame(
            tb.Machine(topology=tb.Mesh(dims=(3, 3)), interface=tb.Interface(window=1)),
            workload,
            duration="300 us",
        )
        page = found.write_page(str(tmp_path / "waits.html"))
        assert "Who makes whom late" in page.read_text()
        assert "blame" in found.to_dict()

    def test_stays_a_function_whatever_is_imported_first(self) -> None:
        import tailback.analysis.blaming
        import tailback.charging
        import tailback.plots  # noqa: F401

        assert callable(tb.blame)
        assert callable(tb.plot)


@pytest.mark.verify
class TestResults:
    def test_a_folder_may_be_text_a_path_or_the_store(
        self, results: tb.PointStore, tmp_path: Path
    ) -> None:
        for what in (results, results.folder, str(results.folder)):
            assert len(tb.table(what)) == 6
            assert tb.plot(what).picture.lines
            assert tb.write_report(what, str(tmp_path / "page.html")).is_file()

    def test_the_title_is_that_of_the_file(self, results: tb.PointStore, tmp_path: Path) -> None:
        assert tb.plot(results).title.endswith(": Three loads")
        page = tb.write_report(results, tmp_path / "page.html")
        assert "<title>Three loads</title>" in page.read_text()
        page = tb.write_report(results, tmp_path / "page.html", title="Another")
        assert "<title>Another</title>" in page.read_text()
        page = tb.write_report(results, tmp_path / "page.html", title=" ")
        assert "<title>Three loads</title>" in page.read_text()

    def test_a_picture_is_shown_and_saved(self, results: tb.PointStore, tmp_path: Path) -> None:
        made = tb.plot(results, y="lifetime", out=tmp_path / "lifetime.svg")
        assert made._repr_svg_() == (tmp_path / "lifetime.svg").read_text()

    def test_a_file_is_no_folder_of_results(self, file: Path) -> None:
        with pytest.raises(tb.UserError, match="a folder of results is needed"):
            tb.plot(file)

    @pytest.mark.parametrize("title", ["", "  "])
    def test_a_title_is_not_empty(self, file: Path, title: str) -> None:
        with pytest.raises(tb.UserError, match=r"run\.title = .*must not be (empty|blank)"):
            tb.load(file, [f'run.title="{title}"'])


class TestPlotly:
    def test_without_it_pages_are_drawn_and_one_line_names_the_extra(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "plotly", None)
        prediction = tb.describe(MESH, tb.Synthetic(radius=1, compute_period="1 us"))
        prediction.write_plot(tmp_path / "net.html")
        assert "Plotly.newPlot" in (tmp_path / "net.html").read_text(encoding="utf-8")
        with pytest.raises(tb.UserError, match=r'pip install "tailback-sim\[notebook\]"'):
            prediction.plot()


class TestPandas:
    def test_without_it_one_line_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(tb.UserError, match=r'pip install "tailback-sim\[pandas\]"'):
            tb.to_pandas(None)

    @pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is an extra")
    def test_whole_numbers_and_words_stay_what_they_are(self) -> None:
        machine, workload = (
            tb.Machine(topology=tb.Mesh(dims=(2, 2)), interface=tb.Interface(window=1)),
            tb.Synthetic(compute_period="5 us"),
        )
        result = tb.run(machine, workload, duration="300 us", packets=True)
        frame = tb.to_pandas(result.packets)
        assert list(frame.columns) == result.packets.column_names
        assert frame["class"].iloc[0] in ("data", "ack")
        assert frame["class"].dtype != "category"
        exact = result.packets["queued_ps"].to_pylist()
        assert frame["queued_ps"].tolist() == exact
        first = result.packets["first_internal_ps"].to_pylist()
        known = frame["first_internal_ps"].dropna()
        assert known.tolist() == [time for time in first if time is not None]
        assert str(known.dtype) in ("UInt64", "uint64")


MESH = tb.Machine(topology=tb.Mesh(dims=(2, 2)))


def synthetic(**keys: Any) -> Any:
    return tb.run(MESH, tb.Synthetic(**{"radius": 1, "compute_period": "1 us"} | keys))


def listed(**keys: Any) -> Any:
    row = {"time": "0 s", "source": 0, "destination": 1, "bytes": Size(1)}
    return tb.run(MESH, tb.Messages(messages=[row | keys]))


def said(operation: Callable[[tb.Node], Any]) -> Any:
    async def program(node: tb.Node) -> None:
        operation(node)

    return tb.run(MESH, tb.PythonProgram(function=program))


HUGE = 2**60

#: Numbers beyond 32 or 64 bits, and the key that the mistake names.
BEYOND: dict[str, tuple[str, Callable[[], Any]]] = {
    "a size": ("workload.message_size", lambda: synthetic(message_size=Size(HUGE))),
    "a time": ("workload.compute_period", lambda: synthetic(compute_period=Time(2**70))),
    "a count": ("workload.messages", lambda: synthetic(messages=HUGE)),
    "a radius": ("workload.radius", lambda: synthetic(radius=HUGE)),
    "processes": ("workload.processes_per_node", lambda: synthetic(processes_per_node=2**70)),
    "dims": ("machine.topology.dims[0]", lambda: tb.Machine(topology=tb.Mesh(dims=(HUGE, 4)))),
    "width": ("machine.link.width", lambda: tb.Link(width=HUGE)),
    "a rate": ("machine.link.rate", lambda: tb.Link(rate=Rate(2**70))),
    "packets": ("machine.interface.packet_size", lambda: tb.Interface(packet_size=Size(HUGE))),
    "a window": ("machine.interface.window", lambda: tb.Interface(window=HUGE)),
    "bytes of a row": ("workload.messages[0].bytes", lambda: listed(bytes=Size(HUGE))),
    "source of a row": ("workload.messages[0].source", lambda: listed(source=HUGE)),
    "time of a row": ("workload.messages[0].time", lambda: listed(time=Time(2**70))),
    "send": ("send.size", lambda: said(lambda node: node.send(1, Size(HUGE)))),
    "send to": ("send.to", lambda: said(lambda node: node.send(2**70))),
    "type": ("send.type", lambda: said(lambda node: node.send(1, type=HUGE))),
    "broadcast": ("broadcast.size", lambda: said(lambda node: node.broadcast(Size(-1)))),
    "compute": ("compute", lambda: said(lambda node: node.compute(Time(2**70)))),
    "seed": ("run.seed", lambda: tb.Run(seed=2**70)),
}


@pytest.mark.parametrize("what", BEYOND)
def test_numbers_too_large_are_refused_in_a_line_that_names_the_key(what: str) -> None:
    key, use = BEYOND[what]
    with pytest.raises(tb.UserError) as told:
        use()
    assert f"{key} = " in str(told.value)
    assert "\n" not in str(told.value)
