"""What is made of the loops: lines through times, deviations, delays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from studies.symult import published
from studies.symult.loops import Loops
from studies.symult.settings import (
    LONG,
    PATTERNS,
    SHORT,
    along_the_diagonal,
    law,
    near_neighbours,
    transpose,
    transposed_loops,
)


def message_us(loops: Loops, size: int) -> float:
    """Return the time of a message without contention: half of what a loop communicates."""
    return loops.of(law(size)).mean_us() / 2


def fitted(loops: Loops, sizes: Sequence[int]) -> tuple[float, float]:
    """Return alpha in us and beta in us per byte of the line through the times of some sizes."""
    slope, intercept = np.polyfit(sizes, [message_us(loops, size) for size in sizes], 1)
    return float(intercept), float(slope)


def components(loops: Loops) -> dict[str, float]:
    """Return the numbers of section 4: of a message of 4096 bytes, its flits and its software."""
    (_, short), (_, long) = fitted(loops, SHORT), fitted(loops, LONG)
    return {
        "message_ms": message_us(loops, 4096) / 1000,
        "channel_us": 256 * short,
        "software_us": 256 * (long - short),
    }


def by_path(loops: Loops) -> dict[int, float]:
    """Return the time of a message in us by the channels between switches on its way."""
    found = loops.of(along_the_diagonal()).communication_us["full"]
    return {2 * abs(11 - 2 * (node // 13)): us / 2 for node, us in found.items()}


def deviations(loops: Loops) -> dict[tuple[str, int], float]:
    """Return ours over what figure 12 prints, less one, by pattern and size."""
    return {
        (pattern, size): near_us(loops, pattern, size)
        / 1000
        / float(published.near_neighbours(pattern, size))
        - 1
        for pattern in PATTERNS
        for size in published.sizes()
    }


def near_us(loops: Loops, pattern: str, size: int, mode: str = "full") -> float:
    """Return the communication time of a loop of figure 12."""
    return loops.of(near_neighbours(pattern, size)).mean_us(mode)


def root_mean_square(values: Sequence[float]) -> float:
    """Return the root of the mean of the squares."""
    return math.sqrt(sum(value**2 for value in values) / len(values))


def printed_delays() -> dict[int, float]:
    """Return how much longer than the shortest the loops of figure 8 are, in us, by node."""
    times = published.transpose_us()
    least = min(times.values())
    return {node: time - least for node, time in times.items()}


def figure_8(loops: Loops, flit_ns: float) -> dict[int, float]:
    """Return our delays of figure 8 in us, by node."""
    return loops.of(transpose(flit_ns=flit_ns)).delays_us()


def by_distance(delays: Mapping[int, float]) -> dict[int, float]:
    """Return the mean delay of nodes (i, j) by |i - j|."""
    groups: dict[int, list[float]] = {}
    for node, delay in delays.items():
        groups.setdefault(abs(node // 8 - node % 8), []).append(delay)
    return {distance: sum(found) / len(found) for distance, found in sorted(groups.items())}


def correlation(ours: Mapping[int, float]) -> float:
    """Return how alike our delays and the printed ones are over the nodes: 1 is alike."""
    printed = printed_delays()
    pairs = [(delay, printed[node]) for node, delay in ours.items()]
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


def transposed(loops: Loops, side: int, size: int, flit_ns: float) -> tuple[float, float]:
    """Return the mean delay of a loop over the nodes, and the largest, in us."""
    case = transpose(side, size, flit_ns, transposed_loops(side))
    delays = list(loops.of(case).delays_us().values())
    return sum(delays) / len(delays), max(delays)
