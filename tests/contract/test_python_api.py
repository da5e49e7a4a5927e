"""The Python package as its users meet it."""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tailback as tb
from tailback import engine
from tailback.machines import ROUTINGS, TOPOLOGIES
from tailback.workloads import KINDS
from tests.machines import t9000

MACHINE = t9000("mesh", dims=(4, 4))
WORKLOAD = tb.Synthetic(radius=2, compute_period="5 us", sync="asynchronous_blocking")


@pytest.fixture(scope="module")
def result() -> tb.Result:
    return tb.run(MACHINE, WORKLOAD, duration="2 ms", packets=True)


def test_few_names() -> None:
    for name in tb.__all__:
        assert getattr(tb, name) is not None
    kinds = {*TOPOLOGIES.values(), *ROUTINGS.values(), *KINDS.values()}
    assert len([name for name in tb.__all__ if getattr(tb, name) not in kinds]) < 38


def test_every_kind_of_thing_is_among_them() -> None:
    for kind in (*TOPOLOGIES.values(), *ROUTINGS.values()):
        assert kind.__name__ in tb.__all__
    parts = {"Machine", "Link", "NodeLink", "LinkClass", "Switch", "Interface"}
    assert parts <= set(tb.__all__)


def test_functions_stay_functions_whatever_is_imported_first() -> None:
    import tailback.comparison
    import tailback.prediction  # noqa: F401

    assert callable(tb.cost)
    assert callable(tb.describe)
    assert callable(tb.run)


def test_no_other_names() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tb.nonsense


class TestResult:
    def test_estimates_by_name(self, result: tb.Result) -> None:
        rate = result["messages_per_node_per_ms"]
        assert isinstance(rate, tb.Estimate)
        assert rate.low < rate.value < rate.high
        assert result.complete
        assert result.ending.stop_reason == "duration"
        assert result.ending.simulated_ms == 2

    def test_tables_agree_with_the_estimates(self, result: tb.Result) -> None:
        window_ms = result.ending.window_ms
        sent = sum(result.nodes["messages_sent"].to_pylist())
        assert result["messages_per_node_per_ms"].value == pytest.approx(sent / 16 / window_ms)
        kind = np.array(result.channels["kind"].to_pylist())
        busy = result.channels["utilisation"].to_numpy()
        assert result["internal_utilisation"].value == pytest.approx(
            busy[kind == "internal"].mean(), rel=1e-3
        )

    def test_tables_agree_with_the_packets(self, result: tb.Result) -> None:
        packets = result.packets.to_pydict()
        lifetimes = np.array(packets["delivered_ns"]) - np.array(packets["queued_ns"])
        assert result["lifetime_us"].value == pytest.approx(lifetimes.mean() / 1e3)
        assert result["hops"].value == pytest.approx(np.mean(packets["hops"]))
        data = np.array(packets["class"]) == "data"
        half = result.percentile("lifetime", 50, "data")
        assert half == pytest.approx(np.median(lifetimes[data]) / 1e3, rel=0.03)

    def test_moments_agree_with_the_packets(self, result: tb.Result) -> None:
        row = result.moments.filter(
            (pa.compute.field("variable") == "lifetime") & (pa.compute.field("class") == "data")
        ).to_pylist()[0]
        packets = result.packets.filter(pa.compute.field("class") == "data").to_pydict()
        pairs = zip(packets["delivered_ps"], packets["queued_ps"], strict=True)
        lifetimes = [delivered - queued for delivered, queued in pairs]
        assert row["count"] == len(lifetimes)
        assert int(row["sum3"]) == sum(x**3 for x in lifetimes)
        assert (row["min"], row["max"]) == (min(lifetimes), max(lifetimes))

    def test_is_frozen_and_short_to_read(self, result: tb.Result) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.mode = "free"  # type: ignore[misc]
        assert len(repr(result)) < 150

    def test_percentile_of_nothing(self, result: tb.Result) -> None:
        assert result.percentile("nonsense", 50) is None

    def test_samples_reach_from_beginning_to_end(self, result: tb.Result) -> None:
        times = result.samples["time_ps"].to_pylist()
        assert (times[0], times[-1]) == (0, 2 * 10**9)
        assert times == sorted(set(times))


