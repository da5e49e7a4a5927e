"""The figures of chapters 5 and 6: what judges the thesis' claims, without running anything."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tailback as tb
from studies.claims import Claim, Judgement, Statement, Verdict, judged
from studies.comparison import Comparison, Printed
from studies.curve import Curve, apart
from studies.loads import Loads, lines_text
from studies.tweedie.chapters import FIGURES
from studies.tweedie.chapters.workloads import number_lost
from studies.tweedie.experiment import DIAMETER, STUDY, SYNCS
from studies.tweedie.published import DIRECTORY, RATES, ROUTED_LIFETIMES, THROUGHPUT, rows
from tailback.sweeps import Sweep

FILES = ("text_numbers.csv", "trend_claims.csv")
CLAIMS = [claim for figure in FIGURES for claim in figure.claims]


def exactly(*values: float) -> tuple[tb.Estimate, ...]:
    return tuple(map(tb.Estimate.exact, values))


# What is covered.


def test_every_figure_of_both_chapters_is_there_once_and_in_order() -> None:
    numbers = [figure.number for figure in FIGURES]
    assert numbers == [f"5.{i}" for i in range(1, 17)] + [f"6.{i}" for i in range(1, 12)]
    assert all(figure.claims for figure in FIGURES)


def test_every_trend_that_the_thesis_describes_is_judged() -> None:
    trends = {row["claim_id"] for row in rows("trend_claims.csv")}
    assert trends <= {name for claim in CLAIMS for name in claim.published}


def test_claims_are_about_rows_that_there_are() -> None:
    there = {row["claim_id"] for name in FILES for row in rows(name)}
    assert {name for claim in CLAIMS for name in claim.published} <= there


def test_every_simulated_number_of_the_text_is_used() -> None:
    study = DIRECTORY.parent
    source = "".join(path.read_text(encoding="utf-8") for path in study.rglob("*.py"))
    for row in rows("text_numbers.csv"):
        if row["section"][0] in "56" and row["kind"] in ("simulated", "derived"):
            assert row["claim_id"] in source, row


def test_every_sweep_that_a_figure_names_exists_and_is_used() -> None:
    named = {name for figure in FIGURES for name in figure.sweeps}
    assert named == {path.stem for path in STUDY.sweeps.glob("*.toml")}


@pytest.mark.parametrize("path", sorted(STUDY.sweeps.glob("*.toml")), ids=lambda path: path.stem)
def test_sweeps_are_of_the_machine_of_the_thesis(path: Path) -> None:
    points = list(Sweep.load(path).points())
    assert points
    for point in points:
        machine, workload = point.experiment.machine, point.experiment.workload
        assert machine.shape == (DIAMETER, DIAMETER)
        assert (machine.node_links, workload.radius) == (4, 8)  # type: ignore[attr-defined]
        assert point.experiment.fidelity == "packet"


def test_sweeps_have_the_compute_periods_of_the_tables() -> None:
    run: set[tuple[str, float]] = set()
    for name in ("workloads", "asynchronous"):
        for point in Sweep.load(STUDY.sweeps / f"{name}.toml").points():
            workload = point.experiment.resolved()["workload"]
            period_us = tb.units.Time.parse(workload["compute_period"]).amount / 1e6
            run.add((workload["sync"], period_us))
    for table in (THROUGHPUT, ROUTED_LIFETIMES):
        assert {(sync, c) for c in table.periods_us for sync in SYNCS} <= run
    # Table 5.1 has its own section; the chart needs both ends.
    assert {("asynchronous", min(RATES.periods_us)), ("asynchronous", 200.0)} <= run


# Verdicts.


def verdict(answer: Comparison | Statement, reason: str = "") -> Verdict:
    return judged(Claim("", "", lambda _: answer, reason=reason), None).verdict  # type: ignore[arg-type]


def compared(found: float, bound: float | None = 0.035, half: float = 0.0) -> Comparison:
    return Comparison("", Printed("100"), tb.Estimate(found, found - half, found + half), bound)


def test_numbers_are_within_their_bound_or_not() -> None:
    assert verdict(compared(103.4)) == Verdict.WITHIN
    assert verdict(compared(103.6)) == Verdict.OPEN
    assert verdict(compared(96.4), "because") == Verdict.CONTRADICTED
    assert verdict(compared(103.6, half=4)) == Verdict.WITHIN  # the intervals overlap
    assert verdict(compared(100.4, bound=None)) == Verdict.WITHIN  # half a unit of the last digit
    assert verdict(compared(101, bound=None)) == Verdict.OPEN


def test_statements_hold_or_are_contradicted() -> None:
    assert verdict(Statement("", holds=True)) == Verdict.HOLDS
    assert verdict(Statement("", holds=False)) == Verdict.CONTRADICTED


def test_a_reason_is_given_only_for_a_difference() -> None:
    claim = Claim("", "", lambda _: Statement("", holds=True), "Read so.", "Because.", known=True)
    assert Judgement(claim, Statement("", holds=True)).note == "Read so."
    assert (
        Judgement(claim, Statement("", holds=False)).note == "Read so. Because. Known beforehand."
    )


def test_what_our_runs_show_instead_is_said_only_of_a_difference() -> None:
    def note(*, holds: bool) -> str:
        claim = Claim("", "", lambda _: Statement("", holds), "Read so.", instead=lambda _: "This.")
        return judged(claim, None).note  # type: ignore[arg-type]

    assert note(holds=True) == "Read so."
    assert note(holds=False) == "Read so. This."


@pytest.mark.parametrize(
    ("found", "expected"),
    [(12.4, Verdict.WITHIN), (13.0, Verdict.OPEN), (14.0, Verdict.OPEN), (11.4, Verdict.OPEN)],
)
def test_printed_losses_are_compared_as_losses(found: float, expected: Verdict) -> None:
    # Printed: 12 %. What is left of the whole, 86 and 88 %, would be within 3.5 %.
    check = number_lost("004-106", lambda _: tb.Estimate.exact(100 - found))
    assert judged(Claim("", "", check), None).verdict == expected  # type: ignore[arg-type]


def test_the_interval_of_a_loss_is_that_of_what_is_left() -> None:
    check = number_lost("004-106", lambda _: tb.Estimate(86, 85, 88, 3))
    answer = check(None)  # type: ignore[arg-type]
    assert answer.simulated == tb.Estimate(14, 12, 15, 3)


# Curves and loads.


def test_curves_are_asked_for_points_and_values_between_them() -> None:
    curve = Curve((1.0, 2.0, 4.0), exactly(10, 20, 0))
    assert curve.at(2).value == 20
    with pytest.raises(KeyError, match="not simulated: 3"):
        curve.at(3)
    assert curve.interpolated(3) == 10
    with pytest.raises(KeyError, match="outside the curve"):
        curve.interpolated(5)
    assert curve.crossing(15) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="never passes 30"):
        curve.crossing(30)
    assert curve.between(2, 3).x == (2.0,)
    assert curve.over(Curve((2.0,), exactly(5))).y[0].value == 4


def test_a_curve_against_a_load_is_ordered_by_the_load() -> None:
    loads = Curve((1.0, 2.0, 4.0), exactly(30, 20, 25))
    assert Curve((1.0, 2.0, 4.0), exactly(1, 2, 4)).against(loads).x == (20, 25, 30)
    turned = Curve((1.0,), (tb.Estimate(2, 1, 4),)).changed(lambda value: 1 / value)
    assert (turned.y[0].low, turned.y[0].high) == (0.25, 1)


def test_intervals_are_apart_or_overlap() -> None:
    assert apart(tb.Estimate(1, 0, 2), tb.Estimate(4, 3, 5))
    assert not apart(tb.Estimate(1, 0, 3), tb.Estimate(4, 3, 5))


def flat_loads(value: float = 1.0, outer: float | None = None) -> Loads:
    rates = np.full((2, DIAMETER, DIAMETER), value)
    if outer is not None:
        rates[:, :, [0, 1, 15]] = outer
    return Loads(rates, rates.copy(), rates.copy(), rates.copy())


def test_starved_columns_are_named() -> None:
    loads = flat_loads(outer=0)
    assert loads.starved("x") == [0, 1, 15]
    assert loads.starved("y") == []
    assert lines_text("x", loads.starved("x")) == "x = 0 to 1, 15"
    assert lines_text("y", []) == "none"
    assert loads.spread == pytest.approx(loads.rates[0].std())


# Rules that few nodes or periods decide.


def claim_with(words: str) -> Claim:
    (claim,) = (claim for claim in CLAIMS if words in claim.words)
    return claim


def of_loads(loads: Callable[..., Loads]) -> Any:
    return SimpleNamespace(sweep=lambda _: SimpleNamespace(loads=loads))


@pytest.mark.parametrize("changed", [None, (1, 3, 0), (1, 3, 7)])
def test_queues_grow_in_every_silent_node_and_in_no_other(
    changed: tuple[int, int, int] | None,
) -> None:
    def loads(*conditions: str) -> Loads:
        found = flat_loads(10.0, outer=0)
        later = "warmup == 20 ms" in conditions
        queues = np.where(found.rates == 0, 100.0 if later else 20.0, 1.0)
        if changed:  # a silent node whose queue stays, or a node that sends whose queue grows
            stays = found.rates[changed] == 0
            queues[changed] = 20.0 if stays or not later else 100.0
        return Loads(found.rates, found.routed, queues, found.acknowledgements)

    found = judged(claim_with("growing without bound"), of_loads(loads))
    assert found.verdict == (Verdict.CONTRADICTED if changed else Verdict.HOLDS)


@pytest.mark.parametrize(("row", "expected"), [(10.9, Verdict.HOLDS), (11.3, "contradicted")])
def test_a_single_row_spoils_the_symmetry(row: float, expected: str) -> None:
    def loads(*_: str) -> Loads:
        rates = np.full((2, DIAMETER, DIAMETER), 10.0)
        rates[:, 5, :] = row
        return Loads(rates, rates, rates, rates)

    assert judged(claim_with("translational symmetry"), of_loads(loads)).verdict == expected


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ((6, 8, 9), Verdict.HOLDS),
        ((8, 9, 6), Verdict.CONTRADICTED),  # the largest deficit is not at the heaviest loads
        ((6, 10, 9), Verdict.CONTRADICTED),  # there is none at 30 us
    ],
)
def test_a_deficit_is_largest_under_the_heaviest_loads(
    rates: tuple[float, float, float], expected: Verdict
) -> None:
    def curve(measure: str, condition: str, **_: str) -> Curve:
        most = condition == "sweep.n == 1"
        return Curve((1.0, 30.0, 80.0), exactly(*(rates if most else (10, 10, 10))))

    runs: Any = SimpleNamespace(sweep=lambda _: SimpleNamespace(curve=curve))
    assert judged(claim_with("reduced performance under the heaviest"), runs).verdict == expected


# No rule holds of everything.


class World:
    """Stands for the runs of all sweeps: every measure is the same function of its place.

    Ratios are so many times as large.
    """

    def __init__(self, measure: Callable[[float, int], float], theta: float = 1.0) -> None:
        self._measure, self._theta = measure, theta

    def sweep(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(curve=self._curve, loads=self._loads)

    def _curve(self, *names: str, mode: str = "full", along: str = "") -> Curve:
        # What differs between curves is told by how they are asked for.
        number = sum(map(ord, "".join([*names, mode]))) % 97
        scale = self._theta if names[0].startswith("theta") else 1.0
        periods = (0.01, 0.2, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30, 40, 60, 80, 100, 200)
        return Curve(periods, exactly(*(scale * self._measure(c, number) for c in periods)))

    def _loads(self, *names: str) -> Loads:
        number = sum(map(ord, "".join(names))) % 97
        columns = [self._measure(float(x + 1), number) for x in range(DIAMETER)]
        grid: Any = np.broadcast_to(columns, (2, DIAMETER, DIAMETER)).copy()
        grid += np.linspace(0, 3, DIAMETER)[:, None]
        return Loads(grid, grid, grid, grid)


WORLDS = {
    "flat": World(lambda _, __: 0.5),
    "rising": World(lambda c, number: 0.001 * c + 0.01 * number),
    "falling": World(lambda c, number: 300 / (c + number + 1)),
    "mixed": World(lambda c, number: 1.1 + math.sin(7 * c + number)),
    "tens": World(lambda c, number: 10 + 80 * math.exp(-c / 20) + number),
    "loads": World(lambda c, number: 5 + 100 * math.exp(-c / 20) + 0.001 * number),
    "costly": World(lambda c, _: 5 + 100 * math.exp(-c / 20), 0.01),
    "steep": World(lambda c, number: 1 + c**6 * (number + 1)),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: re.sub(r"\W+", " ", claim.words)[:60])
def test_there_are_runs_that_contradict_a_claim(claim: Claim) -> None:
    def differs(world: World) -> bool:
        try:
            return judged(claim, world).differs  # type: ignore[arg-type]
        except (KeyError, ValueError, ZeroDivisionError):
            return False

    assert any(differs(world) for world in WORLDS.values())
