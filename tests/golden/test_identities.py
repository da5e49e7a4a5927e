"""Points that are stored already are found again."""

from __future__ import annotations

from pathlib import Path

from tests.identities import identities

RECORDED = Path(__file__).with_name("identities.txt")


def test_examples_keep_their_identities() -> None:
    """If one changed on purpose, results changed: RESULTS_VERSION grows, and all lines with it."""
    assert identities() == RECORDED.read_text(encoding="utf-8").splitlines()
