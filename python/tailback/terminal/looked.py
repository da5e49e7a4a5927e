"""What `tailback look` prints: the sentences at the head of its page, and where that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.experiment import Experiment

from .layout import cautions, heading


def look_report(
    experiment: Experiment, lead: Sequence[str], status: Sequence[str], page: Path
) -> RenderableType:
    """Return the sentences (with names in backticks), the warnings, and the path of the page."""
    told = Text(" ".join(lead).replace("`", ""))
    return Group(heading(experiment), told, *cautions(tuple(status)), Text(f"page: {page}"))
