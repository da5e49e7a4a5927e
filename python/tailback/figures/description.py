"""The description of a figure; `pages` and `files` draw it.

A `View` has panels, a panel has two axes and marks: lines, bars, a map of colours, or a network.
It says what is shown, not how it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailback.wording.scaling import unit_for

from .look import Look, colour, symbol
from .network_map import NetworkMap


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along one axis."""

    label: str
    unit: str = ""
    log: bool | None = None
    """Whether it is logarithmic; None: if the values span more than a decade."""
    from_zero: bool = False
    percent: bool = False
    """Whether values are shares, to be shown in percent."""
    column: str = ""
    """Name of the column in the table; by default made from label and unit."""
    names: tuple[str, ...] = ()
    """The categories of the axis in their order; empty for an axis of numbers."""
    downwards: bool = False
    """Whether its first value is at the top."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Positions and texts of its ticks; by default chosen by the renderer."""
    nines: bool = False
    """Whether it is of shares, with as much room from 90 to 99 % as from 0 to 90 %; in files."""
    limits: tuple[float | None, float | None] = (None, None)
    """Where it begins and ends, in files; None: where its values do."""

    @property
    def title(self) -> str:
        """The label with its unit."""
        unit = f"% {self.unit}".strip() if self.percent else self.unit
        return f"{self.label} ({unit})" if unit else self.label

    def in_unit_of(self, values: Iterable[float | None]) -> tuple[Axis, float]:
        """Return the axis in a unit that suits the values, and the size of that unit.

        The column keeps its name: the unit of the table does not change.
        """
        fixed, space, per = self.unit.partition(" ")
        unit = unit_for(values, fixed)
        low, high = (None if end is None else end / unit.size for end in self.limits)
        suited = f"{unit.name}{space}{per}"
        return replace(self, unit=suited, column=self.name, limits=(low, high)), unit.size

    @property
    def name(self) -> str:
        """Name of the column in a table."""
        if self.column:
            return self.column
        words = [*self.label.split(), self.unit.replace("µ", "u").replace("/", " per ")]
        return "_".join(" ".join(words).replace(",", "").split())

    def is_log(self, values: Iterable[float]) -> bool:
        """Whether it is logarithmic for these values (finite numbers)."""
        return spreads([*values]) if self.log is None else self.log


def spreads(numbers: Sequence[float]) -> bool:
    """Whether all numbers are positive and span more than a decade."""
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > 10


