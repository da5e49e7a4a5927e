"""Stragglers: nodes on which computing and messaging software take longer for a time."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.answers import of_cost
from tailback.comparison import cost
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.faults import Fault

MESH: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [3, 1]}}
COSTLY: dict[str, Any] = {
    **MESH,
    "interface": {"send_overhead": "2 us", "receive_overhead": "4 us"},
}


async def computes(node: Any) -> None:
    await node.compute("10 us")
    if node.number == 1:
        await node.compute("10 us")


async def sends(node: Any) -> None:
    if node.number == 0:
        await node.send(1, "8 B")
    elif node.number == 1:
        (await node.receive(0)).release()


async def sends_to_one_that_computes(node: Any) -> None:
    if node.number == 0:
        await node.send(1, "8 B")
    elif node.number == 1:
        receiving = node.receive(0)
        await node.compute("20 us")
        (await receiving).release()


def ends(function: Any, machine: dict[str, Any], *faults: dict[str, Any], **run: Any) -> float:
    """Return when a program ends, in microseconds."""
    return float(tb.run(described(function, machine, *faults, **run))["completion_us"].value)


def described(
    function: Any, machine: dict[str, Any], *faults: dict[str, Any], **run: Any
) -> Experiment:
    return Experiment(
        Experiment.from_dict({"machine": machine}).machine,
        tb.PythonProgram(function=function),
        tb.Run(**run),
        faults=tuple(Fault(**fault) for fault in faults),
    )


def test_computing_takes_longer_as_far_as_it_lies_within() -> None:
    slow = {"node": 1, "time_factor": 2}
    assert ends(computes, MESH) == 20
    # From 5 us on 10 us are worth 5 us.
    assert ends(computes, MESH, {**slow, "time": "5 us", "duration": "10 us"}) == 25
    assert ends(computes, MESH, {**slow, "time": "5 us"}) == 35
    assert ends(computes, MESH, {**slow, "time": "20 us"}) == 20
    # Where several lie over each other, the worst counts.
    both = ({**slow, "time": "5 us"}, {"node": 1, "time_factor": 3, "duration": "9 us"})
    assert ends(computes, MESH, *both) == 9 + 2 * (20 - 3)
    # Another node is done before.
    assert ends(computes, MESH, {"node": 0, "time_factor": 1.5}) == 20


def test_it_may_flap_and_be_drawn_for_every_node() -> None:
    flaps = {"node": 1, "time_factor": 2, "duration": "2 us", "up_time": "3 us", "count": 4}
    # 2 us of every 5 us are worth 1 us: after four of them, 16 us.
    assert ends(computes, MESH, flaps) == 24
    drawn = {"mean_time_to_failure": "4 us", "mean_time_to_repair": "4 us", "until": "1 ms"}
    assert 20 < ends(computes, MESH, {"every": "node", "time_factor": 4, **drawn}) < 80


def test_messaging_software_takes_longer_at_both_ends() -> None:
    usual = ends(sends, COSTLY)
    at_sender = ends(sends, COSTLY, {"node": 0, "time_factor": 3})
    at_receiver = ends(sends, COSTLY, {"node": 1, "time_factor": 2.5})
    assert at_sender - usual == pytest.approx(2 * 2, abs=1e-9)
    assert at_receiver - usual == pytest.approx(1.5 * 4, abs=1e-9)


@pytest.mark.parametrize("preempts", [True, False])
def test_an_interrupted_process_goes_on_with_the_work_that_is_left(preempts: bool) -> None:
    interface = {**COSTLY["interface"], "receive_preempts": preempts}
    machine = {**COSTLY, "interface": interface}
    slow = {"node": 1, "time_factor": 2}
    both = sends_to_one_that_computes
    assert ends(both, machine) == pytest.approx(24, abs=1e-5)
    assert ends(both, machine, slow) == pytest.approx(48, abs=1e-5)
    within = {**slow, "time": "1 us", "duration": "14 us"}
    assert ends(both, machine, within) == pytest.approx(24 + 7, abs=1e-5)


@pytest.mark.parametrize("fidelity", ["packet", "flit", "fluid"])
def test_every_fidelity_has_them(fidelity: str) -> None:
    slow = {"node": 1, "time_factor": 2}
    machine = {**MESH, "switch": {"switching": "wormhole"}} if fidelity == "flit" else MESH
    assert ends(computes, machine, slow, fidelity=fidelity) == 40


def test_processes_that_never_wait_are_slower_too() -> None:
    tables: dict[str, Any] = {
        "machine": MESH,
        "workload": {"kind": "synthetic", "compute_period": "1 us", "sync": "asynchronous"},
        "run": {"duration": "500 us", "warmup": "0 us"},
    }
    rate = "messages_per_node_per_ms"
    usual = tb.run(Experiment.from_dict(tables))[rate].value
    every = {"every": "node", "time_factor": 4}
    slow = tb.run(Experiment.from_dict({**tables, "fault": [every]}))[rate].value
    assert slow == pytest.approx(usual / 4, rel=0.02)


def test_cost_says_what_a_straggler_costs_and_other_modes_have_none() -> None:
    program = described(computes, MESH, {"node": 1, "time_factor": 2})
    found = cost(program)
    assert found.fault_slowdowns[""].value == 2
    assert found.modes["free"]["completion_us"].value == 20
    assert of_cost(found).sentences[0] == "This fault costs 20.00 µs (100 %) of completion time."


def test_blame_is_of_the_network_and_sums_up() -> None:
    run = tb.run(described(sends, COSTLY, {"node": 0, "time_factor": 3}, blame=True))
    assert run.blame is not None
    # A message alone has no one to wait for, and is not late because its sender was slow.
    assert run.blame.pairs.keys.shape[0] == 0


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({"node": 0, "time_factor": 1}, "fault.time_factor = 1: must be above 1"),
        ({"switch": 0, "time_factor": 2}, "fault.time_factor = 2.0: must be left out: needs node"),
        ({"every": "link", "time_factor": 2}, "fault.time_factor = 2.0: must be left out: needs"),
        (
            {"node": 0, "time_factor": 2, "rate_share": 0.5},
            "fault.rate_share = 0.5: must be left out beside time_factor",
        ),
    ],
)
def test_mistakes_are_one_line(fault: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        Fault(**fault)
    assert str(refused.value).startswith(problem)


def test_the_critical_path_knows_nothing_of_them() -> None:
    told = r"fault\[0\].time_factor = 2.0: must be left out where the critical path is told"
    with pytest.raises(UserError, match=told):
        described(computes, MESH, {"node": 1, "time_factor": 2}, critical_path=True)
