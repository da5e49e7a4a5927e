"""What a sweep says at its end of points that saturated, failed or were cut off."""

from __future__ import annotations

from itertools import product
from typing import Any

from tailback.sweeps.states import Place, State

POINTS: list[Place] = [
    {
        "workload.load": load,
        "machine.routing.kind": routing,
        "workload.kind": "synthetic",
        "seed": s,
    }
    for load, routing, s in product("123456789", ("dor", "adaptive"), "12")
]
VALUES = {name: sorted({point[name] for point in POINTS}) for name in POINTS[0]}


def line(points: list[Place], **given: Any) -> str:
    return State("saturated", "it does", tuple(points), given.get("values", VALUES)).line


def test_a_few_points_are_told_by_what_varies() -> None:
    assert line(POINTS[:2]) == (
        "2 saturated (it does): workload.load = 1, machine.routing.kind = dor, seed 1; "
        "workload.load = 1, machine.routing.kind = dor, seed 2"
    )


def test_many_points_are_told_by_the_values_they_have() -> None:
    assert line(POINTS[4:12]) == "8 saturated (it does): workload.load = 2, 3"
    adaptive = [point for point in POINTS if point["machine.routing.kind"] == "adaptive"]
    assert line(adaptive[6:]) == (
        "12 saturated (it does): workload.load = 4, 5, 6, 7 and 2 more; "
        "machine.routing.kind = adaptive"
    )


def test_points_that_are_not_all_with_their_values_are_told_as_some_of_them() -> None:
    """All with one routing at a load, and some with the other: not all at these loads."""
    some = [point for point in POINTS[4:12] if point["machine.routing.kind"] == "dor"]
    assert line([*some, POINTS[6]]) == (
        "5 saturated (it does): among points with workload.load = 2, 3"
    )


def test_of_all_points_nothing_more_is_told() -> None:
    assert line(POINTS) == "36 saturated (it does)"


def test_the_answer_in_json_names_every_point() -> None:
    told = State("saturated", "it does", tuple(POINTS), VALUES).to_dict()
    first = "workload.load = 1, machine.routing.kind = dor, workload.kind = synthetic, seed 1"
    assert told["where"][0] == first
    assert len(told["where"]) == len(POINTS)
