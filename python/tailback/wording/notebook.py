"""Results as small tables of HTML with a picture, for notebooks."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from typing import Protocol

from tailback.statistics import Estimate

from .numbers import Ended, number, warnings
from .verdict import Finding


class Measured(Protocol):
    """The result of one run."""

    @property
    def ending(self) -> Ended:
        """How the run went."""

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric."""


_ROWS = {
    "messages_per_node_per_ms": ("messages sent, per node and ms", 1.0),
    "routed_lifetime_us": ("mean routed lifetime, µs", 1.0),
    "lifetime_us": ("mean lifetime, µs", 1.0),
    "throttling_us": ("throttling, µs per packet", 1.0),
    "internal_contention_us": ("internal contention, µs per packet", 1.0),
    "internal_utilisation": ("internal channels busy, %", 100.0),
    "cpu_utilisation": ("processors busy, %", 100.0),
}
_LEFT, _RIGHT = ' style="text-align: left"', ' style="text-align: right"'


Row = tuple[str, ...]


def of_modes(
    results: Mapping[str, Measured], findings: Iterable[Finding] = (), picture: str | None = None
) -> str:
    """Return the key numbers of one or all modes side by side, and the cost of contention."""
    said = [f"{name} = {number(theta)}: {sentence}" for _, name, theta, sentence in findings]
    rows = [
        (label, *(number(result[metric], scale) for result in results.values()))
        for metric, (label, scale) in _ROWS.items()
    ]
    wary = [f"{mode}: {text}" for mode, r in results.items() for text in warnings(r.ending)]
    return shown(("", *results), rows, [*said, *wary], picture)


def shown(
    heads: Row, rows: Iterable[Row], said: Iterable[str] = (), picture: str | None = None
) -> str:
    """Return a table, sentences and a picture of SVG: all that a notebook keeps of a result.

    The picture is data of an image, so that a notebook that is not trusted shows it as well.
    """
    heading = "".join(f"<th{_RIGHT if i else _LEFT}>{escape(h)}</th>" for i, h in enumerate(heads))
    lines = [f"<tr>{heading}</tr>"]
    for row in rows:
        cells = (f"<td{_RIGHT if i else _LEFT}>{escape(text)}</td>" for i, text in enumerate(row))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    told = "".join(f"<p>{escape(text)}</p>" for text in said)
    image = "" if picture is None else _image(picture)
    return f"<div><table>{''.join(lines)}</table>{told}{image}</div>"


def _image(picture: str) -> str:
    data = base64.b64encode(picture.encode()).decode("ascii")
    return f'<img alt="" src="data:image/svg+xml;base64,{data}">'
