"""What `tailback look` prints: the head of its page, and where that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.answers import Head
from tailback.experiment import Experiment

from .layout import cautions, head


def look_report(
    experiment: Experiment, answer: Head, remarks: Sequence[str], page: Path
) -> RenderableType:
    """Return the answer, what limits it, and the path of the page."""
    return Group(*head(experiment, answer), *cautions(remarks), Text(f"page: {page}"))
