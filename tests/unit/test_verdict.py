"""What contention costs, in words."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tailback.statistics import Estimate
from tailback.wording.verdict import findings, sentence, step_sentence, unbounded

NAN = math.nan


def between(low: float, value: float, high: float) -> Estimate:
    return Estimate(value, low, high, 20)


@pytest.mark.parametrize(
    ("name", "theta", "baseline", "said"),
    [
        ("theta_r", between(0.7, 0.75, 0.8), "throttled", "Contention costs 25 % of the message"),
        (
            "theta_r",
            between(0.7, 0.75, 0.8),
            "endpoints",
            "The network (links shared between switches) costs 25 % of the message",
        ),
        (
            "theta_r_endpoints",
            between(0.7, 0.75, 0.8),
            "throttled",
            "The links of nodes (shared by messages of a node, or to it) cost 25 % of the message",
        ),
        ("theta_r", between(0.98, 1.01, 1.03), "free", "No cost can be seen; at most 2 % of"),
        ("theta_r", Estimate.exact(1.0), "endpoints", "No cost can be seen."),
        (
            "theta_r",
            between(1.9, 2.0, 2.1),
            "throttled",
            "No cost: throttled is slower here, by 50 %, through its queue before the first "
            "internal channel.",
        ),
        (
            "theta_r",
            between(1.1, 1.25, 1.3),
            "endpoints",
            "No cost: endpoints is slower here, by 20 %, as packets reach nodes in another order; "
            "a run can be quicker in company.",
        ),
        ("theta_r", Estimate(0.5, NAN, NAN, 3), "free", "No cost can be seen: the run is too"),
        ("theta_r", Estimate.unknown(), "free", "Not known: a mode is missing or sent nothing."),
        (
            "theta_t",
            between(0.4, 0.5, 0.6),
            "endpoints",
            "The network (links shared between switches) makes routed lifetimes 2.00 times as long",
        ),
        (
            "theta_t",
            between(0.4, 0.5, 0.6),
            "throttled",
            "Packets are routed 2.00 times as long as in",
        ),
        (
            "theta_c_endpoints",
            Estimate.exact(0.5),
            "endpoints",
            "The links of nodes (shared by messages of a node, or to it) make completion 2.00",
        ),
        (
            "theta_t",
            between(0.8, 0.9, 1.01),
            "endpoints",
            "No cost can be seen; at most 25 % longer.",
        ),
        (
            "theta_t",
            between(1.5, 1.6, 1.7),
            "throttled",
            "No cost: packets are routed 60 % longer (95 % interval 50 to 70 %) in throttled, "
            "through its queue",
        ),
        ("theta_t", Estimate.unknown(), "free", "Not known: a mode is missing or no packet"),
        ("theta_t", between(0.996, 0.998, 0.999), "free", "Next to no cost: less than 0.5 %"),
        (
            "theta_c",
            Estimate.exact(0.5),
            "endpoints",
            "The network (links shared between switches) makes completion 2.00 times as long.",
        ),
        (
            "theta_c",
            Estimate.exact(1.25),
            "endpoints",
            "No cost: completion takes 25 % longer",
        ),
        ("theta_c", Estimate.exact(1.0), "endpoints", "No cost can be seen."),
    ],
)
def test_a_cost_is_never_below_nothing(
    name: str, theta: Estimate, baseline: str, said: str
) -> None:
    assert sentence(name, theta, baseline).startswith(said)


def thetas(**known: Estimate) -> dict[str, Estimate]:
    names = [f"theta_{x}{step}" for x in "rtc" for step in ("", "_network", "_endpoints")]
    return {name: known.get(name, Estimate.unknown()) for name in names}


def test_the_baseline_comes_first_and_then_what_is_known_of_the_steps() -> None:
    half = Estimate.exact(0.5)
    known = thetas(theta_r=half, theta_r_network=half, theta_r_endpoints=half)
    names = {b: [f.name for f in findings(known, b)] for b in ("endpoints", "throttled", "free")}
    # Against endpoints the network is what was said already.
    assert names["endpoints"] == ["theta_r", "theta_t", "theta_r_endpoints"]
    every = ["theta_r", "theta_t", "theta_r_network", "theta_r_endpoints"]
    assert names["throttled"] == names["free"] == every


def test_what_has_ended_is_told_by_its_completion() -> None:
    found = findings(thetas(theta_r=Estimate.exact(0.5), theta_c=Estimate.exact(0.6)), "endpoints")
    assert [finding.name for finding in found] == ["theta_c", "theta_t"]
    assert found[0].compared == "full against endpoints (the network)"


def test_a_part_of_the_cost_is_said_with_its_cause_interval_and_both_times() -> None:
    def said(step: str, times: Estimate, **known: Any) -> str:
        return step_sentence(step, "message latency", times, **known)

    assert said("network", Estimate(1.31, 1.3, 1.32), instead="131 ns instead of 100 ns") == (
        "The network (links shared between switches) makes message latency 31 % longer (95 % "
        "interval 30 to 32 %): 131 ns instead of 100 ns."
    )
    twice = said("endpoints", Estimate(2.5, 2.31, 2.7), confidence=0.9)
    assert twice.endswith("make message latency 2.50 times as long (90 % interval 2.31 to 2.70).")
    assert said("endpoints", Estimate.exact(1.0)).endswith("make message latency no longer.")
    quicker = said("network", Estimate(0.8, 0.79, 0.81))
    assert quicker.endswith("no longer: it is 1.25 times as quick in company here.")
    unclear = said("network", Estimate(1.0, 0.9, 1.1))
    assert unclear.endswith("latency at most 10 % longer, if at all: the run is too short to tell.")
    assert said("network", Estimate.exact(1.001)).endswith("less than 0.5 % longer.")
    short = said("network", Estimate(1.2, NAN, NAN, 3))
    assert short.endswith("1.20 times as long; the run is too short for an interval.")


def test_what_is_saturated_has_no_mean_latency() -> None:
    assert unbounded(["full"]) == (
        "The network cannot carry the load in mode full, so message latency grows without end."
    )


def test_rates_of_an_open_loop_say_where_to_look() -> None:
    known = thetas(theta_r=Estimate.exact(1.0))
    [first, *_] = findings(known, "endpoints", open_loop=True)
    assert first.sentence.startswith("No cost can be seen. Processes send at their own pace")
    [lost, *_] = findings(thetas(theta_r=Estimate.exact(0.5)), "endpoints", open_loop=True)
    assert "at their own pace" not in lost.sentence
