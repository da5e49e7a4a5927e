"""An experiment file with other values of some keys: the rest of it stays, comments included."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailback.errors import read_text
from tailback.experiment.tables import FILES, put, section_and_key, table_at
from tailback.importing.toml import to_toml
from tailback.machines.letters import LOGGP, spelled_out
from tailback.since311 import tomllib

_HEADER = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_VALUE = r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,#}]+)"""


def rewritten(path: Path, values: Mapping[str, str], out: Path) -> str:
    """Return the text of an experiment file for ``out``, with other values of dotted keys.

    Names of files in it stay relative to it. Where a value cannot be replaced in the text, the
    whole file is written anew, without comments.
    """
    text = read_text(path)
    before = tomllib.loads(text)
    changes = dict(values) | _moved(before, path.parent, out.parent)
    wanted = copy.deepcopy(before)
    machine = wanted.setdefault("machine", {})
    if isinstance(machine.get("interface"), dict):
        machine["interface"] = _without_letters(machine["interface"], changes)
    for name, value in changes.items():
        put(wanted, name, value)
    found = text
    for name, value in changes.items():
        found = _with(found, name, json.dumps(value, ensure_ascii=False))
    try:
        if tomllib.loads(found) == wanted:
            return found
    except ValueError:
        pass
    return to_toml(wanted, [f"From {path.name}, with other values of {', '.join(values)}."])


def _without_letters(table: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return an interface without letters that stand for several keys of which some change."""
    changing = {name.removeprefix("machine.interface.") for name in changes}
    letters = {one: keys for one, keys in LOGGP.items() if changing & {*keys}}
    return spelled_out(table, "machine.interface", letters)


def _moved(tables: Mapping[str, Any], old: Path, new: Path) -> dict[str, str]:
    """Return names of files as they are from another folder."""
    if os.path.abspath(old) == os.path.abspath(new):
        return {}
    found = {}
    for name in FILES:
        section, key = section_and_key(name)
        given = table_at(tables, section).get(key)
        if isinstance(given, str) and not os.path.isabs(given):
            found[name] = Path(os.path.relpath(old / given, new)).as_posix()
    return found


def _with(text: str, name: str, value: str) -> str:
    """Return a text of TOML with a value of a dotted key, in the simple forms that users write."""
    lines = text.splitlines()
    section, key = section_and_key(name)
    tables = _tables(lines)
    for table, (first, end) in tables.items():
        if not name.startswith(f"{table}."):
            continue
        rest = name.removeprefix(f"{table}.").split(".")
        for place in range(first, end):
            line = _replaced(lines[place], rest, value)
            if line is not None:
                return "\n".join([*lines[:place], line, *lines[place + 1 :]]) + "\n"
    if section in tables:
        first, end = tables[section]
        # What is said above the next table belongs to that.
        while end > first and (not (last := lines[end - 1].strip()) or last.startswith("#")):
            end -= 1
        added = [f"{key} = {value}"]
        return "\n".join([*lines[:end], *added, *lines[end:]]) + "\n"
    return "\n".join([*lines, "", f"[{section}]", f"{key} = {value}"]) + "\n"


def _tables(lines: list[str]) -> dict[str, tuple[int, int]]:
    """Return where tables begin, behind their heads, and end."""
    heads = [
        (place, match[1]) for place, line in enumerate(lines) if (match := _HEADER.match(line))
    ]
    all_heads = [place for place, line in enumerate(lines) if re.match(r"^\s*\[", line)]
    found = {}
    for place, name in heads:
        end = next((other for other in all_heads if other > place), len(lines))
        found[re.sub(r"\s*\.\s*", ".", name)] = (place + 1, end)
    return found


def _replaced(line: str, rest: list[str], value: str) -> str | None:
    """Return a line with another value, if it is that of a key."""
    dotted = r"\s*\.\s*".join(map(re.escape, rest))
    own = re.match(rf"^(\s*{dotted}\s*=\s*){_VALUE}", line)
    return None if own is None else own[1] + value + line[own.end() :]
