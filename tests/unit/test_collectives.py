"""Collectives in programs: equal to the same algorithms written with sends and receives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_args

import pytest

import tailback as tb
from tailback.door import ALGORITHMS, OPERATIONS
from tailback.errors import RunFailure, UserError
from tailback.machines.collectives import OPERATIONS as NAMED
from tailback.machines.collectives import Algorithm
from tailback.machines.reading import machine_of
from tailback.programs import Node
from tailback.units import Size
from tailback.workloads import Program, PythonProgram

Code = Callable[[Node], Awaitable[None]]
BYTES = 2400

PLAIN = tb.Machine(topology=tb.Mesh(dims=[3, 2]), link=tb.Link(rate="8 Gbit/s"))
COSTLY = tb.Machine(
    topology=tb.Mesh(dims=[3, 2]),
    link=tb.Link(rate="8 Gbit/s"),
    interface=tb.Interface(send_overhead="3 us", receive_overhead="2 us"),
)
MACHINES = {
    "plain": PLAIN,
    "t9000": machine_of({"preset": "t9000_c104", "topology": {"kind": "mesh", "dims": [3, 2]}}),
    "costly": COSTLY,
}


def finished(code: Code, machine: tb.Machine) -> tuple[list[int], list[list[tuple[str, Any]]]]:
    """Return when each process was done, and all packets but for the numbers of messages."""
    result = tb.run(machine, PythonProgram(function=code), packets=True)
    rows = [sorted((row | {"message": 0}).items()) for row in result.packets.to_pylist()]
    return result.processes["completed_ps"].to_pylist(), sorted(rows)


async def exchanged(
    node: Node, to: int | None, source: int | None, size: int, kept: list[Any], kind: int
) -> None:
    """Send in a round, and wait for what is received in it."""
    if to is not None:
        kept.append(node.send(to, Size(size), type=kind))
    if source is not None:
        message = await node.receive(source, kind)
        message.release()


async def dissemination(node: Node) -> None:
    kept: list[Any] = []
    far, kind = 1, 0
    while far < node.nodes:
        on, back = (node.number + far) % node.nodes, (node.number - far) % node.nodes
        await exchanged(node, on, back, 0, kept, kind)
        far, kind = 2 * far, kind + 1
    for sent in kept:
        await sent


async def ring(node: Node) -> None:
    kept: list[Any] = []
    on, back = (node.number + 1) % node.nodes, (node.number - 1) % node.nodes
    for kind in range(2 * (node.nodes - 1)):
        await exchanged(node, on, back, BYTES // node.nodes, kept, kind)
    for sent in kept:
        await sent


async def doubling(node: Node) -> None:
    """Of six: two pairs fold, four work."""
    kept: list[Any] = []
    me = node.number
    if me < 4 and me % 2 == 0:
        await exchanged(node, me + 1, None, BYTES, kept, 0)
        await exchanged(node, None, me + 1, BYTES, kept, 3)
    else:
        workers = [1, 3, 4, 5]
        if me < 4:
            await exchanged(node, None, me - 1, BYTES, kept, 0)
        for kind, bit in ((1, 1), (2, 2)):
            peer = workers[workers.index(me) ^ bit]
            await exchanged(node, peer, peer, BYTES, kept, kind)
        if me < 4:
            await exchanged(node, me - 1, None, BYTES, kept, 3)
    for sent in kept:
        await sent


async def binomial(node: Node) -> None:
    """From node 2, the largest part first."""
    kept: list[Any] = []
    me = (node.number - 2) % node.nodes
    span = 8
    while span > 1:
        span //= 2
        if me % (2 * span) == span:
            await exchanged(node, None, (me - span + 2) % node.nodes, BYTES, kept, span)
        elif me % (2 * span) == 0 and me + span < node.nodes:
            await exchanged(node, (me + span + 2) % node.nodes, None, BYTES, kept, span)
    for sent in kept:
        await sent


async def pairwise(node: Node) -> None:
    kept: list[Any] = []
    for far in range(1, node.nodes):
        on, back = (node.number + far) % node.nodes, (node.number - far) % node.nodes
        await exchanged(node, on, back, BYTES, kept, far)
    for sent in kept:
        await sent


SAME: list[tuple[Code, str, dict[str, Any]]] = [
    (dissemination, "barrier", {"algorithm": "dissemination"}),
    (ring, "all_reduce", {"algorithm": "ring"}),
    (doubling, "all_reduce", {"algorithm": "recursive_doubling"}),
    (binomial, "broadcast_from", {"algorithm": "binomial"}),
    (pairwise, "all_to_all", {"algorithm": "pairwise"}),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("written", "name", "more"), SAME)
def test_a_collective_takes_as_long_as_its_messages(
    written: Code, name: str, more: dict[str, Any], machine: str
) -> None:
    async def late(node: Node) -> None:
        await node.compute(f"{7 * node.number % 5} us")
        await written(node)

    async def called(node: Node) -> None:
        await node.compute(f"{7 * node.number % 5} us")
        lengths = {"barrier": [], "broadcast_from": [2, Size(BYTES)]}
        await getattr(node, name)(*lengths.get(name, [Size(BYTES)]), **more)

    assert finished(called, MACHINES[machine]) == finished(late, MACHINES[machine])


def test_steps_and_programs_mean_the_same() -> None:
    steps = [
        {"compute": "1 us"},
        {"barrier": "all"},
        {"all_reduce": "60 kB", "algorithm": "rabenseifner"},
        {"reduce": "1 kB", "root": 3, "group": [5, 3, 1, 0, 2, 4]},
        {"all_gather": ["1 B", "2 B", "3 B", "4 B", "5 B", "6 B"]},
    ]
    process = [{"node": node, "repeat": 1, "steps": steps} for node in range(6)]

    async def called(node: Node) -> None:
        await node.compute("1 us")
        await node.barrier()
        await node.all_reduce("60 kB", algorithm="rabenseifner")
        await node.reduce("1 kB", root=3, group=[5, 3, 1, 0, 2, 4])
        await node.all_gather([f"{count} B" for count in range(1, 7)])

    result = tb.run(PLAIN, Program(process=process))
    assert result.processes["completed_ps"].to_pylist() == finished(called, PLAIN)[0]


def test_collectives_do_not_take_messages_of_the_program() -> None:
    got = []

    async def code(node: Node) -> None:
        wild = node.receive() if node.number == 0 else None
        await node.barrier()
        await node.all_reduce("3 kB")
        if node.number == 1:
            await node.compute("1 ms")
            await node.send(0, "8 B", type=7)
        if wild is not None:
            message = await wild
            got.append((message.source, message.type))
            message.release()

    finished(code, PLAIN)
    assert got == [(1, 7)]


def mistake(code: Code, machine: tb.Machine = PLAIN) -> str:
    with pytest.raises((UserError, RunFailure)) as caught:
        finished(code, machine)
    return str(caught.value)


def test_mistakes_are_one_line() -> None:
    def of(name: str, *given: Any, **more: Any) -> Code:
        async def code(node: Node) -> None:
            await getattr(node, name)(*given, **more)

        return code

    assert "barrier.group = 0: is named twice" in mistake(of("barrier", group=[0, 0]))
    assert "barrier.group = 6: must be a node of the machine, 0 to 5" in mistake(
        of("barrier", group=[0, 6])
    )
    assert "must have node 0 itself in it" in mistake(of("barrier", group=[1, 2]))
    assert 'barrier.algorithm = "rin"' in mistake(of("barrier", algorithm="rin"))
    assert "reduce.root = 9: must be one of the group" in mistake(of("reduce", "8 B", root=9))
    assert "must be one length for all_reduce" in mistake(of("all_reduce", ["8 B"] * 6))
    line = mistake(of("all_to_all", ["8 B"] * 6, receives=["9 B"] * 6))
    assert "is what process 0 sends to process 0, which expects 9 B" in line


def test_members_that_disagree_are_told_apart() -> None:
    async def code(node: Node) -> None:
        await node.all_reduce("1 kB" if node.number else "2 kB")

    expected = "must be 2000 B as process 0 has it, in collective 0 of all processes"
    assert mistake(code) == f'process 1: all_reduce.size = "1000 B": {expected}'


def test_who_is_missing_is_named_with_the_line() -> None:
    async def code(node: Node) -> None:
        if node.number != 2:
            await node.barrier()

    line = mistake(code)
    assert "waits for process 2 in the barrier of all processes" in line
    assert "test_collectives.py:" in line


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"barrier": "fre"}, 'machine.interface.barrier = "fre": must be "messages", "free"'),
        ({"barrier": {"bas": "1 us"}}, 'did you mean "base"?'),
        ({"barrier": {"base": "1"}}, 'machine.interface.barrier.base = "1": needs a unit'),
        ({"collectives": "mpic"}, 'machine.interface.collectives = "mpic"'),
        ({"collectives": {"barrier": "free"}}, "is a key of machine.interface"),
        ({"collectives": {"reduce": "rin"}}, 'machine.interface.collectives.reduce = "rin"'),
    ],
)
def test_what_no_collective_can_be_is_refused(keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        tb.Interface(**keys)
    assert expected in str(caught.value)


def test_a_price_that_is_negative_is_told_with_the_formula() -> None:
    machine = tb.Machine(
        topology=tb.Mesh(dims=[2, 2]),
        interface=tb.Interface(barrier={"base": "-134 us", "per_log2": "27.1 us"}),
    )

    async def code(node: Node) -> None:
        await node.barrier()

    assert mistake(code, machine) == (
        "machine.interface.barrier = -134 us + 27.1 us · log2 n: "
        "must not be negative, and is -79.8 us for n = 4"
    )


def test_a_formula_is_what_a_barrier_takes() -> None:
    formula = {"base": "134 us", "per_log2": "27.1 us"}
    machine = tb.Machine(topology=tb.Mesh(dims=[2, 2]), interface=tb.Interface(barrier=formula))

    async def code(node: Node) -> None:
        await node.compute(f"{node.number} us")
        await node.barrier()

    assert finished(code, machine)[0] == [(3_000_000 + 134_000_000 + 54_200_000)] * 4


def test_words_are_those_of_the_engine() -> None:
    assert get_args(Algorithm) == ALGORITHMS
    assert NAMED == OPERATIONS


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"barrier": [0, 9]}, "steps[0].barrier = 9: must be at most 5, the last process"),
        ({"barrier": [1, 2]}, "steps[0].barrier = [1, 2]: must have process 0 itself in it"),
        ({"barrier": [0, 0]}, "steps[0].barrier = 0: is named twice"),
        ({"barrier": []}, 'must be "all" or a list of process numbers'),
        ({"reduce": "8 B", "root": 5, "group": [0, 1]}, "root = 5: must be one of the group"),
        ({"gather": ["8 B"]}, "gather = 1 entries: must be one for each of the 6 processes"),
        ({"all_reduce": "8 B", "algorithm": "rin"}, 'algorithm = "rin"'),
    ],
)
def test_steps_that_cannot_be_are_refused(step: dict[str, Any], expected: str) -> None:
    process = [{"node": node, "repeat": 1, "steps": [step]} for node in range(6)]
    with pytest.raises(UserError) as caught:
        Program(process=process)
    assert expected in str(caught.value)


def test_the_loads_of_collectives_are_predicted() -> None:
    step = {"all_to_all": "1 kB", "algorithm": "pairwise"}
    process = [{"node": node, "repeat": 1, "steps": [step]} for node in range(6)]
    predicted = tb.describe(PLAIN, Program(process=process))
    assert predicted.pairs == 30


@pytest.mark.parametrize(("size", "best"), [(480_000, "ring"), (400_000, "recursive_doubling")])
def test_all_reduces_take_what_their_formulas_say(size: int, best: str) -> None:
    """On a star: 3 us a message, 80.64 ps a byte; ring and doubling cross at 455 kB."""
    count, start, per_byte = 16, 3.0, 1.008 / 12_500
    expected = {
        "ring": 2 * (count - 1) * (start + size / count * per_byte),
        "recursive_doubling": 4 * (start + size * per_byte),
        "rabenseifner": 8 * start + 2 * (count - 1) / count * size * per_byte,
    }
    took = {}
    for algorithm in expected:
        step = {"all_reduce": f"{size} B", "algorithm": algorithm}
        processes = [{"node": node, "repeat": 1, "steps": [step]} for node in range(count)]
        tables = {
            "machine": {
                "topology": {"kind": "star", "nodes": count},
                "link": {"rate": "100 Gbit/s", "delay": "500 ns"},
                "interface": {"send_overhead": "1 us", "receive_overhead_after": "1 us"},
            },
            "workload": {"kind": "program", "process": processes},
        }
        took[algorithm] = tb.run(tb.Experiment.from_dict(tables))["completion_us"].value
    assert took == pytest.approx(expected, rel=2e-3)
    assert min(("ring", "recursive_doubling"), key=took.__getitem__) == best
