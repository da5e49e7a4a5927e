"""Colours, dashes and marks: what figures look like.

Colours of lines are those of Okabe and Ito, distinguishable for colour-blind readers, or, where a
number orders the lines, a sequence from light to dark. Lines of one picture differ in marker and
dash as well. Maps go from light for little to dark for much. Paper, font and grid come from the
theme, `LIGHT` or `DARK`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Look = Literal[
    "solid", "long-dashed", "dashed", "dotted", "dash-dotted", "points", "printed", "plain"
]
"""How points are joined. points: not at all; printed: crosses for numbers from a paper; plain: a
thin reference line without markers."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
SCALE = ("#f9d65c", "#ee992c", "#d6602e", "#ab3250", "#701a5e", "#200430")
"""From little to much on white paper: each is darker than the one before."""
SCALE_ON_DARK = ("#40240f", "#773a12", "#b3510f", "#e07a1f", "#f6ad4c", "#ffe7a6")

_NOTHING, _NOTHING_ON_DARK = "#fdf6e0", "#26201c"
"""The lower ends of scales of maps: nearly paper."""
_ORDERED = 9
"""How many colours tell apart lines that a number orders."""

SYMBOLS: dict[str, tuple[tuple[float, float], ...]] = {
    "circle": (),
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "triangle-down": ((-1.15, -0.8), (1.15, -0.8), (0, 1.25)),
    "cross": tuple(
        (x / 3, y / 3)
        for x, y in (
            *((-1.3, -4), (1.3, -4), (1.3, -1.3), (4, -1.3), (4, 1.3), (1.3, 1.3)),
            *((1.3, 4), (-1.3, 4), (-1.3, 1.3), (-4, 1.3), (-4, -1.3), (-1.3, -1.3)),
        )
    ),
    "triangle-right": ((-0.8, -1.15), (1.25, 0), (-0.8, 1.15)),
    "pentagon": ((0, -1.2), (1.14, -0.37), (0.71, 0.97), (-0.71, 0.97), (-1.14, -0.37)),
    "triangle-left": ((0.8, -1.15), (-1.25, 0), (0.8, 1.15)),
}
"""Markers of lines by Plotly's names, as polygons of about radius 1, downwards positive.

A circle has no corners.
"""

_DASHES: dict[Look, str] = {
    "solid": "solid",
    "long-dashed": "14px,4px",
    "dashed": "8px,4px",
    "dotted": "2px,3px",
    "dash-dotted": "8px,3px,2px,3px",
}

TELLING: tuple[Look, ...] = ("solid", "dashed", "dotted", "dash-dotted", "long-dashed")
"""Line styles in the order in which lines of one picture get them."""

MODE_LOOKS: dict[str, Look] = {
    "full": "solid",
    "endpoints": "long-dashed",
    "throttled": "dashed",
    "free": "dotted",
    "ideal": "dash-dotted",
}
"""Line styles of contention modes, where colour has another meaning."""

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
FONT_SIZE = 13


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of everything that is not data."""

    text: str
    faint: str
    """Axis lines and ticks."""
    grid: str
    paper: str
    plot: str
    """Behind the data: visible where a map has no value."""
    instead: tuple[tuple[str, str], ...] = ()
    """Replacements for colours of `LIGHT` and of data."""
    scale: tuple[tuple[float, str], ...] = ()
    """Colours of maps at shares of the highest value."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self) | {"instead": dict(self.instead), "font": FONT, "size": FONT_SIZE}


def _between(colours: Sequence[str], share: float) -> str:
    """Return the colour at a share of a sequence of colours."""
    place = share * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    ends = [[int(shade[i : i + 2], 16) for i in (1, 3, 5)] for shade in colours[first : first + 2]]
    mixed = (round(a + (b - a) * (place - first)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _ordered(colours: Sequence[str]) -> tuple[str, ...]:
    return tuple(_between(colours, step / (_ORDERED - 1)) for step in range(_ORDERED))


def _even(colours: Sequence[str]) -> tuple[tuple[float, str], ...]:
    return tuple((place / (len(colours) - 1), shade) for place, shade in enumerate(colours))


ORDERED, _ORDERED_ON_DARK = _ordered(SCALE[1:]), _ordered(SCALE_ON_DARK[2:])
"""Colours of lines that a number orders, from its lowest to its highest value."""

LIGHT = Theme(
    text="#1d2329",
    faint="#8a949e",
    grid="#e4e8ec",
    paper="#ffffff",
    plot="#ffffff",
    scale=_even((_NOTHING, *SCALE)),
)
_DARK_TEXT, _DARK_FAINT, _DARK_GRID, _DARK_PAPER = "#dfe4e9", "#737e89", "#2e353c", "#171b20"
DARK = Theme(
    text=_DARK_TEXT,
    faint=_DARK_FAINT,
    grid=_DARK_GRID,
    paper=_DARK_PAPER,
    plot=_DARK_PAPER,
    scale=_even((_NOTHING_ON_DARK, *SCALE_ON_DARK)),
    instead=tuple(
        zip(
            (*COLOURS, *ORDERED, LIGHT.text, LIGHT.faint, LIGHT.grid, LIGHT.paper),
            (
                *("#4f86f7", "#f4592f", "#17b98a", "#d977b8", "#7fdcff", "#ffc933", "#ffffff"),
                *_ORDERED_ON_DARK,
                *(_DARK_TEXT, _DARK_FAINT, _DARK_GRID, _DARK_PAPER),
            ),
            strict=True,
        )
    ),
)


def colour(number: int, order: float | None = None) -> str:
    """Return a colour by its number; colours repeat after seven.

    `order`: the place, from 0 to 1, among lines that a number orders; it decides then.
    """
    if order is not None:
        return ORDERED[round(order * (_ORDERED - 1))]
    return COLOURS[number % len(COLOURS)]


def on_map(share: float) -> str:
    """Return the colour of a share of the highest value on a map, on white paper."""
    return _between([shade for _, shade in LIGHT.scale], min(max(share, 0.0), 1.0))


def root_scale(theme: Theme) -> tuple[tuple[float, str], ...]:
    """Return the colours of maps so that they go with the square root of a value."""
    return tuple((share * share, shade) for share, shade in theme.scale)


def symbol(number: int) -> str:
    """Return the marker of a line by its number; with colour and dash it repeats after 280."""
    return list(SYMBOLS)[number % len(SYMBOLS)]


def telling(number: int) -> Look:
    """Return the dash of a line by its number."""
    return TELLING[number % len(TELLING)]


def dash(look: Look) -> str:
    """Return the pattern of a line."""
    return _DASHES.get(look, "solid")


def see_through(hexadecimal: str, opacity: float) -> str:
    """Return a colour `#rrggbb` with an opacity."""
    red, green, blue = (int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
