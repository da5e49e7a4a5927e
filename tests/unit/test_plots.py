"""Pictures of sweeps: which suits, what is in it, and the files it is written into."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback import plots
from tailback.cli import sweeping
from tailback.figures.curves import Line, curves, lines_view
from tailback.figures.drawing import Axis
from tailback.figures.files import Paper, sheet
from tailback.figures.scales import scale_of
from tailback.report.of_store import page_of
from tailback.store.points import PointStore
from tests.in_process import invoked
from tests.stores import Here, small_store

OPEN = {
    "machine": {"preset": "wormhole_mesh", "topology": {"dims": [3, 3]}},
    "workload": {"preset": "uniform_open_loop"},
    "run": {"duration": "24 us", "warmup": "4 us"},
}
PERIODS = ["30 ns", "80 ns", "300 ns"]
CLOSED = {
    "machine": {"preset": "t9000_c104", "topology": {"dims": [3, 3]}},
    "workload": {"kind": "synthetic", "radius": 2, "compute_period": "5 us"},
    "run": {"duration": "600 us", "warmup": "100 us", "baseline": "endpoints"},
}

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="the extra plot is not installed"
)


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Two routings at three loads, the highest of which saturates both."""
    axes: dict[str, list[Any]] = {
        "machine.routing.kind": ["dimension_order", "west_first"],
        "workload.compute_period": PERIODS,
    }
    return small_store(tmp_path_factory.mktemp("loads"), axes, seeds=[1, 2], base=OPEN)


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """A closed loop at three periods."""
    axes = {"workload.compute_period": ["2 us", "10 us", "60 us"]}
    return small_store(tmp_path_factory.mktemp("costs"), axes, base=CLOSED)


def texts(picture: str) -> list[str]:
    """Return every text of an SVG; raises if it is not well formed."""
    root = ET.fromstring(picture)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


class TestChoosing:
    def test_of_an_open_loop_it_is_latency_against_the_offered_load(
        self, loads: PointStore
    ) -> None:
        found = plots.plot(loads)
        assert (found.picture.x.column, found.picture.y.column) == (
            "offered_load",
            "message_latency_us",
        )
        assert [line.name for line in found.picture.lines] == [
            "routing = dimension_order",
            "routing = west_first",
        ]
        for line in found.picture.lines:
            drawn = list(zip(line.x, line.saturated or (), line.hollow or (), strict=True))
            joined = [(x, full) for x, full, hollow in drawn if not hollow]
            assert joined == sorted(joined)
            assert max(drawn)[1]
            assert not min(drawn)[1]

    def test_what_is_accepted_lies_on_the_diagonal_until_saturation(
        self, loads: PointStore
    ) -> None:
        found = plots.plot(loads, y="accepted_load")
        diagonal, *lines = found.picture.lines
        assert diagonal.x == diagonal.y
        for line in lines:
            points = sorted(zip(line.x, line.y, strict=True))
            assert points[0][1] == pytest.approx(points[0][0], rel=0.02)
            assert float(points[-1][1] or 0) < 0.9 * float(points[-1][0])

    def test_periods_may_be_computed_from_a_load(self, tmp_path: Path) -> None:
        """Then there are two numbers that differ, and one follows from the other."""
        workload = {"preset": "uniform_open_loop"}
        computed = {"computed": "32 * ns / load"}
        varied = {"workload": {"compute_period": computed}, "let": {"load": [0.1, 0.4]}}
        sweep = tb.Sweep.from_dict(OPEN | {"workload": workload, "sweep": varied})
        made = plots.plot(tb.sweep(sweep, tmp_path / "store", pool=Here()))
        assert made.picture.name == "latency"

    def test_times_of_saturated_runs_have_no_intervals(self, loads: PointStore) -> None:
        latency = plots.plot(loads).picture.lines[0]
        lows = dict(zip(latency.saturated or (), latency.low or (), strict=True))
        assert lows[True] is None
        assert lows[False] is not None
        accepted = plots.plot(loads, y="accepted_load").picture.lines[-1]
        assert all(low is not None for low in accepted.low or ())

    def test_of_a_closed_loop_it_is_what_contention_leaves(self, costs: PointStore) -> None:
        found = plots.plot(costs)
        assert [line.name for line in found.picture.lines] == ["theta_r", "theta_t"]
        assert found.picture.x.column == "workload.compute_period_us"
        assert (
            found.title == "theta_r and theta_t against compute period: 3 x 3 mesh, uniform traffic"
        )

    def test_any_metric_can_be_drawn_against_any_other_or_a_parameter(
        self, loads: PointStore
    ) -> None:
        found = plots.plot(loads, x="routing.kind", y="theta_r")
        assert set(found.picture.lines[0].x) == {"dimension_order", "west_first"}
        found = plots.plot(loads, x="internal_utilisation", y="message_latency_us_p99")
        assert found.picture.x.column == "internal_utilisation"
        assert all(line.y for line in found.picture.lines)

    def test_the_file_may_say_what_it_is_called(self, tmp_path: Path) -> None:
        store = small_store(tmp_path, {"workload.compute_period": PERIODS}, base=OPEN)
        assert plots.plot(store, title="Mine").title == "Mine"

    @pytest.mark.parametrize(
        ("asked", "text"),
        [
            ({"y": "thetar"}, 'y = "thetar": no such column; did you mean theta_r'),
            ({"y": "routing.kind"}, "is a parameter; a metric is needed"),
            ({"x": "dims"}, "is the same at all points"),
            ({"mode": "free"}, "is not known at any point in mode free"),
            ({"where": ["compute_period > 1 s"]}, "leaves no run"),
        ],
    )
    def test_what_cannot_be_drawn_is_said_in_one_line(
        self, loads: PointStore, asked: dict[str, Any], text: str
    ) -> None:
        with pytest.raises(tb.UserError) as caught:
            plots.plot(loads, **asked)
        assert text in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_single_point_has_no_picture(self, tmp_path: Path) -> None:
        with pytest.raises(tb.UserError, match="no parameter was varied"):
            plots.plot(small_store(tmp_path, {}, base=CLOSED))


