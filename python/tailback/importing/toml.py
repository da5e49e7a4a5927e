"""Experiment files from tables of words, numbers and lists."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(tables: Mapping[str, Any], head: Sequence[str] = ()) -> str:
    """Return tables, and tables in them, as TOML; lines of the head as comments."""
    lines = [f"# {line}" for line in head]
    for name, table in tables.items():
        is_table = isinstance(table, Mapping)
        lines += _table(name, table) if is_table else [f"{_key(name)} = {_value(table)}"]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a value on one line; words, numbers and truth are written as in JSON."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """Return a key, in quotes if need be."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table, those of tables in it last."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = ["", f"[{name}]"] if plain or not inner else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in inner.items():
        lines += _table(f"{name}.{_key(key)}", value)
    return lines
