"""What a figure is made of: a plot, its numbers, and what can be chosen.

A `Drawing` is plotly's dictionaries and a table of the same numbers. Where
something can be chosen, *layers* say what changes: each layer is keyed by some
of the choices and sets parts of the plot. A page applies them in its script, so
that thousands of maps share one plot; `Drawing.figure` applies them here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tailback.wording.scaling import unit_for

from .look import LIGHT, layout

if TYPE_CHECKING:
    import plotly.graph_objects as go

Path = tuple[str | int, ...]
"""A place in a drawing: `("data", 0, "z")`, `("layout", "title")`, `("table", 2, "values")`,
`("note",)`. In `table` the columns are a list of `{"name": …, "values": …}`."""

Key = tuple[int, ...]
"""Numbers of the options chosen, one for each choice that a layer is keyed by."""

Settings = Mapping[Path, Any]
"""What is put where."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A control: one of several options, the first one unless `start` says otherwise."""

    name: str
    """Choices with one name are one control where a section of a page holds it."""
    label: str
    options: tuple[str, ...]
    start: int = 0
    form: Literal["menu", "slider"] = "menu"


@dataclass(frozen=True, eq=False, slots=True)
class Layer:
    """What depends on the choices `by`: settings for each combination there is."""

    by: tuple[str, ...]
    settings: Mapping[Key, Settings]


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
class Drawing:
    """A figure before it is shown anywhere.

    `plot` is `{"data": […], "layout": {…}}` without paper, font and grid, which
    belong to the theme. `table` holds the numbers shown, column by column,
    with units in the names. `note` is a small table shown below: rows of cells,
    the first row being the heading.
    """

    plot: Mapping[str, Any]
    table: Mapping[str, Sequence[Any] | NDArray[Any]]
    choices: tuple[Choice, ...] = ()
    layers: tuple[Layer, ...] = ()
    note: tuple[tuple[str, ...], ...] = ()
    height_px: int | None = None
    """Where it needs another than the usual one."""

    def parts(self) -> dict[str, Any]:
        """Return everything that layers can change, under the names of `Path`."""
        columns = [{"name": name, "values": values} for name, values in self.table.items()]
        return {**self.plot, "table": columns, "note": self.note}

    def chosen(self, **options: str) -> dict[str, Any]:
        """Return `parts` for these options, by names of choices; others are as they start."""
        numbers = {
            choice.name: choice.options.index(options[choice.name])
            if choice.name in options
            else choice.start
            for choice in self.choices
        }
        parts = copy.deepcopy(self.parts())
        for layer in self.layers:
            key = tuple(numbers[name] for name in layer.by)
            for path, value in layer.settings.get(key, {}).items():
                put(parts, path, copy.deepcopy(value))
        return parts

    def figure(self, **options: str) -> go.Figure:
        """Return plotly's figure of these options, on white, for notebooks."""
        import plotly.graph_objects as go

        parts = self.chosen(**options)
        data = [{name: _plain(value) for name, value in trace.items()} for trace in parts["data"]]
        return go.Figure(data, {**parts["layout"], "template": {"layout": layout(LIGHT)}})


def _plain(value: Any) -> Any:
    return value.matrix() if isinstance(value, Cells) else value


def put(parts: Any, path: Path, value: Any) -> None:
    """Set a place in nested dictionaries and lists; dictionaries that are missing are made."""
    for step in path[:-1]:
        parts = parts.setdefault(step, {}) if isinstance(parts, dict) else parts[step]
    parts[path[-1]] = value


def choose(label: str, drawings: Mapping[str, Drawing], name: str = "view") -> Drawing:
    """Return several drawings as one, of which one is chosen by its key; the first at first."""
    members: dict[Key, Drawing] = {(i,): drawing for i, drawing in enumerate(drawings.values())}
    return one_of((Choice(name, label, tuple(drawings)),), members)


def one_of(choices: Sequence[Choice], members: Mapping[Key, Drawing]) -> Drawing:
    """Return drawings as one, of which one is chosen: keys are numbers of options.

    There need not be one for every combination; if there is none for the one at
    the start, the first member is shown at first. They may have choices
    themselves, if all have the same ones.
    """
    start = tuple(choice.start for choice in choices)
    if start not in members:
        start = next(iter(members))
        choices = [replace(c, start=i) for c, i in zip(choices, start, strict=True)]
    first = members[start]
    if any(member.choices != first.choices for member in members.values()):
        raise ValueError("drawings to choose from must have the same choices")
    by = tuple(choice.name for choice in choices)
    whole = Layer(by, {key: _whole(member) for key, member in members.items()})
    inner = [
        Layer(
            (*by, *layer.by),
            {
                (*key, *within): settings
                for key, member in members.items()
                for within, settings in member.layers[i].settings.items()
            },
        )
        for i, layer in enumerate(first.layers)
    ]
    heights = [m.height_px for m in members.values() if m.height_px is not None]
    return Drawing(
        plot=first.plot,
        table=first.table,
        note=first.note,
        choices=(*choices, *first.choices),
        layers=(whole, *inner),
        height_px=max(heights, default=None),
    )


def _whole(drawing: Drawing) -> Settings:
    return {(name,): value for name, value in drawing.parts().items()}


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
    column: str = field(default="")
    """Name of the column in the table; made from label and unit unless given."""

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
