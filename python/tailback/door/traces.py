"""What a trace has, before it is run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tailback import _engine as compiled
from tailback.errors import UserError, no_text

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


def trace_format(path: Path) -> str:
    """Return the name of the format that a file has; raise `UserError` if none or unreadable."""
    try:
        return compiled.trace_format(path)
    except compiled.TraceError as error:
        raise trace_mistake(error) from None


def trace_mistake(error: compiled.TraceError) -> UserError:
    """Return what is wrong with a trace's file as a mistake of the user."""
    told = None if error.start is None else no_text(error.start)
    return UserError(error.place, None, told or error.what)
