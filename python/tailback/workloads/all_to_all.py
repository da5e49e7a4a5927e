"""All-to-all-v: every node sends every other so many bytes, from a matrix in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Literal

from ..csv_files import whole_number
from ..errors import UserError, line_mistake, read_bytes, read_text
from ..machines.collectives import Method, method_spec
from ..parts import key
from ..units import Size
from . import steps
from .base import Network, Workload

__all__ = ["AllToAllV"]

#: Largest matrix of a file: a list of so many numbers is no matrix of nodes.
_MOST_NODES = 16_384


class AllToAllV(Workload, init=False):
    """Every node sends every other node a message of its own length: an all-to-all-v.

    The lengths are a matrix in bytes with a row for each source, as a CSV file or a NumPy array.
    A node begins when it can, and it is over when it has sent and received all; what is empty is
    not sent.
    """

    also: ClassVar[str] = "alltoallv moe"
    kind: Literal["all_to_all_v"] = key(default="all_to_all_v")
    file: str = key(
        description="The matrix of bytes: a CSV file with a row for each source, numbers "
        "separated by commas or blanks, or a NumPy array (.npy); relative to the experiment file."
    )
    algorithm: Method = key(
        default=None,
        description="How it is made of messages, or what it costs; default: what "
        "machine.interface says.",
    )
    repeat: int = key(
        default=1, between=(1, 2**20), description="How often it is done, one behind the other."
    )

    @property
    def finite(self) -> bool:
        """It ends when everybody has done all of them."""
        return True

    @cached_property
    def _rows(self) -> list[list[int]]:
        """The matrix; the file is read once."""
        return read_byte_matrix(Path(self.file))

    def check(self, network: Network) -> None:
        """Raise `UserError` if the file cannot be used, or has not a row for every node."""
        if len(self._rows) != network.nodes:
            allowed = f"must have a row for each of the {network.nodes} nodes"
            raise UserError(self.file, f"{len(self._rows)} rows", allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        rows = self._rows
        columns = list(map(list, zip(*rows, strict=True)))
        return {
            "kind": "program",
            "processes": [
                steps.process(node, [self._step(rows[node], columns[node])], [], repeat=self.repeat)
                for node in range(network.nodes)
            ],
        }

    def _step(self, sent: list[int], received: list[int]) -> dict[str, Any]:
        return {
            "op": "collective",
            "operation": "all_to_all",
            "group": None,
            "root": None,
            "method": method_spec(self.algorithm),
            "segment": None,
            "sizes": sent,
            "receives": received,
        }

    def iteration_ps(self, network: Network) -> int:
        """Return a round trip of the longest message."""
        return network.round_trip_ps(min(max(map(max, self._rows)), 10**9))

    def digest(self) -> str:
        """Return a hash of the matrix, which does not depend on the file format."""
        return hashlib.sha256(repr(self._rows).encode()).hexdigest()

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter; of the matrix the sum, and its hash."""
        total = sum(map(sum, self._rows))
        return self.written() | {"message_bytes": total, "matrix_sha256": self.digest()}


def read_byte_matrix(path: Path) -> list[list[int]]:
    """Read a square matrix of bytes, a row for each source; what nodes send themselves is 0.

    Raises `UserError` with the line for what is no number of bytes, and if it is not square.
    """
    rows = _of_array(path) if path.suffix.lower() == ".npy" else list(_of_text(path))
    if not rows:
        raise UserError(str(path), None, "has no rows")
    for node, row in enumerate(rows):
        row[node] = 0
    return rows


def _of_text(path: Path) -> Iterator[list[int]]:
    lines = read_text(path).splitlines()
    told = [
        (number, line.split("#", 1)[0].replace(",", " ").replace(";", " ").split())
        for number, line in enumerate(lines, start=1)
    ]
    rows = [(number, words) for number, words in told if words]
    if len(rows) > _MOST_NODES:
        raise UserError(str(path), f"{len(rows)} rows", f"must have at most {_MOST_NODES}")
    for number, words in rows:
        if len(words) != len(rows):
            allowed = f"must have a number for each of {len(rows)} rows: the matrix is square"
            raise UserError(f"{path}: line {number}", f"{len(words)} numbers", allowed)
        found = [_length(word) for word in words]
        for word, length in zip(words, found, strict=True):
            if length is None or length > Size.largest:
                allowed = f"must be a number of bytes, 0 to {Size.largest}"
                raise line_mistake(path, number, word, allowed)
        yield [length or 0 for length in found]


def _length(word: str) -> int | None:
    """Return a number of bytes, which NumPy may have written as `1.5e+03`; None if it is none."""
    if (value := whole_number(word)) is not None or "_" in word:
        return value
    try:
        exact = Decimal(word)
    except InvalidOperation:
        return None
    is_whole = exact.is_finite() and 0 <= exact <= Size.largest and exact == int(exact)
    return int(exact) if is_whole else None


def _of_array(path: Path) -> list[list[int]]:
    import numpy as np  # here: few workloads need it before their first event

    try:
        # Objects would be code.
        array = np.load(BytesIO(read_bytes(path)), allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError, SyntaxError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(str(path), None, f"is no NumPy array that can be read: {reason}") from None
    shape: tuple[int, ...] = getattr(array, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] > _MOST_NODES:
        allowed = f"must be a square of at most {_MOST_NODES} rows"
        raise UserError(str(path), f"an array of shape {shape}", allowed)
    if array.dtype.kind not in "iuf" or not ((array >= 0) & (array <= Size.largest)).all():
        allowed = f"must hold numbers of bytes, 0 to {Size.largest}"
        raise UserError(str(path), None, allowed)
    if (array != array.astype(np.uint64)).any():
        raise UserError(str(path), None, "must hold whole numbers of bytes")
    found: list[list[int]] = array.astype(np.uint64).tolist()
    return found
