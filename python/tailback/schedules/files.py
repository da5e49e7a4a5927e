"""Schedules in files: CSV with a row for each message, or JSON with a list for each step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tailback.csv_files import cell_mistake, plain_csv, read_csv, whole_number
from tailback.errors import UserError, read_text, shown

from .construction import checked
from .schedule import Schedule

_COLUMNS = ("step", "source", "destination")
_MOST_STEPS = 2**24

Row = tuple[str, int, int, int]
"""Where it stands, step, source, destination."""


def read(path: Path, shape: Sequence[int], group: int = 1) -> Schedule:
    """Read a schedule of a mesh, with a barrier after every ``group`` steps.

    Whether it is complete is not looked at.

    CSV has the columns step, source and destination, with numbers from 0; JSON is a list that has
    for each step a list of pairs [source, destination], or an object with it as ``steps``. Raises
    `UserError` for a file that is neither, with the line or the step.
    """
    shape = checked(shape)
    if group < 1:
        raise UserError("group", str(group), "must be at least 1")
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        raise UserError(str(path), None, "must end in .csv or .json")
    rows = _csv_rows(path) if suffix == ".csv" else _json_rows(path)
    if not rows:
        raise UserError(str(path), None, "has no messages")
    nodes = int(np.prod(shape))
    for place, step, *ends in rows:
        if step >= _MOST_STEPS:
            raise UserError(f"{path}: {place}", None, f"step {step} must be below {_MOST_STEPS}")
        for node in ends:
            if node >= nodes:
                allowed = f"node {node} must be at most {nodes - 1} (there are {nodes} nodes)"
                raise UserError(f"{path}: {place}", None, allowed)
    columns = np.array([row[1:] for row in rows], dtype=np.int64).T
    step, source, destination = columns[:, np.argsort(columns[0], kind="stable")]
    return Schedule(str(path), shape, step, source, destination, int(step[-1]) + 1, group)


def _csv_rows(path: Path) -> list[Row]:
    rows = read_csv(path, _COLUMNS).cells(_COLUMNS)
    return [(f"line {line}", *_numbers(path, line, texts)) for line, texts in rows]


def _numbers(path: Path, line: int, texts: list[str]) -> tuple[int, int, int]:
    found = []
    for column, text in zip(_COLUMNS, texts, strict=True):
        number = whole_number(text, digits=9)
        if number is None:
            raise cell_mistake(path, line, column, text, "must be a whole number from 0")
        found.append(number)
    step, source, destination = found
    return step, source, destination


def _json_rows(path: Path) -> list[Row]:
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if isinstance(error, ValueError) else "too deep"
        raise UserError(str(path), None, f"is not JSON: {reason}") from None
    steps = content.get("steps") if isinstance(content, dict) else content
    if not isinstance(steps, list):
        raise UserError(str(path), None, "must be a list of steps, or an object with steps")
    rows = []
    for number, step in enumerate(steps):
        if not isinstance(step, list):
            raise _bad_step(path, number, step)
        for pair in step:
            if not (isinstance(pair, list) and len(pair) == 2 and all(map(_is_node, pair))):
                raise _bad_step(path, number, pair)
            rows.append((f"step {number}", number, *pair))
    return rows


def _is_node(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def _bad_step(path: Path, number: int, given: object) -> UserError:
    return UserError(f"{path}: step {number}", shown(given), "must be pairs [source, destination]")


def written(schedule: Schedule, suffix: str) -> str:
    """Return a schedule as the text of a file: `.csv` or `.json`."""
    rows = np.stack([schedule.step, schedule.source, schedule.destination], axis=1).tolist()
    if suffix == ".csv":
        return plain_csv(_COLUMNS, rows)
    steps: list[list[list[int]]] = [[] for _ in range(schedule.steps)]
    for step, *ends in rows:
        steps[step].append(ends)
    lists = ",\n".join(f"    {json.dumps(step)}" for step in steps)
    mesh = json.dumps(list(schedule.shape))
    return f'{{\n  "mesh": {mesh},\n  "group": {schedule.group},\n  "steps": [\n{lists}\n  ]\n}}\n'
