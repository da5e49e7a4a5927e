"""Rows of forwarding tables, a piece of a file at once: a large cluster has ten million."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

#: A row as most files write it.
_USUAL = b"0x0004 012"
_LID, _PORT = range(2, 6), range(7, 10)


class Rows:
    """The lines of a piece of a file, and the numbers in those that begin like `0x0004 012`."""

    def __init__(self, text: bytes) -> None:
        import numpy as np

        self._text = text if text.endswith(b"\n") else text + b"\n"
        # Behind the end there is enough to read the last line as if it were of that length.
        letters = np.frombuffer(self._text + bytes(len(_USUAL)), np.uint8)
        self._ends = np.flatnonzero(letters == ord("\n"))
        self._starts = np.concatenate(([0], self._ends[:-1] + 1))
        values = _values()
        is_usual = values[letters[self._starts + len(_USUAL)]] == _BREAK
        for place in (0, 1, 6):
            is_usual &= letters[self._starts + place] == _USUAL[place]
        numbers = []
        for base, places in ((16, _LID), (10, _PORT)):
            number = np.zeros(len(self._starts), np.int64)
            for place in places:
                digit = values[letters[self._starts + place]]
                is_usual &= digit < base
                number = number * base + digit
            numbers.append(number)
        self.lids, self.ports = numbers
        self.unusual: list[int] = np.flatnonzero(~is_usual).tolist()
        """Lines of any other form, whose numbers are not known yet."""

    def __len__(self) -> int:
        return len(self._ends)

    def line(self, at: int) -> bytes:
        """Return a line without its end."""
        return self._text[self._starts[at] : self._ends[at]]


_BREAK = 100
"""The value of what may stand behind a number."""


@cache
def _values() -> NDArray[np.uint8]:
    """Return for each letter its value as a digit, or `_BREAK`, or more than that."""
    import numpy as np

    found = np.full(256, 255, np.uint8)
    for value, letters in enumerate(zip("0123456789abcdef", "0123456789ABCDEF", strict=True)):
        found[[ord(letter) for letter in letters]] = value
    found[[ord(letter) for letter in "\n\r\t :"]] = _BREAK
    return found
