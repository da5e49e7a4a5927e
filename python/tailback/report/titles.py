"""What a sweep is called: as its file says, or else what was simulated, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailback.errors import one_line
from tailback.figures.labels import parameter_label, value_text

from .variation import Variation

_MOST_NAMED = 3


def title_of(sweeps: Sequence[Mapping[str, Any]], row: Mapping[str, Any], seen: Variation) -> str:
    """Return the titles that the sweeps were given, or else machine and traffic in words.

    `row` is any run; what differs between runs is told as such. Never empty.
    """
    given = dict.fromkeys(
        one_line(str(sweep["asked"].get("title") or "")).strip() for sweep in sweeps
    )
    return ", ".join(title for title in given if title) or simulated(row, seen)


def simulated(row: Mapping[str, Any], seen: Variation) -> str:
    """Return what was simulated: `8 x 8 mesh, uniform traffic`."""
    words = _Words(row, seen)
    return f"{words.machine}, {words.traffic}"


def with_variation(title: str, seen: Variation) -> str:
    """Return a title that also names the parameters that were varied."""
    labels = [parameter_label(column) for column in seen.columns]
    if not labels:
        return title
    if len(labels) > _MOST_NAMED:
        labels = [*labels[: _MOST_NAMED - 1], f"{len(labels) - _MOST_NAMED + 1} others"]
    *first, last = labels
    named = f"{', '.join(first)} and {last}" if first else last
    return f"{title}: {named} varied"


class _Words:
    """Finds the parameters of a run by their last names."""

    def __init__(self, row: Mapping[str, Any], seen: Variation) -> None:
        self._row, self._seen = row, seen

    def told(self, table: str, *names: str) -> str | None:
        """Return the first of these parameters that is there; `several` if it differs."""
        for name in names:
            column = f"{table}.{name}"
            value = self._row.get(column)
            if value is not None:
                differs = column in self._seen.points.column_names and self._seen.differs(column)
                return "several" if differs else value_text(column, value)
        return None

    @property
    def machine(self) -> str:
        topology = self.told("machine", "topology.kind", "topology")
        if topology in (None, "several"):
            return "several machines"
        size = self.told("machine", "topology.dims", "dims")
        words = str(topology).replace("_", " ")
        if size == "several":
            return f"{words} of several sizes"
        return f"{size} {words}" if size else words

    @property
    def traffic(self) -> str:
        kind = str(self.told("workload", "kind")).replace("_", " ")
        if kind == "several":
            return "several workloads"
        pattern = self.told("workload", "pattern")
        if pattern is None:
            return kind
        return (
            "several traffic patterns"
            if pattern == "several"
            else f"{pattern.replace('_', ' ')} traffic"
        )
