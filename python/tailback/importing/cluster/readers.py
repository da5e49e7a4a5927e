"""All readers of networks, and which of them a file is for."""

from __future__ import annotations

from pathlib import Path

from ...errors import UserError, choice, listed, read_bytes
from . import codes, graph_files, htsim, ibnetdiscover, infragraph, lingjun, ns3, slurm
from .description import Cluster, Reader

#: In the order in which they are asked.
READERS: dict[str, Reader] = {
    reader.word: reader
    for module in (ibnetdiscover, slurm, htsim, codes, lingjun, infragraph, ns3, graph_files)
    for reader in module.READERS
}

_HEAD = 1 << 16


def read_cluster(path: Path, word: str | None = None) -> Cluster:
    """Read a network; ``word``: what form it has, by default guessed from its content.

    Raises `UserError` for the first mistake, and for a form that is not known.
    """
    if word is not None:
        if word not in READERS:
            raise choice("--format", word, list(READERS))
        return READERS[word].read(path)
    head = read_bytes(path)[:_HEAD]
    for reader in READERS.values():
        if reader.is_like(head):
            return reader.read(path)
    allowed = f"is of no form that is known; --format says which: {listed(READERS)}"
    raise UserError(str(path), None, allowed)
