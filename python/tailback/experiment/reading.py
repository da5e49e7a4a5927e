"""Experiment files and changes to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tailback.since311 import tomllib

from ..errors import UserError, read_text, shown

#: Keys of a machine or workload that name a file.
FILES = ("file", "routes_file")


def read_description(path: Path, overrides: Iterable[str]) -> dict[str, Any]:
    """Return the tables of an experiment file, changed by ``overrides`` (``table.key=value``).

    The names of files in it become relative to it; in an override they stay as
    they are. Raises `UserError`.
    """
    description = _parsed(path)
    _anchor_files(description, path.parent)
    for override in overrides:
        _apply(description, override)
    return description


def parsed_override(override: str) -> tuple[str, str, object]:
    """Return table, key and value of ``table.key=value``; raise `UserError` if it is not that."""
    path, equals, text = override.partition("=")
    keys = [key.strip() for key in path.split(".")]
    if not equals or len(keys) != 2 or not all(keys):
        allowed = "must be table.key=value, such as run.seed=2"
        raise UserError("--set", shown(override), allowed)
    return keys[0], keys[1], _value(text.strip())


def _parsed(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also of a number with thousands of digits
        raise UserError(str(path), None, f"is not valid TOML: {error}") from None
    except RecursionError:
        raise UserError(str(path), None, "is not valid TOML: nested too deeply") from None


def _anchor_files(description: dict[str, Any], folder: Path) -> None:
    """Make the names of files relative to the experiment file."""
    for table in (description.get("machine"), description.get("workload")):
        if isinstance(table, dict):
            for key in FILES:
                if isinstance(table.get(key), str):
                    table[key] = str(folder / table[key])


def _apply(description: dict[str, Any], override: str) -> None:
    """Set one value, given as ``a.b=value``."""
    name, key, value = parsed_override(override)
    table = description.setdefault(name, {})
    if not isinstance(table, dict):
        raise UserError(name, shown(table), f"must be a table: [{name}]")
    table[key] = value


def _value(text: str) -> object:
    """Return ``text`` as a TOML value, or as it is."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text
