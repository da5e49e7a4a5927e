"""Estimates: against formulas written out, and against series whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tailback.statistics import (
    MAX_BATCHES,
    MIN_BATCHES,
    Estimate,
    Series,
    covariance,
    fisher_f,
    lag1_correlation,
    mser5,
    quotient,
    ratio_of_sums,
    student_t,
)
from tests.random_cases import random_cases

Floats = NDArray[np.float64]


def ones(x: Floats) -> Floats:
    return np.ones(len(x))


def autoregressive(phi: float, length: int, rng: np.random.Generator) -> Floats:
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
    def directly(x: Floats) -> int:
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

    def test_half_width_is_student_times_the_standard_error(self) -> None:
        x = np.random.default_rng(1).normal(5, 1, 700)
        for confidence in (0.8, 0.95):
            estimate = ratio_of_sums(x, np.full(700, 3.0), confidence)
            t = student_t(confidence, estimate.batches - 1)
            assert estimate.half_width == pytest.approx(t * estimate.standard_error)
            assert estimate.weight == 2100

    def test_standard_error_of_independent_samples(self) -> None:
        rng = np.random.default_rng(2)
        errors = [ratio_of_sums(rng.normal(5, 1, 400), np.ones(400), 0.95) for _ in range(200)]
        # The largest of several estimates is a little too large.
        assert 0.05 < np.mean([e.standard_error for e in errors]) < 0.058

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

    @given(st.floats(0.1, 0.9999), st.integers(2, 30_000))
    @settings(max_examples=random_cases(50))
    def test_quantiles_are_those_of_scipy(self, confidence: float, degrees: int) -> None:
        from scipy.special import stdtr

        below = stdtr(degrees, student_t(confidence, degrees))
        assert below == pytest.approx((1 + confidence) / 2, rel=1e-9)

    def test_two_degrees_have_a_formula_in_roots(self) -> None:
        # t = c sqrt(2 / (1 - c^2)) for two degrees, tan(pi c / 2) for one.
        assert student_t(0.5, 2) == math.sqrt(2 / 3)
        assert student_t(0.5, 1) == 1.0

    @given(st.floats(0.01, 0.99), st.integers(1, 200), st.integers(1, 30_000))
    @settings(max_examples=random_cases(50))
    def test_quantiles_of_f_are_those_of_scipy(self, share: float, k: int, b: int) -> None:
        from scipy.special import fdtr

        assert fdtr(k, b, fisher_f(share, k, b)) == pytest.approx(share, rel=1e-9)

    def test_the_square_of_t_has_the_distribution_f(self) -> None:
        for degrees in (1, 2, 7, 19):
            t = student_t(0.95, degrees)
            assert fisher_f(0.95, 1, degrees) == pytest.approx(t**2, rel=1e-15)


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

    def test_bounds_with_covariance_are_the_roots_of_fieller(self) -> None:
        a = Estimate(6.0, 5.4, 6.6, 20, standard_error=0.3)
        b = Estimate(8.0, 7.6, 8.4, 30, standard_error=0.2)
        theta = quotient(a, b, covariance=0.03)
        r = 0.03 / (0.3 * 0.2)
        for q in (theta.low, theta.high):
            variance = 0.6**2 - 2 * q * r * 0.6 * 0.4 + (q * 0.4) ** 2
            assert (6 - q * 8) ** 2 == pytest.approx(variance)
        assert quotient(a, b).low < theta.low < 0.75 < theta.high < quotient(a, b).high
        variance = 0.3**2 - 2 * 0.75 * 0.03 + (0.75 * 0.2) ** 2
        assert theta.standard_error == pytest.approx(math.sqrt(variance) / 8)

    def test_errors_that_are_all_in_common_cancel(self) -> None:
        a = Estimate(6.0, 5.4, 6.6, 20, standard_error=0.3)
        b = Estimate(12.0, 10.8, 13.2, 20, standard_error=0.6)
        theta = quotient(a, b, covariance=0.3 * 0.6)
        assert (theta.low, theta.high) == pytest.approx((0.5, 0.5))
        assert theta.standard_error == pytest.approx(0, abs=1e-9)

    @given(
        a=st.floats(0.1, 10),
        b=st.floats(0.1, 10),
        errors=st.tuples(st.floats(1e-6, 0.4), st.floats(1e-6, 0.4)),
        correlation=st.floats(-1, 1),
    )
    def test_the_value_is_always_within(
        self, a: float, b: float, errors: tuple[float, float], correlation: float
    ) -> None:
        ea, eb = errors[0] * a, errors[1] * b
        above = Estimate(a, a - 2 * ea, a + 2 * ea, 20, ea)
        below = Estimate(b, b - 2 * eb, b + 2 * eb, 20, eb)
        theta = quotient(above, below, correlation * ea * eb)
        assert theta.low <= theta.value * (1 + 1e-9)
        assert theta.high >= theta.value * (1 - 1e-9)
        assert theta.standard_error >= 0

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


def window(x: Floats, first: int = 0, last: int | None = None, unit_ps: int = 10) -> Series:
    """A part of a series of which one sample is taken every `unit_ps`, and its mean."""
    x = x[first:last]
    times = unit_ps * np.arange(first, first + len(x) + 1, dtype=np.uint64)
    return Series(times, x, ones(x), ratio_of_sums(x, ones(x), 0.95))


def correlation(one: Series, other: Series) -> float:
    errors = one.estimate.standard_error * other.estimate.standard_error
    return covariance(one, other) / errors


class TestCovariance:
    def test_of_a_series_with_itself(self) -> None:
        one = window(autoregressive(0.5, 900, np.random.default_rng(1)))
        assert correlation(one, one) == pytest.approx(1)
        theta = quotient(one.estimate, one.estimate, covariance(one, one))
        assert (theta.low, theta.high) == pytest.approx((1, 1))

    def test_of_a_multiple(self) -> None:
        x = autoregressive(0.5, 900, np.random.default_rng(1))
        assert correlation(window(x), window(3 * x)) == pytest.approx(1)

    def test_only_the_common_time_counts(self) -> None:
        x = autoregressive(0.0, 900, np.random.default_rng(1))
        share = 400 / math.sqrt(600 * 700)
        assert correlation(window(x, 0, 600), window(x, 200, 900)) == pytest.approx(share)

    def test_rows_that_only_one_has_do_not_count(self) -> None:
        x = autoregressive(0.0, 900, np.random.default_rng(1))
        fine, halves = window(x), x.reshape(-1, 2).sum(axis=1)
        coarse = window(halves / 2, unit_ps=20)
        assert correlation(fine, coarse) == pytest.approx(1, abs=0.1)

    def test_no_common_time(self) -> None:
        x = autoregressive(0.0, 900, np.random.default_rng(1))
        assert covariance(window(x, 0, 400), window(x, 400)) == 0
        assert covariance(window(x, 0, 400), window(x, 400 - MIN_BATCHES + 1)) == 0

    def test_exact_numbers_have_none(self) -> None:
        x = np.random.default_rng(1).normal(5, 1, 900)
        exact = Series(window(x).times_ps, x, ones(x), Estimate.exact(5, 900))
        assert covariance(window(x), exact) == 0
        assert covariance(exact, window(x)) == 0

    def test_of_independent_series_is_none_on_average(self) -> None:
        rng = np.random.default_rng(2)
        found, covered = [], 0
        for _ in range(300):
            one, other = (window(autoregressive(0.5, 600, rng)) for _ in range(2))
            found.append(correlation(one, other))
            theta = quotient(one.estimate, other.estimate, covariance(one, other))
            covered += theta.low <= 1 <= theta.high
        assert abs(np.mean(found)) < 0.06
        assert 0.91 <= covered / 300 <= 0.985

    @pytest.mark.parametrize("last", [600, 900])
    def test_paired_intervals_are_narrow_and_cover_the_truth(self, last: int) -> None:
        # Nine tenths of the variance in common; the second is measured longer.
        rng = np.random.default_rng(3)
        covered, widths = 0, []
        for _ in range(300):
            common = autoregressive(0.6, 900, rng)
            one, other = (common + autoregressive(0.6, 900, rng) / 3 - 100 / 3 for _ in range(2))
            above, below = window(0.8 * one, 0, 600), window(other, 0, last)
            theta = quotient(above.estimate, below.estimate, covariance(above, below))
            covered += theta.low <= 0.8 <= theta.high
            widths.append(theta.half_width / quotient(above.estimate, below.estimate).half_width)
        assert 0.91 <= covered / 300 <= 0.985
        # Without the covariance: 1; the truth for equal windows is sqrt(0.1).
        assert np.mean(widths) < (0.36 if last == 600 else 0.65)

    def test_an_error_that_lasts_is_not_hidden_by_one_that_is_common(self) -> None:
        # The common part is white and large; what differs is small and slow.
        rng = np.random.default_rng(4)
        covered = 0
        for _ in range(200):
            common = rng.normal(100, 1, 2000)
            one = common + (autoregressive(0.95, 2000, rng) - 100) * 0.1
            above, below = window(one), window(common)
            theta = quotient(above.estimate, below.estimate, covariance(above, below))
            covered += theta.low <= 1 <= theta.high
        assert covered / 200 >= 0.9


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
