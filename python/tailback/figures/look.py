"""Colours, dashes and marks: what figures look like.

Colours of lines are those of Okabe and Ito, distinguishable
for colour-blind readers; maps use viridis, whose lightness is uniform. Paper, font
and grid come from the theme, `LIGHT` or `DARK`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Look = Literal[
    "solid", "long-dashed", "dashed", "dotted", "dash-dotted", "points", "printed", "plain"
]
"""How points are joined. points: not at all; printed: crosses for numbers from a paper; plain: a
thin reference line without markers."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
COLOUR_SCALE = "Viridis"

_SYMBOLS = ("circle", "cross", "square", "diamond", "triangle-up")
_DASHES: dict[Look, str] = {
    "solid": "solid",
    "long-dashed": "14px,4px",
    "dashed": "8px,4px",
    "dotted": "2px,3px",
    "dash-dotted": "8px,3px,2px,3px",
}

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

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self) | {"instead": dict(self.instead), "font": FONT, "size": FONT_SIZE}


LIGHT = Theme(text="#1d2329", faint="#8a949e", grid="#e4e8ec", paper="#ffffff", plot="#ffffff")
_DARK_TEXT, _DARK_FAINT, _DARK_GRID, _DARK_PAPER = "#dfe4e9", "#737e89", "#2e353c", "#171b20"
DARK = Theme(
    text=_DARK_TEXT,
    faint=_DARK_FAINT,
    grid=_DARK_GRID,
    paper=_DARK_PAPER,
    plot=_DARK_PAPER,
    instead=tuple(
        zip(
            (*COLOURS, LIGHT.text, LIGHT.faint, LIGHT.grid, LIGHT.paper),
            (
                *("#4f86f7", "#f4592f", "#17b98a", "#d977b8", "#7fdcff", "#ffc933", "#ffffff"),
                *(_DARK_TEXT, _DARK_FAINT, _DARK_GRID, _DARK_PAPER),
            ),
            strict=True,
        )
    ),
)


def colour(number: int) -> str:
    """Return a colour by its number; colours repeat after seven."""
    return COLOURS[number % len(COLOURS)]


def symbol(number: int, look: Look) -> str:
    """Return the marker of a line; markers differ by look, and again when colours repeat."""
    of_look = list(_DASHES).index(look) if look in _DASHES else 0
    return _SYMBOLS[(number // len(COLOURS) + of_look) % len(_SYMBOLS)]


def dash(look: Look) -> str:
    """Return the pattern of a line."""
    return _DASHES.get(look, "solid")


def see_through(hexadecimal: str, opacity: float) -> str:
    """Return a colour `#rrggbb` with an opacity."""
    red, green, blue = (int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
