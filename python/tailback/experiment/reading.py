"""Experiment files and changes to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailback.since311 import tomllib

from ..errors import UserError, read_text, shown
from ..machines.reading import refined
from . import faults
from .jobs import changed, workload_tables
from .tables import FAULTS, FILES, JOBS, laid_over, put, section_and_key, table_at


@dataclass(frozen=True)
class Given:
    """The tables of a file, and the overrides of its keys."""

    tables: dict[str, Any]
    changes: dict[str, Any]


def read_description(path: Path, overrides: Iterable[str]) -> Given:
    """Return the tables of an experiment file, and ``overrides`` (``table.key=value``) as tables.

    The names of files in it become relative to it; in an override they stay as
    they are. Raises `UserError`.
    """
    description = _parsed(path)
    _anchor_files(description, path.parent)
    changes: dict[str, Any] = {}
    for override in overrides:
        name, value = parsed_override(override)
        put(changes, name, value)
    return Given(description, changes)


def merged(given: Given) -> dict[str, Any]:
    """Return the tables of a file with the overrides laid over them."""
    found: dict[str, Any] = dict(given.tables)
    for name, change in given.changes.items():
        if name == JOBS and JOBS in found:
            found[name] = changed(found[name], change)
            continue
        if name == FAULTS:
            found[name] = faults.changed(found.get(name, ()), change)
            continue
        below = found.get(name, {})
        if not isinstance(below, Mapping):
            raise UserError(name, shown(below), f"must be a table: [{name}]")
        found[name] = laid_over(below, change) if name == "workload" else refined(below, change)
    return found


def parsed_override(override: str) -> tuple[str, object]:
    """Return name and value of ``table.key=value``; raise `UserError` if it is not that."""
    path, equals, text = override.partition("=")
    keys = [key.strip() for key in path.split(".")]
    if not equals or len(keys) < 2 or not all(keys):
        allowed = "must be table.key=value, such as run.seed=2 or machine.link.rate=1 Gbit/s"
        raise UserError("--set", shown(override), allowed)
    return ".".join(keys), _value(text.strip())


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
    for name in FILES:
        section, key = section_and_key(name)
        given = table_at(description, section).get(key)
        if isinstance(given, str):
            put(description, name, str(folder / given))
    own = description.get("workload")
    for workload in [own] if isinstance(own, dict) else []:
        if "reads" in workload:
            workload["reads"] = _anchored(workload["reads"], folder)
    for workload in workload_tables(description):
        if "reads" in workload:
            workload["reads"] = _anchored(workload["reads"], folder)
        for name in FILES:
            section, key = section_and_key(name)
            if section == "workload" and isinstance(workload.get(key), str):
                workload[key] = str(folder / workload[key])


def _anchored(reads: object, folder: Path) -> object:
    """Make names of files that a program reads relative to the experiment file."""
    if isinstance(reads, Mapping):
        return {
            name: str(folder / file) if isinstance(file, str) else file
            for name, file in reads.items()
        }
    if isinstance(reads, list):
        return [str(folder / file) if isinstance(file, str) else file for file in reads]
    return reads


def _value(text: str) -> object:
    """Return ``text`` as a TOML value, or as it is."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text
