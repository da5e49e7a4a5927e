"""Programs in Python as their users meet them: runs, modes, mistakes, documents."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.machines import machine_of
from tailback.units import Time
from tests.commands import tailback
from tests.machines import t9000, t9000_tables

CUBE = t9000("hypercube", dimensions=3)


def run(program: Any, machine: Any = CUBE, **keys: Any) -> tb.Result:
    """Run a function."""
    workload = {
        key: keys.pop(key) for key in ("placement", "comparators", "endless") if key in keys
    }
    return tb.run(machine, tb.PythonProgram(function=program, **workload), **keys)


def test_a_ring_takes_the_time_it_takes_by_hand() -> None:
    times: list[int] = []

    async def ring(node: tb.Node) -> None:
        right = (node.number + 1) % node.nodes
        if node.number == 0:
            node.send(right)
        await node.receive(buffer="32 B")
        times.append(node.now.ps)
        if node.number != 0:
            await node.compute("2 us")
            node.send(right)

    run(ring, t9000("mesh", dims=(2, 2)))
    # To node 2 from 1, and back to 0 from 3, there are two links, else one: each adds 100 ns.
    hops = [3540, 3640, 3540, 3640]
    expected = [sum(hops[: n + 1]) + 2000 * n for n in range(4)]
    assert [time / 1000 for time in times] == expected


def test_first_bytes_come_before_the_rest() -> None:
    times: list[float] = []

    async def program(node: tb.Node) -> None:
        if node.number == 0:
            await node.send(1, "100 B", content=[1, 2])
            return
        receiving = node.receive(0)
        for bytes in (1, 33, 100):
            await receiving.bytes(bytes)
            times.append(node.now.ps / 1000)
        message = await receiving
        assert (message.content, message.bytes) == ([1, 2], 100)

    run(program, t9000("hypercube", dimensions=1), placement=[0, 1])
    assert times == sorted(set(times))
    times.clear()
    run(program, t9000("hypercube", dimensions=1), placement=[0, 1], comparators=0)
    assert len(set(times)) == 1, "nobody follows it: all is known at the end"


def test_a_sum_over_all_nodes(examples: Path) -> None:
    """What the example works out, collected from outside."""
    namespace: dict[str, Any] = {}
    exec((examples / "programs.py").read_text(), namespace)
    totals = []

    async def program(node: tb.Node) -> None:
        totals.append(await namespace["total"](node))

    for mode in ("full", "throttled", "free", "ideal"):
        totals.clear()
        run(program, mode=mode)
        assert totals == [sum(range(8))] * 8, mode


@pytest.mark.parametrize("function", ["ring", "servers", "total"])
@pytest.mark.parametrize("fidelity", ["packet", "worm", "token"])
def test_the_example_runs_in_every_mode_and_is_the_same_again(
    examples: Path, function: str, fidelity: str
) -> None:
    overrides = [f"workload.function={function}", "machine.topology.dimensions=3"]
    if fidelity == "worm":
        overrides.append("machine.link.flow_control=out_of_band")
    experiment = tb.load(examples / "programs.toml", overrides)
    costs = [tb.cost(experiment, modes=["free", "ideal"], fidelity=fidelity) for _ in range(2)]
    assert costs[0].to_dict() == costs[1].to_dict()
    delivered = {
        mode: sum(result.nodes["messages_delivered"].to_pylist())
        for mode, result in costs[0].modes.items()
    }
    assert list(delivered) == ["full", "endpoints", "throttled", "free", "ideal"]
    assert len(set(delivered.values())) == 1


def test_random_numbers_are_the_same_in_every_mode() -> None:
    drawn: list[list[float]] = []

    async def program(node: tb.Node) -> None:
        await node.compute(f"{node.random.randrange(1000)} ns")
        drawn[-1].append(node.random.random())

    for mode, seed in (("full", 1), ("free", 1), ("full", 2)):
        drawn.append([])
        run(program, mode=mode, seed=seed)
    assert drawn[0] == drawn[1]
    assert sorted(drawn[0]) != sorted(drawn[2])


def test_computing_may_be_told_in_cycles() -> None:
    times: list[int] = []

    async def program(node: tb.Node) -> None:
        await node.compute("3 cycles")
        await node.compute(Time.parse("1 cycle"))
        times.append(node.now.ps)

    tables = t9000_tables("pair")
    identities = set()
    for clock, ps in (("2 GHz", 2000), ("1 GHz", 4000)):
        machine = machine_of(tables | {"clock": clock})
        times.clear()
        run(program, machine)
        assert times == [ps, ps]
        identities.add(tb.Experiment(machine, tb.PythonProgram(function=program)).identity(1))
    assert len(identities) == 2
    with pytest.raises(tb.UserError, match=r'compute = "3 cycles": is in cycles; give machine.cl'):
        run(program)


def test_system_buffers_are_in_the_table_of_nodes() -> None:
    async def program(node: tb.Node) -> None:
        if node.number:
            await node.send(0, "16 B")
            return
        messages = [await node.receive() for _ in range(7)]
        for message in messages[1:]:
            message.release()

    nodes = run(program).nodes
    assert nodes["system_buffers_bytes"].to_pylist() == [16] + [0] * 7
    assert nodes["system_buffers_max_bytes"].to_pylist()[0] == 7 * 16
    assert "system_buffers_bytes" not in tb.run(CUBE, tb.ComputeOnly(), duration="9 us").nodes


def test_an_endless_program_is_measured_like_other_workloads() -> None:
    async def program(node: tb.Node) -> None:
        while True:
            await node.compute(f"{5000 + node.random.randrange(5000)} ns")
            node.send(node.random.randrange(node.nodes), "32 B")
            (await node.receive()).release()

    result = run(program, endless=True, precision=0.05)
    assert result.ending.stop_reason == "precision"
    assert result.ending.warmup_ms > 0


def test_a_run_that_is_cut_off_ends_its_processes() -> None:
    ended: list[int] = []

    async def program(node: tb.Node) -> None:
        try:
            while True:
                await node.compute("1 us")
        finally:
            ended.append(node.number)

    assert run(program, duration="20 us").ending.stop_reason == "duration"
    assert ended == list(range(8))


def test_waiting_for_something_else_is_refused() -> None:
    async def program(node: tb.Node) -> None:
        await asyncio.sleep(0)

    with pytest.raises(tb.UserError, match="awaits something that its own node was not told"):
        run(program)


def test_a_deadlock_names_process_line_and_instruction() -> None:
    async def program(node: tb.Node) -> None:
        if node.number == 3:
            await node.receive(5, type=2)
        elif node.number == 1:
            await node.send(3, type=4)

    line = program.__code__.co_firstlineno + 2
    with pytest.raises(tb.RunFailure) as caught:
        run(program)
    what = (
        "a message of type 2 from node 5 (its operation 0); node 5 has ended; "
        "of the 1 it has not received, one of type 4 from node 1 is the only one"
    )
    who = f"process 3 on node 3 (test_programs.py:{line})"
    assert caught.value.waiting == ((who, what),)
    assert str(caught.value).endswith(f" ns: {who} waits for {what}")


def carried_out(command: str, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Carry out a command on an experiment with a program of this text."""
    (folder / "p.py").write_text(text)
    (folder / "p.toml").write_text(
        '[machine]\npreset = "t9000_c104"\ntopology = {kind = "hypercube", dimensions = 2}\n'
        '[workload]\nkind = "python"\nfile = "p.py"\n'
    )
    return tailback(command, "p.toml", cwd=folder)


