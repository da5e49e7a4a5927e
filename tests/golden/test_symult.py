"""The study of the Symult 2010: what is printed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

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
