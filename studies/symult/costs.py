"""How much of the time was contention at all: the answer of the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studies.symult import published
from studies.symult.loops import PARTS, Loop, Loops
from studies.symult.settings import (
    FAST_FLIT_NS,
    FLIT_NS,
    PATTERNS,
    TRANSPOSED_SIDES,
    Case,
    near_neighbours,
    transpose,
    transposed_loops,
)

HEADER = (
    "",
    "loop, us",
    "of it communication",
    "theta_t",
    "theta_r",
    "theta_r, network",
    "theta_r, endpoints",
    "latency, us",
    "software, %",
    "wires, %",
    "waiting at the source, %",
    "contention, %",
)


def experiments() -> Iterator[tuple[str, Case]]:
    """Yield the experiments of which the costs are told, with their names."""
    sizes = published.sizes()
    for pattern in PATTERNS:
        for size in (sizes[1], sizes[-1]):
            name = pattern.replace("_", "-")
            yield f"figure 12, {name}, {size} B", near_neighbours(pattern, size)
    for flit in (FLIT_NS, FAST_FLIT_NS):
        yield f"figure 8, matrix transpose, 64 nodes, 4096 B, {flit:g} ns", transpose(flit_ns=flit)
    for side in TRANSPOSED_SIDES:
        case = transpose(side, 8192, FLIT_NS, transposed_loops(side))
        yield f"matrix transpose, {side * side} nodes, 8192 B", case


def share_us(loop: Loop) -> Sequence[float]:
    """Return what the latency of a message consists of, in percent."""
    total = sum(loop.parts_us.values())
    return [100 * loop.parts_us[part] / total for part in PARTS]


def rows(loops: Loops) -> list[list[str]]:
    """Return the table of costs: an experiment in each row."""
    made = []
    for name, case in experiments():
        loop = loops.of(case)
        communication = loop.mean_us()
        thetas = ("theta_t", "theta_r", "theta_r_network", "theta_r_endpoints")
        made.append(
            [
                name,
                f"{communication + case.compute_us:.0f}",
                f"{communication:.0f}",
                *(f"{loop.thetas[theta]:.3f}" for theta in thetas),
                f"{sum(loop.parts_us.values()):.0f}",
                *(f"{share:.1f}" for share in share_us(loop)),
            ]
        )
    return made


def answer(loops: Loops) -> str:
    """Return the answer in a few sentences."""
    printed = [loops.of(case) for name, case in experiments() if name.startswith("figure")]
    worst = min(loop.thetas["theta_r"] for loop in printed)
    software = [share_us(loop)[0] for loop in printed]
    contention = [share_us(loop)[3] for loop in printed]
    waiting = [share_us(loop)[2] for loop in printed]
    largest = loops.of(transpose(12, 8192, FLIT_NS, transposed_loops(12)))
    return (
        f"Hardly any. In the experiments with printed numbers contention for channels leaves "
        f"theta_r = {worst:.3f} or more: without it the same loops would be at most "
        f"{100 * (1 / worst - 1):.0f} % faster. Of the time of a message {min(software):.0f} to "
        f"{max(software):.0f} % is software on the one CPU of either end, at most "
        f"{max(contention):.1f} % waiting in the network, and at most {max(waiting):.1f} % waiting "
        "for the first channel. It takes the largest machine, the longest messages and a pattern "
        "that sends everything over the links of two corners to change that: matrix transpose on "
        f"144 nodes with 8192 bytes has theta_r = {largest.thetas['theta_r']:.3f}."
    )
