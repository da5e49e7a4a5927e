"""Experiments from files that plugins can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..entry_points import blamed, reader, readers
from ..errors import UserError, check_readable, choice, shown
from .toml import to_toml


@dataclass(frozen=True)
class Foreign:
    """An experiment that a plugin's reader made of a file."""

    word: str
    file: str
    experiment: Mapping[str, Any]
    """The tables of an experiment file."""

    def toml(self) -> str:
        """Return the experiment as a file."""
        return to_toml(self.experiment, [f"From {self.file}, read as {self.word}."])


def read_foreign(word: str, path: Path) -> Foreign:
    """Return the experiment that the reader called ``word`` makes of a file.

    Raises `UserError` if there is no such reader, and for what it cannot read.
    """
    read = reader(word)
    if read is None:
        raise choice("import", word, ["booksim", "myrinet", "network", *readers()])
    check_readable(path)
    with blamed(str(path), read):
        tables = read(path)
    if not isinstance(tables, Mapping):
        name = f"{read.__module__}.{read.__qualname__}"
        raise UserError(str(path), shown(tables), f"is no table of tables, but {name} returned it")
    return Foreign(word, path.name, tables)
