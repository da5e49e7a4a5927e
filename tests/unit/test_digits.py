"""Patterns of digits to any base, along one dimension, and with two destinations a node."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tests.machines import t9000

NINE = t9000("mesh", dims=(3, 3))


def to(machine: tb.Machine = NINE, **keys: Any) -> tuple[int, ...] | None:
    return tb.Synthetic(**keys).permutation(machine)


def test_digits_are_reversed_and_rotated_to_any_base() -> None:
    reverse = {"pattern": "digit_reverse"}
    assert to(**reverse, pattern_base=3) == (0, 3, 6, 1, 4, 7, 2, 5, 8)
    assert to(pattern="digit_shuffle", pattern_base=3) == (0, 3, 6, 1, 4, 7, 2, 5, 8)
    sixteen = t9000("mesh", dims=(4, 4))
    # To the base 2 they are those of bits.
    for word, bits in (("digit_reverse", "bit_reverse"), ("digit_shuffle", "shuffle")):
        assert to(sixteen, pattern=word, pattern_base=2) == to(sixteen, pattern=bits)
    eight = t9000("hypercube", dimensions=3)
    assert to(eight, pattern="digit_shuffle", pattern_base=2) == (0, 2, 4, 6, 1, 3, 5, 7)


def test_a_tornado_may_blow_along_one_dimension() -> None:
    mesh = t9000("mesh", dims=(4, 3))
    along = to(mesh, pattern="tornado", pattern_dimension="x")
    assert along == (1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8)
    assert to(mesh, pattern="neighbour", pattern_dimension="y") == (*range(4, 12), 0, 1, 2, 3)


def test_two_destinations_are_rows_of_a_matrix() -> None:
    four = t9000("mesh", dims=(2, 2))
    rows = tb.Synthetic(pattern="diagonal", includes_self=True).spec(four)["pattern"]["rows"]
    assert rows[3] == [{"to": 3, "weight": 2.0}, {"to": 0, "weight": 1.0}]
    rows = tb.Synthetic(pattern="asymmetric").spec(four)["pattern"]["rows"]
    assert [[one["to"] for one in row] for row in rows] == [[2], [3], [0], [1]]
    rows = tb.Synthetic(pattern="asymmetric", includes_self=True).spec(four)["pattern"]["rows"]
    assert [one["to"] for one in rows[3]] == [1, 3]


def test_nothing_is_said_of_keys_that_are_not_given() -> None:
    resolved = tb.Synthetic(pattern="tornado").resolved(NINE)
    assert not {"pattern_base", "pattern_dimension"} & set(resolved)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"pattern": "digit_reverse"}, 'pattern_base: must be given with "digit_reverse"'),
        ({"pattern": "digit_reverse", "pattern_base": 2}, "needs a power of pattern_base = 2"),
        ({"pattern_base": 3}, 'has no effect here; needs pattern = "digit_reverse" or'),
        ({"pattern": "tornado", "pattern_dimension": "z"}, 'must be "x" or "y"'),
        ({"pattern": "shuffle", "pattern_dimension": "x"}, "has no effect here; needs pattern"),
        ({"pattern": "diagonal"}, "needs includes_self = true"),
        ({"pattern": "asymmetric"}, "needs an even number of nodes, not 9"),
    ],
)
def test_what_a_pattern_lacks_is_told_in_one_line(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        tb.Synthetic(**keys).check(NINE)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
