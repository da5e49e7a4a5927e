"""The title of a sweep: from its file, or a description of what was simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailback.errors import one_line
from tailback.figures.labels import parameter_label

from .variation import Variation

_MOST_NAMED = 3


def given(sweeps: Sequence[Mapping[str, Any]]) -> str:
    """Return the titles given in sweep files; empty if there are none."""
    titles = (one_line(str(sweep["asked"].get("title") or "")).strip() for sweep in sweeps)
    return ", ".join(title for title in dict.fromkeys(titles) if title)


def title_of(sweeps: Sequence[Mapping[str, Any]], row: Mapping[str, Any], seen: Variation) -> str:
    """Return the titles given in sweep files, or a description of machine and traffic.

    `row` is any run; parameters that vary are named as such. Never empty.
    """
    return given(sweeps) or simulated(row, seen)


def simulated(row: Mapping[str, Any], seen: Variation) -> str:
    """Return what was simulated: `8 x 8 mesh, uniform traffic`."""
    return f"{_machine(row, seen)}, {_traffic(row, seen)}"


def with_variation(title: str, seen: Variation) -> str:
    """Return a title with the names of the varied parameters."""
    labels = [parameter_label(column) for column in seen.columns]
    if not labels:
        return title
    if len(labels) > _MOST_NAMED:
        labels = [*labels[: _MOST_NAMED - 1], f"{len(labels) - _MOST_NAMED + 1} others"]
    *first, last = labels
    named = f"{', '.join(first)} and {last}" if first else last
    return f"{title}: {named} varied"


def _machine(row: Mapping[str, Any], seen: Variation) -> str:
    topology = seen.told(row, "machine.topology.kind")
    if topology in (None, "several"):
        return "several machines"
    size = seen.told(row, "machine.topology.dims")
    words = str(topology).replace("_", " ")
    if size == "several":
        return f"{words} of several sizes"
    return f"{size} {words}" if size else words


def _traffic(row: Mapping[str, Any], seen: Variation) -> str:
    kind = str(seen.told(row, "workload.kind") or "several jobs").replace("_", " ")
    if kind == "several":
        return "several workloads"
    pattern = seen.told(row, "workload.pattern")
    if pattern is None:
        return kind
    if pattern == "several":
        return "several traffic patterns"
    return f"{pattern.replace('_', ' ')} traffic"
