"""Traffic matrices as other tools write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tailback.errors import UserError
from tailback.workloads.pattern_files import read_matrix


def read(tmp_path: Path, text: str) -> dict[int, dict[int, float]]:
    path = tmp_path / "traffic"
    path.write_text(text)
    return read_matrix(path)


def test_a_square_has_a_row_for_each_source(tmp_path: Path) -> None:
    assert read(tmp_path, "0 0.5 1\n2 0 0\n\n0 3e-1 0\n") == {
        0: {1: 0.5, 2: 1.0},
        1: {0: 2.0},
        2: {1: 0.3},
    }


def test_a_table_of_noxim_has_a_row_for_each_flow(tmp_path: Path) -> None:
    text = "% src dst pir por t_on t_off t_period\n0 15 0.02 0.02 0 1000 1000\n3 12 0.05\n5 6\n"
    assert read(tmp_path, text) == {0: {15: 0.02}, 3: {12: 0.05}, 5: {6: 1.0}}


MISTAKES = [
    ("% t\n0 1 0.1 0.1 0 500 1000\n", "times of activity are not simulated"),
    ("% t\n0 1\n7\n", "line 3 = 1 numbers: must be a square"),
    ("0 1 0.1\n1 2 0.1\n2 0 0.1\n", "may be a matrix or a table of noxim"),
    ("% t\n0 0 0.1\n", "destination in line 2 = 0: must be another node"),
    ("% t\n0 -1 0.1\n", 'destination in line 2 = "-1"'),
    ("% t\n0 1 0.1\n0 1 0.2\n", "has a row with source 0 already"),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_mistakes_name_the_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    assert expected in str(caught.value)
