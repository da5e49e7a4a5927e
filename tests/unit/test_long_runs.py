"""What happens at the far ends of time: memory is bounded by the machine and the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import samples
from tailback.experiment import Experiment
from tailback.runner import run_mode
from tailback.samples import Samples

IDLE = """
async def program(node):
    await node.compute("100000 s")
"""
STILL = """
async def program(node):
    while True:
        await node.compute(0)
"""


def machine(*dims: int, **link: str) -> dict[str, object]:
    return {"preset": "t9000_c104", "topology": {"dims": list(dims)}, "link": link}


def of_program(folder: Path, text: str, **run: object) -> Experiment:
    (folder / "p.py").write_text(text)
    description = {
        "machine": machine(2, 2),
        "workload": {"kind": "python", "file": str(folder / "p.py")},
        "run": run,
    }
    return Experiment.from_dict(description)


class TestStretchesPastTheEnd:
    """They took a sum for every sample interval of all their length: hundreds of gigabytes."""

    def test_of_a_processor(self) -> None:
        workload = {"compute_period": "1000 s", "start": "together"}
        given = {"machine": machine(4, 4), "workload": workload, "run": {"duration": "1 us"}}
        found = run_mode(Experiment.from_dict(given), "full")
        assert found.ending.stop_reason == "duration"
        assert found.estimates["cpu_utilisation"].value == 1.0

    def test_of_a_channel(self) -> None:
        workload = {"compute_period": "1 ns", "start": "together"}
        run = {"duration": "10 us", "sample_interval": "1 ns"}
        given = {"machine": machine(2, 2, rate="1 kbit/s"), "workload": workload, "run": run}
        found = run_mode(Experiment.from_dict(given), "full")
        assert found.estimates["injection_utilisation"].value > 0.2

    def test_of_a_program(self, tmp_path: Path) -> None:
        found = run_mode(of_program(tmp_path, IDLE, max_duration="100 ms"), "full")
        assert found.ending.stop_reason == "max_duration"
        assert found.ending.simulated_ms == 100
        assert found.estimates["cpu_utilisation"].value == 1.0


class TestStretchesWithoutEvents:
    """A circuit run of a dozen events took a sample for every interval of ten milliseconds."""

    MOST, FOR_EACH = 4096, 64

    def circuit(self, *left_out: str) -> tb.Result:
        machine = {
            "topology": {"kind": "mesh", "dims": [3, 3]},
            "switch": {"switching": "circuit"},
            "link": {"rate": "8 Gbit/s"},
            "interface": {"unit": "message"},
        }
        rows = [["0 ns", 0, 1, "10 MB"], ["0 ns", 2, 5, "10 MB"], ["0 ns", 3, 4, "200 B"]]
        workload = {"kind": "messages", "messages": rows}
        experiment = Experiment.from_dict({"machine": machine, "workload": workload})

        def change(spec: dict[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in spec.items() if name not in left_out}

        return run_mode(experiment, "full", change=change)

    def test_have_one_sample(self) -> None:
        found = self.circuit()
        assert found.ending.events < 20
        limit = self.MOST + self.FOR_EACH * found.ending.events
        assert self.MOST < found.samples.num_rows <= limit + 2
        interval = found.experiment.sample_interval_ps
        assert found.ending.simulated_ms * 1e9 > 20 * limit * interval
        times = found.samples["time_ps"].to_numpy()
        assert (times[1:-1] % interval == 0).all()
        assert (np.diff(times) > 0).all()

    def test_count_as_if_there_were_all(self) -> None:
        sparse, dense = self.circuit(), self.circuit("sparse_samples")
        assert dense.samples.num_rows > 100_000
        assert sparse.samples.num_rows < dense.samples.num_rows // 20
        every = dense.samples.to_pydict()
        where = {time: row for row, time in enumerate(every["time_ps"])}
        for row in sparse.samples.to_pylist():
            there = where[row["time_ps"]]
            assert row == {name: column[there] for name, column in every.items()}
        assert sparse.estimates == dense.estimates


class TestLimits:
    def test_a_long_run_is_sampled_seldom_enough(self, tmp_path: Path) -> None:
        assert of_program(tmp_path, IDLE, duration="100000 s").sample_interval_ps == 2 * 10**11

    def test_sums_of_times_must_fit_into_counters(self) -> None:
        given = {"machine": machine(16, 16), "run": {"duration": "100000 s"}}
        problem = r"run.duration = \"100000 s\": must be at most .* on a machine of \d+ channels"
        with pytest.raises(tb.UserError, match=problem):
            run_mode(Experiment.from_dict(given), "full")

    def test_the_limit_in_events_holds_for_samples(self, tmp_path: Path) -> None:
        given = {"duration": "100000 s", "sample_interval": "1 us", "max_events": 3000}
        found = run_mode(of_program(tmp_path, IDLE, **given), "full")
        assert found.ending.stop_reason == "max_events"
        assert found.samples.num_rows <= 3002
        assert found.ending.simulated_ms == 3.0

    def test_the_limit_in_events_holds_where_time_stands_still(self, tmp_path: Path) -> None:
        with pytest.raises(tb.RunFailure, match="the clock stands still at 0 ns"):
            run_mode(of_program(tmp_path, STILL, max_events=3000), "full")


class TestManySamples:
    """More rows than `MOST_ROWS` are thinned out; marks stay and sums are the same."""

    @staticmethod
    def rows(first: int, last: int) -> dict[str, np.ndarray]:
        times = np.arange(first, last, dtype=np.uint64) * np.uint64(10)
        return {"time_ps": times, "a": times * np.uint64(3)}

    def test_every_other_one_goes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(samples, "MOST_ROWS", 8)
        kept = Samples({"a": 0}, 10)
        kept.extend(self.rows(1, 4))
        kept.mark(33, {"a": 99})
        kept.extend(self.rows(4, 9))
        kept.extend(self.rows(9, 30))
        assert list(kept.since(33)["time_ps"]) == [33, 80, 160, 240]
        assert list(kept.since(0)["time_ps"]) == [0, 33, 80, 160, 240]
        assert list(kept.since(0)["a"]) == [0, 99, 240, 480, 720]
        assert len(kept) == 5