Numbers = Sequence[float | None] | NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """Points that belong together, joined in their order.

    `x` holds numbers, or texts for an axis of categories. `low` and `high` are
    a confidence interval for every point, None or NaN if unknown.
    `hollow` points are drawn open and not joined; `saturated` points are
    crosses, joined as usual; `bounds` are lower bounds: arrows, not joined.
    """

    name: str
    """In the legend, once for all marks of one name; empty: not in the legend."""
    x: Sequence[Any] | NDArray[Any]
    y: Sequence[Any] | NDArray[Any]
    """Numbers, None or NaN if unknown; or texts, as in `x`."""
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    hollow: Sequence[bool] | None = None
    saturated: Sequence[bool] | None = None
    bounds: Sequence[bool] | None = None
    colour: int = 0
    order: float | None = None
    """Its place, from 0 to 1, among lines that a number orders: it decides the colour then."""
    mark: int | None = None
    """Number of its marker; by default that of its colour."""
    look: Look = "solid"
    marked: bool = True
    """Whether points have markers; else only the line is drawn."""
    remarks: Sequence[str] | None = None
    """Additions to the tooltip of each point."""
    targets: Sequence[str] | None = None
    """Of each point, the point of the sweep that a click opens on a page: see `PointChoices`."""
    is_area: bool = False
    """Whether it is drawn as steps with a filled area below: a density."""

    @property
    def shade(self) -> str:
        """Its colour on white paper."""
        return colour(self.colour, self.order)

    @property
    def symbol(self) -> str:
        """The name of its marker."""
        return symbol(self.colour if self.mark is None else self.mark)

    @property
    def points(self) -> list[LinePoint]:
        """The points in order, each with its interval and flags."""
        count = len(self.x)
        lows, highs = (
            [None] * count if ends is None else [known(end) for end in ends]
            for ends in (self.low, self.high)
        )
        flags = (
            [False] * count if flags is None else [bool(flag) for flag in flags]
            for flags in (self.hollow, self.saturated, self.bounds)
        )
        remarks = [""] * count if self.remarks is None else self.remarks
        values = [value if isinstance(value, str) else known(value) for value in self.y]
        targets = [""] * count if self.targets is None else self.targets
        columns = (self.x, values, lows, highs, *flags, remarks, targets)
        return [LinePoint(*values) for values in zip(*columns, strict=True)]

    @property
    def is_joined(self) -> bool:
        """Whether neighbouring points are joined by a line."""
        return self.look not in ("points", "printed") and not self.has_categories

    @property
    def has_categories(self) -> bool:
        """Whether its x values are texts."""
        return any(isinstance(x, str) for x in self.x)


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a line; unknown values are None."""

    x: Any
    y: Any
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    saturated: bool = False
    bound: bool = False
    remark: str = ""
    target: str = ""


def known(value: float | None) -> float | None:
    """Return a finite number as it is, anything else as None: JSON has no NaN."""
    return None if value is None or not isfinite(value) else float(value)


@dataclass(frozen=True, eq=False, slots=True)
class Bars:
    """Bars of one colour; horizontal if the y axis has names."""

    name: str
    places: Sequence[Any]
    """Position of each bar: texts or numbers."""
    lengths: Numbers
    begins: Sequence[float] | None = None
    """Start of each bar; by default zero or the end of the bar below."""
    colour: int = 0
    texts: Sequence[str] | None = None
    """Name of each bar in its tooltip; by default its position. Of bars with a lane, all of it."""
    is_faint: bool = False
    lane: int | None = None
    """0 is the upper, 1 the lower part of their places; None: all of it."""


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """A matrix of `shape`, filled by rows: cell i holds `values[at[i]]`, nothing where at is -1.

    Many maps share `at` and `shape`; only their values differ.
    """

    values: NDArray[np.floating]
    at: NDArray[np.int32]
    shape: tuple[int, int]

    def matrix(self) -> NDArray[np.float64]:
        """Return the cells, NaN where there is nothing."""
        filled = np.append(self.values.astype(np.float64), np.nan)[self.at]
        return filled.reshape(self.shape)


@dataclass(frozen=True, eq=False, slots=True)
class HeatMap:
    """A matrix of cells coloured by their values."""

    cells: Cells
    measure: Axis
    """Label and unit of the values."""
    tooltip: str
    """Text before the value in a tooltip; `%{text}`, `%{x}` and `%{y}` stand for its own."""
    across: Sequence[Any] | None = None
    """Names, centres or borders (one more than columns) of the columns."""
    up: Sequence[Any] | None = None
    texts: Sequence[Sequence[str]] | None = None
    """Names of the cells, for tooltips."""
    numbers: Sequence[Sequence[str]] | None = None
    """What stands in the cells, instead of `texts`."""
    targets: Sequence[Sequence[str]] | None = None
    """Of each cell, as those of a line."""
    is_root: bool = False
    """Whether colours go with the square root of the values, so that small ones are told apart."""


M = TypeVar("M", Line, Bars, HeatMap, NetworkMap)
Mark = Line | Bars | HeatMap | NetworkMap

Ground = Literal["grid", "table", "plane", "nothing"]
"""Axes with a grid; axes without; axes of equal scale without a grid; no axes, equal scale."""


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Two axes and the marks on them."""

    marks: Sequence[Mark]
    x: Axis = Axis("")
    y: Axis = Axis("")
    ground: Ground = "grid"
    title: str = ""
    column: int = 0
    """Panels of one column are stacked and share their x axis."""

    def of_kind(self, kind: type[M]) -> list[M]:
        """Return the marks of a kind."""
        return [mark for mark in self.marks if isinstance(mark, kind)]


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """One figure as it is shown: panels, the same numbers as a table, and a note."""

    panels: tuple[Panel, ...]
    table: Mapping[str, Sequence[Any] | NDArray[Any]] = field(default_factory=dict)
    """The numbers shown, by column, with units in the names."""
    note: tuple[tuple[str, ...], ...] = ()
    """A small table below the figure; its first row is the heading."""
    height_px: int | None = None
    """None: the usual height."""
    title: str = ""
    most: float = 0.0
    """The highest value of its colour scale, or of the bars of a machine."""
    most_anywhere: float | None = None
    """The highest value of all comparable views, if there are any."""


def view_of(network: NetworkMap) -> View:
    """Return the view of a network alone."""
    return View((Panel((network,), ground="nothing"),), title=network.title)
