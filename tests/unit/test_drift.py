"""How often runs are called unsettled: hardly ever where they are not, always where they are.

The numbers in docs/statistics.md are those of `TestRates` with `verify`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback.results import Ending
from tailback.statistics import Floats, drifts, trend


def autoregressive(n: int, memory: float, rng: np.random.Generator) -> Floats:
    """Return a stationary series whose neighbours correlate so."""
    found = []
    value = 0.0
    for noise in rng.normal(size=n + 1000).tolist():
        value = memory * value + noise
        found.append(value)
    return np.array(found[1000:]) + 50


def times_in_queue(n: int, load: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return sums of times in a queue (M/M/1), and how many: of each of n pieces of a run."""
    count = 20 * n
    between, service = rng.exponential(1 / load, count + 5000), rng.exponential(1, count + 5000)
    waits = 0.0
    found = []
    for own, until_next in zip(service.tolist(), between.tolist(), strict=True):
        found.append(waits + own)
        waits = max(0.0, found[-1] - until_next)
    times = np.array(found)
    begin = np.cumsum(between)[5000:] - np.cumsum(between)[4999]
    piece = np.minimum((begin / begin[-1] * n).astype(int), n - 1)
    counted = np.bincount(piece, minlength=n).astype(np.float64)
    return np.bincount(piece, times[5000:], n), counted


class TestStatistic:
    @pytest.mark.parametrize(
        ("n", "memory", "cases", "most"),
        [(100, 0.0, 500, 2), (100, 0.5, 500, 2), (560, 0.9, 200, 2)],
    )
    def test_a_stationary_series_is_hardly_ever_called_drifting(
        self, n: int, memory: float, cases: int, most: int
    ) -> None:
        rng = np.random.default_rng(1)
        found = sum(drifts(autoregressive(n, memory, rng), np.ones(n)) for _ in range(cases))
        assert found <= most

    def test_a_queue_that_keeps_up_does_not_drift(self) -> None:
        rng = np.random.default_rng(1)
        assert sum(drifts(*times_in_queue(100, 0.5, rng)) for _ in range(30)) == 0

    def test_a_queue_that_does_not_keep_up_drifts(self) -> None:
        rng = np.random.default_rng(1)
        assert all(drifts(*times_in_queue(100, 1.3, rng)) for _ in range(30))

    @pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
    def test_a_trend_is_seen_whatever_the_noise_remembers(self, memory: float) -> None:
        rng = np.random.default_rng(1)
        # It rises by 60 standard deviations of the noise.
        rise = np.linspace(0, 60 / np.sqrt(1 - memory**2), 560)
        for _ in range(20):
            series = autoregressive(560, memory, rng) + rise
            assert drifts(series, np.ones(560))
            assert drifts(series[::-1], np.ones(560))

    def test_it_is_by_hand_that_of_a_straight_line(self) -> None:
        # Independent noise: Student's t of a regression, but that its variance is of 10 batches.
        rng = np.random.default_rng(7)
        y = rng.normal(size=100)
        x = np.arange(100) - 49.5
        slope = (x * y).sum() / (x * x).sum()
        rest = y - y.mean() - slope * x
        t, degrees = trend(y, np.ones(100))
        assert t / (slope * np.sqrt((x * x).sum() / rest.var(ddof=2))) == pytest.approx(1, abs=0.3)
        assert np.sign(t) == np.sign(slope)
        assert 8 <= degrees <= 98

    def test_of_little_nothing_is_said(self) -> None:
        assert trend(np.arange(19.0), np.ones(19)) == (0.0, 0)
        assert trend(np.zeros(100), np.zeros(100)) == (0.0, 0)
        assert not drifts(np.ones(100), np.ones(100))
        assert drifts(np.arange(100.0), np.ones(100))


def endings(cases: int, load: float, workload: dict[str, Any], **run: Any) -> list[Ending]:
    """Return how runs of so many seeds of a star of 16 nodes ended."""
    # A message of 64 B takes 5.76 ns on the link of its node.
    period = f"{round(5760 / load)} ps"
    tables: dict[str, Any] = {
        "machine": {"topology": {"kind": "star", "nodes": 16}},
        "workload": {
            "preset": "uniform_open_loop",
            "message_size": "64 B",
            "compute_period": period,
            **workload,
        },
    }
    found = []
    for seed in range(1, cases + 1):
        tables["run"] = {"seed": seed, **run}
        found.append(tb.run(tb.Experiment.from_dict(tables)).ending)
    return found


def unsettled(cases: int, load: float, workload: dict[str, Any], **run: Any) -> int:
    """Return how many of them are not steady."""
    return sum(not ending.steady for ending in endings(cases, load, workload, **run))


_LATENCY = {"metric": "message_latency_us"}
_GIVEN = {"warmup": "20 us", "duration": "200 us"}
RULES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "all given": ({}, _GIVEN),
    "all given, latency": ({}, _GIVEN | _LATENCY),
    "all given, equal periods": ({"compute_distribution": "constant"}, _GIVEN),
    "warm-up found": ({}, {"duration": "200 us"}),
    "all found": ({}, {}),
    "all found, latency": ({}, {"precision": 0.03} | _LATENCY),
}


class TestRates:
    @pytest.mark.parametrize("rule", ["all given", "all found, latency"])
    def test_of_a_few_stationary_runs_none_is_called_unsettled(self, rule: str) -> None:
        workload, run = RULES[rule]
        assert unsettled(10, 0.1, workload, **run) == 0

    @pytest.mark.verify
    @pytest.mark.parametrize("load", [0.1, 0.5])
    @pytest.mark.parametrize("rule", RULES)
    def test_of_300_stationary_runs_at_most_three_are(self, rule: str, load: float) -> None:
        workload, run = RULES[rule]
        assert unsettled(300, load, workload, **run) <= 3

    def test_beyond_saturation_all_are(self) -> None:
        # Queues grow, but what is accepted is steady: they are saturated.
        run = {"warmup": "10 us", "duration": "60 us", **_LATENCY}
        assert all(end.saturated and not end.settled for end in endings(5, 1.3, {}, **run))

    def test_so_is_latency_itself(self) -> None:
        tables = {
            "machine": {"topology": {"kind": "star", "nodes": 16}},
            "workload": {"preset": "uniform_open_loop", "message_size": "64 B"},
            "run": {"warmup": "10 us", "duration": "60 us"},
        }
        tables["workload"]["compute_period"] = "4431 ps"
        for seed in range(1, 4):
            tables["run"]["seed"] = seed
            series = tb.run(tb.Experiment.from_dict(tables)).series("message_latency_us")
            assert drifts(series.numerator, series.denominator)
