"""The compact encoding of drawings in a page; base64 cannot end a script element.

Drawings are JSON, compressed with gzip and written in base64, which the browser
decodes (`DecompressionStream`). Arrays are stored separately: as float32 numbers in
*chunks* of about a hundred kilobytes, with the four bytes of numbers in four planes,
because high bytes resemble each other. A chunk is decoded when first needed.

In the JSON `{"$array": [chunk, start, count]}` stands for an array,
`{"$cells": [array, at, rows, columns]}` for `Cells`, and `{"$shared": n}` for
an object that is used several times.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.figures.drawing import Cells, Drawing, parts_of

_CHUNK_NUMBERS = 1 << 15
_DIGITS = 6
_AS_THEY_ARE = frozenset({str, int, bool, type(None)})
_LEVEL = 6


def compressed(content: bytes) -> str:
    """Return base64 of gzip of some bytes: the same for the same bytes."""
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode("ascii")


def compressed_json(value: Any) -> str:
    """Return a value of JSON in base64 of gzip."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return compressed(text.encode())


class Encoder:
    """Turns drawings into JSON; arrays go to `chunks`, shared by all drawings of a page."""

    def __init__(self) -> None:
        """Begin without chunks."""
        self.chunks: list[str] = []
        self._open: list[NDArray[np.float32]] = []
        self._open_numbers = 0
        self._arrays: dict[int, dict[str, Any]] = {}
        # Arrays are identified by `id`, so they must stay alive.
        self._alive: list[Any] = []

    def drawing(self, drawing: Drawing) -> dict[str, Any]:
        """Return a drawing for `json.dumps`: its choices, and its views by their keys."""
        parts = {",".join(map(str, key)): parts_of(view) for key, view in drawing.views.items()}
        objects = _Objects(self)
        return {
            "choices": [asdict(choice) for choice in drawing.choices],
            "by": [choice.name for choice in drawing.by],
            "views": {key: objects.value(shown) for key, shown in parts.items()},
            "shared": objects.shared,
        }

    def finish(self) -> list[str]:
        """Return all chunks; the encoder must not be used afterwards."""
        self._close()
        return self.chunks

    def array(self, values: NDArray[Any]) -> dict[str, Any]:
        """Store an array and return its reference."""
        known = self._arrays.get(id(values))
        if known is not None:
            return known
        if self._open_numbers >= _CHUNK_NUMBERS:
            self._close()
        numbers = np.ascontiguousarray(values, dtype=np.float32).ravel()
        place = [len(self.chunks), self._open_numbers, len(numbers)]
        self._open.append(numbers)
        self._open_numbers += len(numbers)
        self._alive.append(values)
        self._arrays[id(values)] = {"$array": place}
        return self._arrays[id(values)]

    def _close(self) -> None:
        numbers = np.concatenate([*self._open, np.zeros(0, np.float32)])
        planes = numbers.astype("<f4").view(np.uint8).reshape(-1, 4).T
        self.chunks.append(compressed(planes.tobytes()))
        self._open, self._open_numbers = [], 0


class _Objects:
    """The values of one drawing; those used several times are in `shared`."""

    def __init__(self, encoder: Encoder) -> None:
        self.shared: list[Any] = []
        self._encoder = encoder
        # By `id`: the caller keeps the originals alive.
        self._written: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._writers: dict[type, Callable[[Any], Any]] = {
            float: _number,
            np.float64: _number,
            Cells: self._cells,
            np.ndarray: encoder.array,
            **dict.fromkeys((dict, list, tuple), self._container),
        }

    def value(self, value: Any) -> Any:
        """Return a value for `json.dumps`: arrays in chunks, numbers with six digits."""
        kind = type(value)
        # The most common case first.
        if kind in _AS_THEY_ARE:
            return value
        writer = self._writers.get(kind)
        if writer is None:
            raise TypeError(f"a drawing cannot hold a {kind.__name__}")
        return writer(value)

    def _container(self, value: Any) -> Any:
        known = id(value)
        if known in self._written:
            if known not in self._numbers:
                self._numbers[known] = len(self.shared)
                self.shared.append(self._written[known])
            return {"$shared": self._numbers[known]}
        if isinstance(value, dict):
            written: Any = {
                key: part if type(part) in _AS_THEY_ARE else self.value(part)
                for key, part in value.items()
            }
        elif value and isinstance(value[0], str):
            written = value
        else:
            written = [p if type(p) in _AS_THEY_ARE else self.value(p) for p in value]
        if value:
            self._written[known] = written
        return written

    def _cells(self, cells: Cells) -> dict[str, Any]:
        values, at = self._encoder.array(cells.values), self._encoder.array(cells.at)
        return {"$cells": [values["$array"], at["$array"], *cells.shape]}


def _number(value: float) -> float | None:
    """Return a number with the digits that pages show; None for NaN."""
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
