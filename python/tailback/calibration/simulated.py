"""What the simulator takes for what was measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailback import engine
from tailback.errors import UserError, shown
from tailback.experiment import Experiment, Run
from tailback.machines import Machine
from tailback.units import Size, Time, counted
from tailback.workloads import Program, steps
from tailback.workloads.collectives import COLLECTIVES, Barrier

from .measured import Exchange, Measured

Times = NDArray[np.float64]

#: Between two exchanges nothing is under way.
_PAUSE = Time(10**12)
_END_PS = 2**63 - 1
_COMPUTES = engine.ACTIVITIES.index("compute")
_REPLY = Size(4)
#: Packets of a message between two processes, and its data, where larger ones are not simulated.
_MOST_PACKETS, _MOST_OF_TWO = 256, 1 << 20
#: But so many packets are, if they are not very long.
_FEW_PACKETS, _LONG_PACKET = 4, 1 << 16
#: Messages that are simulated of a longer window.
_MANY = 8
#: Data of a process in a collective: for all processes at most, but at least for each.
_MOST_OF_ALL, _MOST_OF_EACH = 32 << 20, 1 << 20


class Bench(NamedTuple):
    """A table of measured times, and where its processes run."""

    measured: Measured
    nodes: tuple[int, ...]


def placed(measured: Measured, machine: Machine, nodes: Sequence[int] | None) -> Bench:
    """Return a table with the nodes of its processes.

    ``nodes``: those of all processes; by default the first two, of a collective as many as the file
    says or else all. Raises `UserError` for a machine that has fewer.
    """
    is_of_all = measured.exchange.is_collective
    count = (measured.processes or machine.nodes) if is_of_all else 2
    if nodes is None:
        if count > machine.nodes:
            allowed = f"has {count} processes, and the machine {counted(machine.nodes, 'node')}"
            raise UserError(str(measured.path), None, f"{allowed}: --nodes says where they ran")
        chosen = tuple(range(count))
    else:
        chosen = tuple(nodes) if is_of_all else tuple(nodes[:2])
        if len(chosen) < 2 or (is_of_all and len(chosen) != (measured.processes or len(chosen))):
            wanted = f"{counted(count, 'process', 'processes')} of {measured.path}"
            raise UserError(
                "--nodes", ",".join(map(str, nodes)), f"must be a node for each of the {wanted}"
            )
    for node in chosen:
        if not 0 <= node < machine.nodes:
            raise UserError("--nodes", shown(node), f"must be 0 to {machine.nodes - 1}")
        if chosen.count(node) > 1:
            raise UserError("--nodes", shown(node), "must be there once: one process to a node")
    return Bench(measured, chosen)


def times(experiment: Experiment, machine: Machine, benches: Sequence[Bench]) -> Times:
    """Return what every row takes, in µs, on a machine instead of the experiment's."""
    found = [_times(experiment, machine, bench) for bench in benches]
    return np.concatenate(found)


