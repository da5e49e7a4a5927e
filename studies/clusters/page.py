"""The study as one HTML page: the answer, what is said, and figures of latencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tailback as tb
from studies import page
from studies.claims import Judgement
from studies.clusters import costs, published
from studies.clusters.claims import WORDING, slowest_us
from studies.clusters.measured import Runs
from studies.clusters.settings import BLAMED_SIZE, NETWORKS, SIZES, STUDY, exchange
from studies.curve import Curve
from studies.page import axis, line

if TYPE_CHECKING:
    from tailback.report.page import Figure, Table

_BLAMED = ("", "lateness by kind", "channels at the root of most lateness")


def write(judgements: Sequence[Judgement], runs: Runs) -> None:
    """Write the page; the same runs give the same bytes."""
    from tailback.report.page import Section, Table

    table = Table(costs.HEADER, tuple(tuple(row) for row in costs.rows(runs)))
    sections = (
        Section("What contention costs", (table,)),
        Section(
            f"Who is to blame: fan_in, messages of {BLAMED_SIZE} bytes", (_blamed(runs, "fan_in"),)
        ),
        Section(
            f"Who is to blame: torus, messages of {BLAMED_SIZE} bytes", (_blamed(runs, "torus"),)
        ),
        Section("What is said, and what we find", (page.claims_table(judgements, WORDING),)),
        Section("Figure 18: mesh", (_latencies(runs, "mesh"),)),
        Section("Figure 20: torus", (_latencies(runs, "torus"),)),
        Section(
            "Figures 15 to 17: fan_in and fan_out", (_fans(runs, "fan_in"), _fans(runs, "fan_out"))
        ),
    )
    lead = (
        costs.answer(runs),
        "Five programs on three networks of 256 hosts, as Chen and Wyckoff simulated them. "
        "RESULTS.md has "
        "all numbers, what was assumed, and two switches that pause each other for ever.",
    )
    facts = (("programs", str(len(runs))), ("statements judged", str(len(judgements))))
    page.write(STUDY, "Which network should a cluster have?", lead, sections, facts)


def _blamed(runs: Runs, program: str) -> Table:
    from tailback.report.page import Table

    return Table(_BLAMED, tuple(tuple(row) for row in costs.blamed(runs, program)))


def _latencies(runs: Runs, program: str) -> Figure:
    """Return the mean latency by size, ours and printed."""
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = []
    for colour, network in enumerate(NETWORKS):
        ours = [runs.of(exchange(network, program, size)).latency_us["avg"] for size in SIZES]
        printed = [float(published.latencies(program, network, size)["avg"]) for size in SIZES]
        lines.append(line(network.name, _curve(ours), colour))
        lines.append(line(f"{network.name} printed", _curve(printed), colour, "printed"))
    drawing = curves(lines, axis("message", "bytes"), axis("mean latency", "µs"))
    return Figure(program, f"Latency of {program}, ours and printed", drawing)


def _fans(runs: Runs, program: str) -> Figure:
    from tailback.figures.curves import curves
    from tailback.report.page import Figure

    lines = [
        line(network.name, _curve([slowest_us(runs, network, program, s) for s in SIZES]), colour)
        for colour, network in enumerate(NETWORKS)
    ]
    drawing = curves(lines, axis("message", "bytes"), axis("largest latency", "µs"))
    return Figure(program, f"The largest latency of {program}", drawing)


def _curve(y: Sequence[float]) -> Curve:
    return Curve(tuple(map(float, SIZES)), tuple(map(tb.Estimate.exact, y)))
