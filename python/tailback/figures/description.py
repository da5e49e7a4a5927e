"""What a figure shows, described once; `pages` and `files` draw it.

A `View` has panels, a panel has two axes and marks: lines, bars, a map of colours, or a network.
Nothing here knows how it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailback.wording.scaling import unit_for

from .look import Look
from .network_map import NetworkMap


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along one axis."""

    label: str
    unit: str = ""
    log: bool | None = None
    """None: where the values spread over more than a decade."""
    from_zero: bool = False
    percent: bool = False
    """Whether values are shares, to be shown in percent."""
    column: str = ""
    """Name of the column in the table; made from label and unit unless given."""
    names: tuple[str, ...] = ()
    """Texts of an axis of categories, in their order."""
    downwards: bool = False
    """Whether it begins at the top."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Where it has ticks, and their texts; unless given, where they suit."""

    @property
    def title(self) -> str:
        """The label with its unit."""
        unit = f"% {self.unit}".strip() if self.percent else self.unit
        return f"{self.label} ({unit})" if unit else self.label

    def in_unit_of(self, values: Iterable[float | None]) -> tuple[Axis, float]:
        """Return the axis in the unit that suits values in its own, and how many of that it is.

        Where a column is drawn, the table keeps its name: the unit in it is fixed.
        """
        fixed, space, per = self.unit.partition(" ")
        unit = unit_for(values, fixed)
        return replace(self, unit=f"{unit.name}{space}{per}", column=self.name), unit.size

    @property
    def name(self) -> str:
        """Name of the column in a table."""
        if self.column:
            return self.column
        words = [*self.label.split(), self.unit.replace("µ", "u").replace("/", " per ")]
        return "_".join(" ".join(words).replace(",", "").split())

    def is_log(self, values: Iterable[float]) -> bool:
        """Whether it is logarithmic for these values: known, finite numbers."""
        return spreads([*values]) if self.log is None else self.log


def spreads(numbers: Sequence[float]) -> bool:
    """Whether positive numbers spread over more than a decade."""
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > 10


Numbers = Sequence[float | None] | NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """Points that belong together, joined in their order.

    `x` holds numbers, or texts for an axis of categories. `low` and `high` are
    a confidence interval for every point, None or NaN where it is not known.
    Points that are `hollow` are drawn open and are not joined to others; those
    that are `saturated` are crosses, joined as usual. Of those that are `bounds`
    it is known only that the value is above: arrows, not joined either.
    """

    name: str
    """In the legend, once for all marks that share it; empty: in none."""
    x: Sequence[Any] | NDArray[Any]
    y: Sequence[Any] | NDArray[Any]
    """Numbers, None or NaN where they are not known; or texts, as in `x`."""
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    hollow: Sequence[bool] | None = None
    saturated: Sequence[bool] | None = None
    bounds: Sequence[bool] | None = None
    colour: int = 0
    look: Look = "solid"
    marked: bool = True
    """Whether its points are marked, or only the line through them is drawn."""
    remarks: Sequence[str] | None = None
    """Shown beside each point when one points at it."""
    is_area: bool = False
    """Whether it is drawn as steps with the area below them filled: a density."""

    @property
    def points(self) -> list[LinePoint]:
        """The points with what is known of each, in order."""
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
        columns = (self.x, values, lows, highs, *flags, remarks)
        return [LinePoint(*values) for values in zip(*columns, strict=True)]

    @property
    def is_joined(self) -> bool:
        """Whether neighbouring points are joined by a line."""
        return self.look not in ("points", "printed") and not self.has_categories

    @property
    def has_categories(self) -> bool:
        """Whether it lies along texts."""
        return any(isinstance(x, str) for x in self.x)


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a line; what is not known is None."""

    x: Any
    y: Any
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    saturated: bool = False
    bound: bool = False
    remark: str = ""


def known(value: float | None) -> float | None:
    """Return a number that is known, else None: JSON has no NaN."""
    return None if value is None or not isfinite(value) else float(value)


@dataclass(frozen=True, eq=False, slots=True)
class Bars:
    """Bars of one colour; where the other axis has names, they lie."""

    name: str
    places: Sequence[Any]
    """Where each stands: texts, or numbers."""
    lengths: Numbers
    begins: Sequence[float] | None = None
    """Where each begins; unless given, at zero or on the one below it."""
    colour: int = 0
    texts: Sequence[str] | None = None
    """What each is called when one points at it; its place unless given."""


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
    """Cells in the colours of their values."""

    cells: Cells
    measure: Axis
    """What the values are."""
    told: str
    """What is said of a cell before its value; `%{text}`, `%{x}` and `%{y}` stand for its own."""
    across: Sequence[Any] | None = None
    """Where columns are: their names, middles, or one more border than there are columns."""
    up: Sequence[Any] | None = None
    texts: Sequence[Sequence[str]] | None = None
    has_scale: bool = True
    """Whether it has the scale of the view; else it has one of its own, which is not shown."""


M = TypeVar("M", Line, Bars, HeatMap, NetworkMap)
Mark = Line | Bars | HeatMap | NetworkMap

Ground = Literal["grid", "table", "plane", "nothing"]
"""What is behind the marks: a grid; axes only; axes of one scale; no axes, but one scale."""


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Two axes and the marks on them, in the order in which they are drawn."""

    marks: Sequence[Mark]
    x: Axis = Axis("")
    y: Axis = Axis("")
    ground: Ground = "grid"
    title: str = ""
    column: int = 0
    """Panels of one column are below each other, and share their horizontal axis."""

    def of_kind(self, kind: type[M]) -> list[M]:
        """Return the marks of a kind."""
        return [mark for mark in self.marks if isinstance(mark, kind)]


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """A figure as it is shown at once."""

    panels: tuple[Panel, ...]
    table: Mapping[str, Sequence[Any] | NDArray[Any]] = field(default_factory=dict)
    """The numbers shown, column by column, with units in the names."""
    note: tuple[tuple[str, ...], ...] = ()
    """A small table shown below: rows of cells, the first row being the heading."""
    height_px: int | None = None
    """Where it needs another than the usual one."""
    title: str = ""
    most: float = 0.0
    """The highest value of its map of colours, or of the bars of a machine."""
    most_anywhere: float | None = None
    """The highest value of all views that it is compared with, if it is."""


def view_of(network: NetworkMap) -> View:
    """Return the view of a network alone."""
    return View((Panel((network,), ground="nothing"),), title=network.title)
