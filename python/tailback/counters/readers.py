"""Every reader of measured counters, and what ports counted between two files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tailback.errors import UserError, line_mistake, listed, read_text

from . import ethtool, ibdiagnet, perfquery
from .measured import Block, Reader

READERS: dict[str, Reader] = {
    reader.word: reader for reader in (perfquery.READER, ibdiagnet.READER, ethtool.READER)
}

Place = Callable[[Block], tuple[str, int]]
"""Says which port of the machine a block is of. Raises `UserError` for one that is none."""


@dataclass(frozen=True)
class Counted:
    """What one port has counted between two files, in the units of simulated counters."""

    device: str
    port: int
    values: dict[str, int]
    """By column of simulated counters."""
    wrapped: tuple[str, ...]
    """Counters of 32 bits that began anew in between."""


def between(before: Path, after: Path, place: Place) -> list[Counted]:
    """Return what every port has counted from one file to the other.

    Raises `UserError` for files of different tools, ports that are in one of them only, and
    counters that have been cleared or have stopped.
    """
    first, second = _read(before), _read(after)
    if first[0] is not second[0]:
        allowed = f"is text of {second[0].word}, and {before} of {first[0].word}"
        raise UserError(str(after), None, f"{allowed}; both must be of one tool")
    reader, old = first
    old_ports, new_ports = (_placed(blocks, place) for blocks in (old, second[1]))
    for one, other, path in ((old_ports, new_ports, after), (new_ports, old_ports, before)):
        missing = next((key for key in one if key not in other), None)
        if missing is not None:
            at = one[missing]
            allowed = (
                f"has no {missing[0]} port {missing[1]}, which {at.path} has in line {at.line}"
            )
            raise UserError(str(path), None, f"{allowed}: is it cut off?")
    return [_counted(reader, key, old_ports[key], block) for key, block in new_ports.items()]


def _read(path: Path) -> tuple[Reader, list[Block]]:
    text = read_text(path)
    likely = [one for one in READERS.values() if one.is_like(text)]
    if len(likely) > 1:
        words = " and ".join(one.word for one in likely)
        raise line_mistake(path, None, None, f"is text of {words}; must be of one tool")
    if not likely:
        raise line_mistake(path, None, None, f"is text of no tool that is read: {listed(READERS)}")
    blocks = list(likely[0].read(path, text))
    empty = next((block for block in blocks if not block.values), None)
    if empty is not None:
        allowed = f"{empty.device} port {empty.port} has no counter that is read"
        raise line_mistake(path, empty.line, None, f"{allowed}: is the file cut off?")
    if not blocks:
        raise line_mistake(path, None, None, f"names no port of {likely[0].word}")
    return likely[0], blocks


def _placed(blocks: list[Block], place: Place) -> dict[tuple[str, int], Block]:
    """Return the blocks of a file by the ports of the machine."""
    found: dict[tuple[str, int], Block] = {}
    for block in blocks:
        key = place(block)
        if key in found:
            allowed = f"is there already, in line {found[key].line}"
            raise line_mistake(block.path, block.line, f"{key[0]} port {key[1]}", allowed)
        found[key] = block
    return found


def _counted(reader: Reader, key: tuple[str, int], old: Block, new: Block) -> Counted:
    values: dict[str, int] = {}
    wrapped = []
    for name, (column, unit) in reader.columns.items():
        if name in old.values or name in new.values:
            for one, other in ((old, new), (new, old)):
                if name not in one.values:
                    allowed = f"has no {name}, which {other.path} has: is it cut off?"
                    raise line_mistake(
                        one.path, one.line, None, f"{key[0]} port {key[1]} {allowed}"
                    )
            passed, has_wrapped = _passed(name, old, new)
            values[column] = passed * unit
            wrapped += [name] if has_wrapped else []
    return Counted(*key, values, tuple(wrapped))


def _passed(name: str, old: Block, new: Block) -> tuple[int, bool]:
    """Return by how much a counter has grown, and whether it began anew in between."""
    was, now = old.values[name], new.values[name]
    bits = max(old.bits.get(name, 64), new.bits.get(name, 64))
    if bits < 64 and now == 2**bits - 1:
        allowed = f"{name} is at its largest value, where it stops; clear it before the job"
        hint = (
            "" if name.lower().endswith("wait") else ", or use counters of 64 bits (perfquery -x)"
        )
        raise line_mistake(new.path, new.line, now, allowed + hint)
    if now >= was:
        return now - was, False
    if bits == 64 and was >= 2**32:
        allowed = f"{name} was {was} before: must not be less; were counters cleared in between?"
        raise line_mistake(new.path, new.line, now, allowed)
    return now - was + 2**32, True
