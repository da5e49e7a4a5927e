"""Times instructions of programs in Python, with all the engine does for them.

``python -m benches.programs`` prints each kind of program against the goal and adds them to
today's record. All run on a hypercube of 64 nodes in fidelity ``packet`` with acknowledgements.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

import tailback as tb
from benches.record import add
from tailback.machines import machine_of
from tailback.units import Time

#: Instructions are to take at most so much, in microseconds of processor time.
GOAL_US = 3.0

ROUNDS = 1000
REPEATS = 5
NODES = 64


async def compute(node: tb.Node) -> None:
    """Compute, each node for another time: no two ask at one instant."""
    for _ in range(ROUNDS):
        await node.compute(Time(10_000_000 + 1009 * node.number))


async def exchange(node: tb.Node) -> None:
    """Send over three links and receive as much: three packets and more hops a round."""
    to, source = (node.number + 21) % NODES, (node.number - 21) % NODES
    for _ in range(ROUNDS):
        node.send(to)
        message = await node.receive(source)
        message.release()


async def ping_pong(node: tb.Node) -> None:
    """Send to a neighbour and back, one at a time."""
    other = node.number ^ 1
    for _ in range(ROUNDS):
        if node.number & 1:
            await node.receive(buffer="32 B")
            node.send(other)
        else:
            node.send(other)
            await node.receive(buffer="32 B")


async def flags(node: tb.Node) -> None:
    """Send several packets, wait for both flags, and for the first bytes."""
    other = node.number ^ 1
    for _ in range(ROUNDS // 4):
        receiving = node.receive(buffer="128 B")
        sent = node.send(other, "128 B")
        await sent.started()
        await receiving.bytes(16)
        await receiving
        await sent


#: Program, its instructions and waits in a round, and its rounds.
PROGRAMS: list[tuple[Callable[..., object], int, int]] = [
    (compute, 1, ROUNDS),
    (exchange, 3, ROUNDS),
    (ping_pong, 2, ROUNDS),
    (flags, 6, ROUNDS // 4),
]


def instruction_us(program: Callable[..., object], instructions: int) -> float:
    """Return the processor time of one instruction: the least of several runs."""
    workload = tb.PythonProgram(function=program)
    machine = machine_of({"preset": "t9000_c104", "topology": {"kind": "hypercube"}})
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        tb.run(machine, workload)
        best = min(best, time.process_time() - began)
    return best / (NODES * instructions) * 1e6


def main() -> None:
    """Measure, print, record."""
    console, shown = Console(), Table("program", "us an instruction", "goal", "")
    measured = {}
    for program, instructions, rounds in PROGRAMS:
        name = getattr(program, "__name__", "")
        value = instruction_us(program, instructions * rounds)
        measured[name] = {"us_per_instruction": value, "goal": GOAL_US}
        reached = "" if value <= GOAL_US else "missed"
        shown.add_row(name, f"{value:.2f}", f"{GOAL_US:g}", reached)
    console.print(shown)
    console.print(f"recorded in {add({'programs': measured})}")


if __name__ == "__main__":
    main()
