"""Named tables: what ``preset = "..."`` stands for, from a TOML file beside the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from ..since311 import tomllib

Table = Mapping[str, Any]


class Presets(Mapping[str, Table]):
    """The tables of a TOML file by name; the file is read on first access."""

    def __init__(self, module: str) -> None:
        """Take the presets of the file beside a module, whose ``__file__`` is given."""
        self._path = Path(module).with_name("presets.toml")

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return tomllib.loads(self._path.read_text(encoding="utf-8"))

    def __getitem__(self, name: str) -> Table:
        """Return the table of a name."""
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in the order of the file."""
        return iter(self._tables)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._tables)