def test_an_exception_is_one_line(tmp_path: Path) -> None:
    text = "async def program(node):\n    await node.compute('1 us')\n    {}['key']\n"
    done = carried_out("cost", tmp_path, text)
    assert (done.returncode, done.stdout) == (2, "")
    note = "note: p.py is a program in Python and is run; --no-code refuses it\n"
    assert done.stderr == f"{note}error: p.py:3: process on node 0: KeyError: 'key'\n"


def test_a_deadlock_ends_the_command(tmp_path: Path) -> None:
    done = carried_out(
        "run", tmp_path, "async def program(node):\n    await node.receive(type=1)\n"
    )
    assert done.returncode == 3
    assert "(p.py:2) waits for a message of type 1 from any node" in done.stderr


def test_commands_know_the_workload(tmp_path: Path) -> None:
    text = "async def program(node):\n    await node.send(node.number ^ 1)\n"
    for command in ("run", "cost", "describe"):
        assert carried_out(command, tmp_path, text).returncode == 0


def test_the_programs_in_the_document_run(repository: Path) -> None:
    text = (repository / "docs" / "programs.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    programs = []
    for block in blocks:
        namespace: dict[str, Any] = {}
        exec(block, namespace)
        programs.append(namespace["program"])
    assert len(programs) == 3
    for program in programs:
        assert inspect.iscoroutinefunction(program)
        result = run(program)
        assert result.ending.stop_reason == "finished"
        assert result["messages_per_node_per_ms"].value > 0