class TestRun:
    def test_the_same_numbers_from_the_same_seed(self, result: tb.Result) -> None:
        again = tb.run(MACHINE, WORKLOAD, duration="2 ms")
        assert again.to_dict() == result.to_dict()
        assert again.nodes == result.nodes
        other = tb.run(MACHINE, WORKLOAD, duration="2 ms", seed=2)
        assert other.nodes != result.nodes

    def test_fields_replace_those_of_an_experiment(self) -> None:
        experiment = tb.Experiment(MACHINE, WORKLOAD, tb.Run(duration="1 ms", seed=5))
        result = tb.run(experiment, mode="free")
        assert (result.mode, result.seed, result.ending.simulated_ms) == ("free", 5, 1)

    def test_a_file(self, examples: object) -> None:
        result = tb.run(f"{examples}/messages.toml")
        assert result.ending.stop_reason == "finished"
        assert result.identity == tb.load(f"{examples}/messages.toml").identity(
            result.results_version, ["full"]
        )

    def test_a_file_is_named_as_text_or_path(self, examples: Path) -> None:
        file = examples / "messages.toml"
        found = [tb.run(name).to_dict() for name in (file, str(file))]
        assert found[0] == found[1]
        machine = tb.load(str(file)).machine
        assert machine == tb.load(file).machine

    @pytest.mark.parametrize(
        ("arguments", "fields"),
        [
            ((MACHINE,), {}),
            ((tb.Experiment(MACHINE, WORKLOAD), WORKLOAD), {}),
            ((MACHINE, WORKLOAD), {"seeds": 2}),
            ((MACHINE, WORKLOAD), {"duration": "2 parsecs"}),
        ],
    )
    def test_mistakes(self, arguments: tuple[object, ...], fields: dict[str, object]) -> None:
        with pytest.raises(tb.UserError):
            tb.run(*arguments, **fields)  # type: ignore[arg-type]

    def test_runs_to_a_precision(self) -> None:
        result = tb.run(MACHINE, WORKLOAD, precision=0.03)
        assert result.ending.stop_reason == "precision"
        assert result.ending.converged
        assert result.ending.settled
        assert result["messages_per_node_per_ms"].relative <= 0.03
        assert result.ending.warmup_ms > 0

    def test_a_warm_up_as_told(self) -> None:
        result = tb.run(MACHINE, WORKLOAD, duration="1 ms", warmup="300 us")
        assert result.ending.warmup_ms == pytest.approx(0.3)
        assert tb.run(MACHINE, WORKLOAD, duration="1 ms", warmup=0).ending.warmup_ms == 0

    def test_the_engine_lets_other_threads_run(self) -> None:
        turns = 0
        done = threading.Event()

        def count() -> None:
            nonlocal turns
            while not done.wait(0.001):
                turns += 1

        machine = t9000("mesh", dims=(16, 16))
        spec = tb.Experiment(machine, tb.Synthetic(radius=8)).spec()
        simulation = engine.Simulation(spec)
        thread = threading.Thread(target=count)
        thread.start()
        try:
            # While a call held the lock of the interpreter, nobody could take several turns.
            for call in range(1, 1000):
                before = turns
                simulation.advance(call * 5 * 10**9, 10**12)
                if turns > before + 2:
                    break
            else:
                pytest.fail("no other thread ever ran during a call")
        finally:
            done.set()
            thread.join()

    def test_runs_in_a_thread(self) -> None:
        results: list[tb.Result] = []
        work = threading.Thread(
            target=lambda: results.append(tb.run(MACHINE, WORKLOAD, duration="1 ms"))
        )
        work.start()
        work.join()
        assert results[0].complete


class TestCost:
    def test_thetas_lie_between_0_and_1(self) -> None:
        cost = tb.cost(MACHINE, WORKLOAD, duration="3 ms")
        assert 0 < cost.theta_t.value < 1
        assert 0 < cost.theta_r.value <= cost.theta_r.high < 1.05
        assert cost.complete
        lifetimes = [cost.modes[m]["routed_lifetime_us"].value for m in ("endpoints", "full")]
        assert cost.theta_t.value == pytest.approx(lifetimes[0] / lifetimes[1])

    def test_waiting_adds_up(self) -> None:
        cost = tb.cost(MACHINE, WORKLOAD, duration="1 ms")
        every = cost.channels_waiting_most(10_000)
        assert sum(channel.share for channel in every) == pytest.approx(1)
        assert all(a.waiting_us >= b.waiting_us for a, b in itertools.pairwise(every))

    def test_a_finite_workload_has_exact_thetas(self, examples: object) -> None:
        cost = tb.cost(f"{examples}/messages.toml")
        assert cost.theta_t.low == cost.theta_t.value == cost.theta_t.high
        assert cost.theta_t.value < 1
        assert cost.theta_c.low == cost.theta_c.value == cost.theta_c.high

    @pytest.mark.parametrize("topology", ["star", "mesh"])
    def test_one_receiver_of_many_costs_its_link_not_the_network(self, topology: str) -> None:
        """32 nodes send 64 kB each to one over 100 Gbit/s: 2 MB take 164 us on its link."""
        size = {"nodes": 33} if topology == "star" else {"dims": [6, 6]}
        machine = {
            "topology": {"kind": topology, **size},
            "link": {"rate": "100 Gbit/s"},
        }
        rows = [["0 ns", source, 0, "64 kB"] for source in range(1, 33)]
        tables = {"machine": machine, "workload": {"kind": "messages", "messages": rows}}
        cost = tb.cost(tb.Experiment.from_dict(tables))
        times = {mode: result["completion_us"].value for mode, result in cost.modes.items()}
        wire_us = 32 * 64_000 * 8 / 100e3
        assert wire_us < times["endpoints"] < 1.03 * wire_us
        assert 1 - 0.02 < cost.theta_c.value <= 1
        assert cost.thetas["theta_c_endpoints"].value < 0.05
        assert "No cost can be seen" in cost._repr_html_() or cost.theta_c.value < 1


def test_deadlock() -> None:
    from tailback.workloads import Process, Program, Receive

    stuck = Program(process=[Process(node=0, sockets=["any"], steps=[Receive(receive=0)])])
    with pytest.raises(tb.RunFailure, match="deadlock") as caught:
        tb.run(MACHINE, stuck)
    assert caught.value.waiting


def test_without_messages_there_are_no_latencies() -> None:
    told = tb.describe(MACHINE, tb.ComputeOnly(period="1 us")).to_dict()
    assert told["pairs"] == 0
    assert told["mean_hops"] is told["zero_load_data_us"] is None


def test_describe_simulates_nothing() -> None:
    prediction = tb.describe(t9000("mesh", dims=(16, 16)), tb.Synthetic(radius=8))
    assert prediction.mean_hops == pytest.approx(9.48, abs=0.01)
    assert prediction.saturation_messages_per_node_per_ms is not None
    loads = prediction.channels["load_us"].to_numpy()
    assert loads.max() == pytest.approx(prediction.load_max_us)
    assert not math.isnan(loads.sum())
