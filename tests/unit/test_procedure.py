"""How a run is measured, on series instead of networks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tailback as tb
from studies.coverage.cases import RATE, WAIT, measured
from studies.coverage.sources import INTERVAL_PS, Autoregressive, Queue, Recorded
from tailback.metrics import Populations
from tailback.runner.procedure import Plan, Procedure, Source, Stop
from tailback.samples import Columns
from tests.machines import t9000

PLAN = Plan(
    mode="full",
    metric=RATE,
    watched=(),
    populations=Populations(1, 1, 1, 1, 1),
    sample_interval_ps=INTERVAL_PS,
    settling_ps=0,
    warmup_ps=None,
    end_ps=4000 * INTERVAL_PS,
    end=Stop.MAX_DURATION,
    max_events=2**62,
    precision=0.02,
    confidence=0.95,
    finite=False,
)


class Growing(Recorded):
    """A rate that never stops growing."""

    def _counts(self, first: int, last: int) -> Columns:
        return {"messages_sent": np.arange(first, last, dtype=np.uint64) ** np.uint64(2)}


def procedure(source: Source, plan: Plan) -> tuple[Procedure, Stop]:
    found = Procedure(source, plan, lambda state: None, lambda: False)
    return found, found.run()


def series(seed: int = 1) -> Autoregressive:
    return Autoregressive(0.5, np.random.default_rng(seed))


def test_calls_grow_and_shrink_with_the_time_they_take() -> None:
    found = Procedure(series(), PLAN, lambda state: None, lambda: False)
    events = []
    for call_s in (0.01, 0.01, 0.07, 0.2, 0.2, 0.2):
        found._pace(call_s)
        events.append(found._per_call)
    assert events == [128, 256, 256, 128, 64, 64]


FLITS = {
    "link": {"rate": "5120 Mbit/s", "flit": "4 B", "sharing": "separate", "packet_gap": "12500 ps"},
    "interface": {"header": "4 B", "packet_size": "66 B"},
    "switch": {"switching": "wormhole", "input_buffer": "12 B"},
    "topology": {"kind": "mesh", "dims": [2, 3, 2]},
}

CLOCKED = {
    "link": {"flit": "4 B"},
    "switch": {"switching": "wormhole", "allocator": "islip", "input_buffer": "32 B"},
}


@pytest.mark.parametrize(
    ("machine", "fidelity"),
    [
        (FLITS, "flit"),
        (FLITS | {"link": FLITS["link"] | {"credit_delay": "2 ns"}}, "flit"),
        ({**FLITS, "link": {"flit": "4 B"}}, "worm"),
        ({**FLITS, **CLOCKED}, "flit"),
        ({"topology": {"kind": "torus", "dims": [4, 4]}}, "packet"),
        ({"topology": {"kind": "torus", "dims": [4, 4]}}, "fluid"),
    ],
)
def test_nothing_depends_on_how_a_run_is_cut_into_calls(
    machine: dict[str, Any], fidelity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls are as long as a machine is fast: counts of events, too, are those of any machine."""
    tables = {
        "machine": machine,
        "workload": {"kind": "complete_exchange", "message_size": "200 B"},
        "run": {"fidelity": fidelity, "max_events": 20_001},
    }
    experiment = tb.Experiment.from_dict(tables)
    found = []
    for events in (3, 1000, 10**7):
        monkeypatch.setattr("tailback.runner.procedure._EVENTS_PER_CALL", (events, events))
        result = tb.run(experiment)
        found.append((result.to_dict(), result.samples, result.channels, result.nodes))
    assert found[0] == found[1] == found[2]


class TestWarmUp:
    def test_a_transient_is_cut(self) -> None:
        # It begins four standard deviations below the mean and forgets a tenth per sample.
        source = Autoregressive(0.97, np.random.default_rng(1))
        found, stop = procedure(source, replace(PLAN, precision=0.05, end_ps=10**15))
        assert stop is Stop.PRECISION
        assert found.settled
        assert found.window_ps >= 40 * INTERVAL_PS
        estimate = found.estimate(RATE)
        assert estimate.low < Autoregressive.mean_rate() < estimate.high

    def test_lasts_at_least_until_the_start_is_forgotten(self) -> None:
        settling_ps = 123 * INTERVAL_PS - 1
        found, _ = procedure(series(), replace(PLAN, settling_ps=settling_ps))
        assert found.window_ps == 123 * INTERVAL_PS
        assert found.settled

    def test_a_run_too_short_to_forget_its_start_is_not_settled(self) -> None:
        found, _ = procedure(series(), replace(PLAN, settling_ps=PLAN.end_ps))
        assert found.window_ps == PLAN.end_ps // 2
        assert not found.settled

    def test_a_given_warm_up_is_what_was_given(self) -> None:
        plan = replace(PLAN, warmup_ps=50 * INTERVAL_PS, settling_ps=200 * INTERVAL_PS)
        found, _ = procedure(series(), plan)
        assert found.window_ps == 50 * INTERVAL_PS
        assert found.settled


class TestNeverSettles:
    def test_a_rate_that_grows(self) -> None:
        found, stop = procedure(Growing(), PLAN)
        assert stop is Stop.MAX_DURATION
        assert not found.settled

    @pytest.mark.parametrize("seed", range(5))
    def test_a_queue_that_cannot_keep_up(self, seed: int) -> None:
        source = Queue(1.2, "exponential", np.random.default_rng(seed))
        found, stop = procedure(source, replace(PLAN, metric=WAIT))
        assert stop is Stop.MAX_DURATION
        assert not found.settled

    def test_is_noticed_after_a_given_warm_up(self) -> None:
        found, _ = procedure(Growing(), replace(PLAN, warmup_ps=40 * INTERVAL_PS))
        assert not found.settled


def test_a_stationary_queue_settles() -> None:
    for seed in range(5):
        source = Queue(0.5, "exponential", np.random.default_rng(seed))
        assert measured(source, WAIT, 0.2).settled


class TestStart:
    """How long processes that wait for each other remember that they started together."""

    @pytest.mark.parametrize(("side", "least_ms"), [(8, 1), (16, 3), (24, 7)])
    def test_of_a_boundary_exchange(self, side: int, least_ms: float) -> None:
        machine, workload = t9000(dims=(side, side)), tb.BoundaryExchange()
        assert least_ms * 10**9 <= workload.settling_ps(machine) < 1.5 * least_ms * 10**9

    def test_of_processes_that_wait_for_near_ones(self) -> None:
        machine = t9000(dims=(16, 16))
        near, far = (tb.Synthetic(radius=radius) for radius in (1, 4))
        assert near.settling_ps(machine) == pytest.approx(8 * far.settling_ps(machine), rel=0.2)

    @pytest.mark.parametrize("sync", ["asynchronous", "asynchronous_blocking"])
    def test_of_processes_that_do_not(self, sync: str) -> None:
        assert tb.Synthetic(radius=1, sync=sync).settling_ps(t9000(dims=(16, 16))) == 0

    def test_is_cut_from_a_run(self) -> None:
        machine = t9000(dims=(8, 8))
        workload = tb.BoundaryExchange()
        result = tb.run(machine, workload, precision=0.05)
        assert result.ending.warmup_ms >= workload.settling_ps(machine) / 1e9
        assert result.ending.settled
