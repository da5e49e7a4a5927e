"""All columns of stored runs."""

from __future__ import annotations

from tailback.store import columns as known
from tailback.store.columns import Column
from tailback.store.parameters import parameter_columns


def columns() -> list[Column]:
    """Return every column a stored point can have, in order; with `run.blame`: `BLAME_COLUMNS`.

    These come behind the others, and points without `run.blame` have none of them.
    """
    return [
        *known.IDENTIFYING,
        *parameter_columns(),
        *known.ENDING,
        *known.METRIC_COLUMNS,
        *known.RATIO_COLUMNS,
        *known.PERCENTILE_COLUMNS,
        *known.NESTED_COLUMNS,
    ]
