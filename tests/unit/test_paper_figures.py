"""Pictures for papers: size, fonts, limits, lines told apart, and files that make them again."""

from __future__ import annotations

import csv
import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback import plots
from tailback.figures.description import Line
from tailback.figures.framing import LETTER
from tailback.figures.grids import SATURATED
from tailback.figures.look import FONT_SIZE, dash, telling
from tailback.report.series import in_order
from tailback.report.usual import Picture
from tailback.store.points import PointStore
from tests.in_process import invoked
from tests.stores import small_store

BUFFERS = ["8 B", "16 B", "64 B"]
PERIODS = ["30 ns", "80 ns", "300 ns"]
LATENCY = "message_latency_us"

SMALL: dict[str, dict[str, Any]] = {
    "machine": {"preset": "wormhole_mesh", "topology": {"dims": [3, 3]}},
    "workload": {"preset": "uniform_open_loop"},
    "run": {"duration": "16 us", "warmup": "4 us"},
}

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="the extra plot is not installed"
)


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Three sizes of buffers at three loads, the highest of which saturates all."""
    axes: dict[str, list[Any]] = {
        "machine.switch.input_buffer": BUFFERS,
        "workload.compute_period": PERIODS,
    }
    return small_store(tmp_path_factory.mktemp("loads"), axes, base=SMALL)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def told(*command: str) -> tuple[int, str]:
    answer = invoked("plot", *command)
    return answer.exit_code, answer.output


@needs_matplotlib
def test_fonts_of_a_pdf_are_truetype(loads: PointStore, tmp_path: Path) -> None:
    content = plots.plot(loads).save(tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in content
    assert b"/Type3" not in content


def test_a_column_of_a_paper_is_as_wide_as_it_is(loads: PointStore) -> None:
    assert 'width="3.5in"' in plots.plot(loads, size="single").svg
    sized = plots.plot(loads, size="100x80mm").svg
    assert 'width="3.93701in" height="3.14961in"' in sized


def test_titles_of_axes_are_on_the_paper_of_a_low_picture(loads: PointStore) -> None:
    drawn = plots.plot(loads, size="88x60mm").svg
    [(middle, rest, title)] = re.findall(
        r'<text transform="translate\([\d.]+,([\d.]+)\) rotate\(-90\)"([^>]*)>([^<]*)', drawn
    )
    size = re.search(r'font-size="([\d.]+)', rest)
    letter = LETTER * (float(size[1]) / FONT_SIZE if size else 1)
    assert float(middle) >= letter * len(title) / 2 - 0.1


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"size": "1x1"}, "is too small for axes and legend: at least"),
        ({"size": "wide"}, "must be single, double, or width x height"),
        ({"xlim": "5"}, "must be LOW:HIGH"),
        ({"xlim": "0.8:0.2"}, "its first end must be below its second"),
        ({"ylim": ":3 kg"}, "is no end of an axis of mean message latency"),
        ({"log": "z"}, 'must be "x", "y" or "xy"'),
        ({"log": "x", "linear": "xy"}, "to be logarithmic as well"),
        ({"cdf": "message_latency", "heat": "input_buffer"}, "choose one"),
        ({"heat": "dims"}, "is the same at all points"),
        ({"heat": "input_buffer", "x": "input_buffer"}, "a map needs two parameters"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(
    loads: PointStore, asked: dict[str, str], text: str
) -> None:
    with pytest.raises(tb.UserError, match=re.escape(text)) as caught:
        _ = plots.plot(loads, **asked).svg
    assert "\n" not in str(caught.value)


def test_lines_are_cut_at_the_limits(loads: PointStore) -> None:
    whole = plots.plot(loads, log="y").svg
    part = plots.plot(loads, log="y", xlim="0:50%", ylim=":200 ns").svg
    frame = re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)"', part)
    left, right = float(frame[0][0]), float(frame[0][2])
    points = re.findall(r'<polyline points="([^"]+)"', part)
    xs = [float(point.split(",")[0]) for text in points for point in text.split()]
    assert xs
    assert left <= min(xs)
    assert max(xs) <= right + 0.1
    # Crosses of the highest load are outside, and not in the legend either.
    crosses = 'stroke-width="2.4"'
    assert (whole.count(crosses), part.count(crosses)) == (2 * (len(BUFFERS) + 1), 0)


def test_no_title_unless_it_is_asked_for(loads: PointStore) -> None:
    assert "<text" in plots.plot(loads).svg
    assert 'font-weight="600"' not in plots.plot(loads).svg
    assert ">Mine</text>" in plots.plot(loads, title="Mine").svg


def test_many_lines_differ_in_marker_and_dash_without_their_colours(loads: PointStore) -> None:
    lines = [Line(str(n), [0.0], [0.0], colour=n, look=telling(n)) for n in range(40)]
    assert len({(line.symbol, dash(line.look)) for line in lines}) == 40
    drawn = plots.plot(loads).picture
    assert isinstance(drawn, Picture)
    assert len({(line.symbol, line.look) for line in drawn.lines}) == len(BUFFERS)


def test_lines_of_a_number_have_colours_in_its_order() -> None:
    combinations = [{"a": value} for value in (64, 8, 16)]
    assert in_order(combinations, ["a"]) == [1.0, 0.0, 0.5]
    assert in_order([{"a": "x"}, {"a": "y"}], ["a"]) == [None, None]


def test_curves_may_end_at_saturation(loads: PointStore) -> None:
    plot = plots.plot(loads, end_at_saturation=True)
    assert isinstance(plot.picture, Picture)
    assert not plot.picture.has_saturated
    assert all(line.x for line in plot.picture.lines)
    assert "Curves end at the last point before saturation." in plot.svg


def test_several_folders_are_in_one_picture(loads: PointStore, tmp_path: Path) -> None:
    out = tmp_path / "both.svg"
    folder = str(loads.folder)
    code, output = told(
        f"one={folder}", f"two={folder}", "--out", str(out), "--where", "input_buffer == 8 B"
    )
    assert (code, output) == (0, f"{out}\n")
    names = {row["line"] for row in rows(out.with_suffix(".plot.csv").read_text())}
    assert names == {"one", "two"}
    code, output = told(f"one={folder}", f"one={folder}", "--out", str(out))
    assert (code, "is the name of two folders" in output) == (2, True)
    code, output = told(f"one={folder}", f"two={folder}")
    assert (code, "--out: is needed" in output) == (2, True)


def test_a_map_has_a_cell_for_each_pair(loads: PointStore) -> None:
    plot = plots.plot(loads, y=LATENCY, heat="input_buffer")
    cells = {
        (row["workload.compute_period_us"], row["machine.switch.input_buffer_bytes"]): row
        for row in rows(plot.csv)
    }
    assert len(cells) == len(BUFFERS) * len(PERIODS)
    for row in loads.runs().to_pylist():
        if row["mode"] == "full":
            key = (
                str(row["workload.compute_period_us"]),
                str(row["machine.switch.input_buffer_bytes"]),
            )
            assert float(cells[key][LATENCY]) == pytest.approx(row[LATENCY])
    assert plot.svg.count("<polygon") >= len(cells)
    assert f"{SATURATED}: saturated." in plot.svg


def test_all_columns_of_a_narrow_map_have_their_name(tmp_path: Path) -> None:
    periods = ["160 ns", "320 ns", "640 ns", "1.28 us"]
    axes: dict[str, list[Any]] = {
        "machine.switch.input_buffer": BUFFERS[:2],
        "workload.compute_period": periods,
    }
    store = small_store(tmp_path, axes, base=SMALL)
    drawn = plots.plot(store, y=LATENCY, heat="input_buffer", size="single").svg
    names = [period.replace("us", "µs") for period in periods]
    assert [name for name in names if f">{name}<" not in drawn] == []


def test_quantiles_are_the_distribution_turned(loads: PointStore) -> None:
    where = ["compute_period == 80 ns"]
    turned = plots.plot(loads, quantiles="message_latency", where=where)
    usual = plots.plot(loads, cdf="message_latency", where=where)
    pairs = [
        sorted((row["line"], row["share"], row[LATENCY]) for row in rows(plot.csv))
        for plot in (turned, usual)
    ]
    assert pairs[0] == pairs[1]
    assert {">90</text>", ">99</text>"} <= set(re.findall(r">[\d.]+</text>", turned.svg))


def test_a_picture_is_made_again_from_its_file(
    loads: PointStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a.svg"
    asked = ["--y", "theta_r", "--size", "double", "--xlim", ":90%", "--linear", "y"]
    code, _ = told(
        str(loads.folder), *asked, "--where", "compute_period > 50 ns", "--out", str(out)
    )
    assert code == 0
    content = out.read_bytes()
    out.unlink()
    monkeypatch.chdir("/")
    kept = tmp_path / "a.plot.toml"
    assert told("--from", str(kept)) == (0, f"{out}\n")
    assert out.read_bytes() == content
    code, _ = told("--from", str(kept), "--size", "single")
    assert code == 0
    assert 'width="3.5in"' in out.read_text()
    assert 'size = "single"' in kept.read_text()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('results = ["a"]\nsiez = "single"', "siez: unknown key; did you mean"),
        ('y = "theta_r"', "results: must be a list of folders"),
        ('results = ["a"]\ny = 3', "y = 3: must be a text"),
        ('results = ["a"]\nsize = "big"', "must be single, double"),
        ("results = [", "is not TOML"),
    ],
)
def test_a_wrong_file_is_said_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    kept = tmp_path / "a.plot.toml"
    kept.write_text(text)
    code, output = told("--from", str(kept))
    assert code == 2
    assert problem in output.replace("\n", " ")
    assert "Traceback" not in output