def _times(experiment: Experiment, machine: Machine, bench: Bench) -> Times:
    exchange = bench.measured.exchange
    sizes = np.array([size for size, _ in bench.measured.rows])
    most = _longest(exchange, machine, len(bench.nodes))
    ends = [most // 2, most] if sizes.max() > most else []
    known = sorted({*sizes[sizes <= most].tolist(), *ends})
    # Of a long window of large messages the first are simulated.
    windows = [min(exchange.window, max(_MANY, most // max(size, 1))) for size in known]
    halves = [max(window // 2, 1) for window in windows]
    each = taken = _run(experiment, machine, bench, [*zip(known, windows, strict=True)])
    if exchange.window > 1:
        of_half = _run(experiment, machine, bench, [*zip(known, halves, strict=True)])
        one_more = (taken - of_half) / (np.array(windows) - halves)
        whole = taken + (exchange.window - np.array(windows)) * one_more
        each = whole / exchange.window if exchange.ends_with_reply else one_more
    found: Times = np.interp(sizes, known, each)
    if ends:
        half = each[known.index(ends[0])]
        slope = (each[-1] - half) / (ends[1] - ends[0])
        found = np.where(sizes > most, each[-1] + slope * (sizes - most), found)
    return found


def _longest(exchange: Exchange, machine: Machine, processes: int) -> int:
    """Return the largest size that is simulated: times of larger ones are on a straight line.

    Half of it has several packets, and takes longer on a link than in software.
    """
    if exchange.is_collective:
        return max(_MOST_OF_ALL // processes, _MOST_OF_EACH)
    interface = machine.interface
    overheads = ("send_overhead", "receive_overhead", "receive_overhead_after")
    software = sum(interface.amount(name) for name in overheads)
    hidden = int(software / (8 * min(rate.bit_ps for rate in machine.rates)))
    packet = min(interface.packet_room.bytes, _LONG_PACKET)
    several = min(_MOST_OF_TWO, _MOST_PACKETS * packet)
    return max(several, _FEW_PACKETS * packet, min(2 * hidden, _MOST_OF_ALL))


def _run(
    experiment: Experiment, machine: Machine, bench: Bench, pieces: Sequence[tuple[int, int]]
) -> Times:
    """Return what exchanges of these sizes and windows take, one after the other, in µs."""
    exchange, count = bench.measured.exchange, len(bench.nodes)
    lists: list[list[dict[str, Any]]] = [[] for _ in bench.nodes]
    together = Barrier(barrier="all", algorithm="free")
    ends = [np.zeros(len(pieces), dtype=np.int64) for _ in bench.nodes]
    for piece, (size, window) in enumerate(pieces):
        for me, own in enumerate(lists):
            own.extend(_steps(exchange, size, window, me, count))
            ends[me][piece] = len(own)
            own.extend([steps.compute(_PAUSE), together.spec(me)])
    sockets: list[int | None] = [None] * max(window for _, window in pieces)
    processes = [
        steps.process(node, own, sockets, repeat=1)
        for node, own in zip(bench.nodes, lists, strict=True)
    ]
    activities = _activities(experiment, machine, processes)
    begun, over = (np.stack(found) for found in _pauses(activities, ends))
    # All begin together: when the last has ended its pause.
    before = np.concatenate(([0], over.max(axis=0)[:-1]))
    taken: Times = (begun - before) / 1e6
    mean: Times = taken.mean(axis=0)
    first: Times = taken[0] / (2 if exchange.operation == "ping_pong" else 1)
    return mean if exchange.is_collective else first


def _steps(exchange: Exchange, size: int, window: int, me: int, count: int) -> list[dict[str, Any]]:
    """Return what a process does in one exchange."""
    if exchange.is_collective:
        block = size // count if exchange.is_of_all else size
        step = COLLECTIVES[exchange.operation](**{exchange.operation: Size(block)})
        return [step.spec(me)]
    # Messages to one socket follow each other, those to several are in flight together.
    sends = [steps.send(1 - me, socket, Size(size), False) for socket in range(window)]
    receives = [steps.receive(None)] * window
    if exchange.operation == "ping_pong":
        return receives + sends if me else sends + receives
    if exchange.operation == "both_ways":
        return sends + receives
    reply = [steps.send(0, 0, _REPLY, False)] if me else [steps.receive(None)]
    return receives + reply if me else sends + reply


def _activities(
    experiment: Experiment, machine: Machine, processes: list[dict[str, Any]]
) -> dict[str, NDArray[Any]]:
    """Return what processes did when."""
    # Any workload: what the processes do takes its place.
    idle = Program(process=[{"node": 0, "repeat": 1, "steps": [{"compute": str(_PAUSE)}]}])
    run = Run(fidelity=experiment.run.fidelity, seed=experiment.run.seed)
    spec = json.loads(Experiment(machine, idle, run).spec("full"))
    spec["workload"] = {"kind": "program", "processes": processes}
    spec["sample_interval_ps"] = _END_PS // 2
    window = {"window_ps": [0, _END_PS], "processes": [0, len(processes)], "turns": None}
    spec["causes"] = {"slack": False, "timeline": window}
    if costs := spec["machine"]["interface"].get("costs"):
        costs["variation_ps"] = 0
    with machine.topology.names():
        simulation = engine.Simulation(json.dumps(spec), labels=machine.topology.labels)
        simulation.advance(_END_PS, _END_PS)
    found = simulation.activities()
    assert found is not None
    return found


def _pauses(
    activities: dict[str, NDArray[Any]], ends: Sequence[NDArray[np.int64]]
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return when each process began and ended its pauses, in ps, given their places."""
    begun, over = [], []
    computes = activities["kind"] == _COMPUTES
    for me, places in enumerate(ends):
        own = computes & (activities["process"] == me)
        calls = activities["call"][own].astype(np.int64)
        place = np.searchsorted(places, calls)
        is_pause = places[np.minimum(place, len(places) - 1)] == calls
        first = np.full(len(places), np.iinfo(np.int64).max)
        last = np.zeros(len(places), dtype=np.int64)
        # A pause may be cut into slices of time.
        np.minimum.at(
            first, place[is_pause], activities["begin_ps"][own][is_pause].astype(np.int64)
        )
        np.maximum.at(last, place[is_pause], activities["end_ps"][own][is_pause].astype(np.int64))
        begun.append(first)
        over.append(last)
    return begun, over
