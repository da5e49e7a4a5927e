"""How much memory the machine of an experiment takes, and how many fit into what is left."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from tailback.memory import ShortMemoryError, amount, left_bytes
from tailback.threads import check_jobs, usual_jobs

if TYPE_CHECKING:
    from .description import Experiment

_CHANNEL_BYTES = 270
"""Of a channel with its buffer and its share of switches and nodes: 257 to 279 were measured."""
_BLAME_BYTES = 320
_FLIT_BYTES = 16
"""Of each place in an input buffer where flits move one by one."""
_MOST_PLACES = 4096
"""Larger buffers there grow as they are used."""

_PACKET_BYTES = 64
"""Of a packet that waits in its node: all packets of a message do, unless there is a window."""

_STEP_BYTES = 760
"""Of a step of a process, in the experiment's description and in the engine: 750 to 820 were
measured with `cost` and `describe`, 560 to 590 with `run`."""

_CLOSE = 0.7
"""Share of what is left from which on a machine is warned of: a run adds to it."""


def needed_bytes(experiment: Experiment) -> int:
    """Return about what the machine takes, the packets of one message, and steps of processes.

    Machine and packets were measured within 10 %. What a run adds (messages and rows that are kept,
    other packets) is not known before.
    """
    machine = experiment.machine
    if machine.loggops is not None:
        return 0
    network = machine.topology.facts
    channels = network.links * machine.channels_per_wire
    channels += 2 * network.nodes * machine.node_channels_per_wire
    each = _CHANNEL_BYTES + (_BLAME_BYTES if experiment.run.blame else 0)
    places = machine.input_flits(experiment.fidelity) if experiment.fidelity == "flit" else None
    if places is not None and places <= _MOST_PLACES:
        each += _FLIT_BYTES * places
    return channels * each + _queued_bytes(experiment) + _listed_bytes(experiment)


def _queued_bytes(experiment: Experiment) -> int:
    """Return what the packets of the longest message take that are queued at once."""
    interface = experiment.machine.interface
    longest = experiment.workload.longest_bytes()
    packets = -(-longest // max(1, interface.packet_room.bytes))
    window = interface.packets_in_flight
    return _PACKET_BYTES * (packets if window is None else min(packets, window))


def _listed_bytes(experiment: Experiment) -> int:
    """Return what the steps of processes take that are written out."""
    return _STEP_BYTES * experiment.workload.steps(experiment.machine)


def check_memory(experiment: Experiment) -> None:
    """Warn of a machine, with the packets of one message, that takes nearly all memory left.

    Raises `ShortMemoryError` for what takes more.
    """
    needed, left = needed_bytes(experiment), left_bytes()
    if left is None or needed < _CLOSE * left:
        return
    told = f"the machine needs about {amount(needed)}, {amount(left)} are left"
    if _queued_bytes(experiment) > needed / 2:
        told += "; most of it for the packets of the longest message, which are queued at once"
    if _listed_bytes(experiment) > needed / 2:
        told += "; most of it for the messages that processes send, of which each is listed"
    if needed > left:
        raise ShortMemoryError(told)
    warnings.warn(f"memory: {told}", stacklevel=2)


def at_once(experiment: Experiment, jobs: int | None) -> int:
    """Return how many of ``jobs`` simulations of an experiment run at once; None: as is usual.

    As many as fit into memory. One where processes are carried out in Python: one thread at a
    time executes Python, and programs of users may share what they change.
    """
    if jobs is None:
        jobs = usual_jobs()
    check_jobs("jobs", jobs)
    if jobs == 1 or experiment.workload.in_python:
        return 1
    needed, left = needed_bytes(experiment), left_bytes()
    if left is None or not needed:
        return jobs
    return max(1, min(jobs, int(_CLOSE * left / needed)))
