"""Program traces, turned from one form into another."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tailback.archives import actions_of
from tailback.door import compiled
from tailback.door.traces import TRACE_FORMATS, trace_mistake
from tailback.errors import UserError, listed, nearest
from tailback.files import check_named
from tailback.units import Time

#: The forms that can be read, and those that can be written.
FORMATS: tuple[str, ...] = (*TRACE_FORMATS, "otf2")
TARGETS: tuple[str, ...] = tuple(compiled.TRACE_TARGETS)

#: What is written into a file whose name ends so.
BY_SUFFIX = {
    ".goal": "goal",
    ".bin": "goal_binary",
    ".ti": "simgrid_ti",
    ".csv": "messages",
    ".tbt": "tailback",
}

_GIBIBYTE = 2**30


@dataclass(frozen=True)
class Reading:
    """How a trace is read."""

    format: str | None = None
    """One of `FORMATS`; none: what the file looks like."""
    limit_gib: int = 16
    """To how many GiB a compressed file may expand."""
    cycle: Time = field(default_factory=lambda: Time(1000))
    """netrace: the length of a cycle."""
    groups: Path | None = None
    """Chakra: a JSON file with the ranks of each group."""
    peak_flops: float | None = None
    """Chakra: operations in a second at most; none: computations last as recorded."""
    memory_bytes_per_s: float | None = None
    """Chakra: bytes to and from memory in a second at most."""


@dataclass(frozen=True)
class Converted:
    """What a trace has that was written in another form."""

    target: str
    ranks: int
    operations: int
    messages: int
    bytes: int
    collectives: int
    notes: list[str]
    """What has no effect, or is not as it was."""


def convert(
    source: Path,
    out: Path,
    reading: Reading | None = None,
    *,
    target: str | None = None,
    flops: float | None = None,
    watch: Callable[[int], bool] = lambda operations: True,
) -> Converted | None:
    """Write a trace in another form, which follows from the name of ``out`` if not given.

    ``flops``: operations in a second, where work becomes time. ``watch`` is told now and then how
    many operations were written, and answers whether to go on; None if it was not. Raises
    `UserError` for a file that cannot be read, and for what the other form has no place for;
    the file ``out`` is whole or as it was before.
    """
    reading = reading or Reading()
    _check_known("--from", reading.format, FORMATS)
    _check_known("--to", target, TARGETS)
    _check_positive("--flops", flops)
    _check_positive("--peak-flops", reading.peak_flops)
    _check_positive("--memory-bandwidth", reading.memory_bytes_per_s)
    if reading.limit_gib < 1:
        raise UserError("--limit-gib", str(reading.limit_gib), "must be 1 or more")
    check_named("OUT", out)
    settings = {
        "format": reading.format,
        "target": target or _by_name(out),
        "most_bytes": min(reading.limit_gib * _GIBIBYTE, 2**63),
        "cycle_ps": reading.cycle.amount,
        "groups": reading.groups,
        "peak_flops": reading.peak_flops,
        "memory_bytes_per_s": reading.memory_bytes_per_s,
        "flops": flops,
    }
    is_archive = reading.format == "otf2" or (not reading.format and source.suffix == ".otf2")
    counted = (_written_by_way if is_archive else _written)(source, out, settings, watch)
    return None if counted is None else Converted(target=str(settings["target"]), **counted)


def _written(
    source: Path, out: Path, settings: dict[str, Any], watch: Callable[[int], bool]
) -> dict[str, Any] | None:
    try:
        counted: dict[str, Any] | None = compiled.convert_trace(source, out, settings, watch)
    except compiled.TraceError as error:
        raise trace_mistake(error) from None
    return counted


def _written_by_way(
    source: Path, out: Path, settings: dict[str, Any], watch: Callable[[int], bool]
) -> dict[str, Any] | None:
    """Write an OTF2 archive by way of actions in a folder that is gone then."""
    with tempfile.TemporaryDirectory(prefix="tailback") as folder:
        try:
            notes = actions_of(source, Path(folder))
            counted = _written(
                Path(folder) / "files.txt", out, settings | {"format": "simgrid_ti"}, watch
            )
        except UserError as error:
            if not watch(0):  # Ctrl-C has ended who reads the archive, too.
                return None
            if not error.field.startswith(folder):
                raise
            raise UserError(str(source), error.given, error.allowed) from None
    return counted and counted | {"notes": [*notes, *counted["notes"]]}


def _by_name(out: Path) -> str:
    target = BY_SUFFIX.get(out.suffix.lower())
    if target is None:
        allowed = f"is needed: the name of {out} ends in none of {listed(BY_SUFFIX)}"
        raise UserError("--to", None, allowed)
    return target


def _check_known(option: str, name: str | None, known: tuple[str, ...]) -> None:
    if name is not None and name not in known:
        raise UserError(option, name, f"must be {listed(known)}", nearest(name, known))


def _check_positive(option: str, number: float | None) -> None:
    if number is not None and not 0 < number < float("inf"):
        raise UserError(option, str(number), "must be a number above 0")
