"""The subset of the protocol buffer encoding that timelines need.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from functools import cache


def varint(number: int) -> bytes:
    """Return a non-negative number in base 128, least significant digits first."""
    if number < 128:
        return _DIGITS[number]
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


_DIGITS = [bytes([digit]) for digit in range(128)]


@cache
def _key(field: int, kind: int) -> bytes:
    """Return what a field of a kind of encoding begins with."""
    return varint(field << 3 | kind)


def number(field: int, value: int) -> bytes:
    """Return a field with a non-negative number."""
    return _key(field, 0) + varint(value)


def fixed(field: int, value: int) -> bytes:
    """Return a field with a 64-bit number."""
    return _key(field, 1) + struct.pack("<Q", value)


def real(field: int, value: float) -> bytes:
    """Return a field with a 64-bit floating-point number."""
    return _key(field, 1) + struct.pack("<d", value)


def message(field: int, content: bytes) -> bytes:
    """Return a field with a message or bytes."""
    return _key(field, 2) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """Return a field with text."""
    return message(field, content.encode())
