"""Descriptions as TOML, whatever is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


class Raw(str):
    """Text that is written into the file as it is."""

    __slots__ = ()


def toml(description: Mapping[str, Any]) -> str:
    """Return a description as a file: one line per key, tables within tables inline."""
    lines = []
    for name, table in description.items():
        if not isinstance(table, Mapping):
            lines.insert(0, f"{_key(name)} = {written(table)}")
            continue
        lines.append(f"[{_key(name)}]")
        lines += [f"{_dotted(name, key)} = {written(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _dotted(table: str, key: str) -> str:
    """Return a key; those of [sweep] have dots that are dots."""
    return ".".join(map(_key, key.split("."))) if table == "sweep" else _key(key)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007F")


def written(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, Raw | float):
        return str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return hex(value) if value >= 10**4000 else str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(k)} = {written(v)}' for k, v in value.items())} }}"
    return _text(str(value))
