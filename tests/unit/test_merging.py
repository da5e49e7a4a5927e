"""Runs of different seeds as one: values, errors, quotients, moments, percentiles."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.stores import RATIOS, SMALL, synthetic_runs
from tailback import analysis, tables
from tailback.analysis.pooling import Pairs, Pool, ratios
from tailback.engine import RESULTS_VERSION
from tailback.errors import UserError
from tailback.metrics import METRICS, THETAS
from tailback.statistics import Estimate, quotient, student_t
from tailback.store.columns import MERGED, RATIO_PARTS
from tailback.store.points import PointStore
from tests.random_cases import random_cases
from tests.stores import LIFETIME, PERIOD, RATE, WIDTH, nested_of, runs_of


def merged(frame: pl.DataFrame, *arguments: Any, **named: Any) -> pl.DataFrame:
    """Runs made and looked at by Polars, merged by what is tested."""
    return pl.DataFrame(analysis.merged(frame.to_arrow(), *arguments, **named))


def merged_moments(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(analysis.merged_moments(frame.to_arrow()))


def by_hand(rows: Sequence[dict[str, Any]], name: str) -> tuple[float, float, float]:
    """Return value, standard error and degrees of freedom of merged runs, as documented."""
    v, s, w, b = (
        [row[name + part] for row in rows]
        for part in ("", "_standard_error", "_weight", "_batches")
    )
    total, k = sum(w), len(rows)
    value = sum(x * y for x, y in zip(w, v, strict=True)) / total
    within = sum((x * y) ** 2 for x, y in zip(w, s, strict=True)) / total**2
    square = sum((x * (y - value)) ** 2 for x, y in zip(w, v, strict=True))
    between = k / (k - 1) * square / total**2
    own, among = sum(b) - k, k - 1
    from scipy.special import fdtri

    if between / within > fdtri(among, own, 0.95):
        return value, math.sqrt(between), among
    return value, math.sqrt((own * within + among * between) / (own + among)), own + among


class TestMerging:
    def test_runs_that_differ_in_the_seed_become_one_row(self, runs: pl.DataFrame) -> None:
        found = merged(runs)
        assert len(found) == 2 * 3 * 2
        assert found["runs"].to_list() == [4] * 12
        assert "run.seed" not in found.columns
        order = runs.select("workload.sync", PERIOD, "mode").unique(maintain_order=True)
        assert found.select(order.columns).equals(order)

    def test_runs_that_may_drift_are_counted_and_averaged_all_the_same(
        self, runs: pl.DataFrame
    ) -> None:
        keys = ["workload.sync", PERIOD, "mode"]
        found = {row[:3]: row[3:] for row in merged(runs).select(*keys, "unsettled", RATE).rows()}
        assert sum(count for count, _ in found.values()) == (~runs["steady"]).sum() > 0
        for key, rows in runs.group_by(keys):
            weights = rows[f"{RATE}_weight"]
            mean = (rows[RATE] * weights).sum() / weights.sum()
            count, value = found[key]
            assert count == (~rows["steady"]).sum()
            assert value == pytest.approx(mean)

    @pytest.mark.parametrize("name", [RATE, LIFETIME, "hops"])
    def test_formulas(self, runs: pl.DataFrame, name: str) -> None:
        ways = set()
        # The second half scatters more than its own errors say.
        wider = pl.when(pl.col(PERIOD) > 5).then(pl.col(name) * (1 + pl.col("run.seed") / 10))
        frame = runs.with_columns(wider.otherwise(pl.col(name)), steady=True)
        for key, rows in frame.group_by(["workload.sync", PERIOD, "mode"]):
            sync, period, mode = key
            [row] = (
                merged(frame, values=[name])
                .filter(workload_sync(sync), pl.col(PERIOD) == period, pl.col("mode") == mode)
                .rows(named=True)
            )
            value, error, degrees = by_hand(rows.rows(named=True), name)
            half = student_t(0.95, degrees) * error
            assert row[name] == pytest.approx(value)
            assert row[f"{name}_standard_error"] == pytest.approx(error)
            assert row[f"{name}_low"] == pytest.approx(value - half)
            assert row[f"{name}_high"] == pytest.approx(value + half)
            assert row[f"{name}_batches"] == degrees + 1
            assert row[f"{name}_weight"] == pytest.approx(rows[f"{name}_weight"].sum())
            ways.add(degrees == 3)
        assert ways == {True, False}

    def test_a_single_run_stays_as_it_is(self, runs: pl.DataFrame) -> None:
        settled = runs.with_columns(steady=True)
        found = merged(settled, over=())
        columns = [name + part for name in METRICS for part in MERGED]
        columns += [name + part for name in RATIOS for part in RATIO_PARTS]
        columns += ["lifetime_us_p99", "steady", "events"]
        assert found.select(columns).equals(settled.select(columns))
        assert set(found["runs"]) == {1}

    def test_nothing_settled(self, runs: pl.DataFrame) -> None:
        found = merged(runs.with_columns(steady=False))
        assert found["unsettled"].to_list() == found["runs"].to_list()
        for name in (RATE, f"{RATE}_batches", f"{RATE}_weight", "theta_t"):
            assert set(found[name]) != {None}
        assert not found["steady"].any()

    def test_of_what_was_cut_off_it_is_said_what_it_is_more_than(self, runs: pl.DataFrame) -> None:
        times = {"": 3.0, "_low": 3.0, "_high": 3.0, "_standard_error": 0.0, "_weight": 1.0}
        whole = runs.with_columns(
            **{f"completion_us{part}": pl.lit(value) for part, value in times.items()},
            completion_us_batches=pl.lit(0),
            cut_off=pl.lit(None, pl.String),
        )
        is_cut = (pl.col("run.seed") == 2) & (pl.col("mode") == "full")
        frame = whole.with_columns(
            pl.when(~is_cut).then(pl.col(f"completion_us{part}")).alias(f"completion_us{part}")
            for part in ("", "_high", "_standard_error", "_weight", "_batches")
        ).with_columns(
            completion_us_low=pl.when(is_cut).then(9.0).otherwise(3.0),
            cut_off=pl.when(is_cut).then(pl.lit("run.max_duration = 9 us")),
            steady=~is_cut,
        )
        for over, rate in ((["run.seed"], RATE), ([], RATE)):
            for row in merged(frame, over).rows(named=True):
                if row["cut_off"] is None:
                    assert row["completion_us"] == 3.0
                    continue
                # Four runs take at least (3 + 9 + 3 + 3) / 4, one 9.
                assert row["cut_off"] == "run.max_duration = 9 us"
                assert (row["completion_us"], row["completion_us_high"]) == (None, None)
                assert row["completion_us_low"] == (4.5 if over else 9.0)
                assert (row["unsettled"], row["theta_r"]) == (0, None)
                assert row[rate] is not None

    def test_how_runs_went_is_told_of_all(self, runs: pl.DataFrame) -> None:
        first = (pl.col("run.seed") == 1) & (pl.col("mode") == "full")
        frame = runs.with_columns(
            converged=pl.when(first).then(pl.lit(False)).otherwise(True),
            stop_reason=pl.when(first).then(pl.lit("max_events")).otherwise(pl.lit("precision")),
        )
        found = merged(frame, values=[]).filter(pl.col("mode") == "full")
        assert set(found["converged"]) == {False}
        assert set(found["stop_reason"]) == {"max_events, precision"}
        assert set(found["events"]) == {4 * 200_000}
        nothing_asked = frame.with_columns(converged=pl.lit(None, pl.Boolean))
        assert set(merged(nothing_asked, values=[])["converged"]) == {None}

    def test_exact_values(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=3)
        known = {f"{RATE}_standard_error": 0.0, f"{RATE}_batches": 0, f"{RATE}_weight": 1.0}
        exact = frame.with_columns(**{name: pl.lit(value) for name, value in known.items()})
        same = exact.with_columns(pl.lit(7.0).alias(RATE))
        row = merged(same, values=[RATE]).row(0, named=True)
        assert (row[RATE], row[f"{RATE}_low"], row[f"{RATE}_high"]) == (7, 7, 7)
        assert row[f"{RATE}_batches"] == 0
        # Each seed is known exactly, their mean is not.
        different = exact.with_columns(pl.col("run.seed").cast(pl.Float64).alias(RATE))
        row = merged(different, values=[RATE]).row(0, named=True)
        assert row[RATE] == pytest.approx(2)
        assert row[f"{RATE}_standard_error"] == pytest.approx(1 / math.sqrt(3))
        assert row[f"{RATE}_batches"] == 3

    def test_an_unknown_error_leaves_how_runs_differ(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=3).with_columns(
            pl.lit(None, pl.Float64).alias(f"{RATE}_standard_error"),
            pl.col("run.seed").cast(pl.Float64).alias(RATE),
            pl.lit(1.0).alias(f"{RATE}_weight"),
        )
        row = merged(frame, values=[RATE]).row(0, named=True)
        assert row[f"{RATE}_standard_error"] == pytest.approx(1 / math.sqrt(3))
        assert row[f"{RATE}_batches"] == 3

    def test_other_versions_and_parameters_are_not_mixed(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=4)
        even = pl.col("run.seed") % 2 == 0
        for name, other in {
            "version": pl.lit("9.9"),
            "results_version": pl.lit(RESULTS_VERSION + 1),
            "machine.node_link.width": pl.lit(None),
        }.items():
            mixed = frame.with_columns(
                pl.when(even).then(other).otherwise(pl.col(name)).alias(name)
            )
            assert merged(mixed, values=[RATE])["runs"].to_list() == [2, 2, 2, 2]

    def test_over_other_parameters(self, runs: pl.DataFrame) -> None:
        found = merged(runs, over=["seed", "compute_period"], values=["theta_r"])
        assert found["runs"].to_list() == [12] * 4
        assert PERIOD not in found.columns
        with pytest.raises(UserError, match='merge = "theta_r": must be a parameter'):
            merged(runs, over=["theta_r"])
        with pytest.raises(UserError, match="no such column"):
            merged(runs, over=["sed"])

    def test_the_same_run_in_two_points_counts_once(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=3)
        # The point was also run in mode full alone, and knows nothing of theta.
        again = frame.filter(pl.col("mode") == "full").with_columns(
            (pl.lit("again ") + pl.col("identity")).alias("identity"),
            pl.col([name + part for name in RATIOS for part in RATIO_PARTS]) * None,
        )
        twice = pl.concat([again, frame], how="diagonal_relaxed")
        found, wanted = merged(twice), merged(frame)
        assert found.sort("mode").equals(wanted.sort("mode"))

    def test_only_what_is_asked_for_is_there(self, runs: pl.DataFrame) -> None:
        found = merged(runs, values=["theta_t", RATE])
        measured = [name for name in found.columns if name in {*METRICS, *THETAS}]
        assert measured == ["theta_t", RATE]


def workload_sync(value: object) -> pl.Expr:
    return pl.col("workload.sync") == value


class TestRatios:
    def estimate(self, row: dict[str, Any], name: str) -> Estimate:
        parts = [row[name + part] for part in ("", "_low", "_high", "_batches", "_standard_error")]
        return Estimate(*parts)

    @pytest.mark.parametrize("baseline", ["endpoints", "throttled"])
    @pytest.mark.parametrize("name", RATIOS)
    def test_are_quotients_of_merged_values(self, name: str, baseline: str) -> None:
        metric, modes = THETAS[name].metric, ("full", "endpoints", "throttled", "free")
        # So much alike that no mode is known from how its runs differ alone.
        mean = pl.col(metric).mean().over(PERIOD, "mode")
        base = SMALL | {"run": SMALL["run"] | {"baseline": baseline}}
        frame = synthetic_runs({PERIOD: [5.0, 20.0]}, 5, modes, base).with_columns(
            mean * (1 + 1e-6 * pl.col("run.seed"))
        )
        rows = merged(frame).rows(named=True)
        for first in (0, 4):
            of_mode = {row["mode"]: row for row in rows[first : first + 4]}
            pair = THETAS[name].against(baseline).modes
            up, down = (self.estimate(of_mode[mode], metric) for mode in pair)
            full = of_mode["full"]
            wanted = quotient(up, down, full[f"{name}_covariance"])
            assert full[name] == pytest.approx(wanted.value)
            assert full[f"{name}_low"] == pytest.approx(wanted.low)
            assert full[f"{name}_high"] == pytest.approx(wanted.high)
            assert {of_mode[mode][name] for mode in modes[1:]} == {None}

    @pytest.mark.parametrize("scatter", [0.1, 50])
    def test_covariance_of_runs_by_the_formula(self, scatter: float) -> None:
        """Runs that differ little, or far more than their errors explain."""
        mean = pl.col(RATE).mean().over("mode")
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=5).with_columns(
            pl.when(pl.col("mode") == "full").then(2e-5).alias("theta_r_covariance"),
            mean + scatter * (pl.col(RATE) - mean),
        )
        row = merged(frame, values=["theta_r"]).row(0, named=True)
        one, other = (frame.filter(pl.col("mode") == mode) for mode in ("full", "endpoints"))
        w, u = one[f"{RATE}_weight"].to_numpy(), other[f"{RATE}_weight"].to_numpy()
        a, b = one[RATE].to_numpy(), other[RATE].to_numpy()
        scale = w.sum() * u.sum()
        apart = (a - (w * a).sum() / w.sum()) * (b - (u * b).sum() / u.sum())
        within, between = (w * u * 2e-5).sum() / scale, 5 / 4 * (w * u * apart).sum() / scale
        own = min(mode[f"{RATE}_batches"].sum() for mode in (one, other)) - 5
        pooled = (own * within + 4 * between) / (own + 4)
        wanted = between if scatter > 1 else pooled
        assert row["theta_r_covariance"] == pytest.approx(wanted)

    def test_points_of_different_baselines_are_compared_each_with_its_own(self) -> None:
        frames = [
            synthetic_runs(
                {PERIOD: [5.0]},
                3,
                ("full", "endpoints", "throttled"),
                SMALL | {"run": SMALL["run"] | {"baseline": baseline}},
            )
            for baseline in ("endpoints", "throttled")
        ]
        both = merged(pl.concat(frames), values=["theta_r", RATE])
        apart = pl.concat([merged(frame, values=["theta_r", RATE]) for frame in frames])
        assert both.select("theta_r", RATE).equals(apart.select("theta_r", RATE))
        for place, other in ((0, 1), (3, 5)):
            rates = both[RATE]
            assert both["theta_r"][place] == pytest.approx(rates[place] / rates[other])

    def test_modes_that_are_missing(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=2, modes=("full", "free"))
        assert set(merged(frame)["theta_t"]) == {None}

    def test_of_runs_that_settled_in_one_mode_only(self) -> None:
        frame = synthetic_runs({PERIOD: [5.0]}, seeds=3)
        lost = (pl.col("mode") == "full") & (pl.col("run.seed") > 1)
        row = merged(frame.with_columns(steady=~lost)).row(0, named=True)
        baseline = merged(frame).row(1, named=True)
        assert row["unsettled"] == 2
        assert row["theta_r"] == pytest.approx(row[RATE] / baseline[RATE])
        assert row["theta_r_low"] < row["theta_r"] < row["theta_r_high"]


class TestChance:
    """Intervals hold the truth as often as they say."""

    GROUPS = 4000

    def pool(self, draw: np.random.Generator, value: Any, error: Any, batches: int) -> Pool:
        k = value.shape[1]
        estimated = error * np.sqrt(draw.chisquare(batches - 1, value.shape) / (batches - 1))
        mean = value.mean(axis=1)
        among = ((value - mean[:, None]) ** 2).sum(axis=1) / k / (k - 1)
        ones = np.ones(self.GROUPS)
        within = (estimated**2).sum(axis=1) / k**2
        return Pool(0.95 * ones, k * ones, k * ones, mean, within, k * (batches - 1) * ones, among)

    @pytest.mark.parametrize("k", [2, 5, 20])
    def test_runs_that_are_alike(self, k: int) -> None:
        draw = np.random.default_rng(5)
        pool = self.pool(draw, draw.normal(size=(self.GROUPS, k)), 1.0, 20)
        half = pool.error(pool.differs).half
        assert 0.94 < (abs(pool.value) <= half).mean() < 0.97
        # Pooled, the interval is about that of one run over sqrt(k), even for two runs.
        assert np.median(half) == pytest.approx(student_t(0.95, 20 * k) / math.sqrt(k), rel=0.1)

    @pytest.mark.parametrize("k", [5, 20])
    def test_runs_that_differ_far_more_than_their_errors(self, k: int) -> None:
        draw = np.random.default_rng(6)
        value = draw.normal(scale=6.0, size=(self.GROUPS, k))
        pool = self.pool(draw, value, 1.0, 20)
        assert 0.93 < (abs(pool.value) <= pool.error(pool.differs).half).mean() < 0.97

    def test_ratios_of_modes_with_common_randomness(self) -> None:
        draw = np.random.default_rng(7)
        k, batches, size = 4, 20, (self.GROUPS, 4, 20)
        shared = draw.normal(scale=0.2, size=size)
        modes = [mean + shared + draw.normal(scale=0.05, size=size) for mean in (0.8, 1.0)]
        apart = [mode - mode.mean(axis=2, keepdims=True) for mode in modes]
        means = [mode.mean(axis=2) for mode in modes]
        spread = [mean - mean.mean(axis=1, keepdims=True) for mean in means]

        def within(i: int, j: int) -> Any:
            covariances = (apart[i] * apart[j]).sum(axis=2) / (batches - 1) / batches
            return covariances.sum(axis=1) / k**2

        def between(i: int, j: int) -> Any:
            return (spread[i] * spread[j]).sum(axis=1) / (k - 1) / k

        one, degrees = np.ones(self.GROUPS), k * (batches - 1)
        above, below = (
            Pool(
                0.95 * one,
                k * one,
                one,
                means[i].mean(axis=1),
                within(i, i),
                degrees * one,
                between(i, i),
            )
            for i in range(2)
        )
        found = ratios(above, below, Pairs(k * one, within(0, 1), between(0, 1)))
        held = (found.low <= 0.8) & (found.high >= 0.8)
        assert 0.93 < held.mean() < 0.97
        unpaired = ratios(above, below, Pairs(0 * one, 0 * one, 0 * one))
        assert np.median(found.high - found.low) < 0.5 * np.median(unpaired.high - unpaired.low)


Packets = list[list[int]]


class TestMoments:
    def frame(self, packets: Packets, settled: Sequence[bool] = ()) -> pl.DataFrame:
        """Return runs of one group, one for each seed, with the moments of these packets."""
        runs = synthetic_runs({PERIOD: [5.0]}, seeds=len(packets), modes=("full",))
        moments = pl.DataFrame(tables.moments([self.row(numbers) for numbers in packets]))
        return runs.with_columns(
            moments.to_struct("moments").reshape((-1, 1)).arr.to_list().alias("moments"),
            pl.Series("steady", list(settled) or [True] * len(packets)),
        )

    def row(self, numbers: list[int]) -> dict[str, Any]:
        sums = {
            name: sum(x**p for x in numbers) for p, name in enumerate(("sum", "sum2", "sum3"), 1)
        }
        ends = {"min": min(numbers, default=0), "max": max(numbers, default=0)}
        return {"variable": "lifetime", "class": "data", "count": len(numbers), **sums, **ends}

    @given(
        st.lists(st.lists(st.integers(0, 10**17), max_size=8), min_size=1, max_size=6),
        st.randoms(use_true_random=False),
    )
    @settings(max_examples=random_cases(60))
    def test_merged_in_any_order_are_those_of_all_packets(
        self, packets: Packets, chance: random.Random
    ) -> None:
        [wanted] = tables.moments([self.row([x for run in packets for x in run])]).to_pylist()
        frame = self.frame(packets)
        for _ in range(2):
            order = list(range(len(frame)))
            chance.shuffle(order)
            [found] = merged_moments(frame[order]).rows(named=True)
            assert {name: found[name] for name in wanted} == wanted
            assert found["runs"] == len(packets)

    def test_of_runs_whether_they_settled_or_not(self) -> None:
        [found] = merged_moments(self.frame([[1, 2], [50]], [True, False])).rows(named=True)
        assert (found["count"], found["sum3"], found["max"]) == (3, "125009", 50)

    def test_of_real_runs(self, store: PointStore) -> None:
        found = merged_moments(runs_of(store))
        one = found.row(0, named=True)
        rows = runs_of(store).filter(
            pl.col(PERIOD) == one[PERIOD],
            pl.col("mode") == one["mode"],
            pl.col(WIDTH) == one[WIDTH],
        )
        same = (
            rows.explode("moments")
            .unnest("moments")
            .filter(pl.col("variable") == one["variable"], pl.col("class") == one["class"])
        )
        assert one["count"] == same["count"].sum()
        assert int(one["sum2"]) == sum(map(int, same["sum2"]))
        assert one["min"] == same["min"].min()


class TestPercentiles:
    def test_are_those_of_all_packets(self, store: PointStore) -> None:
        def histograms(points: Sequence[str]) -> pa.Table:
            return store.nested("histograms", points)

        frame = runs_of(store).with_columns(steady=True)
        names = ["lifetime_us_p50", "message_latency_us_p99_9"]
        found = merged(frame, values=names, histograms=histograms)
        assert set(merged(frame, values=names)["lifetime_us_p50"]) == {None}
        bins = nested_of(store, "histograms").filter(variable="lifetime", mode="full")
        members = frame.filter(pl.col(PERIOD) == 5, pl.col(WIDTH) == 1)["identity"]
        count = (
            bins.filter(pl.col("identity").is_in(members.implode()))
            .group_by("high")
            .agg(pl.col("count").sum())
        )
        reached = count.sort("high").with_columns(pl.col("count").cum_sum())
        half = reached.filter(pl.col("count") >= reached["count"][-1] / 2)["high"][0]
        value = found.filter(pl.col(PERIOD) == 5, pl.col(WIDTH) == 1, mode="full")[
            "lifetime_us_p50"
        ][0]
        assert half * (1 - 1 / 64) <= value * 1e6 <= half

    def test_of_a_single_run_are_as_stored(self, store: PointStore) -> None:
        frame = runs_of(store).with_columns(steady=True)
        name = "lifetime_us_p99"
        wanted = frame[name].to_list()
        assert merged(frame, (), [name])[name].to_list() == wanted
