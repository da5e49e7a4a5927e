"""Schedules of a complete exchange: walked link by link, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from tailback import schedules
from tailback.errors import UserError
from tailback.figures.schedules import svg
from tailback.schedules import Contention, Schedule, collapsible
from tailback.schedules.lines import families
from tailback.units import Size, Time

SQUARES = [
    (4, 4),
    (8, 8),
    # 15 groupings of 20,592 messages, and 11 of 65,280.
    *(pytest.param((n, n), marks=pytest.mark.verify) for n in (12, 16)),
]
OTHERS = [(1, 8), (2, 2), (3, 2), (3, 12), (4, 8), (8, 4), (16,), (4, 4, 4), (2, 4, 8)]


@cache
def way(shape: tuple[int, ...], source: int, destination: int) -> list[tuple[int, int]]:
    """Return the directed links from node to node, walked one dimension after the other."""
    links, here, stride = [], source, 1
    for side in shape:
        ahead = destination // stride % side - source // stride % side
        for _ in range(abs(ahead)):
            there = here + (stride if ahead > 0 else -stride)
            links.append((here, there))
            here = there
        stride *= side
    assert here == destination
    return links


def walked(schedule: Schedule) -> tuple[int, int]:
    """Return node and link contention, message by message."""
    node = link = 0
    for group in range(schedule.groups):
        last = (group + 1) * schedule.group - 1
        sources, destinations = schedule.of_steps(group * schedule.group, last)
        pairs = list(zip(sources.tolist(), destinations.tolist(), strict=True))
        sent = [(source, destination) for source, destination in pairs if source != destination]
        starts = Counter(source for source, _ in sent)
        ends = Counter(destination for _, destination in sent)
        links = Counter(link for pair in sent for link in way(schedule.shape, *pair))
        node = max([node, *starts.values(), *ends.values()])
        link = max([link, *links.values()])
    return node, link


def refusal(action: object, *arguments: object, **keys: object) -> str:
    """Return the one line in which something is refused."""
    assert callable(action)
    with pytest.raises(UserError) as caught:
        action(*arguments, **keys)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestLines:
    @pytest.mark.parametrize("side", [1, 2, 3, 4, 8, 12, 16, 32])
    def test_pieces_have_every_pair_once_and_load_no_link_twice(self, side: int) -> None:
        pairs: Counter[tuple[int, int]] = Counter()
        for family in families((side,), side):
            for pieces in family.pieces:
                assert sorted(a for piece in pieces for a, _ in piece) == list(range(side))
                for piece in pieces:
                    pairs.update(piece)
                    right = Counter(x for a, b in piece for x in range(a, b))
                    left = Counter(x for a, b in piece for x in range(b, a))
                    assert max([*right.values(), *left.values()], default=0) <= 1
        assert pairs == Counter(product(range(side), repeat=2))


class TestCollapsible:
    @pytest.mark.parametrize("shape", SQUARES + OTHERS, ids=str)
    def test_every_contention_is_what_is_walked(self, shape: tuple[int, ...]) -> None:
        made = collapsible(shape)
        nodes = prod(shape)
        assert made.steps == nodes * max(1, max(shape) // 4)
        everybody = np.bincount(made.source * nodes + made.destination, minlength=nodes**2)
        assert (everybody == 1).all()
        for contention in schedules.contentions(shape):
            grouped = made.in_groups_of(contention.group)
            counted = schedules.verify(grouped, contention.node, contention.link)
            node, link = walked(grouped)
            assert (counted.node, counted.link) == (node, link)
            assert node <= contention.node
            assert link <= contention.link
            assert counted.groups * contention.group == made.steps
            if nodes > 8 and contention.node < nodes:
                # All that is allowed is used, and there is no way of using fewer groups.
                assert (node, link) == (contention.node, contention.link)
                assert counted.groups in (counted.fewest_groups, counted.fewest_groups + 1)

    @pytest.mark.parametrize("side", [4, 8, 12, 16, 20, 24, 28, 32])
    def test_squares_have_the_fewest_steps(self, side: int) -> None:
        assert schedules.fewest_steps((side, side)) == side**3 // 4

    def test_two_nodes_and_three_by_hand(self) -> None:
        pair = collapsible((2,))
        assert (pair.step.tolist(), pair.destination.tolist()) == ([0, 0, 1, 1], [0, 1, 1, 0])
        three = collapsible((3,))
        assert three.destination.tolist() == [0, 1, 2, 1, 2, 0, 2, 0, 1]

    def test_scott_waits_after_every_step(self) -> None:
        made = schedules.scott((8, 8))
        assert (made.name, made.group, made.groups) == ("scott", 1, 128)
        assert walked(made) == (1, 1)

    @pytest.mark.parametrize(
        ("shape", "expected"),
        [
            ((6, 6), "mesh = 6 x 6: side 6 must be 1, 2, 3 or a multiple of 4"),
            ((8, 5), "mesh = 8 x 5: side 5 must be"),
            ((1, 1), "mesh = 1 x 1: must have at least two nodes"),
            ((128, 128), "mesh = 128 x 128: must have at most 4096 nodes"),
        ],
    )
    def test_meshes_that_are_refused(self, shape: tuple[int, ...], expected: str) -> None:
        assert refusal(collapsible, shape).startswith(expected)


class TestContention:
    def test_of_the_paper(self) -> None:
        found = [(c.node, c.link) for c in schedules.contentions((16, 16))]
        assert found[:5] == [(1, 1), (1, 2), (1, 4), (2, 8), (4, 16)]
        assert found[-2:] == [(128, 512), (256, 1024)]
        assert schedules.contentions((4, 4))[0] == Contention(1, 1, 1)

    @pytest.mark.parametrize(
        ("keys", "group"),
        [
            ({}, 1),
            ({"link": 2}, 2),
            ({"node": 1}, 4),
            ({"node": 1, "link": 2}, 2),
            ({"node": 2, "link": 8}, 8),
            ({"node": 16}, 64),
            ({"link": 1024}, 1024),
            ({"group": 512}, 512),
        ],
    )
    def test_groups(self, keys: dict[str, int], group: int) -> None:
        assert schedules.group_of((16, 16), **keys) == group

    @pytest.mark.parametrize(
        ("keys", "expected"),
        [
            ({"link": 3}, "link = 3: must divide 16 / 4 = 4, or be a multiple of it"),
            ({"link": 12}, "link = 12: must be at most 4, or 4 times a divisor of the 256 nodes"),
            ({"node": 3}, "node = 3: must divide the number of nodes, 256"),
            ({"node": 2, "link": 4}, "node = 2: must be 1 where link = 4: links have 4 times"),
            ({"node": 1, "link": 8}, "node = 1: must be 2 where link = 8"),
            ({"group": 12}, "group = 12: must divide 4, or be 4 times a divisor of 256"),
            ({"group": 4, "link": 4}, "group = 4: must not be given together with node or link"),
            ({"link": 0}, "link = 0: must be at least 1"),
            ({"node": -1}, "node = -1: must be at least 1"),
            ({"group": 0}, "group = 0: must be at least 1"),
        ],
    )
    def test_what_there_is_not(self, keys: dict[str, int], expected: str) -> None:
        assert refusal(schedules.group_of, (16, 16), **keys).startswith(expected)

    def test_a_contention_that_is_named_and_not_kept_is_refused(self) -> None:
        made = collapsible((8, 8)).in_groups_of(4)
        assert schedules.verify(made, node=2, link=4).link == 4
        line = refusal(schedules.verify, made, node=1)
        assert line == "bounded: has node contention 2 in groups of 4 steps, not 1"
        line = refusal(schedules.verify, made, link=3)
        assert line == "bounded: has link contention 4 in groups of 4 steps, not 3"


class TestNaive:
    @pytest.mark.parametrize("order", ["ascending", "shifted", "random"])
    def test_is_complete(self, order: schedules.Naive) -> None:
        made = schedules.naive((4, 3), order, seed=3)
        counted = schedules.verify(made)
        assert (made.groups, made.messages, counted.node) == (1, 132, 11)
        assert (counted.node, counted.link) == walked(made)

    def test_orders_by_hand(self) -> None:
        ascending = schedules.naive((3,), "ascending")
        assert ascending.of_steps(0, 0)[1].tolist() == [1, 0, 0]
        assert ascending.of_steps(1, 1)[1].tolist() == [2, 2, 1]
        shifted = schedules.naive((3,), "shifted")
        assert shifted.of_steps(0, 0)[1].tolist() == [1, 2, 0]
        assert shifted.of_steps(1, 1)[1].tolist() == [2, 0, 1]

    def test_random_is_by_its_seed(self) -> None:
        orders = [schedules.naive((4, 4), "random", seed).destination for seed in (1, 1, 2)]
        assert orders[0].tolist() == orders[1].tolist() != orders[2].tolist()


class TestFiles:
    @pytest.mark.parametrize("suffix", [".csv", ".json"])
    def test_what_is_written_is_read_again(self, suffix: str, tmp_path: Path) -> None:
        made = collapsible((4, 8))
        path = tmp_path / f"schedule{suffix}"
        path.write_text(schedules.written(made, suffix))
        again = schedules.read(path, (4, 8))
        for column in ("step", "source", "destination"):
            assert (getattr(again, column) == getattr(made, column)).all()
        assert again.steps == made.steps
        schedules.verify(again, node=1, link=1)

    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("a.txt", "", ": must end in .csv or .json"),
            ("a.csv", "", ": has no rows"),
            ("a.csv", "step,source,destination\n", ": has no messages"),
            ("a.csv", "step,sorce,destination\n", ": has no column source; did you mean sorce?"),
            ("a.csv", "step,source,destination\n0,x,1\n", ': source in line 2 = "x": must be a'),
            ("a.csv", "step,source,destination\n0,0\n", ': destination in line 2 = "": must be'),
            (
                "a.csv",
                "step,source,destination\n0,0,4\n",
                ": line 2: node 4 must be at most 3 (there",
            ),
            ("a.csv", "step,source,destination\n99999999,0,1\n", ": line 2: step 99999999 must be"),
            ("a.json", "{", ": is not JSON: "),
            ("a.json", "3", ": must be a list of steps, or an object with steps"),
            ("a.json", "[[[0, 1]], 3]", ": step 1 = 3: must be pairs [source, destination]"),
            ("a.json", "[[[0, 1, 2]]]", ": step 0 = [0, 1, 2]: must be pairs"),
            ("a.json", "[[[0, -1]]]", ": step 0 = [0, -1]: must be pairs"),
            ("a.json", '{"steps": [[[0, 7]]]}', ": step 0: node 7 must be at most 3"),
        ],
    )
    def test_mistakes(self, name: str, text: str, expected: str, tmp_path: Path) -> None:
        path = tmp_path / name
        path.write_text(text)
        assert refusal(schedules.read, path, (2, 2)).startswith(f"{path}{expected}")

    def test_an_incomplete_one_says_what_is_missing(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text("[[[0, 1], [1, 0]], [[2, 0]]]")
        made = schedules.read(path, (3,))
        expected = f"{path}: is not a complete exchange: node 0 never sends to node 2"
        assert refusal(schedules.verify, made) == f"{expected}, and 2 more such pairs"
        assert schedules.count(made).messages == 3

    def test_one_that_sends_twice_says_in_which_steps(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text("[[[0, 1], [1, 0]], [], [[1, 0]]]")
        line = refusal(schedules.verify, schedules.read(path, (2,)))
        assert line.endswith("is not a complete exchange: node 1 sends to node 0 in steps 0 and 2")


class TestExports:
    def test_turns_by_hand(self) -> None:
        made = collapsible((2,))
        first = schedules.turns(made)
        assert [(list(turn.to), turn.receives) for turn in first[0]] == [([], 0), ([1], 1)]
        merged = schedules.turns(made.in_groups_of(2))
        assert [(list(turn.to), turn.receives) for turn in merged[1]] == [([0], 1)]

    def test_a_node_sends_in_the_order_of_steps(self) -> None:
        made = schedules.naive((5,), "shifted")
        assert [list(turn.to) for turn in schedules.turns(made)[3]] == [[4, 0, 1, 2]]

    def test_messages(self) -> None:
        text = schedules.messages(collapsible((2,)), Size(7), Time(1500))
        assert text == "time_ps,source,destination,bytes\n1500,0,1,7\n1500,1,0,7\n"

    def test_program(self) -> None:
        text = schedules.program(collapsible((2,)), Size(7))
        turn = '  {{send = {}, bytes = "7 B", blocking = false}},\n  {{receive = "any"}},\n'
        barrier = '  {barrier = "all"},\n'
        assert text.endswith(
            "node = 0\nrepeat = 1\nsteps = [\n"
            + barrier
            + turn.format(1)
            + "]\n\n[[workload.process]]\nnode = 1\nrepeat = 1\nsteps = [\n"
            + barrier
            + turn.format(0)
            + "]\n"
        )


class TestPictures:
    def test_a_step_and_all_of_them(self) -> None:
        made = collapsible((8, 8))
        step = svg(made, 120, 120)
        assert ">1,7</text>" in step
        assert "32 messages; at most 1 on a link" in step
        both = svg(made, 120, 121)
        assert "steps 120 to 121 of 128" in both
        assert "64 messages; at most 2 on a link" in both
        assert "at most 128 on a link" in svg(made, 0, 127)

    def test_what_is_not_drawn(self) -> None:
        assert "cannot draw a mesh of 3 dimensions" in refusal(svg, collapsible((4, 4, 4)), 0, 0)
        assert refusal(svg, collapsible((4, 4)), 3, 16) == (
            "--step = 3-16: must be 0 to 15, the last step"
        )
        assert "cannot draw 36 x 1 nodes" in refusal(svg, collapsible((36, 1)), 0, 0)


def test_what_is_counted_can_be_told_as_json() -> None:
    counted = schedules.count(collapsible((4, 4)))
    assert json.loads(json.dumps(counted.busy)) == 1.0
