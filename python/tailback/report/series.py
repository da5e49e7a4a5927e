"""Groups the runs of a sweep into lines, for every x axis and combination of parameters."""

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
from tailback.figures.look import telling as dash_by
from tailback.metrics import GROWING, stem_of
from tailback.tables.frames import dictionaries, first_rows, numbered, values

from .variation import RANKS_OF_NUMBERS, Variation, rank

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
"""Measures of the load, always from mode `full`."""

OFFERED = "offered_load"

EVERYTHING = "all points"
"""The text of an empty combination."""

_MOST_LINES = 8
_VARIES = 1.1
"""Loads that differ by more than this factor differ by more than noise."""


@dataclass(frozen=True, slots=True)
class Abscissa:
    """What an x axis shows."""

    label: str
    axis: Axis
    column: str
    """Column of the parameter, or of the load metric."""
    along: str
    """Column of the parameter that orders the points of a line."""
    is_load: bool = False

    def place(self, row: Row) -> Any:
        """Return the x value of a row: a number, or a text for a category; None if unknown."""
        if self.is_load:
            return row[_load(self.column)]
        value = row[self.column]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        return None if value is None else value_text(self.column, value)


@dataclass(frozen=True, eq=False)
class Series:
    """Merged and single runs, grouped into lines."""

    variation: Variation
    merged: pa.Table
    """One row per combination of parameters and mode, merged over seeds."""
    runs: pa.Table
    """One row per run."""
    more_loads: tuple[str, ...] = ()
    """Additional metrics and percentiles for x axes."""

    @cached_property
    def modes(self) -> list[str]:
        """The modes that occur, in the usual order."""
        there = set(values(self.merged["mode"]))
        return [mode for mode in MODES if mode in there]

    @cached_property
    def abscissas(self) -> list[Abscissa]:
        """The x axes: varied numbers, other varied parameters, then loads.

        Along a load, points are joined in the order of the first of these parameters.
        """
        found = [Abscissa(parameter_label(c), parameter_axis(c), c, c) for c in self._columns]
        if "full" in self.modes:
            found += [self.load(metric) for metric in LOADS if self.known(metric)]
        return found

    @cached_property
    def _columns(self) -> list[str]:
        """Varied parameters, numbers first."""
        return sorted(self.variation.columns, key=lambda c: not self.variation.is_number(c))

    def load(self, metric: str) -> Abscissa:
        """Return the x axis of a metric of mode `full`."""
        along = self._columns[0]
        if metric == OFFERED and self.load_parameter is not None:
            along = self.load_parameter
        label = LOADS.get(metric) or metric_axis(metric).label
        return Abscissa(label, metric_axis(metric), metric, along, is_load=True)

    @cached_property
    def load_parameter(self) -> str | None:
        """The first numeric parameter that alone varies the offered load.

        Parameters derived from it (a period computed from a load, say) may vary with it.
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
        """Whether a metric, or a lower bound of it, is known anywhere."""
        names = (metric, f"{metric}_low")
        frames = (self.merged, self.runs)
        there = [f[name] for f in frames for name in names if name in f.column_names]
        return any(column.null_count < len(column) for column in there)

    # ---- combinations

    def groups(self, abscissa: Abscissa | None) -> dict[str, list[Row]]:
        """Return the combinations of parameters that become lines, by the text of what is fixed.

        Combinations are of all parameters that the abscissa does not determine. If there are
        many, the last parameters are fixed in each group.
        """
        given = [] if abscissa is None else [abscissa.along]
        rows = self.fixing(given).values()
        others = list(next(iter(rows)))
        split = self._lines_of(others)
        groups: dict[str, list[Row]] = {}
        for row in rows:
            held = self.variation.text(row, others[split:]) or EVERYTHING
            groups.setdefault(held, []).append(row)
        return groups

    def _lines_of(self, others: Sequence[str]) -> int:
        """Return how many of the first parameters distinguish lines."""
        count = 1
        for number, column in enumerate(others):
            count *= len(self.variation.values(column))
            if count > _MOST_LINES and number > 0:
                return number
        return len(others)

    @cached_property
    def held(self) -> list[str]:
        """All texts of fixed parameters, for any abscissa."""
        return list(dict.fromkeys(held for a in self.abscissas for held in self.groups(a)))

    def combinations(self, abscissa: Abscissa) -> dict[str, Row]:
        """Return all combinations of the other parameters, by their texts."""
        groups = self.groups(abscissa).values()
        rows = [row for group in groups for row in group]
        return {self.variation.text(row, row) or EVERYTHING: row for row in rows}

    def fixing(self, given: Sequence[str]) -> dict[str, Row]:
        """Return the combinations of the parameters that `given` do not determine, by text."""
        others = [c for c in self.variation.columns if c not in given]
        others = self.variation.telling(others, given)
        rows: list[dict[str, Any]] = [{}]
        if others:
            first = first_rows(numbered(self.merged, others))
            rows = dictionaries(self.merged.select(others).take(first))
        orders = {c: {v: i for i, v in enumerate(self.variation.values(c))} for c in others}
        rows.sort(key=lambda row: tuple(orders[c][row[c]] for c in others))
        return {self.variation.text(row, others) or EVERYTHING: row for row in rows}

    def row(self, mode: str, varied: Row, metric: str) -> Row | None:
        """Return the merged row of a mode with these values in which a metric is known, or None."""
        index = self._index(self._merged_index, self._merged_rows, tuple(varied))
        found = index.get((mode, *varied.values()), [])
        return next((row for row in found if row[metric] is not None), None)

    # ---- lines

    def lines(
        self, metric: str, abscissa: Abscissa, combinations: Sequence[Row], modes: Sequence[str]
    ) -> Iterator[Line]:
        """Yield one line per combination and mode, named by the differences between them.

        Colours distinguish combinations, in order where one number differs, or modes if there is
        only one combination. Dashes distinguish modes, or combinations if there is only one mode.
        """
        alone = len(combinations) == 1
        telling = [c for c in combinations[0] if len({row[c] for row in combinations}) > 1]
        orders = in_order(combinations, telling)
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
                    order=orders[number],
                    look=MODE_LOOKS[mode] if len(modes) > 1 else dash_by(number),
                    remarks=[*map(_merged_remark, rows)],
                    targets=[self.variation.address(row, mode) for row in rows],
                )

    def rows(self, metric: str, abscissa: Abscissa, combination: Row, mode: str) -> list[Row]:
        """Return the merged rows of a line in order, without rows of unknown values."""
        index = self._index(self._merged_index, self._merged_rows, tuple(combination))
        found = index.get((mode, *combination.values()), [])
        known = [
            row
            for row in found
            if (row[metric] is not None or _is_bound(row, metric)) and _somewhere(row, abscissa)
        ]
        if abscissa.column == OFFERED:
            # The offered load is set by the user, as a parameter is.
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


def in_order(combinations: Sequence[Row], telling: Sequence[str]) -> list[float | None]:
    """Return the place of each combination, from 0 to 1, if one number tells them apart."""
    kinds = [rank(row[telling[0]]) for row in combinations] if len(telling) == 1 else []
    values = sorted(set(kinds))
    if len(values) < 2 or any(kind[0] not in RANKS_OF_NUMBERS for kind in kinds):
        return [None] * len(combinations)
    return [values.index(kind) / (len(values) - 1) for kind in kinds]


def _with_loads(rows: list[dict[str, Any]], same: Sequence[str], more: Sequence[str]) -> list[Row]:
    """Add to every row the loads of the row of mode full with the same values of `same`."""
    full = {tuple(row[c] for c in same): row for row in rows if row["mode"] == "full"}
    for row in rows:
        of_point = full.get(tuple(row[c] for c in same), {})
        row |= {_load(metric): of_point.get(metric) for metric in (*LOADS, *more)}
    return [*rows]


def _end(row: Row, metric: str, end: str) -> float | None:
    """Return an end of an interval; None for times that grow without limit at saturation."""
    if _is_bound(row, metric):
        return None
    grows = row["saturated"] and stem_of(metric) in GROWING
    return None if grows else row.get(f"{metric}_{end}")


def _is_bound(row: Row, metric: str) -> bool:
    """Whether only a lower bound of a value is known, as a limit cut the run off."""
    return row[metric] is None and row.get(f"{metric}_low") is not None


def _load(metric: str) -> str:
    return f"load {metric}"


def _somewhere(row: Row, abscissa: Abscissa) -> bool:
    return abscissa.place(row) is not None


def _merged_remark(row: Row) -> str:
    words = [f"{row['runs']} seeds"] if row["runs"] > 1 else []
    words += [f"{row['unsettled']} did not settle"] if row["unsettled"] else []
    return ", ".join(words)
