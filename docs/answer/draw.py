"""Draw the six cases of docs/answer.md: who is sent on which channel when, and who waits.

    python docs/answer/draw.py

writes the pictures beside this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent

_LEFT, _TOP, _ROW, _BAR, _T = 92, 34, 34, 22, 62
_COLOURS = {"A": "#3b76c4", "B": "#e08a2e", "C": "#5a9a5a", "D": "#8e5bb5", "E": "#8a8a8a"}


class Bar(NamedTuple):
    """A turn of a packet on a channel, or its wait for one: `waits`; times in T."""

    packet: str
    begin: float
    end: float
    waits: bool = False
    costs: bool = True
    """Whether the wait makes the message late."""


Case = tuple[str, dict[str, list[Bar]]]


def wait(packet: str, begin: float, end: float, *, costs: bool = True) -> Bar:
    """Return a wait for the channel in whose row it is."""
    return Bar(packet, begin, end, waits=True, costs=costs)


CASES: dict[str, Case] = {
    "behind": (
        "1 Behind another, once: A is late by 0.9 T, because of B",
        {
            "b→0": [Bar("B", 0, 1)],
            "a→0": [Bar("A1", 0.1, 1.1), Bar("A2", 1.1, 2.1)],
            "0→1": [
                Bar("B", 1, 2),
                wait("A1", 1.1, 2),
                Bar("A1", 2, 3),
                wait("A2", 2.1, 3, costs=False),
                Bar("A2", 3, 4),
            ],
            "1→c": [Bar("A1", 3, 4), Bar("A2", 4, 5)],
        },
    ),
    "absorbed": (
        "2 Absorbed: A's third packet waits a T, and A is not late",
        {
            "a→0": [Bar("A1", 0, 1), Bar("A2", 1, 2), Bar("A3", 2, 3)],
            "0→1": [
                Bar("A1", 1, 2),
                Bar("A2", 2, 3),
                Bar("B", 3, 4),
                wait("A3", 3, 4, costs=False),
                Bar("A3", 4, 5),
            ],
            "1→c": [Bar("A1", 2, 4), Bar("A2", 4, 6), Bar("A3", 6, 8)],
        },
    ),
    "part": (
        "3 Absorbed in part: A's third packet waits 3 T, and A is late by one",
        {
            "a→0": [Bar("A1", 0, 1), Bar("A2", 1, 2), Bar("A3", 2, 3)],
            "0→1": [
                Bar("A1", 1, 2),
                Bar("A2", 2, 3),
                Bar("B", 3, 4),
                Bar("C", 4, 5),
                Bar("D", 5, 6),
                wait("A3", 3, 6),
                Bar("A3", 6, 7),
            ],
            "1→c": [Bar("A1", 2, 4), Bar("A2", 4, 6), Bar("A3", 7, 9)],
        },
    ),
    "incast": (
        "4 Incast: C is late by 2 T, because of A and B, at its destination's link",
        {
            "a→0": [Bar("A", 0, 1)],
            "b→0": [Bar("B", 0, 1)],
            "e→0": [Bar("C", 0, 1)],
            "0→c": [Bar("A", 1, 2), Bar("B", 2, 3), wait("C", 1, 3), Bar("C", 3, 4)],
        },
    ),
    "spread": (
        "5 Spread: D goes to d, and is late because of an incast at c",
        {
            "f→0": [Bar("D", 0.75, 1.75)],
            "0→1": [
                Bar("A", 1, 1.25),
                Bar("B", 1.25, 1.5),
                Bar("C", 1.5, 1.75),
                Bar("D", 1.75, 2),
            ],
            "1→c": [Bar("A", 1.25, 2.25), Bar("B", 2.25, 3.25), Bar("C", 3.25, 4.25)],
            "1→d": [wait("D", 2, 4.25), Bar("D", 4.25, 5.25)],
        },
    ),
    "ring": (
        "6 Ring on slow inner links: nobody shares a channel, nobody is late",
        {
            "0→1": [Bar("A", 1, 3)],
            "1→2": [Bar("B", 1, 3)],
            "2→3": [Bar("C", 1, 3)],
            "3→0": [Bar("D", 1, 3)],
        },
    ),
}


def picture(case: Case) -> str:
    """Return a case as SVG: a row for each channel, time to the right."""
    title, rows = case
    last = max(bar.end for bars in rows.values() for bar in bars)
    width = round(max(_LEFT + (last + 0.3) * _T, 560))
    height = _TOP + _ROW * len(rows) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="8" y="20" font-weight="bold">{title}</text>',
    ]
    bottom = _TOP + _ROW * len(rows)
    for time in range(int(last) + 1):
        x = _LEFT + time * _T
        parts += [
            f'<line x1="{x}" y1="{_TOP}" x2="{x}" y2="{bottom}" stroke="#dddddd"/>',
            f'<text x="{x}" y="{bottom + 17}" text-anchor="middle" fill="#555555">'
            f"{f'{time} T' if time else '0'}</text>",
        ]
    for place, (channel, bars) in enumerate(rows.items()):
        y = _TOP + place * _ROW + (_ROW - _BAR) / 2
        parts.append(f'<text x="8" y="{y + 16:g}">{channel}</text>')
        for bar in bars:
            parts += _drawn(bar, y)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(bar: Bar, y: float) -> list[str]:
    """Return a turn as a full bar, a wait as a line below it: dashed if it costs nothing."""
    x, width = _LEFT + bar.begin * _T, (bar.end - bar.begin) * _T
    colour = _COLOURS[bar.packet[0]]
    if not bar.waits:
        return [
            f'<rect x="{x:g}" y="{y:g}" width="{width - 1:g}" height="{_BAR}" rx="2" '
            f'fill="{colour}"/>',
            f'<text x="{x + width / 2:g}" y="{y + 15:g}" text-anchor="middle" fill="white">'
            f"{bar.packet}</text>",
        ]
    dashes = "" if bar.costs else ' stroke-dasharray="5 4"'
    return [
        f'<line x1="{x:g}" y1="{y + _BAR + 4:g}" x2="{x + width:g}" y2="{y + _BAR + 4:g}" '
        f'stroke="{colour}" stroke-width="4"{dashes}/>'
    ]


def pictures() -> dict[str, str]:
    """Return all pictures by the names of their files."""
    return {f"{name}.svg": picture(case) for name, case in CASES.items()}


if __name__ == "__main__":
    for name, text in pictures().items():
        (HERE / name).write_text(text, encoding="utf-8")
