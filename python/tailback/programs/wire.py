"""What programs and the engine say to each other: whole numbers in a row.

The same codes are in ``crates/python/src/instructions.rs``. Every instruction begins
with the number of its process.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

COMPUTE: Final = 0
SEND: Final = 1
BROADCAST: Final = 2
BROADCAST_NEAR: Final = 3
RECEIVE: Final = 4
WAIT: Final = 5
RELEASE: Final = 6
END: Final = 7
COLLECTIVE: Final = 8
MULTICAST: Final = 9

#: What is not given, and what is no messages and costs nothing.
NOT_GIVEN: Final = -1
FREE: Final = -2

#: How far an operation must have come: these, or a number of bytes.
NOW: Final = -1
IN_PROGRESS: Final = -2
COMPLETE: Final = -3

#: What a process is told of the operation it waited for: its flag; source (-1: no message),
#: type, length and bytes there; the operation of its source.
Told = tuple[int, int, int, int, int, int]

#: The flag of an operation that is over.
OVER: Final = 3


class Pause:
    """To be awaited by a process that has said what it waits for; gives what it is told."""

    __slots__ = ()

    def __await__(self) -> Generator[None, Any, Any]:
        told = yield
        return told


PAUSE: Final = Pause()