class TestFiles:
    def test_the_usual_pictures_are_written_into_the_folder(
        self, loads: PointStore, tmp_path: Path
    ) -> None:
        made = plots.write_plots(loads, tmp_path / "plots")
        assert [path.name for path in made] == ["latency.svg", "accepted.svg", "theta.svg"]
        told = texts(made[0].read_text())
        assert "offered load (% of the injection rate)" in told
        assert "saturated" in told
        assert any(text.startswith("mean message latency (") for text in told)

    def test_the_same_picture_gives_the_same_bytes(self, loads: PointStore) -> None:
        assert plots.plot(loads).svg == plots.plot(loads).svg

    @needs_matplotlib
    @pytest.mark.parametrize(("kind", "begin"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
    def test_pdf_and_png(self, loads: PointStore, tmp_path: Path, kind: str, begin: bytes) -> None:
        contents = []
        for name in ("a", "b"):
            path = plots.plot(loads).save(tmp_path / f"{name}.{kind}")
            contents.append(path.read_bytes())
        assert contents[0].startswith(begin)
        assert contents[0] == contents[1]

    def test_without_matplotlib_one_line_names_the_extra(
        self, loads: PointStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
        with pytest.raises(tb.UserError, match=r"pip install \"tailback-sim\[plot\]\""):
            plots.plot(loads).save(tmp_path / "curve.pdf")

    def test_another_ending_is_refused(self, loads: PointStore, tmp_path: Path) -> None:
        with pytest.raises(tb.UserError, match=r"must end in \.svg, \.pdf or \.png"):
            plots.plot(loads).save(tmp_path / "curve.gif")


class TestScales:
    def test_more_than_a_decade_is_logarithmic(self) -> None:
        scale = scale_of(Axis("time", "ns", from_zero=True), [40.0, 2_000.0])
        assert scale.is_log
        assert [text for _, text in scale.ticks] == ["50", "100", "200", "500", "1,000", "2,000"]
        assert 0 < scale.place(40.0) < scale.place(2_000.0) < 1

    def test_otherwise_it_is_linear_from_zero_where_that_makes_sense(self) -> None:
        scale = scale_of(Axis("load", percent=True, from_zero=True), [0.1, 0.8])
        assert not scale.is_log
        assert scale.place(0.0) == 0
        assert [text for _, text in scale.ticks] == ["0", "20", "40", "60", "80"]

    @pytest.mark.parametrize("values", [[], [None], [5.0], [0.0], [5.0, 5.0], [-3.0, 4.0]])
    @pytest.mark.parametrize("log", [None, True, False])
    def test_few_or_odd_values_have_a_scale(self, values: list[float | None], log: bool) -> None:
        scale = scale_of(Axis("x", log=log), values)
        assert scale.low < scale.high
        assert scale.ticks

    def test_texts_are_shown_as_they_are(self) -> None:
        x, y = Axis("<b>&"), Axis("y")
        line = Line("</svg>", ["a<b", "c&d"], [1.0, 2.0], look="points")
        other = Line("other", ["a<b", "c&d"], [2.0, None], hollow=[True, False])
        view = lines_view([line, other], x, y, "<title>", (("<note>",),))
        told = texts(sheet(view, Paper(has_heading=True)).content("svg").decode())
        assert {"<title>", "<b>&", "</svg>", "a<b", "c&d", "not settled", "<note>"} <= set(told)


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """What ends by itself, though not in time where messages are long; two kinds of queues."""
    described = {
        "machine": {
            "topology": {"kind": "torus", "dims": [3, 3]},
            "link": {"rate": "100 Gbit/s"},
            "switch": {"switching": "cut_through", "input_buffer": "8 KiB"},
            "interface": {"packet_size": "1 KiB"},
        },
        "workload": {"kind": "synthetic", "compute_period": "1 us", "repeat": 5},
        "run": {"max_duration": "20 us"},
    }
    axes = {
        "workload.message_size": ["1 KiB", "64 KiB"],
        "machine.switch.queueing": ["fifo", "output"],
    }
    return small_store(tmp_path_factory.mktemp("queues"), axes, base=described)


def test_points_that_were_cut_off_are_drawn_as_lower_bounds(queues: PointStore) -> None:
    plot = tb.plot(queues, "message_size", "completion_us")
    assert [line.name for line in plot.picture.lines] == ["queueing = fifo", "queueing = output"]
    for line in plot.picture.lines:
        assert line.bounds == [False, True]
        assert line.y[0] is not None
        assert line.y[0] < 20
        assert line.y[1] == 20
    assert "cut off: at least so much" in texts(plot.svg)
    # Lower bounds are not joined: the only thick lines are the two keys of the legend.
    assert plot.svg.count('stroke-width="2"') == 2
    drawn = curves(plot.picture.lines, plot.picture.x, plot.picture.y)
    assert drawn.table["cut off, at least"] == [False, True] * 2
    symbols = [trace["marker"]["symbol"] for trace in drawn.plot["data"]]
    assert symbols.count("triangle-up-open") == 2


@needs_matplotlib
def test_lower_bounds_are_drawn_by_matplotlib(queues: PointStore, tmp_path: Path) -> None:
    plot = tb.plot(queues, "message_size", "completion_us")
    assert plot.save(tmp_path / "bound.png").read_bytes()[:4] == b"\x89PNG"


def test_an_axis_shows_its_default_as_it_is(queues: PointStore) -> None:
    rows = tb.table(queues, ["queueing"], ["mode == 'full'"]).to_pylist()
    assert [row["machine.switch.queueing"] for row in rows] == ["fifo", "output"] * 2
    assert len(tb.table(queues, ["queueing"], ["queueing == 'fifo'"])) == 4


def test_a_picture_may_be_the_first_in_its_folder(queues: PointStore) -> None:
    answer = invoked("plot", str(queues.folder), "--y", "completion_us")
    assert answer.exit_code == 0
    assert Path(answer.output.strip()).parent == queues.folder / "plots"


@pytest.fixture(scope="module")
def routings(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Routings that need different numbers of virtual channels."""
    machine = {
        "topology": {"kind": "torus", "dims": [4, 4]},
        "switch": {"switching": "cut_through", "queueing": "output", "input_buffer": "8 KiB"},
    }
    axes = {"machine.routing.kind": ["valiant", "dimension_order"]}
    described = {"machine": machine, "workload": OPEN["workload"], "run": {"duration": "4 us"}}
    return small_store(tmp_path_factory.mktemp("routings"), axes, base=described)


def test_virtual_channels_that_are_left_to_routings_are_told(
    routings: PointStore, costs: PointStore
) -> None:
    text = "valiant 4, dimension_order 2"

    def told(*command: str) -> str:
        answer = invoked(*command)
        assert answer.exit_code == 0, answer.output
        return answer.output

    folder = str(routings.folder)
    assert told("table", folder).endswith(f"\nvirtual channels: {text}\n")
    assert "virtual channels:" not in told("table", folder, "--fields", "routing,virtual_channels")
    assert "virtual channels:" not in told("table", folder, "--format", "csv")
    plot = tb.plot(routings, cdf="message_latency")
    assert f"Virtual channels: {text}." in texts(plot.svg)
    assert ("virtual channels", text) in page_of(routings).facts
    assert "Virtual channels" not in tb.plot(costs).svg


def test_a_sweep_says_at_its_end_how_many_virtual_channels_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "_pool", lambda *_: nullcontext(Here()))
    file = tmp_path / "routings.toml"
    file.write_text(
        """
[machine]
topology = { kind = "torus", dims = [3, 3] }
switch = { switching = "cut_through", queueing = "output", input_buffer = "8 KiB" }
[run]
duration = "2 us"
[sweep]
machine.routing.kind = ["dimension_order", "valiant"]
"""
    )
    command = ["sweep", str(file), "--out", str(tmp_path / "out")]
    answer = invoked(*command)
    assert answer.exit_code == 0, answer.output
    assert "virtual channels: dimension_order 2, valiant 4" in answer.output
    answer = invoked(*command, "--json")
    assert '"valiant": [\n      4\n    ]' in answer.output
    varied = ["--set", "machine.switch.virtual_channels=4"]
    answer = invoked(*command[:3], str(tmp_path / "same"), *varied)
    assert answer.exit_code == 0, answer.output
    assert "virtual channels:" not in answer.output
