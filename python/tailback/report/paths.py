"""The section of a report on critical paths, for points that stored them.

Points that differ only in their seed are merged: parts are means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailback.analysis import merged
from tailback.comparison import MODES
from tailback.critical_path import CONTENTION
from tailback.figures.bars import stacked
from tailback.figures.description import Bars
from tailback.figures.drawing import Axis, Choice, Drawing, one_of
from tailback.figures.drawing import Key as Chosen
from tailback.figures.labels import parameter_label, value_text
from tailback.results.names import Names
from tailback.store.columns import INNER, OF_PATHS, PATH_METRICS, PATH_TABLES
from tailback.tables.frames import dictionaries
from tailback.wording.scaling import MICROSECONDS, scaled

from .content import Cell, Content, Figure, Section, Table
from .listing import value_cell
from .machines import ENDS, PLACES, labels_of

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.store.points import PointStore

    from .variation import Variation

Row = Mapping[str, Any]
Key = tuple[Any, ...]

_TIME = Axis("time on the critical path", MICROSECONDS, log=False, from_zero=True)
_ROWS = 5
"""Rows per point and mode in the tables below the bars."""


def section(store: PointStore, runs: pa.Table, variation: Variation) -> Section | None:
    """Return the section; None if no point stored its critical path."""
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
    tables = (_table(rows, parts, variation), *_longest(store, runs, rows, variation))
    return Section("The critical path", (_TEXT, figure, *tables), ("mode",))


def _rows(runs: pa.Table, variation: Variation) -> list[Row]:
    """Return one row per combination and mode with a known path, in the order of the sweep."""
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
    """Return a bar for each combination in the chosen mode."""
    modes = [mode for mode in MODES if any(row["mode"] == mode for row in rows)]
    axis = Axis(", ".join(map(parameter_label, variation.columns)) or "point")
    members: dict[Chosen, Drawing] = {}
    for number, mode in enumerate(modes):
        of_mode = [row for row in rows if row["mode"] == mode]
        places = [_point(row, variation) for row in of_mode]
        bars = {
            name: Bars(PATH_METRICS[name], places, [row[name] for row in of_mode], colour=colour)
            for colour, name in enumerate(parts)
        }
        members[number,] = stacked(places, bars, axis, _TIME)
    return one_of((Choice("mode", "mode", tuple(modes)),), members)


def _point(row: Row, variation: Variation) -> str:
    return ", ".join(value_text(column, row[column]) for column in variation.columns) or "all"


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


def _longest(
    store: PointStore, runs: pa.Table, rows: Sequence[Row], variation: Variation
) -> tuple[Table, Table]:
    """Return the longest parts of paths: channels waited for, and places in programs."""
    varied = variation.columns
    shown = {(*(row[column] for column in varied), row["mode"]): row for row in rows}
    sums = _Sums(store)
    for run in dictionaries(runs):
        key = (*(run[column] for column in varied), run["mode"])
        if key in shown and run[next(iter(PATH_METRICS))] is not None:
            sums.add(key, run)
    heads = [*map(parameter_label, varied), "mode"]
    waits, calls = [], []
    for key, row in shown.items():
        total = sum(row[name] for name in PATH_METRICS)
        begin = [*(value_cell(column, row[column]) for column in varied), row["mode"]]
        for what, us in sums.largest(sums.waits, key):
            waits.append((*begin, *what, Cell(scaled(us, MICROSECONDS), us), _share(us, total)))
        for what, us in sums.largest(sums.calls, key):
            calls.append((*begin, *what, Cell(scaled(us, MICROSECONDS), us), _share(us, total)))
    return (
        Table((*heads, *_OF_WAITS, "time", "share"), tuple(waits), _WAITS, searchable=True),
        Table((*heads, *_OF_CALLS, "time", "share"), tuple(calls), _CALLS, searchable=True),
    )


class _Sums:
    """Sums of times in stored tables, by group and subject."""

    def __init__(self, store: PointStore) -> None:
        self.waits: dict[Key, dict[Key, int]] = {}
        self.calls: dict[Key, dict[Key, int]] = {}
        self._store = store
        self._runs: dict[Key, int] = {}

    def add(self, key: Key, run: Row) -> None:
        """Add the stored tables of a run to a group."""
        self._runs[key] = self._runs.get(key, 0) + 1
        found = self._store.tables(run["identity"], _WANTED)[run["mode"]]
        names = Names.of_tables(found["nodes"], found["channels"], "process", labels_of(run))
        waits, calls = (self.waits.setdefault(key, {}), self.calls.setdefault(key, {}))
        for row in found["critical_path_waits"].to_pylist():
            place = (_named(names, row["channel"]), _process(row["culprit_process"]))
            waits[place] = waits.get(place, 0) + row["time_ps"]
        for row in found["critical_path_calls"].to_pylist():
            part = PATH_METRICS[f"{OF_PATHS}{row['part']}_us"]
            what = (_process(row["process"]) or _REST, row["place"], part)
            calls[what] = calls.get(what, 0) + row["time_ps"]

    def largest(self, sums: Mapping[Key, Mapping[Key, int]], key: Key) -> list[tuple[Key, float]]:
        """Return the mean times of a group in microseconds, in descending order."""
        ranked = sorted(sums.get(key, {}).items(), key=lambda item: -item[1])
        return [(what, time_ps / 1e6 / self._runs[key]) for what, time_ps in ranked[:_ROWS]]


def _named(names: Names, channel: int | None) -> str:
    return _REST if channel is None else names.channel(channel)


def _process(number: int | None) -> str | None:
    return None if number is None else f"process {number}"


_REST = "the rest"
_WANTED = {
    "nodes": PLACES,
    "channels": ENDS,
    **{name: [column.name for column in INNER[name]] for name in PATH_TABLES},
}
_OF_WAITS = ("root channel", "who was there")
_OF_CALLS = ("process", "place", "what it did")
_WAITS = "What messages on the path waited for: the longest of each point, means over seeds"
_CALLS = "Where in the programs: likewise"


def _share(us: float, total: float) -> Content:
    share = us / total if total else 0.0
    return Cell(f"{100 * share:.1f} %", share) if us else None


_TEXT = (
    "A program that ends took as long as its critical path. Points that differ only in their seed "
    "are taken together: of each part, the mean."
)
