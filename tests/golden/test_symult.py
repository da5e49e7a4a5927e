"""The study of the Symult 2010: what is printed, and what the preset has of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from studies.symult import numbers, published
from studies.symult.loops import Loops, loop, name
from studies.symult.settings import SECTION_3_1, along_the_diagonal, near_neighbours
from tailback.experiment import Experiment
from tailback.runner import run_mode

PRINTED = Path(__file__).parents[2] / "studies" / "symult" / "published"
PUBLISHED = {
    "components.csv": "9404d22eb17c87a3",
    "latency_law.csv": "080696bc3f46780d",
    "matrix_transpose.csv": "a8c8f56cb3f05b1e",
    "near_neighbours.csv": "b08a48ee8dbe5e64",
    "text_numbers.csv": "2b38a569ae220f07",
}
"""First digits of their SHA-256: a printed number is never edited."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_printed_numbers_are_never_edited(name: str) -> None:
    assert hashlib.sha256((PRINTED / name).read_bytes()).hexdigest()[:16] == PUBLISHED[name]


def message_us(size: int, **software: Any) -> float:
    """Return the time of one message to the next node, on a CPU that has nothing else to do."""
    tables = {
        "machine": {"preset": "symult_2010", "interface": software},
        "workload": {"kind": "messages", "messages": [["0 s", 0, 1, f"{size} B"]]},
    }
    return run_mode(Experiment.from_dict(tables), "full")["message_latency_us"].value


@pytest.mark.parametrize("size", [1, 255, 256, 257, 1000, 4096])
def test_the_preset_has_the_law_of_a_message(size: int) -> None:
    """By hand: 105 us, each packet's software and flits, two channels more, and 101 us.

    A packet costs nothing in software if it is the only one. The last one is taken in for 32 us;
    those before it while the next is on its way, which takes less if that has only a byte.
    """
    flit = 0.0577
    packets = -(-size // 256)
    software = packets * 24.49 + 32 if packets > 1 else 0
    if size == 257:
        software += 32 - (24.49 + 2 * flit)
    expected = 105 + software + (size + packets + 2) * flit + 101
    assert message_us(size) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(("size", "alpha", "beta"), [(256, 210.9, 0.0577), (4096, 210.2, 0.1536)])
def test_the_printed_law_with_the_kernel_of_its_day(size: int, alpha: float, beta: float) -> None:
    assert message_us(size, **SECTION_3_1) == pytest.approx(alpha + beta * size, abs=1)


def test_peers_are_on_the_way_for_the_same_time_at_any_distance() -> None:
    """The paper: less than 4 us between 2 and 22 hops; by hand 20 flit times."""
    case = along_the_diagonal()
    times = numbers.by_path(Loops({name(case): loop(case)}))
    assert sorted(times) == [2, 6, 10, 14, 18, 22]
    assert times[22] - times[2] == pytest.approx(20 * 0.0577, abs=0.001)


def test_a_loop_of_figure_12_has_all_the_work_of_the_cpu() -> None:
    """Printed are 385: 105 and 179 us for a message sent, 101 us for one received.

    Flits come beside that, while the CPU works, but for two that receiving waits for.
    """
    found = loop(near_neighbours("AA_1NN", 1)).mean_us()
    assert found == pytest.approx(385.1, abs=0.05)
    assert found == pytest.approx(105 + 179 + 101 + 2 * 0.0577, abs=0.001)
    assert published.near_neighbours("AA_1NN", 1) == "0.385"


def test_all_numbers_of_figure_12_are_compared() -> None:
    assert len(published.sizes()) == 5
    assert published.near_neighbours("AA_4NN", 515) == "3.059"
    assert len(published.transpose_us()) == 56
