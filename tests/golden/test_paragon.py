"""The study of the Paragon: what is printed, and schedules that have it."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tailback import schedules
from tailback.errors import UserError

PRINTED = Path(__file__).parents[2] / "studies" / "paragon" / "published"
PUBLISHED = {
    "parameters.csv": "bac544caa6bd3bdf",
    "permutation_checks.csv": "1717d4037145143f",
    "permutations.csv": "063e27700a855246",
    "steps.csv": "1c16541f984c2666",
    "synchronization_readings.csv": "5fcc52cc44a6deea",
    "text_numbers.csv": "3277496bb4bd35ef",
}
"""First digits of their SHA-256: a printed number is never edited."""


def rows(name: str) -> list[dict[str, str]]:
    with (PRINTED / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", PUBLISHED)
def test_printed_numbers_are_never_edited(name: str) -> None:
    assert hashlib.sha256((PRINTED / name).read_bytes()).hexdigest()[:16] == PUBLISHED[name]


@pytest.mark.parametrize("side", [4, 8, 12, 16, 20, 24, 28, 32])
def test_table_2(side: int) -> None:
    """Its numbers and its gaps; of 20 x 20 it has a number where its own rule has a gap."""
    table = [row for row in rows("steps.csv") if row["mesh_side_n"] == str(side)]
    assert len(table) == 8
    made = schedules.collapsible((side, side))
    for row in table:
        contention = int(row["permitted_link_contention_c"])
        if not row["steps_printed"] or (side, contention) == (20, 2):
            if contention % max(side // 4, 1):
                with pytest.raises(UserError, match=r"^link"):
                    schedules.group_of((side, side), link=contention)
            continue
        group = schedules.group_of((side, side), link=contention)
        grouped = made.in_groups_of(group)
        assert grouped.groups == int(row["steps_printed"])
        if side <= 20:
            schedules.verify(grouped, node=1, link=contention)


def pairs_of(source: Any, destination: Any) -> set[tuple[int, int]]:
    return set(zip(source.tolist(), destination.tolist(), strict=True))


def test_figures_4_and_5() -> None:
    made = schedules.collapsible((8, 8))
    found = [pairs_of(*made.of_steps(n, n)) for n in range(128)]
    printed: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for row in rows("permutations.csv"):
        if row["transmits"] == "yes":
            ends = ("source", "target")
            pair = tuple(8 * int(row[f"{end}_row"]) + int(row[f"{end}_column"]) for end in ends)
            printed[row["figure"], row["permutation_index"]].add((pair[0], pair[1]))
    assert found.index(printed["Figure 5", "1"]) == 120
    assert found.index(printed["Figure 5", "2"]) == 121
    assert found[120] | found[121] == printed["Figure 5", "3"]
    assert found.index(printed["Figure 4", "1"]) == 123


@pytest.mark.parametrize("row", rows("permutation_checks.csv"), ids=lambda row: row["figure"])
def test_contention_of_figures_4_and_5(row: dict[str, str]) -> None:
    """Counted in what is printed, not in our own schedule."""
    import numpy as np

    key = ("figure", "permutation_index")
    sent = [
        [8 * int(line[f"{end}_row"]) + int(line[f"{end}_column"]) for end in ("source", "target")]
        for line in rows("permutations.csv")
        if all(line[name] == row[name] for name in key) and line["transmits"] == "yes"
    ]
    source, destination = np.array(sent).T
    steps = np.zeros_like(source)
    printed = schedules.Schedule("printed", (8, 8), steps, source, destination, 1, 1)
    counted = schedules.count(printed)
    assert counted.node == 1
    assert counted.link == int(row["max_link_contention_row_column_routing"])
    assert source.size == int(row["active_nodes_count"])
