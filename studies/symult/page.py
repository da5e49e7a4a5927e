"""The study as one HTML page: the answer, what is said, and two figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tailback as tb
from studies import page
from studies.claims import Judgement
from studies.curve import Curve
from studies.page import axis, line
from studies.symult import costs, numbers, published
from studies.symult.claims import WORDING
from studies.symult.loops import Loops
from studies.symult.settings import (
    FAST_FLIT_NS,
    FLIT_NS,
    PATTERNS,
    STUDY,
    near_neighbours,
)

if TYPE_CHECKING:
    from tailback.report.page import Figure


def write(judgements: Sequence[Judgement], loops: Loops) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section, Table

    header, rows = costs.HEADER, tuple(tuple(row) for row in costs.rows(loops))
    sections = (
        Section("What contention costs", (Table(header, rows), _near(loops, free=True))),
        Section("What is said, and what we find", (page.claims_table(judgements, WORDING),)),
        Section("Figure 12: near neighbours", (_near(loops, free=False),)),
        Section("Figure 8: matrix transpose on 64 nodes", (_distances(loops),)),
    )
    lead = (
        costs.answer(loops),
        "The measurements of Chittor and Enbody on the Symult 2010 (1990): loops in which a node "
        "computes and exchanges a message with a peer, or with four. Communication is the time of "
        "a loop less that of computing. RESULTS.md has all numbers, and what was assumed.",
    )
    facts = (("loops", str(len(loops))), ("statements judged", str(len(judgements))))
    page.write(STUDY, "How much of the Symult 2010's time was contention?", lead, sections, facts)


def _near(loops: Loops, *, free: bool) -> Figure:
    """Return communication by size, beside what is printed or what it is without contention."""
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    sizes = published.sizes()
    lines = []
    for colour, pattern in enumerate(PATTERNS):
        name = pattern.replace("_", "-")
        ours = [numbers.near_us(loops, pattern, size) / 1000 for size in sizes]
        lines.append(line(name, _curve(sizes, ours), colour))
        if free:
            beside = [loops.of(near_neighbours(pattern, s)).mean_us("free") / 1000 for s in sizes]
            lines.append(
                line(f"{name} without contention", _curve(sizes, beside), colour, "dotted")
            )
        else:
            printed = [float(published.near_neighbours(pattern, size)) for size in sizes]
            lines.append(line(f"{name} printed", _curve(sizes, printed), colour, "printed"))
    vertical = axis("communication of a loop", "ms")
    name = "near_free" if free else "near_printed"
    title = "with and without contention" if free else "ours and printed"
    drawing = curves(lines, axis("message", "bytes"), vertical)
    return Figure(name, f"Near neighbours, {title}", drawing)


def _distances(loops: Loops) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    found = {
        "printed": numbers.by_distance(numbers.printed_delays()),
        f"{FLIT_NS:g} ns a flit": numbers.by_distance(numbers.figure_8(loops, FLIT_NS)),
        f"{FAST_FLIT_NS:g} ns a flit": numbers.by_distance(numbers.figure_8(loops, FAST_FLIT_NS)),
    }
    lines = [
        line(name, _curve(list(means), list(means.values())), n, "solid" if n else "printed")
        for n, (name, means) in enumerate(found.items())
    ]
    drawing = curves(lines, axis("|i - j|"), axis("longer than the shortest loop", "µs"))
    return Figure("transpose", "Mean delay by distance from the diagonal", drawing)


def _curve(x: Sequence[float], y: Sequence[float]) -> Curve:
    return Curve(tuple(map(float, x)), tuple(map(tb.Estimate.exact, y)))
