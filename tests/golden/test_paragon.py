"""The study of the Paragon: what is printed, and schedules that have it."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from studies.paragon import tables
from studies.paragon.settings import GROUPINGS, PLUS, TIMES_TEN, printed_barrier_us, step_us
from tailback import schedules
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.runner import run_mode
from tailback.since311 import tomllib

ROOT = Path(__file__).parents[2]
PRINTED = ROOT / "studies" / "paragon" / "published"
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


@pytest.mark.parametrize(
    "side",
    [4, 8, 12, *(pytest.param(side, marks=pytest.mark.verify) for side in (16, 20, 24, 28, 32))],
)
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


def preset(workload: dict[str, Any], **interface: Any) -> Experiment:
    """Return an experiment on 8 x 8 nodes whose start-ups do not vary."""
    machine = {"preset": "paragon", "interface": {"overhead_variation": 0.0, **interface}}
    return Experiment.from_dict({"machine": machine, "workload": workload})


@pytest.mark.parametrize("size", [1, 1000, 1792, 8640, 15232])
@pytest.mark.parametrize("destination", [1, 63])
def test_the_preset_has_the_printed_time_of_a_message(size: int, destination: int) -> None:
    """231 + 0.022 m us at any distance, but for a flit on each of at most 15 links."""
    workload = {"kind": "messages", "messages": [["0 s", 0, destination, f"{size} B"]]}
    found = run_mode(preset(workload), "full")["message_latency_us"].value
    assert found == pytest.approx(step_us(size), abs=0.1)


@pytest.mark.parametrize(("group", "steps"), [(1, 128), (2, 64)])
def test_steps_without_contention_take_their_printed_time(group: int, steps: int) -> None:
    """72.46 ms with a barrier after every step; 36.23 ms where everybody is busy in each.

    Not exact: where two messages share a link, one waits for a packet of the other.
    """
    workload = {"kind": "complete_exchange", "message_size": "15232 B", "group": group}
    found = run_mode(preset(workload, barrier="free"), "free")["completion_us"].value
    assert found == pytest.approx(steps * step_us(15232), rel=0.001)


def test_a_barrier_costs_what_its_formula_says_and_nothing_else() -> None:
    """One after each group but the last: communication and synchronisation are apart."""
    workload = {"kind": "complete_exchange", "message_size": "15232 B", "group": 16}
    times = [
        run_mode(preset(workload, barrier=price), "full")["completion_us"].value
        for price in ("free", {"base": "134 us", "per_log2": "27.1 us"})
    ]
    # 64 processes: log2 is 6. The formula is printed for n, the side of the mesh.
    assert times[1] - times[0] == pytest.approx(7 * (134 + 6 * 27.1), rel=1e-9)


def test_the_barrier_of_the_documents_is_the_one_of_a_square_of_this_side() -> None:
    """The paper's n is the side: 215.3 us at 8 x 8, once for each of 8 groups but the last."""
    text = (ROOT / "docs" / "schedules.md").read_text()
    found = re.search(r"```toml exchange.toml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    tables = tomllib.loads(found[1])
    assert tables["workload"]["link_contention"] == 16
    written = run_mode(Experiment.from_dict(tables), "full")["completion_us"].value
    tables["machine"]["interface"]["barrier"] = "free"
    free = run_mode(Experiment.from_dict(tables), "full")["completion_us"].value
    assert (written - free) / 7 == pytest.approx(PLUS.us(8), rel=1e-9)
    assert f"{PLUS.us(8):.1f}" == "215.3"
    assert "134 + 13.55 · 6 = 215.3 us" in text


def test_bounds_are_those_of_the_paper() -> None:
    first, second, *_ = GROUPINGS[8]
    assert (first.name, second.name) == ("(1, 1)", "(1, 2)")
    assert first.lower_us(0) == pytest.approx(72_462, abs=1)
    assert second.lower_us(0) == pytest.approx(36_231, abs=1)
    assert second.upper_us(10) == pytest.approx(72_462 + 640, abs=1)
    assert [grouping.name for grouping in GROUPINGS[16]][-1] == "(128, 512)"
    assert len(GROUPINGS[16]) == 10


def test_every_reading_of_a_barrier_is_one_of_the_printed_candidates() -> None:
    columns = {"sync_us_if_plus_134": PLUS, "sync_us_if_271_log2n_minus_134": TIMES_TEN}
    for row in rows("synchronization_readings.csv"):
        side = int(row["mesh_side_n"])
        printed = float(row["sync_us_as_printed_27_1_log2n_minus_134"])
        assert printed_barrier_us(side) == pytest.approx(printed, abs=0.1)
        for column, reading in columns.items():
            assert reading.us(side) == pytest.approx(float(row[column]), abs=0.1)


@pytest.mark.verify
def test_the_study_has_table_2_and_the_permutations() -> None:
    assert all(row.agrees for row in tables.steps())
    assert tables.as_printed(tables.permutations())
