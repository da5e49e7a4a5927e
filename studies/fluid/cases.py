"""What is run: lists of messages on one machine, which both fidelities get."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SIDE = 8
NODES = SIDE * SIDE
MODES = ("full", "endpoints", "free")
LOADS = (0.1, 0.3, 0.5, 0.8)
"""Of what a node's link carries, at every node."""

SIZE = 4096
"""Bytes of a message: 16 packets, a little more than 4 us."""

Row = tuple[str, int, int, str]

MACHINE: dict[str, Any] = {
    "topology": {"kind": "mesh", "dims": [SIDE, SIDE]},
    "link": {"rate": "8 Gbit/s", "delay": "10 ns", "end_token": False},
    "switch": {"switching": "cut_through", "input_buffer": "2 kB", "delay": "20 ns"},
    "interface": {"header": "1 B", "packet_size": "256 B", "acknowledgements": False},
}
"""A byte per nanosecond on every link, room for seven packets in every buffer."""

PARAGON: dict[str, Any] = {
    "topology": {"kind": "mesh", "dims": [SIDE, SIDE]},
    "link": {"rate": "1454545455 bit/s", "end_token": False},
    "switch": {"switching": "cut_through", "input_buffer": "4 kB"},
    "interface": {
        "header": "1 B",
        "packet_size": "1792 B",
        "acknowledgements": False,
        "send_overhead": "231 us",
        "overhead_variation": 0.2,
        "packet_interval_per_byte": "22 ns/B",
        "receive_fifo": 2,
        "drain_rate": "363636364 bit/s",
    },
}
"""What messages cost on the Paragon; buffers hold two packets, which are sent as a whole."""


@dataclass(frozen=True)
class Case:
    """Messages on a machine."""

    name: str
    rows: tuple[Row, ...]
    machine: str = "plain"

    @property
    def tables(self) -> dict[str, Any]:
        """Return the experiment but for the fidelity."""
        machine = MACHINE if self.machine == "plain" else PARAGON
        return {"machine": machine, "workload": {"kind": "messages", "messages": self.rows}}


def _row(nanoseconds: float, source: int, destination: int, size: int = SIZE) -> Row:
    return (f"{round(nanoseconds)} ns", source, destination, f"{size} B")


def _uniform(load: float, each: int = 60) -> Case:
    dice, rows = random.Random(1), []
    for source in range(NODES):
        at = 0.0
        for _ in range(each):
            at += dice.expovariate(load / SIZE)
            to = dice.randrange(NODES - 1)
            rows.append(_row(at, source, to + (to >= source)))
    return Case(f"uniform random, load {load:g}", tuple(rows))


def _neighbours(source: int) -> Iterator[int]:
    x, y = source % SIDE, source // SIDE
    for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if 0 <= a < SIDE and 0 <= b < SIDE:
            yield a + SIDE * b


def _passing() -> Iterator[tuple[float, int, int, int]]:
    """Yield messages to a node from all its neighbours, and one that goes by."""
    hot = 27
    for number, source in enumerate((hot + 1, hot - SIDE, hot + SIDE, hot - 1)):
        yield number, source, hot, 100_000
    yield 4, hot - 2, hot + 2, 100_000


def cases() -> list[Case]:
    """Return everything that is run; nobody sends at quite the instant that others do."""
    dice = random.Random(2)

    def start() -> float:
        return 1000 * dice.random()

    everybody = range(NODES)
    exchange = [(start(), node, to) for node in everybody for to in _neighbours(node)]
    shifted = [
        (start() + step, node, (node + step) % NODES)
        for node in everybody
        for step in range(1, NODES)
    ]
    one = [(start(), node, 27) for node in everybody if node != 27]
    long = [
        (start() + step, node, (node + step) % NODES, 15232)
        for node in everybody
        for step in range(1, NODES)
    ]
    return [
        *(_uniform(load) for load in LOADS),
        Case("neighbours, each with all", tuple(_row(*row) for row in exchange)),
        Case("all to one", tuple(_row(*row) for row in one)),
        Case("passing a busy node", tuple(_row(*row) for row in _passing())),
        Case("all to all", tuple(_row(*row) for row in shifted)),
        Case("complete exchange, Paragon", tuple(_row(*row) for row in long), "paragon"),
    ]
