"""Every reader of measured times, and which one a file is for."""

from __future__ import annotations

from pathlib import Path

from ..errors import choice, line_mistake, listed, read_text
from . import nccl_tests, osu, perftest, plain
from .measured import Measured, Reader

#: In the order in which they are asked.
READERS: dict[str, Reader] = {
    reader.word: reader
    for module in (osu, perftest, nccl_tests, plain)
    for reader in module.READERS
}


def read_measured(path: Path, word: str | None = None) -> list[Measured]:
    """Return the tables of a file; ``word``: whose output it is, by default guessed from it.

    Raises `UserError` for the first mistake, and for output of a tool that is not known.
    """
    if word is not None and word not in READERS:
        raise choice("--format", word, list(READERS))
    text = read_text(path)
    likely = [one for one in READERS.values() if one.is_like(text)]
    if word is None and not likely:
        allowed = f"is output of no tool that is known; --format says which: {listed(READERS)}"
        raise line_mistake(path, None, None, allowed)
    reader = likely[0] if word is None else READERS[word]
    found = [one for one in reader.read(path, text) if one.rows]
    if not found:
        raise line_mistake(path, None, None, f"has no rows of {reader.word}: is the file cut off?")
    return found
