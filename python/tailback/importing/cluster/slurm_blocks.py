"""Slurm: `topology.conf` of the block plugin, blocks of nodes and the sizes of larger blocks.

The file says which nodes are close to each other, and not what joins them. Here a block is a
switch, the blocks of each larger size have a switch above them, and what is left is joined by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .description import Cable, Cluster
from .slurm_text import names_of, words_of

_KEYS = ("BlockName", "Nodes", "BlockSizes")


def blocks(path: Path, said: Sequence[tuple[int, str]]) -> Cluster:
    """Read the lines of a file. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    sizes: tuple[int, list[int]] | None = None
    for line, words in said:
        keys = words_of(found, line, words, _KEYS)
        if "blocksizes" in keys:
            if len(keys) > 1:
                raise found.mistake(line, words, "must have BlockSizes= in a line of its own")
            if sizes is not None:
                raise found.mistake(line, "BlockSizes", f"is there already, in line {sizes[0]}")
            sizes = line, _sizes(found, line, keys["blocksizes"])
        else:
            _add(found, line, words, keys)
    if not found.switches:
        raise found.mistake(None, None, "has no block, such as BlockName=b0 Nodes=node[0-17]")
    _join(found, sizes[1] if sizes else [])
    found.notes.append(
        "the file says which nodes are in a block, and not how blocks are joined: a switch for "
        "each, switches above them, one cable to each and rates are choices"
    )
    return found


def _add(found: Cluster, line: int, words: str, keys: dict[str, str]) -> None:
    """Add a block and its nodes."""
    for key in ("BlockName", "Nodes"):
        if key.lower() not in keys:
            raise found.mistake(line, words, f"has no {key}=; a block has a name and nodes")
    block = keys["blockname"]
    if not block:
        raise found.mistake(line, words, "must name the block behind BlockName=")
    found.add_switch(block, line)
    for node in names_of(found, line, keys["nodes"]):
        if node in found.hosts:
            raise found.mistake(line, node, f"is in a block already, in line {found.hosts[node]}")
        found.add_host(node, line)
        found.join(line, Cable((node, block)))


def _sizes(found: Cluster, line: int, text: str) -> list[int]:
    """Return of how many blocks the larger ones are, the smallest first."""
    sizes = text.split(",")
    if not all(size.isdecimal() and len(size) < 10 and int(size) for size in sizes):
        raise found.mistake(line, text, "must be numbers of nodes, such as BlockSizes=18,72")
    base, *larger = sorted({int(size) for size in sizes})
    for size in larger:
        many, rest = divmod(size, base)
        if rest or many & (many - 1):
            allowed = f"must be a power of two times {base}, the smallest of BlockSizes"
            raise found.mistake(line, size, allowed)
    return [size // base for size in larger]


@dataclass(frozen=True)
class _Top:
    """The highest switch above some blocks, from the first to the last."""

    name: str
    first: str
    last: str


def _join(found: Cluster, sizes: Sequence[int]) -> None:
    """Join blocks by a switch above those of each larger one, in their order in the file."""
    tops = [_Top(name, name, name) for name in found.switches]
    below = 1
    for many in sizes:
        each, below = many // below, many
        tops = [_above(found, tops[at : at + each]) for at in range(0, len(tops), each)]
    _above(found, tops)


def _above(found: Cluster, tops: Sequence[_Top]) -> _Top:
    """Join what is several by a switch above it."""
    if len(tops) == 1:
        return tops[0]
    first, last = tops[0].first, tops[-1].last
    name, line = f"{first}..{last}", found.switches[first]
    found.add_switch(name, line)
    for top in tops:
        found.join(line, Cable((top.name, name)))
    return _Top(name, first, last)
