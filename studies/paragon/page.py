"""The study as one HTML page: the answer, what is said, and the slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tailback as tb
from studies import page
from studies.claims import Judgement
from studies.curve import Curve
from studies.page import axis, line
from studies.paragon import costs
from studies.paragon.claims import WORDING
from studies.paragon.measured import Measured
from studies.paragon.settings import (
    GROUPINGS,
    NAIVE_SIDES,
    ORDERS,
    READINGS,
    SIDES,
    SIZES,
    STUDY,
    Reading,
)

if TYPE_CHECKING:
    from tailback.figures.look import Look
    from tailback.report.page import Figure

_SLICES = dict(zip(SIDES, (12, 13, 14, 15), strict=True))
"""Number of the figure of each mesh."""


def write(judgements: Sequence[Judgement], measured: Measured) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section, Table

    rows = tuple(tuple(row) for row in costs.rows(measured))
    slices = [_slice(measured, side, reading) for side in SIDES for reading in READINGS]
    sections = (
        Section("What contention costs", (_shares(measured), Table(costs.HEADER, rows))),
        Section("What is said, and what we find", (page.claims_table(judgements, WORDING),)),
        Section("Between the bounds (figures 12 to 15)", tuple(slices)),
        Section("Naive orders (figures 7 to 9)", tuple(_naive(measured, n) for n in NAIVE_SIDES)),
    )
    lead = (
        costs.answer(measured),
        "The measurements of Bokhari and Nicol on the Intel Paragon (1996): every node sends to "
        "every other, with a barrier after so many steps of a schedule. RESULTS.md has all "
        "numbers, and what was assumed.",
    )
    facts = (
        ("runs", f"{len(measured.runs.endings):,}"),
        ("statements judged", str(len(judgements))),
    )
    title = "How much of the Paragon's complete exchange was contention?"
    page.write(STUDY, title, lead, sections, facts)


def _shares(measured: Measured) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = []
    for colour, side in enumerate(SIDES):
        groupings = GROUPINGS[side]
        shares = [costs.contention_share(measured, grouping) for grouping in groupings]
        lines.append(line(f"{side} x {side}", _curve(_places(side), shares), colour))
    drawing = curves(lines, axis(_PLACE), axis("contention, of all", percent=True))
    return Figure("shares", "Which share of the time is contention", drawing)


_PLACE = "barriers left out: 0 is a barrier after every step, 1 is none"


def _places(side: int) -> list[float]:
    """Return where groupings are drawn: their link contention, on a scale of logarithms."""
    import math

    last = math.log(GROUPINGS[side][-1].contention.link)
    return [math.log(g.contention.link) / last for g in GROUPINGS[side]]


def _slice(measured: Measured, side: int, reading: Reading) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    groupings, barrier, x = GROUPINGS[side], reading.us(side), _places(side)
    found = {
        "upper bound": [g.upper_us(barrier) for g in groupings],
        "ours": [measured.total_us(g, reading) for g in groupings],
        "lower bound": [g.lower_us(barrier) for g in groupings],
    }
    lines = []
    for n, (name, times) in enumerate(found.items()):
        look: Look = "solid" if n == 1 else "dashed"
        lines.append(line(name, _curve(x, [us / 1000 for us in times]), n, look))
    name = f"slice_{side}_{READINGS.index(reading)}"
    title = f"{side} x {side}, barriers of {reading.name} us (figure {_SLICES[side]})"
    return Figure(name, title, curves(lines, axis(_PLACE), axis("complete exchange", "ms")))


def _naive(measured: Measured, side: int) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = []
    for colour, (order, words) in enumerate(ORDERS.items()):
        for mode in ("full", "free"):
            look: Look = "solid" if mode == "full" else "dotted"
            times = [measured.naive(side, order, size=s, mode=mode).value / 1000 for s in SIZES]
            name = words if mode == "full" else f"{words}, without contention"
            lines.append(line(name, _curve(list(SIZES), times), colour, look))
    drawing = curves(lines, axis("message", "bytes"), axis("complete exchange", "ms"))
    return Figure(f"naive_{side}", f"Naive orders on {side} x {side}", drawing)


def _curve(x: Sequence[float], y: Sequence[float]) -> Curve:
    return Curve(tuple(map(float, x)), tuple(map(tb.Estimate.exact, y)))
