"""An addition takes six files at most: those that name an example of each."""

from __future__ import annotations

import pytest

from tests.additions import MOST, ROOT, Addition, counted, text_of

COUNTED = counted()


@pytest.mark.parametrize("addition", COUNTED, ids=lambda one: one.name)
def test_an_addition_takes_six_files_at_most(addition: Addition) -> None:
    """If one more names it, a registry is missing there, or a kind is compared by its name."""
    names = COUNTED[addition]
    assert 0 < len(names) <= MOST, "\n".join(["", *names])


def test_what_is_generated_is_not_counted() -> None:
    page = ROOT / "docs" / "experiment-file.md"
    assert "edge_delay" not in text_of(page)
