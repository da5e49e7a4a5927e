"""Runs of a sweep sorted into lines: what is drawn against what, and for which combinations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tailback.comparison import MODES
from tailback.figures.description import Axis, Line
from tailback.figures.labels import metric_axis, parameter_axis, parameter_label, value_text
from tailback.figures.look import MODE_LOOKS
from tailback.metrics import GROWING, stem_of
from tailback.tables.frames import dictionaries, first_rows, numbered, values

from .variation import Variation, rank

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]
Index = dict[tuple[Any, ...], list[Row]]
"""Rows by mode and values of some columns."""

LOADS = {
    "offered_load": "load: offered, share of the injection rate",
    "internal_utilisation": "load: utilisation of internal channels",
    "messages_per_node_per_ms": "load: messages sent per node and ms",
}
"""Measures of the load, taken from the mode `full`."""

OFFERED = "offered_load"

EVERYTHING = "all points"
"""The text of a combination of nothing."""

_MOST_LINES = 8
_VARIES = 1.1
"""Loads further apart than by this factor differ by more than chance."""


@dataclass(frozen=True, slots=True)
class Abscissa:
    """What measures are drawn against."""

    label: str
    axis: Axis
    column: str
    """Of the parameter, or of the metric that is the load."""
    along: str
    """Column of the parameter along which lines go."""
    is_load: bool = False

    def place(self, row: Row) -> Any:
        """Return where a row lies: a number, or a text for a category; None if nowhere."""
        if self.is_load:
            return row[_load(self.column)]
        value = row[self.column]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        return None if value is None else value_text(self.column, value)


@dataclass(frozen=True, eq=False)
class Series:
    """Merged runs and single ones, sorted into lines."""

    variation: Variation
    merged: pa.Table
    """Seeds taken together; one row per combination of parameters and mode."""
    runs: pa.Table
    """One row per run."""
    more_loads: tuple[str, ...] = ()
    """Metrics and percentiles besides the usual ones that others may be drawn against."""

    @cached_property
    def modes(self) -> list[str]:
        """The modes there are, in the usual order."""
        there = set(values(self.merged["mode"]))
        return [mode for mode in MODES if mode in there]

    @cached_property
    def abscissas(self) -> list[Abscissa]:
        """What can be drawn against: numbers that vary, other parameters, then loads.

        Along a load, lines join points in the order of the first of these parameters.
        """
        found = [Abscissa(parameter_label(c), parameter_axis(c), c, c) for c in self._columns]
        if "full" in self.modes:
            found += [self.load(metric) for metric in LOADS if self.known(metric)]
        return found

    @cached_property
    def _columns(self) -> list[str]:
        """What was varied, numbers first."""
        return sorted(self.variation.columns, key=lambda c: not self.variation.is_number(c))

    def load(self, metric: str) -> Abscissa:
        """Return a metric of the mode `full` as what others are drawn against."""
        along = self._columns[0]
        if metric == OFFERED and self.load_parameter is not None:
            along = self.load_parameter
        label = LOADS.get(metric) or metric_axis(metric).label
        return Abscissa(label, metric_axis(metric), metric, along, is_load=True)

    @cached_property
    def load_parameter(self) -> str | None:
        """The first number by which the offered load was varied, all others being the same.

        What follows from it (a period computed from a load, say) goes with it.
        """
        if not self.known(OFFERED):
            return None
        rows = [row for row in dictionaries(self.merged) if row[OFFERED] is not None]
        for column in self.variation.columns:
            others = [c for c in self.variation.columns if c != column]
            others = self.variation.telling(others, [column])
            loads: dict[tuple[Any, ...], list[float]] = defaultdict(list)
            for row in rows:
                loads[(row["mode"], *(row[c] for c in others))].append(row[OFFERED])
            varies = any(max(of) > _VARIES * min(of) for of in loads.values())
            if varies and self.variation.is_number(column):
                return column
        return None

    def known(self, metric: str) -> bool:
        """Whether a metric was measured anywhere, or is known to be more than it was then."""
        names = (metric, f"{metric}_low")
        frames = (self.merged, self.runs)
        there = [f[name] for f in frames for name in names if name in f.column_names]
        return any(column.null_count < len(column) for column in there)

    # ---- combinations

    def groups(self, abscissa: Abscissa | None) -> dict[str, list[Row]]:
        """Return the combinations that make lines, by the text of what is held fixed for them.

        Combinations are of all parameters that do not follow from the abscissa; of all without
        one. If they are many, the last parameters are held fixed.
        """
        given = [] if abscissa is None else [abscissa.along]
        others = [c for c in self.variation.columns if c not in given]
        others = self.variation.telling(others, given)
        split = self._lines_of(others)
        rows: list[dict[str, Any]] = [{}]
        if others:
            first = first_rows(numbered(self.merged, others))
            rows = dictionaries(self.merged.select(others).take(first))
        orders = {c: {v: i for i, v in enumerate(self.variation.values(c))} for c in others}
        rows.sort(key=lambda row: tuple(orders[c][row[c]] for c in others))
        groups: dict[str, list[Row]] = {}
        for row in rows:
            held = self.variation.text(row, others[split:]) or EVERYTHING
            groups.setdefault(held, []).append(row)
        return groups

    def _lines_of(self, others: Sequence[str]) -> int:
        """Return how many of the first parameters make lines."""
        count = 1
        for number, column in enumerate(others):
            count *= len(self.variation.values(column))
            if count > _MOST_LINES and number > 0:
                return number
        return len(others)

    @cached_property
    def held(self) -> list[str]:
        """Everything that may be held fixed, for any abscissa."""
        return list(dict.fromkeys(held for a in self.abscissas for held in self.groups(a)))

    def combinations(self, abscissa: Abscissa) -> dict[str, Row]:
        """Return every combination of the other parameters, by its text."""
        groups = self.groups(abscissa).values()
        rows = [row for group in groups for row in group]
        return {self.variation.text(row, row) or EVERYTHING: row for row in rows}

    # ---- lines

    def lines(
        self, metric: str, abscissa: Abscissa, combinations: Sequence[Row], modes: Sequence[str]
    ) -> Iterator[Line]:
        """Yield one line per combination and mode, named by what differs between them.

        Colours tell combinations, or else modes.
        """
        alone = len(combinations) == 1
        telling = [c for c in combinations[0] if len({row[c] for row in combinations}) > 1]
        for number, combination in enumerate(combinations):
            for mode in modes:
                rows = self.rows(metric, abscissa, combination, mode)
                if not rows:
                    continue
                words = [self.variation.text(combination, telling)] if telling else []
                words += [mode] if len(modes) > 1 else []
                yield Line(
                    name=", ".join(words),
                    x=[abscissa.place(row) for row in rows],
                    y=[row[f"{metric}_low" if _is_bound(row, metric) else metric] for row in rows],
                    low=[_end(row, metric, "low") for row in rows],
                    high=[_end(row, metric, "high") for row in rows],
                    hollow=[bool(row["unsettled"]) for row in rows],
                    saturated=[bool(row["saturated"]) for row in rows],
                    bounds=[_is_bound(row, metric) for row in rows],
                    colour=MODES.index(mode) if alone else number,
                    look="solid" if alone else MODE_LOOKS[mode],
                    remarks=[*map(_merged_remark, rows)],
                )

    def rows(self, metric: str, abscissa: Abscissa, combination: Row, mode: str) -> list[Row]:
        """Return merged rows in their order along the line, without those that know nothing."""
        index = self._index(self._merged_index, self._merged_rows, tuple(combination))
        found = index.get((mode, *combination.values()), [])
        known = [
            row
            for row in found
            if (row[metric] is not None or _is_bound(row, metric)) and _somewhere(row, abscissa)
        ]
        if abscissa.column == OFFERED:
            # What is offered is given, as a parameter is.
            return sorted(known, key=abscissa.place)
        return sorted(known, key=lambda row: rank(row[abscissa.along]))

    def _index(
        self, made: dict[tuple[str, ...], Index], rows: Sequence[Row], columns: tuple[str, ...]
    ) -> Index:
        if columns not in made:
            made[columns] = defaultdict(list)
            for row in rows:
                made[columns][(row["mode"], *(row[c] for c in columns))].append(row)
        return made[columns]

    @cached_property
    def _merged_index(self) -> dict[tuple[str, ...], Index]:
        return {}

    @cached_property
    def _merged_rows(self) -> list[Row]:
        return _with_loads(dictionaries(self.merged), self.variation.columns, self.more_loads)


def _with_loads(rows: list[dict[str, Any]], same: Sequence[str], more: Sequence[str]) -> list[Row]:
    """Add to every row the loads of the row of mode full that agrees in the columns `same`."""
    full = {tuple(row[c] for c in same): row for row in rows if row["mode"] == "full"}
    for row in rows:
        of_point = full.get(tuple(row[c] for c in same), {})
        row |= {_load(metric): of_point.get(metric) for metric in (*LOADS, *more)}
    return [*rows]


def _end(row: Row, metric: str, end: str) -> float | None:
    """Return an end of an interval; None for a time that grows as long as the run goes on."""
    if _is_bound(row, metric):
        return None
    grows = row["saturated"] and stem_of(metric) in GROWING
    return None if grows else row.get(f"{metric}_{end}")


def _is_bound(row: Row, metric: str) -> bool:
    """Whether it is known only what a value is more than: a limit cut the run off."""
    return row[metric] is None and row.get(f"{metric}_low") is not None


def _load(metric: str) -> str:
    return f"load {metric}"


def _somewhere(row: Row, abscissa: Abscissa) -> bool:
    return abscissa.place(row) is not None


def _merged_remark(row: Row) -> str:
    words = [f"{row['runs']} seeds"] if row["runs"] > 1 else []
    words += [f"{row['unsettled']} did not settle"] if row["unsettled"] else []
    return ", ".join(words)
