"""What programs say to their node, without an engine; files and functions they come from."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.programs import ANY, Node, Processes, from_file, from_function, wire
from tailback.units import Size, Time
from tailback.workloads import PythonProgram

Function = Callable[[Node], Coroutine[Any, Any, Any]]


def begun(program: Function, nodes: int = 8, **more: Any) -> tuple[Processes, list[int]]:
    """Return processes and what process 3 says first."""
    processes = Processes(from_function(program), nodes, more.get("places"), seed=1)
    processes.begin(lambda node: [node ^ 1, node ^ 2])
    return processes, list(processes.answer(0, [(3, None)]))


def told(flag: int, **message: int) -> wire.Told:
    """Return what a process is told of an operation."""
    names = ("source", "type", "bytes", "arrived", "operation")
    source, kind, length, arrived, operation = (message.get(name, 0) for name in names)
    return flag, source, kind, length, arrived, operation


def mistake(program: Function, **more: Any) -> str:
    """Return the line with which a program ends at once."""
    with pytest.raises(UserError) as caught:
        begun(program, **more)
    return str(caught.value).partition("process on node 3: ")[2]


def test_instructions_are_said_in_order_with_the_process_before_each() -> None:
    async def program(node: Node) -> None:
        node.send(5, "64 B", type=2)
        node.broadcast(Size(16), type=1)
        node.broadcast("8 B", to=[1, 2])
        node.receive(7, 4, buffer="1 kB")
        node.receive(ANY, ANY)
        await node.compute("10 us")

    _, words = begun(program)
    assert words == [
        *(3, wire.SEND, 5, 2, 64),
        *(3, wire.BROADCAST, 1, 16),
        *(3, wire.BROADCAST_NEAR, 0, 8, 2, 1, 2),
        *(3, wire.RECEIVE, 7, 4, 1),
        *(3, wire.RECEIVE, -1, -1, 0),
        *(3, wire.COMPUTE, 10_000_000),
    ]


def test_waits_name_the_operation_and_how_far_it_must_have_come() -> None:
    heard: list[object] = []

    async def program(node: Node) -> None:
        sent = node.send(0)
        receiving = node.receive()
        heard.append(await sent.started())
        await sent
        heard.append(await sent.flag())
        heard.append(await receiving.flag())
        heard.append(await receiving.begun())
        heard.append(await receiving.bytes(16))
        message = await receiving
        heard.extend([message.source, message.type, message.bytes, repr(message)])
        heard.append(await receiving.bytes(99))
        message.release()

    processes, words = begun(program)
    assert words[-4:] == [3, wire.WAIT, 0, wire.IN_PROGRESS]
    asked = [
        (told(1), [3, wire.WAIT, 0, wire.COMPLETE]),
        # What is over needs not be asked for.
        (told(3), [3, wire.WAIT, 1, wire.NOW]),
        (told(0, source=-1), [3, wire.WAIT, 1, wire.IN_PROGRESS]),
        (told(1, source=5, type=2, bytes=40), [3, wire.WAIT, 1, 16]),
        (told(1, source=5, type=2, bytes=40, arrived=32), [3, wire.WAIT, 1, wire.COMPLETE]),
        (
            told(3, source=5, type=2, bytes=40, arrived=40),
            [3, wire.RELEASE, 1, 3, wire.END],
        ),
    ]
    for answer, expected in asked:
        assert processes.answer(0, [(3, answer)]) == expected
    text = "<Message of type 2 from node 5, 40 bytes>"
    assert heard == [1, 3, 0, 1, 32, 5, 2, 40, text, 40]


def test_a_message_known_to_be_complete_is_kept() -> None:
    async def program(node: Node) -> None:
        receiving = node.receive()
        await receiving.begun()
        assert (await receiving).bytes == 7
        await node.compute(Time(5))

    processes, _ = begun(program)
    assert processes.answer(0, [(3, told(3, source=1, bytes=7))]) == [3, wire.COMPUTE, 5]


def test_a_node_knows_where_and_when_it_is() -> None:
    seen: list[object] = []

    async def program(node: Node) -> None:
        await node.compute("1 ns")
        seen.extend([node.number, node.nodes, node.neighbours, node.now, node.random.random()])

    for _ in range(2):
        processes, _ = begun(program)
        assert processes.answer(1000, [(3, None)]) == [3, wire.END]
    assert seen[:4] == [3, 8, (2, 1), Time(1000)]
    assert seen[:5] == seen[5:], "the same random numbers in every run"


def test_nodes_without_a_process_end_at_once() -> None:
    async def program(node: Node) -> None:
        node.send(6)
        await node.compute("1 s")

    places = {1, 3}
    processes = Processes(from_function(program), 8, places, seed=1)
    assert processes.answer(0, [(0, None)]) == [0, wire.END]
    assert mistake(program, places=places) == "send.to = 6: no process runs on that node"


async def _far(node: Node) -> None:
    node.send(8)


async def _not_whole(node: Node) -> None:
    node.send(1.5)  # type: ignore[arg-type]


async def _negative_type(node: Node) -> None:
    node.send(1, type=-1)


async def _receive_from_nowhere(node: Node) -> None:
    await node.receive(-2)


async def _to_itself(node: Node) -> None:
    node.broadcast(to=[1, 3])


async def _not_near(node: Node) -> None:
    node.broadcast(to=[1, 7])


async def _to_nobody(node: Node) -> None:
    node.broadcast(to=[])


async def _no_unit(node: Node) -> None:
    await node.compute(10)  # type: ignore[arg-type]


async def _a_time(node: Node) -> None:
    node.send(1, "10 us")


async def _a_list(node: Node) -> None:
    node.send(1, [1])  # type: ignore[arg-type]


async def _negative_bytes(node: Node) -> None:
    await node.receive().bytes(-1)


async def _division(node: Node) -> None:
    _ = 1 / 0


async def _exit(node: Node) -> None:
    raise SystemExit(0)


async def _twice(node: Node) -> None:
    pause = node.compute("1 us")
    await pause
    await pause


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (_far, "send.to = 8: must be a node of the machine, 0 to 7"),
        (_not_whole, "send.to = 1.5: must be a whole number"),
        (_negative_type, "send.type = -1: must be 0 to 4294967295"),
        (_receive_from_nowhere, "receive.source = -2: must be a node of the machine, 0 to 7"),
        (_to_itself, "broadcast.to = 3: must not be the node itself"),
        (_not_near, "broadcast.to = 7: must be near neighbours of node 3: (2, 1)"),
        (_to_nobody, "broadcast.to = []: must name at least one near neighbour"),
        (_no_unit, 'compute = 10: needs a unit: write "10 us" if that is meant'),
        (
            _a_time,
            'send.size = "10 us": is a time; a number of bytes is needed, such as "32 B"',
        ),
        (_a_list, 'send.size = [1]: must be a text such as "32 B"'),
        (_negative_bytes, "receive.bytes = -1: must not be negative"),
        (_division, "ZeroDivisionError: division by zero"),
        (_exit, "SystemExit: 0"),
    ],
)
def test_mistakes_are_one_line(program: Function, line: str) -> None:
    assert mistake(program) == line


def test_a_mistake_names_file_and_line() -> None:
    with pytest.raises(UserError, match=r"^test_programs\.py:\d+: process on node 3: Zero"):
        begun(_division)


def test_to_await_what_was_not_said_is_a_mistake() -> None:
    processes, _ = begun(_twice)
    with pytest.raises(UserError, match="awaits something that its own node was not told to do"):
        processes.answer(0, [(3, None)])


def test_a_buffer_is_released_once_and_only_if_it_is_the_systems() -> None:
    async def twice(node: Node) -> None:
        message = await node.receive()
        message.release()
        message.release()

    async def own(node: Node) -> None:
        (await node.receive(buffer="8 B")).release()

    for program in (twice, own):
        processes, _ = begun(program)
        with pytest.raises(UserError, match="it holds no system buffer, or gave it back before"):
            processes.answer(0, [(3, told(3, source=1, bytes=8))])


def test_a_message_must_fit_its_buffer() -> None:
    async def program(node: Node) -> None:
        await node.receive(buffer="8 B")

    processes, _ = begun(program)
    with pytest.raises(UserError, match=r"buffer = 8 B: is too small for a message of 9 bytes"):
        processes.answer(0, [(3, told(3, source=1, bytes=9))])


def test_the_line_that_a_process_waits_in() -> None:
    async def helper(node: Node) -> None:
        await node.receive()

    async def program(node: Node) -> None:
        await helper(node)

    processes, _ = begun(program)
    first = helper.__code__.co_firstlineno
    assert processes.place(3) == f"test_programs.py:{first + 1}"
    assert processes.place(4) is None
    processes.close()
    assert processes.place(3) is None


FILES = {
    "x = (": "p.py:1: is not valid Python: '(' was never closed",
    "x = 1": "p.py: has no function `async def program(node)`",
    "async def progam(node): ...": (
        "p.py: has no function `async def program(node)`; did you mean progam?"
    ),
    "\ndef program(node): ...": "p.py:2: program must be written `async def program(node)`",
}


@pytest.mark.parametrize("text", FILES)
def test_files_without_a_program(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.py").write_text(text)
    with pytest.raises(UserError) as caught:
        Experiment.from_dict({"workload": {"kind": "python", "file": "p.py"}})
    assert str(caught.value) == FILES[text]


def test_a_file_that_fails_when_it_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("async def program(node): ...\nimport nonesuch\n")
    with pytest.raises(UserError, match=r"p\.py:2: ModuleNotFoundError: No module"):
        from_file(path, "program")


def test_a_file_is_executed_anew_for_every_run(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("seen = []\nasync def program(node): seen.append(node.number)\n")
    first, second = (from_file(path, "program").function for _ in range(2))
    assert first.__globals__["seen"] is not second.__globals__["seen"]  # type: ignore[attr-defined]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "workload.file: must be given: the Python file with the function"),
    (
        {"file": "p.py", "placement": []},
        'placement = []: must be "all" or a list of numbers of nodes',
    ),
    (
        {"file": "p.py", "placement": [0, 0]},
        "workload.placement = 0: is given twice; a node has one",
    ),
    (
        {"file": "p.py", "placement": [-1]},
        "workload.placement = -1: must be numbers of nodes, from 0",
    ),
    (
        {"file": "p.py", "placement": [256]},
        "placement = 256: must be at most 255 (there are 256 nodes)",
    ),
    ({"file": "p.py", "comparators": -1}, "workload.comparators = -1: must be at least 0"),
    ({"file": "nope.py"}, "nope.py: no such file"),
    ({"file": "p.py", "function": "main"}, "p.py: has no function `async def main(node)`"),
]


@pytest.mark.parametrize(("keys", "line"), REFUSED)
def test_keys_that_are_refused(
    keys: dict[str, Any], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.py").write_text("async def program(node): ...\n")
    with pytest.raises(UserError) as caught:
        Experiment.from_dict({"workload": {"kind": "python", **keys}})
    assert line in str(caught.value)


def test_functions_that_are_refused() -> None:
    def plain(node: Node) -> None: ...

    machine = Experiment.from_dict({"workload": {"kind": "synthetic"}}).machine
    with pytest.raises(UserError, match="function = plain: must be a function written `async"):
        Experiment(machine, PythonProgram(function=plain))
    with pytest.raises(UserError, match="must not be given together with a function"):
        PythonProgram(function=_far, file="p.py")


def test_the_identity_holds_the_text_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    text = "async def program(node): ...\nasync def other(node): ...\n"

    def identity(**keys: Any) -> str:
        description = {"kind": "python", "file": str(path), **keys}
        return Experiment.from_dict({"workload": description}).identity(1)

    path.write_text(text)
    found = [identity(), identity(function="other"), identity(placement=[1, 2])]
    found.append(identity(comparators=3))
    path.write_text(text + "# more\n")
    found.append(identity())
    assert len(set(found)) == len(found)
    path.write_text(text)
    assert identity() == found[0]


def test_the_parameters_of_a_program_can_be_written_down() -> None:
    machine = Experiment.from_dict({"workload": {"kind": "synthetic"}}).machine
    resolved = Experiment(machine, PythonProgram(function=_far, placement=(0, 3))).resolved()
    workload = resolved["workload"]
    assert (workload["kind"], workload["function"], workload["placement"]) == (
        "python",
        "_far",
        [0, 3],
    )
    assert len(workload["program_sha256"]) == 64
