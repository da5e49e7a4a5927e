"""Charts beside the printed numbers, as small PNG files.

A section describes what is to be drawn; only this module knows matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIRECTORY = Path(__file__).parent / "figures"

Look = Literal["linked", "dashed", "points", "marks", "line", "printed"]
"""Simulated points joined by a line or dashes, or not joined (many, few); a formula; printed."""

_LOOKS: dict[Look, dict[str, Any]] = {
    "linked": {"marker": "o", "markersize": 3.5, "linewidth": 1.2},
    "dashed": {"marker": "s", "markersize": 3, "linewidth": 1.2, "linestyle": (0, (4, 2))},
    "points": {"marker": "o", "markersize": 2.5, "linestyle": "none"},
    "marks": {"marker": "o", "markersize": 6, "linestyle": "none", "alpha": 0.85},
    "line": {"linewidth": 0.9, "linestyle": (0, (5, 2))},
    "printed": {
        "marker": "x",
        "markersize": 8.0,
        "markeredgewidth": 1.6,
        "linestyle": "none",
        "zorder": 3,
    },
}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Told apart by colour-blind readers too (Okabe and Ito)."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points or a line of one kind."""

    name: str
    """In the legend; empty: in none."""
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    look: Look = "linked"
    colour: int = 0
    """Number of the colour; series that belong together have the same."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    """With the unit."""
    y_label: str
    series: tuple[Series, ...]
    from_zero: bool = True
    """Whether the vertical axis begins at 0."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One file with panels side by side."""

    name: str
    """Of the file, without its ending."""
    caption: str
    panels: tuple[Panel, ...]

    @property
    def path(self) -> Path:
        """Return where it is kept."""
        return DIRECTORY / f"{self.name}.png"

    def __str__(self) -> str:
        """Return the Markdown that shows it."""
        return f"![{self.caption}]({DIRECTORY.name}/{self.path.name})"


def save(chart: Chart) -> None:
    """Draw a chart into its file; the same chart gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(chart.panels)
    figure = Figure(figsize=(max(5.2, 4.1 * count), 3.7), dpi=90, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, count, squeeze=False)[0]
    for panel, place in zip(chart.panels, axes, strict=True):
        _draw(panel, place)
    DIRECTORY.mkdir(exist_ok=True)
    figure.savefig(chart.path, metadata={"Software": None})


def _draw(panel: Panel, axes: Axes) -> None:
    for series in panel.series:
        colour = _COLOURS[series.colour % len(_COLOURS)]
        look = _LOOKS[series.look]
        axes.plot(series.x, series.y, color=colour, label=series.name or "_", **look)
    if panel.from_zero:
        axes.set_ylim(bottom=0)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    if any(isinstance(x, str) for series in panel.series for x in series.x):
        axes.tick_params(axis="x", labelrotation=60)
        axes.margins(y=0.35)  # Room for the legend.
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if any(series.name for series in panel.series):
        axes.legend(fontsize=7.5, frameon=False)
