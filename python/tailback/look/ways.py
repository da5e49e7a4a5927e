"""The lines that packets of each class have crossed: of a job, a node, or a listed class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .charged import Rows
from .lines import Lines, added

if TYPE_CHECKING:
    from tailback.results import Result

_MOST_ROWS = 50_000
"""Pairs of a class and a line on the page, of all classes together."""
_MOST_LINES = 4000
"""Lines of a class that are told apart."""


def ways(result: Result, lines: Lines) -> Rows:
    """Return how long packets of each class kept each line busy; nothing without slices.

    Of many classes only the busiest lines of each are told apart.
    """
    kept = result.class_channels
    if kept is None or not kept.num_rows:
        return Rows.empty()
    owner, channel, busy_ps = (kept[name].to_numpy() for name in ("class", "channel", "busy_ps"))
    # Channels of one line and class are added up.
    keys, row = np.unique(owner * len(lines) + lines.of_channel[channel], return_inverse=True)
    owners, others = np.divmod(keys, len(lines))
    most = min(_MOST_LINES, _MOST_ROWS // len(np.unique(owners)))
    return Rows.of(owners, others, added(row, busy_ps, len(keys)), max(most, 1))
