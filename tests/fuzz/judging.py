"""What is expected of every case: an exit code, and one line if it is not 0."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .cases import Case

_LONGEST = 1500
_CODES = (0, 2, 3, 4)
_UNFORESEEN = re.compile(r"Traceback|panicked|RuntimeWarning|[A-Z][a-z]+Error: ")


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int | None
    stdout: str
    stderr: str
    exception: str = ""
    """Traceback of an exception that came out, if any."""


def problems(case: Case, outcome: Outcome) -> Iterator[str]:
    """Yield what is wrong with what a command did, each in one line without numbers."""
    if outcome.exception:
        *_, last = outcome.exception.strip().splitlines()
        frames = re.findall(r'File ".*/tailback/(.*)", line \d+, in (\w+)', outcome.exception)
        yield f"exception {last[:120]} @ {' '.join(frames[-1]) if frames else 'nowhere'}"
        return
    if outcome.code not in _CODES:
        yield f"exit code {outcome.code}"
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]
    if (
        _UNFORESEEN.search(outcome.stderr)
        and "python" not in outcome.stderr
        and not _is_program(lines)
    ):
        yield f"unforeseen: {outcome.stderr.strip().splitlines()[-1][:120]}"
    if outcome.code == 2 and len(lines) != 1:
        yield f"{len(lines)} error lines with exit code 2"
    if outcome.code in (0, 4) and lines:
        yield f"an error line with exit code {outcome.code}"
    for line in lines:
        if not line.isprintable():
            yield f"not printable: {line[:80]!r}"
        if len(line) > _LONGEST:
            yield f"a line of {len(line)} characters"
    yield from _of_json(case, outcome)


def _is_program(lines: list[str]) -> bool:
    """Whether what is said of exceptions is about a program of the user."""
    return any("program.py" in line or "line " in line for line in lines)


def _of_json(case: Case, outcome: Outcome) -> Iterator[str]:
    if "--json" not in case.arguments:
        return
    try:
        value = json.loads(outcome.stdout, parse_constant=_refused)
    except ValueError:
        yield f"not one JSON object with exit code {outcome.code}"
        return
    if not isinstance(value, dict):
        yield f"not a JSON object with exit code {outcome.code}"


def _refused(constant: str) -> Any:
    raise ValueError(constant)
