"""Tables of a report: points with their results, failures, parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tailback.comparison import MODES
from tailback.figures.labels import METRICS, description_text, parameter_label, value_text
from tailback.metrics import THETAS
from tailback.statistics import Estimate
from tailback.store.records import Failure
from tailback.wording import number
from tailback.wording.saturated import NETWORK, SOURCES, are_sources

from . import looks
from .content import Cell, Content, Table
from .variation import SEED, Variation

Row = Mapping[str, Any]

_BY_MODE = ("messages_per_node_per_ms", "routed_lifetime_us")
_DIGITS = 4
PAGE = "options of its page"
"""The heading of what makes the page of `tailback look` of a point."""


@dataclass(frozen=True, eq=False)
class Listing:
    """The tables of single runs, by point."""

    variation: Variation
    runs: Sequence[Row]
    failures: Sequence[Failure]
    pages: Mapping[str, str] = field(default_factory=dict)
    """Addresses of the pages of points, by identity."""

    def points(self) -> Table:
        """Return a table of all points and failures."""
        modes = [mode for mode in MODES if any(run["mode"] == mode for run in self.runs)]
        columns = [*self.variation.columns, *self._of_failures(), *([SEED] if self._seeds else [])]
        headings = [parameter_label(column) for column in columns]
        headings += [f"{METRICS[m].title}, {mode}" for m in _BY_MODE for mode in modes]
        ratios = self._thetas()
        headings += ratios
        headings.append(PAGE)
        failed = [
            (*row[:-2], self._page(failure.identity, failure.varied, failure.varied), row[-1])
            for failure, row in zip(
                self.failures, failed_rows(self.failures, columns, len(headings) + 1), strict=True
            )
        ]
        rows = (*self._finished(columns, modes, ratios), *failed)
        return Table((*headings, "state"), rows, "", searchable=True)

    def _thetas(self) -> list[str]:
        """Return the ratios that are known for any point, without duplicates."""
        same = all(run["run.baseline"] == "endpoints" for run in self.runs)
        names = [name for name in THETAS if not (same and name.endswith("_network"))]
        return [name for name in names if any(run.get(name) is not None for run in self.runs)]

    def _of_failures(self) -> list[str]:
        """Return further varied parameters: those in which only failed points differ."""
        known = {*self.variation.columns, SEED}
        names = dict.fromkeys(name for failure in self.failures for name in failure.varied)
        return [name for name in names if name not in known and self._differs(name)]

    def _differs(self, name: str) -> bool:
        of_runs = {run.get(name) for run in self.runs}
        return len(of_runs | {failure.varied.get(name) for failure in self.failures}) > 1

    @property
    def _seeds(self) -> bool:
        return self._differs(SEED)

    def _finished(
        self, columns: Sequence[str], modes: Sequence[str], ratios: Sequence[str]
    ) -> Iterator[tuple[Content, ...]]:
        points: dict[str, dict[str, Row]] = {}
        for run in self.runs:
            points.setdefault(run["identity"], {})[run["mode"]] = run
        for row in self.variation.rows:
            of_mode = points[row["identity"]]
            first = next(iter(of_mode.values()))
            cells: list[Content] = [value_cell(column, first.get(column)) for column in columns]
            cells += [_estimate(of_mode.get(mode), m) for m in _BY_MODE for mode in modes]
            cells += [_estimate(of_mode.get("full"), ratio) for ratio in ratios]
            page = self._page(row["identity"], self.variation.asked, row)
            yield (*cells, page, _state(of_mode))

    def _page(self, identity: str, columns: Iterable[str], row: Row) -> Content:
        """Return the options of the page of a point, below a link to it if it is there."""
        options = looks.options(columns, row)
        told = "" if options is None else f"`{options}`"
        link = self.pages.get(identity)
        return (told or None) if link is None else Cell("page", hint=told, link=link)

    def parameters(self) -> tuple[Table, Table]:
        """Return tables of the varied and of the constant parameters."""
        varied = tuple(
            (parameter_label(column), f"`{column}`", *self._range(column))
            for column in (*self.variation.columns, *self.variation.following)
        )
        common = tuple(
            (f"`{column}`", value_text(column, value))
            for column, value in self.variation.common().items()
        )
        return (
            Table(
                ("parameter", "column", "values", "how many"),
                varied,
                "What was varied, and what followed from it",
            ),
            Table(("column", "value"), common, "The same at all points", folded=True),
        )

    def _range(self, column: str) -> tuple[str, int]:
        values = [value_text(column, value) for value in self.variation.values(column)]
        shown = values if len(values) <= 12 else [*values[:4], "…", *values[-2:]]
        return ", ".join(shown), len(values)


def failed_rows(
    failures: Iterable[Failure], columns: Sequence[str], width: int
) -> Iterator[tuple[Content, ...]]:
    """Yield a row for each failed point, with its reason in the last column."""
    for failure in failures:
        known = [value_cell(column, failure.varied.get(column)) for column in columns]
        empty: list[Content] = [None] * (width - 1 - len(known))
        hint = f"{description_text(failure.varied)}: {failure.text}"
        yield (*known, *empty, Cell(failure.kind, f"1 {failure.kind}", "bad", hint))


def value_cell(column: str, value: Any) -> Cell:
    """Return a parameter's value as a cell; numbers sort by size."""
    text = value_text(column, value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(text, float(value) if is_number else text)


def _estimate(run: Row | None, metric: str) -> Content:
    if run is None or metric not in run:
        return None
    known = estimate_in(run, metric)
    if known.is_cut_off:
        return Cell(number(known, most=_DIGITS), known.low)
    return None if math.isnan(known.value) else Cell(number(known, most=_DIGITS), known.value)


def estimate_in(row: Row, name: str) -> Estimate:
    """Return an estimate from its columns; null is unknown."""
    value, low, high = (row[name + end] for end in ("", "_low", "_high"))
    known = [math.nan if number is None else number for number in (value, low, high)]
    return Estimate(known[0], known[1], known[2])


def _state(of_mode: Mapping[str, Row]) -> Cell:
    drifting = [mode for mode, run in of_mode.items() if not run["steady"]]
    full = [mode for mode, run in of_mode.items() if run["saturated"]]
    cut = {run.get("cut_off"): mode for mode, run in of_mode.items() if run.get("cut_off")}
    if cut:
        hint = "; ".join(f"{mode}: by {limit}" for limit, mode in cut.items())
        return Cell("cut off", "1 cut off", "bad", f"before it was complete, in {hint}")
    lost = [mode for mode, run in of_mode.items() if run.get("lost")]
    if lost:
        return Cell("without end", "1 lost", "bad", f"messages were lost in {', '.join(lost)}")
    if full:
        more = f"; values still drift in {', '.join(drifting)}" if drifting else ""
        limited = all(are_sources(of_mode[mode]) for mode in full)
        hint = f"{SOURCES if limited else NETWORK}, in {', '.join(full)}{more}"
        return Cell("saturated", "2 saturated", "open", hint)
    if drifting:
        return Cell("not settled", "2", "open", f"values still drift in {', '.join(drifting)}")
    coarse = [mode for mode, run in of_mode.items() if run["converged"] is False]
    if coarse:
        hint = f"not as precise as asked for in {', '.join(coarse)}"
        return Cell("less precise", "3", "open", hint)
    return Cell("settled", "4", "good")
