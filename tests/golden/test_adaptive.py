"""The study of adaptive routing: how it reads curves, and that it compares like with like."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from studies.adaptive.costs import AtLoad
from studies.adaptive.settings import (
    CLOSED,
    OPEN,
    ROUTINGS,
    STUDY,
    at_load,
    saturation_of,
    up_to_peak,
)
from studies.curve import Curve
from tailback.sweeps import Sweep

COMPARED = ("mesh", "torus", "torus_greedy", "synchronised_mesh", "synchronised_torus")


def exactly(*values: float) -> tuple[tb.Estimate, ...]:
    return tuple(map(tb.Estimate.exact, values))


def test_the_saturation_load_is_where_a_twentieth_is_refused() -> None:
    # Offered 160, 120, 100, 50: of 120 a tenth is refused, of 100 nothing.
    periods = (6.25, 8.0, 10.0, 20.0)
    sent, failed = Curve(periods, exactly(110, 108, 100, 50)), Curve(periods, exactly(50, 12, 0, 0))
    found = saturation_of(sent, failed)
    assert found.load == pytest.approx(0.95 * 110)
    assert (found.below, found.above) == pytest.approx((95, 114))


def test_a_network_that_takes_all_has_no_saturation_load() -> None:
    found = saturation_of(Curve((10, 20), exactly(100, 50)), Curve((10, 20), exactly(1, 0)))
    assert math.isnan(found.load)
    assert str(found) == "> 100"


def test_beyond_the_highest_load_a_curve_is_not_read() -> None:
    # The network takes 60 of much, 80 of less, and then what there is.
    loads = Curve((5, 10, 20, 40), exactly(60, 80, 50, 25))
    theta = Curve((5, 10, 20, 40), exactly(0.1, 0.2, 0.6, 0.8))
    found = up_to_peak(theta, loads)
    assert found.x == (25, 50, 80)
    assert found.values.tolist() == [0.8, 0.6, 0.2]


def test_between_two_loads_value_and_interval_are_on_straight_lines() -> None:
    curve = Curve((10, 20), (tb.Estimate(1.0, 0.9, 1.1), tb.Estimate(2.0, 1.5, 2.5)))
    found = at_load(curve, 15)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((1.5, 1.2, 1.8))
    assert at_load(curve, 9.9) is None
    assert at_load(curve, 20.1) is None


def test_those_that_cannot_be_told_from_the_best_cost_least_too() -> None:
    lifetimes: dict[str, tb.Estimate | None] = {
        "chaos": tb.Estimate(2.0, 1.9, 2.1),
        "adaptive": tb.Estimate(2.2, 2.05, 2.35),
        "dimension_order": tb.Estimate(3.0, 2.9, 3.1),
        "valiant": None,
    }
    assert AtLoad(0.5, 10.0, {}, lifetimes).least == ["chaos", "adaptive"]


@cache
def points_of(path: Path) -> list[tuple[tb.Experiment, dict[str, Any]]]:
    """Return the experiments of a sweep, each with its machine in full."""
    experiments = [point.experiment for point in Sweep.load(path).points()]
    return [(experiment, experiment.machine.resolved("packet")) for experiment in experiments]


@pytest.mark.parametrize("name", COMPARED)
def test_all_that_is_compared_has_equal_buffers_and_one_fidelity(name: str) -> None:
    for experiment, machine in points_of(STUDY.sweeps / f"{name}.toml"):
        switch = machine["switch"]
        assert (switch["virtual_channels"], switch["input_buffer"]) == (4, "70 B")
        assert machine["topology"]["dims"] == [8, 8]
        assert experiment.run.fidelity == "packet"
        experiment.machine.check("packet")


def test_every_curve_of_every_setting_is_run() -> None:
    there = set()
    for path in STUDY.sweeps.glob("*.toml"):
        for experiment, machine in points_of(path):
            routing = machine["routing"]["kind"]
            workload = experiment.workload.resolved(experiment.machine)
            there.add((path.stem, routing, f"pattern == '{workload['pattern']}'"))
            there.add((path.stem, routing, f"sync == '{workload['sync']}'"))
    for setting in (*OPEN, *CLOSED):
        for routing in setting.routings:
            is_apart = routing == "dimension_order" and setting.greedy_sweep
            sweep = setting.greedy_sweep if is_apart else setting.sweep
            assert (sweep, routing, setting.condition) in there
    assert {routing for setting in OPEN for routing in setting.routings} == set(ROUTINGS)
