"""Estimates: against formulas written out, and against series whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tailback.statistics import (
    MAX_BATCHES,
    MIN_BATCHES,
    Estimate,
    lag1_correlation,
    mser5,
    quotient,
    ratio_of_sums,
    student_t,
)

Series = NDArray[np.float64]


def ones(x: Series) -> Series:
    return np.ones(len(x))


def autoregressive(phi: float, length: int, rng: np.random.Generator) -> Series:
    """x[i] = phi x[i-1] + noise around 100, started in the stationary distribution."""
    noise = rng.normal(size=length)
    x = np.empty(length)
    previous = rng.normal() / math.sqrt(1 - phi**2)
    for i in range(length):
        previous = phi * previous + noise[i]
        x[i] = previous
    return x + 100


class TestMser5:
    @staticmethod
    def directly(x: Series) -> int:
        """The cut, by the formula as printed, for a series of at most 2000."""
        means = [float(np.mean(x[i : i + 5])) for i in range(0, len(x) - len(x) % 5, 5)]
        n = len(means)
        errors = []
        for d in range(n // 2 + 1):
            rest = means[d:]
            mean = sum(rest) / len(rest)
            errors.append(sum((m - mean) ** 2 for m in rest) / len(rest) ** 2)
        return 5 * errors.index(min(errors))

    @pytest.mark.parametrize("seed", range(20))
    def test_is_the_printed_formula(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        length = int(rng.integers(10, 400))
        transient = 5 * np.exp(-np.arange(length) / rng.uniform(1, length / 3))
        x = rng.normal(size=length) + transient
        cut, settled = mser5(x, ones(x))
        assert cut == self.directly(x)
        assert settled == (cut < len(x) // 5 // 2 * 5)

    def test_a_transient_is_cut(self) -> None:
        x = np.concatenate([np.full(100, 9.0), np.random.default_rng(1).normal(size=900)])
        cut, settled = mser5(x, ones(x))
        assert settled
        assert 100 <= cut <= 150

    def test_a_ramp_never_settles(self) -> None:
        x = np.arange(1000.0)
        assert not mser5(x, ones(x)).settled

    def test_a_constant_is_settled_from_the_start(self) -> None:
        assert mser5(np.full(100, 3.0), np.ones(100)) == (0, True)

    def test_too_short_to_tell(self) -> None:
        assert mser5(np.ones(9), np.ones(9)) == (0, False)

    def test_samples_without_denominator_say_nothing(self) -> None:
        count = np.tile([0.0, 2.0], 500)
        assert mser5(3 * count, count) == (0, True)

    def test_long_series_are_coarsened(self) -> None:
        x = np.random.default_rng(2).normal(size=100_000)
        x[:20_000] += 1
        assert 20_000 <= mser5(x, ones(x)).cut <= 22_000


class TestRatioOfSums:
    def test_value_is_the_ratio_of_the_sums(self) -> None:
        estimate = ratio_of_sums(np.arange(100.0), np.full(100, 2.0), 0.95)
        assert estimate.value == 4950 / 200

    def test_a_constant_ratio_has_no_error(self) -> None:
        count = np.random.default_rng(1).integers(1, 9, 200).astype(float)
        estimate = ratio_of_sums(2.5 * count, count, 0.95)
        assert estimate.value == pytest.approx(2.5)
        assert estimate.half_width == pytest.approx(0, abs=1e-12)

    def test_nothing_counted_is_unknown(self) -> None:
        assert math.isnan(ratio_of_sums(np.zeros(50), np.zeros(50), 0.95).value)

    def test_too_few_samples_have_no_interval(self) -> None:
        estimate = ratio_of_sums(np.ones(MIN_BATCHES - 1), np.ones(MIN_BATCHES - 1), 0.95)
        assert estimate.value == 1
        assert math.isnan(estimate.low)
        assert math.isnan(estimate.relative)

    @pytest.mark.parametrize("length", [10, 19, 20, 777, 50_000])
    def test_number_of_batches(self, length: int) -> None:
        x = np.random.default_rng(3).normal(size=length)
        assert MIN_BATCHES <= ratio_of_sums(x, ones(x), 0.95).batches <= MAX_BATCHES

    @pytest.mark.parametrize(("phi", "length"), [(0.0, 300), (0.5, 1000), (0.9, 3000)])
    def test_intervals_cover_the_truth(self, phi: float, length: int) -> None:
        rng = np.random.default_rng(4)
        covered = 0
        for _ in range(300):
            estimate = ratio_of_sums(autoregressive(phi, length, rng), np.ones(length), 0.95)
            covered += estimate.low <= 100 <= estimate.high
        assert 0.91 <= covered / 300 <= 0.99

    def test_intervals_of_a_mean_over_packets_cover_the_truth(self) -> None:
        rng = np.random.default_rng(5)
        covered = 0
        for _ in range(300):
            count = rng.poisson(5, 400)
            total = np.array([rng.exponential(7.0, n).sum() for n in count])
            estimate = ratio_of_sums(total, count.astype(float), 0.9)
            covered += estimate.low <= 7 <= estimate.high
        assert 0.85 <= covered / 300 <= 0.95

    @pytest.mark.parametrize("period", [2.0, 2.07, 8.0, 13.3])
    @pytest.mark.parametrize("length", [1000, 1024, 1331])
    def test_a_periodic_series_is_not_more_precise_than_its_edges(
        self, period: float, length: int
    ) -> None:
        # Batches that happen to hold whole periods are all alike; that is no precision.
        instants = np.arange(0.5, length, period)
        x = np.histogram(instants, bins=np.arange(length + 1.0))[0].astype(float)
        assert ratio_of_sums(x, ones(x), 0.95).relative > 0.5 * period / length


class TestStudent:
    @pytest.mark.parametrize(
        ("confidence", "degrees", "printed"),
        [(0.95, 9, 2.262), (0.95, 30, 2.042), (0.99, 19, 2.861), (0.9, 1, 6.314)],
    )
    def test_quantiles_as_printed(self, confidence: float, degrees: int, printed: float) -> None:
        assert student_t(confidence, degrees) == pytest.approx(printed, abs=5e-4)


class TestQuotient:
    def test_of_exact_numbers_is_exact(self) -> None:
        theta = quotient(Estimate.exact(3), Estimate.exact(4))
        assert (theta.low, theta.value, theta.high) == (0.75, 0.75, 0.75)

    def test_bounds_are_the_roots_of_fieller(self) -> None:
        a, b = Estimate(6.0, 5.4, 6.6, 20), Estimate(8.0, 7.6, 8.4, 30)
        theta = quotient(a, b)
        for q in (theta.low, theta.high):
            assert (6 - q * 8) ** 2 == pytest.approx(0.6**2 + (q * 0.4) ** 2)
        assert theta.low < 0.75 < theta.high
        assert theta.batches == 20

    def test_covers_the_truth(self) -> None:
        rng = np.random.default_rng(6)
        covered = 0
        for _ in range(300):
            x, y = rng.normal(3, 1, 100), rng.normal(4, 1, 100)
            theta = quotient(ratio_of_sums(x, ones(x), 0.95), ratio_of_sums(y, ones(y), 0.95))
            covered += theta.low <= 0.75 <= theta.high
        assert 0.91 <= covered / 300 <= 0.995

    def test_an_exact_part_leaves_the_error_of_the_other(self) -> None:
        theta = quotient(Estimate(4.0, 3.0, 5.0, 12), Estimate.exact(2))
        assert (theta.low, theta.value, theta.high) == pytest.approx((1.5, 2, 2.5))
        assert theta.batches == 12

    @pytest.mark.parametrize(
        ("above", "below"),
        [
            (Estimate.unknown(), Estimate.exact(1)),
            (Estimate.exact(1), Estimate.unknown()),
            (Estimate.exact(1), Estimate.exact(0)),
        ],
    )
    def test_unknown_if_a_part_is(self, above: Estimate, below: Estimate) -> None:
        assert math.isnan(quotient(above, below).value)

    def test_no_bounds_if_the_divisor_may_be_zero(self) -> None:
        theta = quotient(Estimate(1, 0.9, 1.1, 20), Estimate(1, -0.1, 2.1, 20))
        assert theta.value == 1
        assert math.isnan(theta.low)
        assert math.isnan(theta.high)


class TestEstimate:
    def test_relative_half_width(self) -> None:
        assert Estimate(-4, -5, -3, 10).relative == 0.25
        assert Estimate.exact(0).relative == 0
        assert Estimate(0, -1, 1, 10).relative == math.inf

    def test_json_has_null_for_the_unknown(self) -> None:
        assert Estimate(1, math.nan, math.inf).to_dict() == {"value": 1, "low": None, "high": None}


def test_correlation_of_neighbours() -> None:
    assert lag1_correlation(np.tile([1.0, -1.0], 500)) == pytest.approx(-1, abs=0.01)
    assert lag1_correlation(np.ones(10)) == 0
    x = autoregressive(0.7, 20_000, np.random.default_rng(7))
    assert lag1_correlation(x) == pytest.approx(0.7, abs=0.03)
