"""Tables and metrics from columns whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tailback as tb
from tailback import door, tables
from tailback.comparison import compare
from tailback.metrics import METRICS, THETAS, Populations, increments
from tailback.samples import Samples, estimate
from tailback.statistics import quotient
from tailback.tables.bins import percentiles_of
from tests.machines import t9000

POPULATIONS = Populations(nodes=4, injection=8, internal=10, ejection=8, internal_wires=10)


def counters(**values: int) -> dict[str, int]:
    names = {n for m in METRICS.values() for n in m.numerator}
    names |= {
        n for m in METRICS.values() if isinstance(m.denominator, tuple) for n in m.denominator
    }
    return dict.fromkeys(sorted(names), 0) | values


def columns(**values: list[int]) -> dict[str, np.ndarray]:
    return {name: np.array(column, dtype=np.uint64) for name, column in values.items()}


class TestMetrics:
    def test_a_rate_is_per_node_and_millisecond(self) -> None:
        rows = columns(time_ps=[0, 10**9, 3 * 10**9], messages_sent=[0, 20, 80])
        numerator, denominator = increments(METRICS["messages_per_node_per_ms"], rows, POPULATIONS)
        assert numerator.sum() / denominator.sum() == pytest.approx(80 / 4 / 3)

    def test_a_lifetime_is_over_both_classes(self) -> None:
        rows = columns(
            time_ps=[0, 1],
            routed_lifetime_data_ps=[0, 8_000_000],
            routed_lifetime_ack_ps=[0, 1_000_000],
            routed_data=[0, 2],
            routed_ack=[0, 1],
        )
        numerator, denominator = increments(METRICS["routed_lifetime_us"], rows, POPULATIONS)
        assert numerator.sum() / denominator.sum() == pytest.approx(3.0)

    def test_a_utilisation_is_over_all_channels_of_the_kind(self) -> None:
        rows = columns(time_ps=[0, 100], busy_internal_ps=[0, 250], held_internal_ps=[0, 50])
        for name, share in {"internal_utilisation": 0.25, "internal_held": 0.3}.items():
            numerator, denominator = increments(METRICS[name], rows, POPULATIONS)
            assert numerator.sum() / denominator.sum() == pytest.approx(share)

    def test_payload_in_megabits_per_second(self) -> None:
        # 4 nodes, 1000 bytes in 1 ms: 2 Mbit/s each.
        rows = columns(time_ps=[0, 10**9], bytes_delivered=[0, 1000])
        numerator, denominator = increments(
            METRICS["payload_mbit_per_s_per_node"], rows, POPULATIONS
        )
        assert numerator.sum() / denominator.sum() == pytest.approx(2.0)

    def test_large_counters_lose_nothing(self) -> None:
        rows = columns(time_ps=[2**62, 2**62 + 1], messages_sent=[2**63, 2**63 + 1])
        numerator, _ = increments(METRICS["messages_per_node_per_ms"], rows, POPULATIONS)
        assert numerator.tolist() == [1e9]


class TestSamples:
    def test_rows_not_later_than_the_last_are_left_out(self) -> None:
        samples = Samples({"a": 0}, 10)
        samples.extend(columns(time_ps=[0, 10, 20], a=[0, 1, 2]))
        samples.extend(columns(time_ps=[20, 30], a=[2, 3]))
        assert samples.since(0)["time_ps"].tolist() == [0, 10, 20, 30]

    def test_a_mark_makes_sums_exact(self) -> None:
        samples = Samples({"a": 0}, 10)
        samples.extend(columns(time_ps=[10, 20], a=[1, 2]))
        samples.mark(25, {"a": 3})
        samples.extend(columns(time_ps=[30], a=[5]))
        samples.mark(33, {"a": 9})
        samples.mark(33, {"a": 9})
        window = samples.since(25)
        assert window["time_ps"].tolist() == [25, 30, 33]
        assert window["a"][-1] - window["a"][0] == 6

    def test_a_finished_workload_has_exact_estimates(self) -> None:
        samples = Samples(counters(), 1)
        samples.mark(10**9, counters(messages_sent=8))
        rate = estimate("messages_per_node_per_ms", samples.since(0), POPULATIONS, 0.95, exact=True)
        assert (rate.low, rate.value, rate.high) == (2, 2, 2)


class TestTables:
    def test_columns_are_not_copied(self) -> None:
        column = np.arange(5, dtype=np.uint64)
        table = tables.table({"a": column})
        assert table["a"].chunk(0).buffers()[1].address == column.ctypes.data

    def test_channels(self) -> None:
        table = tables.channels(
            {
                "channel": np.array([0, 1], np.uint32),
                "kind": np.array([0, 1], np.uint8),
                "packets": np.array([4, 0], np.uint64),
                "busy_ps": np.array([250, 0], np.uint64),
                "held_ps": np.array([500, 0], np.uint64),
                "wait_throttling_ps": np.array([8_000_000, 0], np.uint64),
                "wait_internal_ps": np.array([4_000_000, 0], np.uint64),
            },
            window_ps=1000,
        )
        assert table["kind"].to_pylist() == ["injection", "internal"]
        assert table["utilisation"].to_pylist() == [0.25, 0]
        assert table["held"].to_pylist() == [0.5, 0]
        assert table["throttling_us"].to_pylist() == [2.0, None]
        assert table["internal_contention_us"].to_pylist() == [1.0, None]

    def test_packets_in_exact_nanoseconds(self) -> None:
        never = 2**64 - 1
        table = tables.packets(
            {
                "class": np.array([0, 1], np.uint8),
                "message": np.array([7, 7], np.uint64),
                "queued_ps": np.array([140_000, 2**52 + 1], np.uint64),
                "first_internal_ps": np.array([240_000, never], np.uint64),
            }
        )
        assert table["class"].to_pylist() == ["data", "ack"]
        assert table["queued_ns"][0].as_py() == 140
        assert table["queued_ps"].to_pylist() == [140_000, 2**52 + 1]
        assert table["first_internal_ns"].to_pylist() == [240, None]
        assert table["first_internal_ps"].to_pylist() == [240_000, None]

    def test_moments_beyond_64_bits_stay_exact(self) -> None:
        values = [10**13 + k for k in (0, 1, 5)]
        sums = {f"sum{p}": sum(v**p for v in values) for p in (2, 3)}
        row = {"variable": "lifetime", "class": "data", "count": 3, "sum": sum(values), **sums}
        row |= {"min": min(values), "max": max(values)}
        table = tables.moments([row])
        assert int(table["sum3"][0].as_py()) == sums["sum3"]
        assert table["mean"][0].as_py() == 10**13 + 2
        assert table["standard_deviation"][0].as_py() == pytest.approx(math.sqrt(7))
        # Deviations -2, -1, 3: third moment 18/3, variance 14/3.
        skewness = (18 / 3) / (14 / 3) ** 1.5
        assert table["skewness"][0].as_py() == pytest.approx(skewness)

    def test_moments_of_nothing(self) -> None:
        row = {"variable": "hops", "class": "ack", "count": 0, "sum": 0, "sum2": 0, "sum3": 0}
        table = tables.moments([row | {"min": 0, "max": 0}])
        assert table["mean"].to_pylist() == [None]
        assert table["min"].to_pylist() == [None]

    def test_histograms(self) -> None:
        bins = {"low": np.array([5, 8]), "high": np.array([5, 11]), "count": np.array([2, 3])}
        table = tables.histograms(
            [
                {"variable": "hops", "class": "data", **bins},
                {"variable": "hops", "class": "ack", **{k: v[:0] for k, v in bins.items()}},
            ],
            [{"min": 5, "max": 11}, {"min": None, "max": None}],
        )
        assert table.to_pydict() == {
            "variable": ["hops", "hops"],
            "class": ["data", "data"],
            "low": [5, 8],
            "high": [5, 11],
            "count": [2, 3],
        }

    def test_no_histograms_at_all(self) -> None:
        assert tables.histograms([], []).num_rows == 0


class TestPercentiles:
    LOW, HIGH, COUNT = np.array([20, 10]), np.array([30, 10]), np.array([3, 1])

    @pytest.mark.parametrize(("percent", "value"), [(0, 10), (25, 10), (50, 23 + 1 / 3), (100, 30)])
    def test_are_interpolated_within_a_bin(self, percent: float, value: float) -> None:
        [found] = percentiles_of(self.LOW, self.HIGH, self.COUNT, [percent])
        assert found == pytest.approx(value)

    def test_bins_of_two_classes_are_added_up(self) -> None:
        low, high, count = (np.tile(column, 2) for column in (self.LOW, self.HIGH, self.COUNT))
        percents = np.linspace(0, 100, 41).tolist()
        once = percentiles_of(self.LOW, self.HIGH, self.COUNT, percents)
        assert percentiles_of(low, high, count, percents) == once
        assert once == sorted(once)

    @pytest.mark.parametrize("packet_class", [None, "data", "ack"])
    @pytest.mark.parametrize(
        ("variable", "since"), [("lifetime", "queued_ps"), ("routed_lifetime", "first_internal_ps")]
    )
    def test_are_within_a_sixty_fourth_of_those_of_all_packets(
        self, measured: tb.Result, variable: str, since: str, packet_class: str | None
    ) -> None:
        rows = {name: np.array(column) for name, column in measured.packets.to_pydict().items()}
        counted = (rows["class"] == packet_class) | (packet_class is None)
        lasted = (rows["delivered_ps"] - rows[since])[counted] / 1e6
        percents = [0.5, 5, 25, 50, 75, 90, 99, 99.9, 100]
        found = measured.percentiles(variable, percents, packet_class)
        exact = np.percentile(lasted, percents, method="inverted_cdf")
        assert found == pytest.approx(exact, rel=1 / 64)

    def test_of_hops_are_exact(self, measured: tb.Result) -> None:
        hops = measured.packets["hops"].to_numpy()
        for percent in (10, 50, 99):
            found = measured.percentile("hops", percent)
            assert found == np.percentile(hops, percent, method="inverted_cdf")


@pytest.fixture(scope="module")
def measured() -> tb.Result:
    """A loaded mesh with a row for each packet; every packet crosses a channel between switches."""
    workload = tb.Synthetic(
        radius=2, compute_period="5 us", compute_distribution="exponential", sync="asynchronous"
    )
    return tb.run(t9000(dims=(4, 4)), workload, duration="4 ms", packets=True)


class TestPairing:
    OPEN_LOOP = tb.Synthetic(
        radius=2,
        compute_period="20 us",
        compute_distribution="exponential",
        sync="asynchronous",
        max_outstanding=1000,
    )

    def test_the_window_as_a_series(self, measured: tb.Result) -> None:
        for metric in ("messages_per_node_per_ms", "routed_lifetime_us"):
            series = measured.series(metric)
            assert len(series.times_ps) == len(series.numerator) + 1
            assert series.times_ps[-1] == 4 * 10**9
            assert series.numerator.sum() / series.denominator.sum() == measured[metric].value
            assert series.denominator.sum() == measured[metric].weight
            assert abs(series.residuals.sum()) < 1e-9 * series.numerator.sum()

    def test_what_is_sent_in_both_modes_is_known_exactly(self) -> None:
        # No message is dropped, so that both send the same ones: no contention in theta_r.
        run = tb.Run(duration="4 ms", warmup="1 ms")
        cost = tb.cost(tb.Experiment(t9000(dims=(4, 4)), self.OPEN_LOOP, run))
        full, endpoints = (
            cost.modes[mode]["messages_per_node_per_ms"] for mode in ("full", "endpoints")
        )
        assert full.relative > 0.03
        assert cost.theta_r.value == pytest.approx(1, abs=1e-3)
        assert cost.theta_r.half_width < 0.2 * quotient(full, endpoints).half_width
        product = full.standard_error * endpoints.standard_error
        assert cost.covariances["theta_r"] == pytest.approx(product, rel=0.02)

    def test_never_more_than_a_correlation_of_one(self) -> None:
        for seed in (1, 2, 3):
            cost = tb.cost(t9000(dims=(4, 4)), self.OPEN_LOOP, precision=0.05, seed=seed)
            for name, of in THETAS.items():
                if of.metric == "completion_us":
                    continue
                modes = of.against("endpoints").modes
                errors = [cost.modes[mode][of.metric].standard_error for mode in modes]
                assert abs(cost.covariances[name]) <= math.prod(errors) * (1 + 1e-12)
                theta = cost.thetas[name]
                assert theta.low <= theta.value <= theta.high

    def test_a_mode_that_was_not_run(self) -> None:
        run = tb.Run(duration="1 ms")
        cost = compare(tb.Experiment(t9000(dims=(4, 4)), self.OPEN_LOOP, run), ["free", "full"])
        assert list(cost.modes) == ["full", "free"]
        assert cost.complete
        assert math.isnan(cost.theta_t.value)
        assert math.isnan(cost.covariances["theta_t"])

    @pytest.mark.parametrize(("modes", "text"), [([], "full"), (["ful"], 'did you mean "full"')])
    def test_modes_that_cannot_be_run(self, modes: list[str], text: str) -> None:
        experiment = tb.Experiment(t9000(dims=(4, 4)), self.OPEN_LOOP, tb.Run())
        with pytest.raises(tb.UserError, match=text):
            compare(experiment, modes)


@pytest.mark.parametrize(
    ("field", "users"),
    [
        ("machine.topology.dims", "machine.topology.dims"),
        ("machine.topology.children", "machine.topology.switches_per_level"),
        ("machine.topology.nodes", "machine.topology.nodes"),
        ("machine.node_link.width", "machine.node_link.width"),
        ("machine.link.width", "machine.link.width"),
        ("machine.link.flit_ps", "machine.link.rate"),
        ("machine.link.flit_bytes", "machine.link.flit"),
        ("machine.link.packet_gap_ps", "machine.link.packet_gap"),
        ("machine.link.end_token", "machine.link.end_token"),
        ("machine.link.flow_control", "machine.link.flow_control"),
        ("machine.link.credit_delay_ps", "machine.link.credit_delay"),
        ("machine.link.half_duplex", "machine.link.duplex"),
        ("machine.node_link.flit_ps", "machine.node_link.rate"),
        ("machine.link_classes.x.flit_ps", "machine.link_classes.x.rate"),
        ("machine.switch.delay_ps", "machine.switch.delay"),
        ("machine.switch.output_buffer_flits", "machine.switch.output_buffer"),
        ("machine.switch.output_queue_packets", "machine.switch.output_queue"),
        ("machine.routing.algorithm.order", "machine.routing.order"),
        ("machine.interface.acknowledges", "machine.interface.acknowledgements"),
        ("workload.radius", "workload.radius"),
        ("sample_interval_ps", "run.sample_interval"),
    ],
)
def test_engine_fields_are_translated(field: str, users: str) -> None:
    assert door.user_field(field) == users
