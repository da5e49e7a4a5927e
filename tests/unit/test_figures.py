"""Figures: the numbers in them are those that were measured, wherever they are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tailback as tb
from tailback.comparison import Cost
from tailback.figures.bars import stacked
from tailback.figures.curves import Line, curves
from tailback.figures.description import Bars, Panel
from tailback.figures.drawing import (
    Axis,
    Cells,
    Choice,
    Drawing,
    Key,
    View,
    choose,
    one_of,
    parts_of,
)
from tailback.figures.labels import description_text, parameter_axis, value_text
from tailback.figures.latency import Bins, distribution
from tailback.figures.look import COLOURS, DARK, LIGHT, Theme
from tailback.figures.maps import channel_form, node_form, rounded
from tailback.figures.network import Network, network_of
from tailback.figures.springs import at_rest, leading
from tailback.machines import machine_of
from tailback.results import Result
from tests.machines import t9000

X, Y = Axis("compute period", "µs"), Axis("rate", "per ms")


@pytest.fixture(scope="module")
def cost() -> Cost:
    """A mesh of 4 x 3 with hunt groups of 4 channels at every node."""
    workload = tb.Synthetic(radius=2, compute_period="3 us")
    return tb.cost(t9000(dims=(4, 3)), workload, duration="500 us", warmup="50 us")


@pytest.fixture(scope="module")
def full(cost: Cost) -> Result:
    return cost.modes["full"]


def columns(table: Any) -> dict[str, NDArray[Any]]:
    return {name: table[name].to_numpy() for name in table.column_names}


def network(result: Result) -> Network:
    return network_of(columns(result.nodes), columns(result.channels))


def lines_drawn(drawing: Drawing) -> list[Mapping[str, Any]]:
    return [trace for trace in drawing.plot["data"] if trace.get("fill") != "toself"]


def bands_drawn(drawing: Drawing) -> list[Mapping[str, Any]]:
    return [trace for trace in drawing.plot["data"] if trace.get("fill") == "toself"]


class TestCurves:
    def test_a_band_goes_along_the_upper_ends_and_back_along_the_lower_ones(self) -> None:
        drawing = curves([Line("a", [1, 2, 3], [5, 6, 7], [4, 5, 6], [6, 7, 8])], X, Y)
        [band] = bands_drawn(drawing)
        assert band["x"] == [1, 2, 3, 3, 2, 1]
        assert band["y"] == [4, 5, 6, 8, 7, 6]

    def test_a_band_is_torn_where_an_interval_is_not_known(self) -> None:
        low, high = [4, 5, None, 6, 7, math.nan, 1], [6, 7, None, 8, 9, math.nan, 2]
        line = Line("a", [1, 2, 3, 4, 5, 6, 7], [5, 6, 7, 7, 8, 8, 1], low, high)
        [band] = bands_drawn(curves([line], X, Y))
        assert band["x"] == [1, 2, 2, 1, None, 4, 5, 5, 4]

    def test_hollow_points_are_open_markers_outside_line_and_band(self) -> None:
        line = Line("a", [1, 2, 3], [5, 9, 7], [4, 8, 6], [6, 10, 8], hollow=[False, True, False])
        drawing = curves([line], X, Y)
        joined, hollow = lines_drawn(drawing)
        assert joined["x"] == [1, 3]
        assert (hollow["x"], hollow["mode"]) == ([2], "markers")
        assert hollow["marker"]["symbol"].endswith("-open")
        assert bands_drawn(drawing)[0]["x"] == [1, 3, 3, 1]
        assert drawing.table["settled"] == [True, False, True]

    def test_where_x_goes_back_intervals_are_bars(self) -> None:
        drawing = curves([Line("a", [1, 3, 2], [5, 6, 7], [4, 5, 6], [7, 8, 9])], X, Y)
        assert bands_drawn(drawing) == []
        bars = lines_drawn(drawing)[0]["error_y"]
        assert (bars["array"], bars["arrayminus"]) == ([2, 2, 2], [1, 1, 1])

    @pytest.mark.parametrize(
        ("values", "kind"), [([1, 10], "linear"), ([1, 10.1], "log"), ([0, 100], "linear")]
    )
    def test_an_axis_is_logarithmic_where_values_spread_over_more_than_a_decade(
        self, values: list[float], kind: str
    ) -> None:
        layout = curves([Line("a", values, [1, 2])], X, Y).plot["layout"]
        assert layout["xaxis"]["type"] == kind
        assert layout["yaxis"]["type"] == "linear"

    def test_what_an_axis_says_goes_before_how_values_spread(self) -> None:
        axes = Axis("x", log=False), Axis("y", log=True)
        layout = curves([Line("a", [1, 100], [1, 2])], *axes).plot["layout"]
        assert (layout["xaxis"]["type"], layout["yaxis"]["type"]) == ("linear", "log")

    def test_texts_make_an_axis_of_categories_on_which_nothing_is_joined(self) -> None:
        drawing = curves([Line("a", ["4 x 4", "8 x 8"], [1, 2], [0, 1], [2, 3])], X, Y)
        [trace] = drawing.plot["data"]
        assert drawing.plot["layout"]["xaxis"]["type"] == "category"
        assert trace["mode"] == "markers"

    def test_the_table_has_every_point_of_every_line(self) -> None:
        lines = [Line("a", [1, 2], [3, None], [2, None], [4, None]), Line("b", [1], [math.nan])]
        assert curves(lines, X, Y).table == {
            "line": ["a", "a", "b"],
            "compute_period_us": [1, 2, 1],
            "rate_per_ms": [3.0, None, None],
            "low": [2.0, None, None],
            "high": [4.0, None, None],
        }

    def test_names_are_shown_as_they_are(self) -> None:
        trace = lines_drawn(curves([Line("<b>&", [1], [1])], X, Y))[0]
        assert trace["name"] == "&lt;b&gt;&amp;"
        assert trace["meta"] == {"label": "<b>&"}

    def test_twelve_lines_differ_in_colour_or_marker(self) -> None:
        lines = [Line(str(i), [1], [1], colour=i) for i in range(12)]
        looks = {
            (t["marker"]["color"], t["marker"]["symbol"]) for t in lines_drawn(curves(lines, X, Y))
        }
        assert len(looks) == 12


class TestDrawings:
    @staticmethod
    def numbered(number: int) -> Drawing:
        bars = Bars("", [0], [number])
        return Drawing.of(View((Panel((bars,)),), {"y": [number]}))

    @staticmethod
    def heights(parts: Mapping[str, Any]) -> list[Any]:
        return [trace["y"] for trace in parts["data"]]

    def test_one_of_several_is_chosen_by_its_name(self) -> None:
        drawing = choose("which", {"one": self.numbered(1), "two": self.numbered(2)})
        assert self.heights(drawing.chosen()) == [[1]]
        parts = drawing.chosen(view="two")
        assert self.heights(parts) == [[2]]
        assert parts["table"] == {"y": [2]}

    def test_choices_nest(self) -> None:
        inner = {
            name: choose("number", {"1": self.numbered(i), "2": self.numbered(i + 1)}, "number")
            for i, name in ((10, "ten"), (20, "twenty"))
        }
        drawing = choose("tens", inner)
        assert self.heights(drawing.chosen(view="twenty", number="2")) == [[21]]
        assert self.heights(drawing.chosen(number="2")) == [[11]]

    def test_what_is_shown_first_is_there(self) -> None:
        choices = (Choice("a", "a", ("0", "1")), Choice("b", "b", ("0", "1")))
        members: dict[Key, Drawing] = {(1, 0): self.numbered(7)}
        drawing = one_of(choices, members)
        assert [choice.start for choice in drawing.choices] == [1, 0]
        assert drawing.plot == self.numbered(7).plot

    def test_members_must_have_the_same_choices(self) -> None:
        with pytest.raises(ValueError, match="same choices"):
            choose("x", {"a": self.numbered(1), "b": choose("y", {"c": self.numbered(2)})})

    def test_cells_lie_where_they_are_said_to(self) -> None:
        at = np.array([2, -1, 0, 1], np.int32)
        matrix = Cells(np.array([1.0, 2.0, 3.0]), at, (2, 2)).matrix()
        np.testing.assert_array_equal(matrix, [[3, np.nan], [1, 2]])


class TestMaps:
    def test_a_group_is_the_sum_or_the_mean_of_its_channels(self, full: Result) -> None:
        found = network(full).measures(columns(full.channels))
        rows = full.channels.to_pylist()
        for number, group in enumerate(network(full).groups):
            ends = (group.kind, group.source, group.destination)
            mine = [r for r in rows if (r["kind"], r["from_node"], r["to_node"]) == ends]
            assert len(mine) == group.width
            share = sum(r["utilisation"] for r in mine) / len(mine)
            assert found["utilisation"][number] == pytest.approx(share)
            packets = sum(r["packets"] for r in mine)
            if packets:
                waits = sum(r["wait_internal_ps"] for r in mine) / packets / 1e6
                assert found["internal_contention_us"][number] == pytest.approx(waits)
            else:
                assert math.isnan(found["internal_contention_us"][number])

    def test_channels_lie_on_the_right_hand_side_of_their_way(self, full: Result) -> None:
        machine = network(full)
        form = channel_form(machine)
        assert form is not None
        at = form.at.reshape(form.shape)
        across, up = form.across or (), form.up or ()
        assert (len(across), len(up)) == (form.shape[1] + 1, form.shape[0] + 1)
        for number, group in enumerate(machine.groups):
            rows, cells = np.nonzero(at == number)
            middle = np.array(
                [
                    np.mean([(across[c] + across[c + 1]) / 2 for c in cells]),
                    np.mean([(up[r] + up[r + 1]) / 2 for r in rows]),
                ]
            )
            a, b = (np.array(machine.places[n]) for n in (group.source, group.destination))
            if group.kind != "internal":
                assert np.abs(middle - a).max() < 0.2
                continue
            way, aside = b - a, middle - (a + b) / 2
            to_the_right = np.array([way[1], -way[0]])
            assert aside @ to_the_right == pytest.approx(0.1)
            assert aside @ way == pytest.approx(0)

    def test_every_group_and_node_is_drawn_once(self, full: Result) -> None:
        machine = network(full)
        form = channel_form(machine)
        assert form is not None
        external = [g.kind != "internal" for g in machine.groups]
        cells = np.bincount(form.at[form.at >= 0])
        np.testing.assert_array_equal(cells, np.where(external, 2, 1))
        nodes = node_form(machine)
        np.testing.assert_array_equal(nodes.at.reshape(nodes.shape), np.arange(12).reshape(3, 4))

    def test_a_map_shows_what_was_measured(self, full: Result) -> None:
        form = node_form(network(full))
        values = full.nodes["messages_per_ms"].to_numpy()
        parts = form.drawing("messages_per_ms", Axis("messages"), values).chosen()
        np.testing.assert_allclose(
            parts["data"][0]["z"].matrix(), values.reshape(3, 4), rtol=2**-11
        )
        np.testing.assert_allclose(parts["table"]["messages_per_ms"], values, rtol=2**-11)

    def test_machines_without_two_coordinates_have_bars_and_rows(self) -> None:
        workload = tb.Synthetic(radius=1, compute_period="5 us")
        result = tb.run(t9000("hypercube", dimensions=4), workload, duration="100 us")
        machine = network(result)
        nodes, channels = node_form(machine), channel_form(machine)
        assert channels is not None
        assert (nodes.kind, channels.kind) == ("bars", "rows")
        rows = list(channels.up or ())
        assert rows == ["injection", "x", "y", "z", "x3", "ejection"]
        np.testing.assert_array_equal(np.bincount(channels.at), np.ones(len(machine.groups)))

    def test_a_star_has_rows_of_its_external_channels_only(self) -> None:
        message = tb.Messages(messages=[("0 us", 0, 1, "32 B"), ("0 us", 2, 3, "32 B")])
        machine = network(tb.run(t9000("star", nodes=5), message))
        form = channel_form(machine)
        assert form is not None
        assert form.up == ["injection", "ejection"]
        assert node_form(machine).kind == "bars"

    def test_where_nodes_share_a_place_each_is_shown(self) -> None:
        topology = {"kind": "concentrated_mesh", "dims": [3, 2], "nodes_per_switch": 2}
        message = tb.Messages(messages=[("0 us", 0, 11, "32 B")])
        machine = network(tb.run(machine_of({"topology": topology}), message))
        assert node_form(machine).kind == "bars"
        form = channel_form(machine)
        assert form is not None
        assert form.up == ["injection", "+x", "+y", "-x", "-y", "ejection"]
        at = form.at.reshape(form.shape)
        assert [(row >= 0).sum() for row in at] == [12, 4, 3, 4, 3, 12]
        assert form.x.label == "node or switch"
        ends = {machine.ends(group) for group in machine.groups}
        assert {("node 11", "(2, 1)"), ("(2, 1)", "(2, 0)")} < ends

    def test_three_coordinates_are_planes_side_by_side(self) -> None:
        workload = tb.Synthetic(radius=1, compute_period="5 us")
        machine = network(tb.run(t9000(dims=(3, 2, 2)), workload, duration="50 us"))
        form = node_form(machine)
        expected = [[0, 1, 2, -1, 6, 7, 8], [3, 4, 5, -1, 9, 10, 11]]
        np.testing.assert_array_equal(form.at.reshape(form.shape), expected)

    def test_scales_begin_at_zero_or_at_the_least_and_end_here_or_anywhere(
        self, full: Result
    ) -> None:
        form, axis = node_form(network(full)), Axis("messages")
        values = full.nodes["messages_per_ms"].to_numpy()
        scale = form.drawing("m", axis, values).figure().layout.coloraxis
        assert scale["cmin"] == 0
        assert scale["cmax"] == pytest.approx(values.max(), rel=1e-3)
        ends = parts_of(form.view("m", axis, values, 7000.0))["ends"]
        assert ends == (pytest.approx(values.max(), rel=1e-3), 7000.0)
        assert parts_of(form.view("m", axis, values))["ends"][1] is None

    @given(st.floats(1e-6, 1e9))
    def test_rounding_keeps_three_digits(self, value: float) -> None:
        [kept] = rounded(np.array([value]))
        assert float(kept) == pytest.approx(value, rel=2**-11)
        assert kept.view(np.uint32) & 0x1FFF == 0

    def test_rounding_keeps_what_is_not_known_and_zero(self) -> None:
        kept = rounded(np.array([np.nan, 0.0]))
        assert np.isnan(kept[0])
        assert kept[1] == 0


class TestLatency:
    @staticmethod
    def bins(result: Result, variable: str = "lifetime") -> Bins:
        rows = [r for r in result.histograms.to_pylist() if r["variable"] == variable]
        parts = [
            Bins(*(np.array([r[n] for r in rows if r["class"] == c]) for n in names))
            for c in ("data", "ack")
            for names in [("low", "high", "count")]
        ]
        return Bins.together(parts)

    def test_percentiles_are_those_of_the_result(self, full: Result) -> None:
        bins = self.bins(full)
        for percent in (50, 90, 99):
            assert bins.percentile_us(percent) == pytest.approx(
                full.percentile("lifetime", percent)
            )

    def test_shares_and_densities_are_those_of_the_histogram(self, cost: Cost) -> None:
        modes = list(cost.modes)
        bins = {mode: self.bins(result) for mode, result in cost.modes.items()}
        parts = parts_of(distribution(modes, bins))
        for mode in modes:
            of_mode = [trace for trace in parts["data"] if trace["name"] == mode]
            line, dots, density = of_mode
            borders_ps = np.asarray(line["x"], float) * 1e6
            below = [bins[mode].count[bins[mode].high < b - 0.5].sum() for b in borders_ps]
            np.testing.assert_allclose(line["y"], np.array(below) / bins[mode].total, atol=1e-6)
            areas = density["y"][:-1] * np.diff(np.log10(borders_ps))
            assert areas.sum() == pytest.approx(1, rel=1e-4)
            assert dots["y"] == [0.5, 0.9, 0.99]
            assert [trace["showlegend"] for trace in of_mode] == [True, False, False]
        assert parts["note"][0] == ("", "p50", "p90", "p99", "counted")
        assert parts["note"][1][-1] == f"{bins['full'].total:,}"

    def test_a_mode_without_packets_has_no_line(self, full: Result) -> None:
        view = distribution(["full", "ideal"], {"full": self.bins(full)})
        assert {trace["name"] for trace in parts_of(view)["data"]} == {"full"}
        assert view.note[2] == ("ideal", "-", "-", "-", "0")

    @given(
        st.lists(st.tuples(st.integers(0, 10**12), st.integers(1, 10**6)), min_size=1, max_size=60)
    )
    def test_no_count_is_lost(self, values: list[tuple[int, int]]) -> None:
        low = np.array(sorted({value for value, _ in values}), np.uint64)
        counts = np.array([count for _, count in values][: len(low)], np.uint64)
        bins = Bins(low, low, counts)
        share = distribution(["full"], {"full": bins}).table["full_share_not_above"]
        assert share[0] == 0
        assert share[-1] == pytest.approx(1)
        assert np.all(np.diff(share) >= 0)


class TestWaiting:
    def test_bars_are_stacked_in_the_order_of_the_way(self) -> None:
        places = ["1 µs", "2 µs"]
        parts = {"throttling_us": Bars("a", places, [1, 2]), "b": Bars("b", places, [3, None])}
        drawing = stacked(places, parts, X, Y)
        assert drawing.plot["layout"]["barmode"] == "stack"
        assert [trace["y"] for trace in drawing.plot["data"]] == [[1, 2], [3, None]]
        assert drawing.table["throttling_us"] == [1, 2]


class TestLabels:
    @pytest.mark.parametrize(
        ("column", "value", "text"),
        [
            ("workload.compute_period_us", 16.0, "16 µs"),
            ("workload.compute_period_us", 2.4179, "2.418 µs"),
            ("workload.compute_period_us", 1236.5, "1.236 ms"),
            ("workload.compute_period_us", 0.04, "40 ns"),
            ("machine.interface.packet_size_bytes", 32, "32 B"),
            ("machine.link.rate_mbit_per_s", 100.0, "100 Mbit/s"),
            ("machine.topology.dims", "[8, 8]", "8 x 8"),
            ("machine.routing.order", '["y", "x"]', "y, x"),
            ("machine.routing.order", "[1, 0]", "1, 0"),
            ("job.a.nodes", "[0, 3]", "0, 3"),
            ("job.a.virtual_channels", "[0, 1]", "0 to 1"),
            ("workload.sync", "asynchronous", "asynchronous"),
            ("machine.link.end_token", True, "true"),
            ("workload.radius", None, "-"),
            ("run.seed", 12345678, "12345678"),
        ],
    )
    def test_values_are_told_with_their_units(self, column: str, value: Any, text: str) -> None:
        assert value_text(column, value) == text

    def test_parameters_are_named_by_their_keys(self) -> None:
        assert parameter_axis("workload.compute_period_us").title == "compute period (µs)"
        text = description_text({"workload.sync": "asynchronous", "sweep.n": 2.0})
        assert text == "sync = asynchronous, n = 2"

    def test_keys_that_say_little_alone_are_named_with_their_part(self) -> None:
        assert (
            parameter_axis("machine.node_link.rate_mbit_per_s").title == "node link rate (Mbit/s)"
        )
        assert parameter_axis("machine.switch.delay_us").title == "switch delay (µs)"
        assert (
            parameter_axis("machine.link_classes.x.delay_us").title == "link classes x delay (µs)"
        )
        kinds = {"machine.topology.kind": "torus", "machine.routing.kind": "valiant"}
        varied = {**kinds, "workload.kind": "synthetic", "machine.switch.virtual_channels": 2}
        text = "topology = torus, routing = valiant, kind = synthetic, virtual channels = 2"
        assert description_text(varied) == text


class TestNotebooks:
    def test_a_result_shows_its_channels_and_lifetimes(self, full: Result) -> None:
        figure = full.plot()
        kinds = [trace.type for trace in figure.data]
        assert kinds == ["heatmap", "scatter", "scatter", "scatter"]
        z = np.array(figure.data[0].z, float)
        values = network(full).measures(columns(full.channels))["utilisation"]
        assert np.nanmax(z) == pytest.approx(values.max(), rel=1e-3)

    def test_modes_are_side_by_side_on_one_scale(self, cost: Cost) -> None:
        layout = cost.plot().to_dict()["layout"]
        assert layout["coloraxis"]["cmax"] == layout["coloraxis2"]["cmax"]
        places = [layout[f"xaxis{n}"]["domain"] for n in ("", "2", "3")]
        assert all(a[1] < b[0] for a, b in itertools.pairwise(places))


def _lab(hexadecimal: str) -> tuple[float, float, float]:
    """Return a colour in CIELAB, where distances are differences that people see."""
    parts = [int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    a, b, c = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * b - 16, 500 * (a - b), 200 * (b - c)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_of_lines_differ_from_each_other_and_from_the_paper(theme: Theme) -> None:
    instead = dict(theme.instead)
    colours = [_lab(instead.get(name, name)) for name in COLOURS]
    for one, other in itertools.combinations([*colours, _lab(theme.paper)], 2):
        assert math.dist(one, other) > 25


class TestSprings:
    """Positions of networks without coordinates."""

    def lengths(self, links: list[tuple[int, int]], switches: int) -> NDArray[np.float64]:
        ends = np.array(links).T
        places = at_rest(*ends, switches)
        assert places.shape == (switches, 2)
        assert len({(round(x, 6), round(y, 6)) for x, y in places.tolist()}) == switches
        return np.hypot(*(places[ends[0]] - places[ends[1]]).T)

    def test_what_lies_in_a_plane_has_links_of_one_length(self) -> None:
        line = [(i, i + 1) for i in range(9)]
        assert self.lengths(line, 10) == pytest.approx(1, abs=0.01)
        assert np.ptp(self.lengths([*line, (9, 0)], 10)) < 0.01

    def test_a_network_in_parts_or_without_links_has_places(self) -> None:
        self.lengths([(0, 1), (2, 3), (3, 4), (4, 2)], 6)
        for switches in range(3):
            assert at_rest(np.array([], int), np.array([], int), switches).shape == (switches, 2)

    def test_a_network_too_large_for_springs_has_places(self) -> None:
        chance = np.random.default_rng(1)
        links = chance.integers(0, 700, (2100, 2))
        assert np.isfinite(at_rest(links[:, 0], links[:, 1], 700)).all()


def test_names_from_files_are_text_in_pictures(tmp_path: Path) -> None:
    """A switch called like a link becomes none, and no control character leaves a file."""
    graph = tmp_path / "names.gml"
    names = ["<a href=x>", "e&#27;[31mred", "c"]
    nodes = "".join(f'node [ id {i} label "{name}" ]\n' for i, name in enumerate(names))
    ends = "".join(f"edge [ source {i} target {(i + 1) % 3} ]\n" for i in range(3))
    graph.write_text(f"graph [\n{nodes}{ends}]\n")
    experiment = tb.Experiment.from_dict(
        {
            "machine": {"topology": {"kind": "graph", "file": str(graph), "nodes_per_switch": 1}},
            "workload": {"kind": "fan_in"},
        }
    )
    for name in ("names.html", "names.svg"):
        tb.describe(experiment).write_plot(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "<a href=x>" not in text
        assert "&lt;a href=x&gt;" in text or "\\u0026lt;a href=x" in text
        assert "\x1b" not in text
        assert "\\u001b[31mred" not in text
        assert r"e\x1b[31mred" in text.replace("\\\\", "\\")


def test_directions_as_long_as_others_do_not_depend_on_which_of_them_are_found() -> None:
    found = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 4)))[0].T
    size = np.array([2.0, 2.0, 2.0, 1.0])
    turned = found.copy()
    turned[:3] = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0] @ found[:3]
    turned[3] *= -1
    chosen = leading(size, found)
    assert np.allclose(leading(size, turned), chosen)
    assert np.allclose(chosen @ chosen.T, np.eye(2))
