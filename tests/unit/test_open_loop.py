"""What is offered and accepted, where the network saturates, and what a run may be steered by."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback.answers.of_run import of_run
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.metrics import METRICS, OF_OPEN_LOOPS, OpenLoop, Populations, increments

OPEN = {
    "machine": {"preset": "wormhole_mesh", "topology": {"dims": [4, 4]}},
    "workload": {"preset": "uniform_open_loop"},
    "run": {"duration": "40 us"},
}


def experiment(**changes: dict[str, object]) -> Experiment:
    return Experiment.from_dict(
        {name: table | changes.get(name, {}) for name, table in OPEN.items()}
    )


@cache
def run(period: str, mode: str = "full", **workload: object) -> tb.Result:
    described = experiment(workload={"compute_period": period, **workload}, run={"mode": mode})
    return tb.run(described)


@cache
def steered_by_latency(period: str) -> tb.Result:
    described = {name: dict(table) for name, table in OPEN.items()}
    described["workload"]["compute_period"] = period
    described["run"] = {"metric": "message_latency_us", "precision": 0.02}
    return tb.run(Experiment.from_dict(described))


class TestLoads:
    def test_what_is_offered_is_what_the_workload_says(self) -> None:
        """A message of 31 B and its header is 32 flits of 1 ns; one every 100 ns."""
        result = run("100 ns")
        assert result["offered_load"].low < 0.32 < result["offered_load"].high
        assert result["accepted_load"].value == pytest.approx(0.32, rel=0.03)
        # Without acknowledgements only these messages are on the injection channels.
        busy = result["injection_utilisation"].value
        assert result["accepted_load"].value == pytest.approx(busy, rel=0.005)
        assert result.ending.saturated is False
        assert result.ending.settled

    def test_a_network_that_is_offered_more_than_it_takes_is_saturated(self) -> None:
        result = run("40 ns")
        assert result["offered_load"].value == pytest.approx(0.8, rel=0.03)
        assert result["accepted_load"].high < result["offered_load"].low
        assert result["accepted_share"].high < 1
        assert result.ending.saturated
        assert not result.ending.settled
        assert not result.to_dict()["settled"]

    @pytest.mark.parametrize("period", ["40 ns", "55 ns"])
    def test_a_run_for_a_latency_that_has_no_mean_ends_as_saturated(self, period: str) -> None:
        result = steered_by_latency(period)
        assert result.ending.stop_reason == "saturated"
        assert result.ending.saturated
        assert result.ending.converged is False
        assert result["accepted_share"].high < 1
        assert result.ending.simulated_ms < 10

    @pytest.mark.parametrize("period", ["200 ns", "100 ns"])
    def test_a_run_for_a_latency_that_has_a_mean_ends_by_precision(self, period: str) -> None:
        result = steered_by_latency(period)
        assert result.ending.stop_reason == "precision"
        assert result.ending.saturated is False

    def test_latency_from_creation_diverges_and_that_in_the_network_does_not(self) -> None:
        light, heavy = run("200 ns"), run("40 ns")
        assert heavy["message_latency_us"].value > 50 * light["message_latency_us"].value
        assert heavy["network_lifetime_data_us"].value < 5 * light["message_latency_us"].value

    def test_a_perfect_network_takes_everything(self) -> None:
        result = run("40 ns", mode="ideal")
        assert result.ending.saturated is False
        assert result["accepted_share"].value == pytest.approx(1)

    def test_dropped_messages_are_offered(self) -> None:
        result = run("40 ns", max_outstanding=2)
        assert result["failed_messages_per_node_per_ms"].value > 0
        assert result["offered_load"].value == pytest.approx(0.8, rel=0.03)
        assert result.ending.saturated

    def test_messages_within_a_node_are_no_load(self) -> None:
        """Four processes: 3 of the 63 others are on the same node."""
        result = run("400 ns", processes_per_node=4, compute_distribution="constant")
        assert result["offered_load"].value == pytest.approx(0.32 / 4 * 60 / 63, rel=0.05)
        assert result["offered_load"].value == pytest.approx(
            result["injection_utilisation"].value, rel=0.02
        )

    def test_a_workload_that_waits_is_offered_nothing(self) -> None:
        result = run("100 ns", sync="asynchronous_blocking")
        assert result.ending.saturated is None
        assert not set(OF_OPEN_LOOPS) & set(result.estimates)


class TestSizes:
    def test_packets_of_a_message_are_full_ones_and_a_last(self) -> None:
        # 70 B in packets of 32 B: 34 + 34 + 8 flits with header and end.
        machine = tb.Machine(interface=tb.Interface(packet_size="32 B"))
        assert machine.over_packets(70, lambda data: data + 2) == 76
        assert machine.over_packets(0, lambda data: data + 2) == 2

    @pytest.mark.parametrize("shape", ["exponential", "normal"])
    def test_lengths_stand_for_their_distribution(self, shape: str) -> None:
        workload = tb.Synthetic(message_size="500 B", message_distribution=shape)
        found = workload.lengths
        assert sum(found) / len(found) == pytest.approx(500, rel=2e-3)

    def test_flits_per_node_and_cycle(self) -> None:
        """16 messages of 8 flits by 4 nodes in 100 cycles of 2 ns."""
        load = OpenLoop({"iterations": 2.0, "messages_local": -1.0}, {}, flits=8 * 2000.0)
        populations = Populations(4, 4, 4, 4, 4, load)
        rows = {"time_ps": [0, 200_000], "iterations": [0, 9], "messages_local": [0, 2]}
        columns = {name: np.array(column, np.uint64) for name, column in rows.items()}
        metric = OF_OPEN_LOOPS["offered_flits_per_node_per_cycle"]
        numerator, denominator = increments(metric, columns, populations)
        assert numerator.sum() / denominator.sum() == pytest.approx(16 * 8 / 4 / 100)


class TestSteering:
    @pytest.mark.parametrize(
        "metric", ["accepted_load", "message_latency_us", "internal_contention_us", "hops"]
    )
    def test_any_metric_can_be_asked_to_be_precise(self, metric: str) -> None:
        asked = experiment(run={"metric": metric, "precision": 0.1, "duration": "1 ms"})
        cost = tb.cost(asked)
        assert cost.modes["full"].ending.converged
        assert cost.modes["full"][metric].relative <= 0.1

    @pytest.mark.parametrize(
        ("metric", "changes", "reason"),
        [
            ("routed_lifetime_ack_us", {}, "the machine has no acknowledgements"),
            ("message_begins_us", {}, "is not measured on this machine"),
            (
                "offered_load",
                {"workload": {"sync": "asynchronous_blocking"}},
                'no load is offered: that takes workload.sync = "asynchronous", without end',
            ),
            (
                "offered_load",
                {"workload": {"kind": "traffic", "traffic_class": [{"name": "a"}]}},
                "each traffic class has its own load: classes.NAME.accepted_load",
            ),
            (
                "failed_messages_per_node_per_ms",
                {"workload": {"sync": "asynchronous_blocking"}},
                'no message is dropped without workload.sync = "asynchronous"',
            ),
            ("lifetime_us", {"run": {"mode": "ideal"}}, "there are no packets with run.mode"),
            ("ideal_link_utilisation", {}, "must be the name of a metric"),
            ("message_latency", {}, 'did you mean "message_latency_us"'),
        ],
    )
    def test_one_that_is_never_known_is_refused_with_the_reason(
        self, metric: str, changes: dict[str, dict[str, object]], reason: str
    ) -> None:
        asked = {name: dict(table) for name, table in changes.items()}
        asked["run"] = asked.get("run", {}) | {"metric": metric}
        with pytest.raises(tb.UserError) as caught:
            tb.run(experiment(**asked))
        assert caught.value.field == "run.metric"
        assert reason in str(caught.value)


def test_held_is_never_below_busy_where_channels_share_a_wire() -> None:
    machine = {
        "preset": "wormhole_mesh",
        "topology": {"dims": [4, 4]},
        "switch": {"virtual_channels": 3},
    }
    result = tb.run(experiment(machine=machine, workload={"compute_period": "80 ns"}))
    assert result["internal_held"].value > result["internal_utilisation"].value > 0
    assert METRICS["internal_held"].denominator == METRICS["internal_utilisation"].denominator


class TestLoad:
    """A load in place of a period: of the node's link, whatever the packets."""

    def test_it_gives_the_period(self) -> None:
        # 128 B in packets of 32 B with 4 B of header each: 144 B at 1 B/ns, for half of the time.
        machine = tb.Machine(
            link=tb.Link(rate="8 Gbit/s", flit="1 B"),
            interface=tb.Interface(header="4 B", packet_size="32 B"),
        )
        workload = tb.Synthetic(
            load=0.5, message_size="128 B", messages=2, processes_per_node=3, sync="asynchronous"
        )
        found = Experiment(machine, workload).workload
        assert isinstance(found, tb.Synthetic)
        assert found.compute_period.ps == 2 * 3 * 144_000 / 0.5
        assert found.load == 0.5

    def test_it_is_what_is_offered(self) -> None:
        tables = {**OPEN, "workload": {"preset": "uniform_open_loop", "load": 0.2}}
        result = tb.run(Experiment.from_dict({**tables, "run": {"precision": 0.03}}))
        assert result["offered_load"].value == pytest.approx(0.2, rel=0.05)

    def test_it_is_offered_by_processes_that_wait_for_nothing(self) -> None:
        assert tb.Synthetic(load=0.5) == tb.Synthetic(load=0.5, sync="asynchronous")
        assert tb.Synthetic().sync == "loosely_synchronous"
        base = {"workload": {"kind": "synthetic", "load": 0.5}}
        later = Experiment.from_dict(base, {"workload": {"compute_period": "9 us"}}).workload
        assert later == tb.Synthetic(compute_period="9 us", sync="asynchronous")

    def test_the_last_that_is_given_counts(self) -> None:
        """A preset, a file and a change of it: of load and period the later one."""
        base = {"workload": {"preset": "uniform_open_loop", "load": 0.5}}
        slow = Experiment.from_dict(base, {"workload": {"compute_period": "9 us"}}).workload
        assert isinstance(slow, tb.Synthetic)
        assert (slow.load, str(slow.compute_period)) == (None, "9 us")
        base = {"workload": {"preset": "uniform_open_loop", "compute_period": "9 us"}}
        fast = Experiment.from_dict(base, {"workload": {"load": 0.5}}).workload
        assert isinstance(fast, tb.Synthetic)
        assert (fast.load, fast.compute_period.ps) == (0.5, tb.Machine().injection_ps(31) * 2)

    def test_the_last_counts_of_a_class_too(self) -> None:
        base = {"workload": {"kind": "traffic", "traffic_class": [{"name": "a", "period": "9 us"}]}}
        change = {"workload": {"traffic_class": {"a": {"load": 0.5}}}}
        found = Experiment.from_dict(base, change).workload
        assert isinstance(found, tb.Traffic)
        assert found.traffic_class[0].period.ps == tb.Machine().injection_ps(32) * 2

    def test_of_traffic_classes_and_jobs(self) -> None:
        one = {"name": "a", "load": 0.25, "message_size": "32 B"}
        traffic = {"kind": "traffic", "traffic_class": [one, {"name": "b", "period": "9 us"}]}
        alone = Experiment.from_dict({"workload": traffic}).workload
        assert isinstance(alone, tb.Traffic)
        job = {"name": "x", "nodes": ["0-3"], "workload": traffic}
        beside = Experiment.from_dict({"job": [job], "run": {"duration": "1 us"}}).jobs[0].workload
        assert isinstance(beside, tb.Traffic)
        for found in (alone, beside):
            assert found.traffic_class[0].period.ps == tb.Machine().injection_ps(32) * 4
            assert str(found.traffic_class[1].period) == "9 us"

    def test_the_engine_is_told_the_period_of_a_class(self) -> None:
        made = experiment(
            workload={"kind": "traffic", "traffic_class": [{"name": "a", "load": 0.25}]},
            run={"warmup": "5 us", "duration": "20 us"},
        )
        said = json.loads(made.spec())["workload"]["classes"][0]["messages"]["compute"]["mean"]
        assert isinstance(made.workload, tb.Traffic)
        assert said == made.workload.traffic_class[0].period.ps < 1_000_000
        assert tb.run(made)["classes.a.offered_load"].value == pytest.approx(0.25, rel=0.1)

    @pytest.mark.parametrize(
        ("tables", "problem"),
        [
            (
                {"workload": {"load": 0.3, "sync": "loosely_synchronous"}},
                "workload.load = 0.3: has no effect here; needs sync = ",
            ),
            ({"workload": {"load": 0}}, "workload.load = 0: must be a number above 0, such as 0.3"),
            ({"workload": {"load": "30 %"}}, 'workload.load = "30 %": must be a number above 0'),
            (
                {"workload": {"sync": "asynchronous", "load": 1, "compute_period": "1 us"}},
                'workload.compute_period = "1 us": must not be given beside load: that is ',
            ),
            (
                {
                    "workload": {"sync": "asynchronous", "load": 0.3},
                    "machine": {"switch": {"integrated": True}},
                },
                "workload.load = 0.3: needs nodes with links of their own",
            ),
            (
                {
                    "workload": {
                        "kind": "traffic",
                        "traffic_class": [{"name": "a", "reply": "b"}, {"name": "b", "load": 0.1}],
                    }
                },
                "workload.traffic_class[1].load = 0.1: has no effect here: the class answers",
            ),
        ],
    )
    def test_where_it_cannot_be(self, tables: dict[str, Any], problem: str) -> None:
        with pytest.raises(UserError, match=re.escape(problem)):
            Experiment.from_dict(tables)


def link_of_two(distribution: str) -> tb.Result:
    """A node sends 1 kB (80.64 ns) at a load of 80 % over a link, and nothing else happens."""
    workload = {"load": 0.8, "message_size": "1 kB", "compute_distribution": distribution}
    machine = {"topology": {"kind": "star", "nodes": 2}, "link": {"rate": "100 Gbit/s"}}
    run = {"duration": "10 ms", "warmup": "1 ms"}
    return tb.run(tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run}))


def test_sources_that_seldom_drop_a_message_do_not_make_a_run_saturated() -> None:
    """M/D/1: 0.04 % are dropped at a load of 80 %, and the run was called SATURATED."""
    result = link_of_two("exponential")
    assert result["failed_messages_per_node_per_ms"].value > 0
    assert result.ending.saturated is False
    waits = result["message_latency_us"].value - 0.08128
    assert waits == pytest.approx(0.08064 * 0.8 / (2 * (1 - 0.8)), rel=0.05)


def test_what_bursts_lose_is_said_to_be_dropped_by_sources() -> None:
    result = link_of_two("on_off")
    [told] = of_run(result).status
    assert told.startswith("SATURATED: the network accepts 8")
    assert told.endswith("; sources drop the rest (workload.max_outstanding = 16)")
