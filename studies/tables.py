"""Keys of experiment files, given by dotted names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailback.experiment.tables import put

Keys = dict[str, Any]
"""Keys by dotted name below a table: `{"link.rate": "1 Gbit/s"}`."""


def nested(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted keys as the tables of a file."""
    tables: dict[str, Any] = {}
    for name, value in keys.items():
        put(tables, name, value)
    return tables
