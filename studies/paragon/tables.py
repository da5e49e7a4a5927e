"""What is made of the runs: steps, permutations, bounds, improvements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studies.comparison import rows
from studies.paragon.measured import Measured
from studies.paragon.settings import GROUPINGS, SLICE, STUDY, Grouping, Reading
from tailback import schedules
from tailback.errors import UserError

DIRECTORY = STUDY.folder / "published"
_SIDE = 8


@dataclass(frozen=True, slots=True)
class Steps:
    """An entry of table 2."""

    side: int
    link: int
    printed: str
    """Empty where there is none."""
    ours: str
    """Groups of a schedule that was made and verified; empty where there is none."""
    excepted: bool = False
    """Whether it breaks the paper's own rule."""

    @property
    def agrees(self) -> bool:
        """Whether both have the same, or the printed entry cannot be."""
        return self.printed == self.ours or self.excepted


def steps() -> list[Steps]:
    """Return table 2, printed and ours."""
    made = {}
    found = []
    for row in rows(DIRECTORY / "steps.csv"):
        side, link = int(row["mesh_side_n"]), int(row["permitted_link_contention_c"])
        if side not in made:
            made[side] = schedules.collapsible((side, side))
        ours = _groups(made[side], link) if link <= side // 4 else ""
        found.append(Steps(side, link, row["steps_printed"], ours, (side, link) == (20, 2)))
    return found


def _groups(made: schedules.Schedule, link: int) -> str:
    try:
        group = schedules.group_of(made.shape, link=link)
    except UserError:
        return ""
    return str(schedules.verify(made.in_groups_of(group), node=1, link=link).groups)


def permutations() -> dict[str, str]:
    """Return which steps of ours figures 4 and 5 show, and the link contention counted in them."""
    made = schedules.collapsible((_SIDE, _SIDE))
    pairs = {n: _pairs(*made.of_steps(n, n)) for n in range(made.steps)}
    found = {}
    for (figure, number), sent in _printed().items():
        source, destination = np.array(sorted(sent)).T
        steps = np.zeros_like(source)
        drawn = schedules.Schedule("printed", made.shape, steps, source, destination, 1, 1)
        link = schedules.count(drawn).link
        alike = [str(n) for n, ours in pairs.items() if ours == sent]
        alike += [
            f"{n} and {n + 1}" for n in range(made.steps - 1) if pairs[n] | pairs[n + 1] == sent
        ]
        where = f"steps {alike[0]}" if alike else "another order"
        found[f"{figure.removeprefix('Figure ')}.{number}"] = f"{where}, contention {link}"
    return found


def as_printed(found: dict[str, str]) -> bool:
    """Return whether figure 5 is there, and every permutation has the contention it must have."""
    expected = {
        "5.1": "steps 120, contention 1",
        "5.2": "steps 121, contention 1",
        "5.3": "steps 120 and 121, contention 2",
        "4.1": "steps 123, contention 1",
    }
    ends = {name: text.endswith(" 2" if name == "5.3" else " 1") for name, text in found.items()}
    return all(found[name] == text for name, text in expected.items()) and all(ends.values())


def _pairs(source: np.ndarray, destination: np.ndarray) -> set[tuple[int, int]]:
    return set(zip(source.tolist(), destination.tolist(), strict=True))


def _printed() -> dict[tuple[str, str], set[tuple[int, int]]]:
    found: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for row in rows(DIRECTORY / "permutations.csv"):
        if row["transmits"] == "yes":
            source = _SIDE * int(row["source_row"]) + int(row["source_column"])
            target = _SIDE * int(row["target_row"]) + int(row["target_column"])
            found.setdefault((row["figure"], row["permutation_index"]), set()).add((source, target))
    return found


def best(measured: Measured, side: int, reading: Reading, size: int = SLICE) -> Grouping:
    """Return the grouping that is done first, barriers included."""
    asked = simulated(side, size)
    return min(asked, key=lambda grouping: measured.total_us(grouping, reading, size))


def simulated(side: int, size: int) -> list[Grouping]:
    """Return the groupings that were run with messages of a size."""
    left_out = {27, 54} if side == 12 and size != SLICE else set()
    left_out |= {9} if side == 12 and size != SLICE else set()
    return [g for g in GROUPINGS[side] if g.contention.group not in left_out]


def improvement(
    measured: Measured, side: int, size: int, reading: Reading, order: str = "naive_shifted"
) -> float:
    """Return how much shorter the best grouping is than a naive exchange, as a share of it."""
    bounded = measured.total_us(best(measured, side, reading, size), reading, size)
    return 1 - bounded / measured.naive(side, order, size=size).value


def is_between(measured: Measured, grouping: Grouping, reading: Reading) -> bool:
    """Return whether a time lies between the paper's bounds, or nearly.

    5 % below the lower one, or 10 % above where both are one.
    """
    barrier, total = reading.us(grouping.side), measured.total_us(grouping, reading)
    low, high = grouping.lower_us(barrier), grouping.upper_us(barrier)
    return 0.95 * low <= total <= max(high, 1.1 * low)
