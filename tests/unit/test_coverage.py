"""The study of coverage, with fewer runs; and that its sources are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from studies.coverage.cases import CASES, WAIT, Outcome, measured
from studies.coverage.report import table, write
from studies.coverage.sources import INTERVAL_PS, Autoregressive, Queue
from studies.coverage.tallies import Tally
from tailback.statistics import Estimate

RUNS = 100
NAMES = [case.name for case in CASES]
QUICK = [name for name in NAMES if "0.8" not in name]


@pytest.mark.verify
@pytest.mark.parametrize("name", QUICK)
def test_intervals_contain_the_truth(name: str) -> None:
    """As often as they would by chance, all but once in a thousand times, if 95 % of them do."""
    from scipy.stats import binom  # here: it takes a second

    case = CASES[NAMES.index(name)]
    runs = RUNS // 3 if "network" in name or "M/M/1" in name else RUNS
    precision = 0.1 if "M/M/1" in name else 0.05
    tally = Tally(case, [case.measure(seed, precision) for seed in range(runs)])
    assert binom.cdf(round(tally.within * runs), runs, 0.95) > 0.001
    values = [estimate.value for estimate in tally.estimates]
    assert np.mean(values) == pytest.approx(case.truth, rel=0.02)
    if "quotient" not in name:
        assert all(estimate.relative <= precision for estimate in tally.estimates)


def test_all_systems_are_there() -> None:
    for wanted in ("M/M/1, load 0.5", "M/M/1, load 0.8", "M/D/1", "network simulator", "phi 0.9"):
        assert any(wanted in name for name in NAMES)
    assert sum("quotient" in name for name in NAMES) == 2


class TestSources:
    def test_waiting_times_follow_the_recursion(self) -> None:
        queue = Queue(0.7, "exponential", np.random.default_rng(1))
        again = np.random.default_rng(1)
        gaps = again.exponential(Queue.SERVICE_PS / 0.7, 1024)
        again_services = again.exponential(Queue.SERVICE_PS, 1024)
        wait, arrived, left, waited = 0.0, 0.0, [], []
        for i, gap in enumerate(gaps):
            before = wait + again_services[i - 1] if i else 0.0
            wait, arrived = max(0.0, before - gap), arrived + gap
            left.append(arrived + wait + again_services[i])
            waited.append(wait)
        queue.advance(200 * INTERVAL_PS, 1)
        rows = queue.take_samples()
        for k in (0, 50, 199):
            gone = np.array(left) <= (k + 1) * INTERVAL_PS
            assert rows["routed_data"][k] == gone.sum()
            assert int(rows["routed_lifetime_data_ps"][k]) == pytest.approx(
                np.array(waited)[gone].sum(), abs=2
            )

    def test_the_recursion_goes_on_from_block_to_block(self) -> None:
        once, often = (Queue(0.9, "constant", np.random.default_rng(1)) for _ in range(2))
        once.advance(3000 * INTERVAL_PS, 1)
        for until in range(100, 3001, 100):
            often.advance(until * INTERVAL_PS, 1)
        assert once.counters() == often.counters()
        rows = often.take_samples()
        for name, column in once.take_samples().items():
            assert (column == rows[name]).all()

    @pytest.mark.parametrize(("service", "mean"), [("exponential", 3.0), ("constant", 1.5)])
    def test_mean_waiting_times(self, service: str, mean: float) -> None:
        assert Queue.mean_wait_us(0.75, service) == pytest.approx(mean)  # type: ignore[arg-type]
        source = Queue(0.75, service, np.random.default_rng(1))  # type: ignore[arg-type]
        assert measured(source, WAIT, 0.02).estimate(WAIT).value == pytest.approx(mean, rel=0.03)

    def test_a_series_has_its_mean_and_correlation(self) -> None:
        source = Autoregressive(0.8, np.random.default_rng(1), mean=2.0)
        source.advance(50_000 * INTERVAL_PS, 1)
        x = np.diff(source.take_samples()["messages_sent"].astype(float))
        rate = x.mean() / INTERVAL_PS * 1e9
        assert rate == pytest.approx(Autoregressive.mean_rate(2.0), rel=0.01)
        assert x.std() / x.mean() == pytest.approx(0.25, rel=0.05)
        assert np.corrcoef(x[1:], x[:-1])[0, 1] == pytest.approx(0.8, abs=0.02)

    def test_two_series_have_their_share_in_common(self) -> None:
        sources = [
            Autoregressive(
                0.5, np.random.default_rng(k), share=0.6, common=np.random.default_rng(9)
            )
            for k in (1, 2)
        ]
        x = []
        for source in sources:
            source.advance(50_000 * INTERVAL_PS, 1)
            x.append(np.diff(source.take_samples()["messages_sent"].astype(float)))
        assert np.corrcoef(*x)[0, 1] == pytest.approx(0.6, abs=0.03)


class TestReport:
    @staticmethod
    def tally(within: int, below: int, above: int) -> Tally:
        truth = CASES[0].truth
        outcomes = [
            Outcome(Estimate(value, value - 0.1, value + 0.1, 30), 500, 0.1)
            for value, count in ((truth, within), (truth - 0.2, below), (truth + 0.2, above))
            for _ in range(count)
        ]
        return Tally(CASES[0], outcomes)

    @pytest.mark.parametrize(
        ("within", "below", "above", "holds"),
        [
            (95, 3, 2, True),
            (93, 7, 0, True),
            (97, 0, 3, True),
            (92, 4, 4, False),
            (98, 1, 1, False),
        ],
    )
    def test_shares(self, within: int, below: int, above: int, holds: bool) -> None:
        tally = self.tally(within, below, above)
        assert (tally.within, tally.below, tally.above) == pytest.approx(
            (within / 100, below / 100, above / 100)
        )
        assert tally.holds is holds
        cell = f"{within}.0 %"
        assert (f"**{cell}**" in table([tally])) is not holds

    def test_says_what_was_done(self, tmp_path: Path) -> None:
        tallies = [self.tally(95, 3, 2)]
        write((0.05, tallies), (0.1, tallies), 12.3, tmp_path / "RESULTS.md")
        report = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
        assert re.search(r"Precision 5 %, 100 runs each; 93 to 97 % are demanded", report)
        assert "12 s" in report
        assert "M/M/1" in report
