"""A picture as PDF or PNG, drawn by Matplotlib: the extra `plot`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from tailback.distribution import installing
from tailback.errors import UserError
from tailback.figures.curves import Line
from tailback.figures.look import LIGHT, colour, dash

from .scales import MARKS, Scale, marks, points_of, title_size

_INCHES = (7.2, 4.8)
_DPI = 200
_CARET_UP_BASE = 10
"""An open caret whose base is at the point: what Matplotlib calls so."""
_BOUND: dict[str, Any] = {
    "linestyle": "none",
    "marker": _CARET_UP_BASE,
    "markersize": 9,
    "markerfacecolor": LIGHT.paper,
}
_MARKERS = {"dashed": "s", "dotted": "D", "printed": "x"}


def drawn(  # as `svg`, and the kind of file
    title: str, lines: Sequence[Line], x: Scale, y: Scale, notes: Sequence[str], kind: str
) -> bytes:
    """Return a picture as the content of a file of a kind: `pdf` or `png`.

    The same picture gives the same bytes. Raises `UserError` without Matplotlib.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        needed = f"needs Matplotlib: {installing('plot')}; .svg needs nothing"
        raise UserError("--out", f".{kind}", needed) from None
    figure = Figure(figsize=_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=title_size(title, 11), fontweight="bold")
    for line in lines:
        _draw(axes, line, x)
    _scale(axes, x, "x")
    _scale(axes, y, "y")
    axes.grid(color=LIGHT.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    _explain(axes, lines)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=8, color=LIGHT.faint, x=0.02, ha="left")
    content = io.BytesIO()
    # Nothing says when it was made.
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": "Tailback"}
    figure.savefig(content, format=kind, dpi=_DPI, metadata=metadata)
    return content.getvalue()


def _draw(axes: Any, line: Line, x: Scale) -> None:
    shade, points = colour(line.colour), points_of(line, x)
    joined = [point for point in points if not point.hollow and not point.bound]
    plain = line.look == "plain"
    style: dict[str, Any] = {"color": shade, "linewidth": 0.8 if plain else 1.6}
    pattern = dash(line.look)
    if line.look in ("points", "printed") or x.categories:
        style["linestyle"] = "none"
    elif pattern != "solid":
        style["dashes"] = [float(part) / 2 for part in pattern.replace("px", "").split(",")]
    label = {"label": line.name} if line.name else {}
    axes.plot([p.x for p in joined], [p.y for p in joined], **style, **label)
    if plain or not line.marked:
        return
    known = [p for p in points if p.low is not None and p.high is not None]
    below = [p.y - (p.low or 0.0) for p in known]
    above = [(p.high or 0.0) - p.y for p in known]
    axes.errorbar(
        [p.x for p in known],
        [p.y for p in known],
        [below, above],
        fmt="none",
        ecolor=shade,
        elinewidth=1,
        capsize=2.5,
    )
    marker = _MARKERS.get(line.look, "o")
    for point in points:
        if point.bound:
            axes.plot([point.x], [point.y], color=shade, **_BOUND)
            continue
        dot: dict[str, Any] = {"marker": "x" if point.saturated else marker, "color": shade}
        if point.hollow and not point.saturated:
            dot["markerfacecolor"] = LIGHT.paper
        if point.saturated:
            dot |= {"markersize": 7, "markeredgewidth": 1.8}
        axes.plot([point.x], [point.y], linestyle="none", **{"markersize": 5, **dot})


def _scale(axes: Any, scale: Scale, letter: str) -> None:
    if scale.is_log:
        getattr(axes, f"set_{letter}scale")("log")
    getattr(axes, f"set_{letter}lim")(scale.low, scale.high)
    turned = {"rotation": 30, "ha": "right"} if sum(map(len, scale.categories)) > 90 else {}
    marks = [value for value, _ in scale.ticks]
    getattr(axes, f"set_{letter}ticks")(marks, [text for _, text in scale.ticks], **turned)
    getattr(axes, f"set_{letter}ticks")([], minor=True)
    getattr(axes, f"set_{letter}label")(scale.title)


def _explain(axes: Any, lines: Sequence[Line]) -> None:
    """Add to the legend what crosses, open dots and arrows are."""
    black: dict[str, Any] = {"linestyle": "none", "color": LIGHT.text}
    looks: dict[str, dict[str, Any]] = {
        "saturated": {"marker": "x"},
        "hollow": {"marker": "o", "markerfacecolor": "none"},
        "bound": _BOUND,
    }
    for field in marks(lines):
        axes.plot([], [], label=MARKS[field], **black | looks[field])
