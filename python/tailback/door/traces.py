"""What a trace has, before it is run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tailback import _engine as compiled
from tailback.errors import UserError, no_text

_UNKNOWN = ": has none of the formats"
_START = 16
"""Bytes by which other forms of text are recognised."""

#: Formats of traces, by name.
TRACE_FORMATS: tuple[str, ...] = tuple(compiled.TRACE_FORMATS)


@dataclass(frozen=True)
class TraceFile:
    """A file, and how it is read."""

    file: str
    format: str | None
    """None: what it looks like."""
    cycle_ps: int
    """Of netrace: the length of a cycle."""
    groups: str | None
    """Of Chakra: a file with the ranks of each group."""
    peak_flops: float | None
    """Of Chakra: operations in a second at most; None: computations last as recorded."""
    memory_bytes_per_s: float | None
    """Of Chakra: bytes to and from memory in a second at most."""


@dataclass(frozen=True)
class TraceFacts:
    """What all ranks of a trace do together."""

    ranks: int
    operations: int
    messages: int
    bytes: int
    collectives: int
    computing_ps: int
    """As recorded, of the rank that computes longest."""
    flops: int
    """Floating-point operations of the rank that has most."""


@lru_cache(maxsize=64)
def trace_facts(trace: TraceFile, content: str) -> TraceFacts:
    """Return what a trace has; it is read once for each hash of its ``content``.

    Raises `UserError` for what is wrong with it.
    """
    try:
        return TraceFacts(**compiled.trace_facts(vars(trace)))
    except compiled.TraceError as error:
        raise trace_mistake(error) from None


def trace_mistake(error: compiled.TraceError) -> UserError:
    """Return what is wrong with a trace's file as a mistake of the user."""
    if len(error.args) > 1:
        place, what = error.args
    else:
        place, _, what = str(error.args[0]).rpartition(": ")
    # What is known ends the line, after a colon.
    file, is_unknown, _ = ": ".join(map(str, error.args)).partition(_UNKNOWN)
    if is_unknown and (told := _other_form(file)) is not None:
        place, what = file, told
    return UserError(place or "workload.file", None, what)


def _other_form(file: str) -> str | None:
    """Return what is to be done with a file that holds text in another form."""
    try:
        with Path(file).open("rb") as there:
            return no_text(there.read(_START))
    except OSError:
        return None
