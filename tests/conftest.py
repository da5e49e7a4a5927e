"""What tests of all kinds share."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture
def examples() -> Path:
    """The example experiments."""
    return REPOSITORY / "examples"
