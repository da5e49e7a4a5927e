"""Results and comparisons as small tables of HTML, for notebooks."""

from __future__ import annotations

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
_RIGHT = ' style="text-align: right"'


def of_result(mode: str, result: Measured) -> str:
    """Return the key numbers of a result."""
    return _table({mode: result})


def of_modes(results: Mapping[str, Measured], findings: Iterable[Finding]) -> str:
    """Return the key numbers of all modes side by side, and the cost of contention."""
    said = [f"{name} = {number(theta)}: {sentence}" for _, name, theta, sentence in findings]
    return _table(results, said)


def _table(results: Mapping[str, Measured], findings: Iterable[str] = ()) -> str:
    heading = "".join(f"<th{_RIGHT}>{escape(mode)}</th>" for mode in results)
    rows = [f"<tr><th></th>{heading}</tr>"]
    for metric, (label, scale) in _ROWS.items():
        cells = [escape(number(result[metric], scale)) for result in results.values()]
        columns = "".join(f"<td{_RIGHT}>{cell}</td>" for cell in cells)
        rows.append(f'<tr><td style="text-align: left">{escape(label)}</td>{columns}</tr>')
    wary = [f"{mode}: {text}" for mode, r in results.items() for text in warnings(r.ending)]
    lines = "".join(f"<p>{escape(text)}</p>" for text in (*findings, *wary))
    return f"<div><table>{''.join(rows)}</table>{lines}</div>"
