"""The section of a report on what the ends of programs waited for: of points that kept their paths.

Points that differ only in their seed are taken together: the means of their parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailback.analysis import merged
from tailback.comparison import MODES
from tailback.critical_path import CONTENTION
from tailback.figures.drawing import Axis, Choice, Drawing, Key, one_of
from tailback.figures.labels import parameter_label
from tailback.figures.waiting import Part, stacked
from tailback.frames import dictionaries
from tailback.scaling import MICROSECONDS, scaled
from tailback.store.columns import OF_PATHS, PATH_METRICS

from .listing import value_cell
from .page import Cell, Content, Figure, Section, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from .variation import Variation

Row = Mapping[str, Any]


def section(runs: pa.Table, variation: Variation) -> Section | None:
    """Return the section; None if no point has kept its critical path."""
    if not PATH_METRICS.keys() <= set(runs.column_names):
        return None
    rows = _rows(runs, variation)
    if not rows:
        return None
    parts = [name for name in PATH_METRICS if any(row[name] for row in rows)]
    caption = (
        "Each bar is as high as the program took. What the parts mean is said in "
        "docs/critical-path.md."
    )
    figure = Figure("path", "What the end waited for", _drawing(rows, parts, variation), caption)
    return Section("The critical path", (_TEXT, figure, _table(rows, parts, variation)), ("mode",))


def _rows(runs: pa.Table, variation: Variation) -> list[Row]:
    """Return one row for each combination and mode whose path is known, in the sweep's order."""
    found = dictionaries(merged(runs, values=PATH_METRICS))
    columns = variation.columns
    order: dict[tuple[Any, ...], int] = {}
    for row in variation.rows:
        order.setdefault(tuple(row[column] for column in columns), len(order))
    known = [row for row in found if row[next(iter(PATH_METRICS))] is not None]
    modes = {mode: place for place, mode in enumerate(MODES)}
    return sorted(
        known, key=lambda row: (order[tuple(row[c] for c in columns)], modes[row["mode"]])
    )


def _drawing(rows: Sequence[Row], parts: Sequence[str], variation: Variation) -> Drawing:
    """Return a bar for each combination, of a mode that is chosen."""
    modes = [mode for mode in MODES if any(row["mode"] == mode for row in rows)]
    members: dict[Key, Drawing] = {}
    for number, mode in enumerate(modes):
        of_mode = [row for row in rows if row["mode"] == mode]
        places = [variation.text(row, variation.columns) or "all" for row in of_mode]
        bars = [
            Part(name, PATH_METRICS[name], [row[name] for row in of_mode], colour)
            for colour, name in enumerate(parts)
        ]
        members[number,] = stacked(places, bars, Axis("point"), "time on the critical path (µs)")
    return one_of((Choice("mode", "mode", tuple(modes)),), members)


def _table(rows: Sequence[Row], parts: Sequence[str], variation: Variation) -> Table:
    heads = [*map(parameter_label, variation.columns), "mode", "runs", "takes", "contention"]
    found = []
    for row in rows:
        total = sum(row[name] for name in PATH_METRICS)
        contention = sum(row[f"{OF_PATHS}{part}_us"] for part in CONTENTION)
        cells: list[Content] = [value_cell(column, row[column]) for column in variation.columns]
        cells += [row["mode"], row["runs"], Cell(scaled(total, MICROSECONDS), total)]
        cells += [_share(us, total) for us in (contention, *(row[name] for name in parts))]
        found.append(tuple(cells))
    heads += [PATH_METRICS[name] for name in parts]
    return Table(tuple(heads), tuple(found), "Shares of the critical path", searchable=True)


def _share(us: float, total: float) -> Content:
    share = us / total if total else 0.0
    return Cell(f"{100 * share:.1f} %", share) if us else None


_TEXT = (
    "A program that ends took as long as its critical path. Points that differ only in their seed "
    "are taken together: of each part, the mean."
)
