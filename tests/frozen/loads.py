"""What random cases have to do: workloads of all kinds, for a few hundredths of a second."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz import files, valid

Tables = dict[str, Any]

_FLITS_SENT = 60_000
"""About as many flits are sent in a run, by all nodes together."""
_LONGEST, _SHORTEST = 250, 8
"""In times of a message, how long a run may be."""


@dataclass(frozen=True)
class Scale:
    """Sizes and times of a machine that belong together."""

    flit_bytes: int
    flit_ps: int
    flits: int
    """Of a message."""

    @classmethod
    def draw(cls, rng: random.Random) -> Scale:
        """Return any."""
        flit_ps = rng.choice([100, 800, 1000, 1000, 2500, 6250])
        return cls(rng.choice([1, 1, 4, 16]), flit_ps, rng.choice([1, 3, 8, 20, 50]))

    @classmethod
    def of_ethernet(cls, rng: random.Random) -> Scale:
        """Return that of bytes at 1 Gbit/s."""
        return cls(1, 8000, rng.choice([20, 100, 500, 1500, 2000]))

    @classmethod
    def of_transputers(cls, rng: random.Random) -> Scale:
        """Return that of tokens at 100 Mbit/s."""
        return cls(1, 100_000, rng.choice([4, 32, 32, 80]))

    @property
    def size(self) -> str:
        """Length of a message."""
        return f"{self.bytes} B"

    @property
    def bytes(self) -> int:
        """The same as a number."""
        return self.flits * self.flit_bytes

    @property
    def message_ps(self) -> int:
        """Time of a message on a link, with a header."""
        return (self.flits + 2) * self.flit_ps

    @property
    def link(self) -> Tables:
        """Keys of links."""
        rate = 8 * self.flit_bytes * 10**12 // self.flit_ps
        return {"rate": f"{rate} bit/s", "flit": f"{self.flit_bytes} B"}

    def time(self, flits: float) -> str:
        """Return the time of so many flits, as a file has it."""
        return f"{round(flits * self.flit_ps)} ps"


@dataclass(frozen=True)
class Load:
    """What is done, the files it names, how long at most, and what may be besides."""

    tables: Tables
    duration_ps: int
    files: dict[str, str] = field(default_factory=dict)
    wishes: list[tuple[str, Any]] = field(default_factory=list)


def draw(rng: random.Random, scale: Scale, nodes: int, kinds: tuple[str, ...] = ()) -> Load:
    """Return a workload for so many nodes: of some kinds, or any."""
    kind = rng.choice(kinds or _USUAL)
    if kind == "jobs":
        return _jobs(rng, scale, nodes)
    made = _MAKERS[kind](rng, scale, nodes)
    named: dict[str, str] = made.pop("_files", {})
    pace = made.pop("_pace", 1.0)
    wishes = []
    if kind == "synthetic":
        wishes = list(valid.some(rng, "workload", kind, 4).items())
        wishes = [wish for wish in wishes if wish[0] not in _GIVEN]
        wishes += [("classes", "process")] if rng.random() < 0.2 else []
    return Load({"workload": made}, _duration(scale, nodes, pace), named, wishes)


#: Keys that say how much there is to do, and when.
_GIVEN = (
    *("file", "repeat", "processes_per_node", "start"),
    *("message_size", "messages", "message_sizes"),
    *("compute_period", "compute_slot", "compute_distribution"),
)


def _duration(scale: Scale, nodes: int, pace: float) -> int:
    """Return how long a run is at most if a node sends a message in so many times its own."""
    times = _FLITS_SENT / (nodes * (scale.flits + 2)) * max(1.0, pace)
    return int(min(max(times, _SHORTEST), _LONGEST) * scale.message_ps) + 1


def _synthetic(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    pace = rng.choice([0.5, 1, 2, 4, 10])
    made: Tables = {
        "kind": "synthetic",
        "compute_period": f"{round(pace * scale.message_ps)} ps",
        "message_size": scale.size,
        "compute_distribution": rng.choice(["constant", "exponential", "normal", "on_off"]),
        "sync": rng.choice(["asynchronous", "asynchronous_blocking", "loosely_synchronous"]),
        "messages": rng.choice([1, 1, 1, 3]),
        "processes_per_node": rng.choice([1, 1, 1, 2]),
        "start": rng.choice(["random", "together"]),
        "_pace": pace,
    }
    if rng.random() < 0.4:
        made["repeat"] = rng.choice([2, 5, 15])
    if rng.random() < 0.25:
        sizes = {"message_sizes": [f"{scale.flit_bytes} B", scale.size], "message_weights": [2, 1]}
        made |= {"message_distribution": "mixed", **sizes}
        del made["message_size"]
    return made


def _in_slots(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return a workload that sends at multiples of a flit's time only."""
    made = _synthetic(rng, scale, nodes)
    pace = rng.choice([1, 2, 4])
    made |= {"start": "together", "_pace": pace, "processes_per_node": 1}
    made["compute_period"] = scale.time(pace * (scale.flits + 2))
    if rng.random() < 0.6:
        made |= {"compute_distribution": "geometric", "compute_slot": scale.time(1)}
    else:
        made["compute_distribution"] = "constant"
    return made


def _traffic(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return classes of messages; of some each message is answered."""
    pace = rng.choice([1, 2, 5])
    period = f"{round(pace * scale.message_ps)} ps"
    shared: Tables = {"message_size": scale.size, "start": rng.choice(["random", "together"])}
    first: Tables = {"name": "a", "period": period, **shared}
    first["period_distribution"] = rng.choice(["constant", "exponential"])
    second: Tables = {"name": "b", "message_size": f"{3 * scale.flit_bytes} B"}
    if rng.random() < 0.7:
        first |= {"reply": "b", "max_outstanding": rng.choice([1, 3])}
    else:
        second |= {"period": period, "priority": 2, "pattern": "bit_complement"}
    if rng.random() < 0.4:
        first["repeat"] = 10
        if "reply" not in first:
            second["repeat"] = 5
    ranges = rng.choice([None, None, ([0, 0], [1, 1]), ([0, 1], [2, 3])])
    if ranges is not None:
        first["virtual_channels"], second["virtual_channels"] = ranges
    return {"kind": "traffic", "traffic_class": [first, second], "_pace": pace}


def _replies(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return requests and replies."""
    made = _traffic(rng, scale, nodes)
    request, reply = made["traffic_class"]
    request |= {"reply": "b", "max_outstanding": rng.choice([1, 2, 4])}
    for name in ("period", "priority", "pattern", "repeat"):
        reply.pop(name, None)
    return made


def _messages(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return a list of messages, many of them at one time."""
    rows = []
    for _ in range(rng.randrange(5, 80)):
        source, flits = rng.randrange(nodes), rng.randrange(0, 2 * scale.flits)
        to = (source + rng.randrange(1, nodes)) % nodes
        at = scale.time(rng.choice([0, 0, rng.randrange(300)]))
        rows.append([at, source, to, f"{flits * scale.flit_bytes} B"])
    return {"kind": "messages", "messages": rows, "_pace": 4}


def _steps(rng: random.Random, size: str) -> list[Tables]:
    algorithms: dict[str, tuple[str, ...]] = {
        "broadcast": ("binomial", "chain", "linear"),
        "reduce": ("binomial", "linear"),
        "all_reduce": ("ring", "recursive_doubling", "rabenseifner"),
        "all_gather": ("ring", "bruck"),
        "all_to_all": ("pairwise", "bruck"),
    }
    steps: list[Tables] = []
    for _ in range(rng.randrange(1, 4)):
        name = rng.choice([*algorithms, "gather", "scatter", "reduce_scatter", "barrier"])
        step: Tables = {name: "all" if name == "barrier" else size}
        if name in algorithms and rng.random() < 0.6:
            step["algorithm"] = rng.choice(algorithms[name])
        steps.append(step)
    return steps


def _program(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return collectives of all nodes."""
    steps = [{"compute": f"{scale.message_ps} ps"}, *_steps(rng, scale.size)]
    process = [{"node": node, "repeat": 1, "steps": steps} for node in range(min(nodes, 24))]
    return {"kind": "program", "process": process, "_pace": 8}


def _python(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    """Return a program in Python that ends: everybody sends to somebody, one to all."""
    shift, size = rng.randrange(1, nodes), scale.size
    lines = [
        "async def program(node):",
        f"    await node.compute('{scale.message_ps} ps')",
        f"    node.send((node.number + {shift}) % node.nodes, '{size}')",
        "    (await node.receive()).release()",
    ]
    if rng.random() < 0.5:
        lines += [
            "    if node.number == 0:",
            f"        await node.send(list(range(1, node.nodes)), '{size}')",
            "    else:",
            "        (await node.receive()).release()",
        ]
    named = {"program.py": "\n".join(lines) + "\n"}
    return {"kind": "python", "file": "program.py", "_files": named, "_pace": 8}


def _trace(rng: random.Random, scale: Scale, nodes: int) -> Tables:
    named = files.trace(rng)
    made: Tables = {"kind": "trace", "file": next(iter(named)), "_files": named, "_pace": 20}
    if rng.random() < 0.5:
        made["eager_limit"] = f"{rng.choice([1, 64])} B"
    return made


def _built_in(kind: str, **keys: Any) -> Callable[[random.Random, Scale, int], Tables]:
    """Return what makes a workload that has a name."""

    def made(rng: random.Random, scale: Scale, nodes: int) -> Tables:
        given = {name: value(rng) if callable(value) else value for name, value in keys.items()}
        size = "size" if kind == "ring_allreduce" else "message_size"
        return {"kind": kind, size: scale.size, **given, "_pace": 8}

    return made


def _jobs(rng: random.Random, scale: Scale, nodes: int) -> Load:
    """Return two or three jobs."""
    jobs: list[Tables] = []
    share = max(2, nodes // 3)
    for name in ("a", "b", "c")[: rng.choice([2, 3])]:
        kind = rng.choice(["synthetic", "ring_allreduce", "messages", "traffic"])
        workload = _MAKERS[kind](rng, scale, share)
        for key in ("_pace", "_files"):
            workload.pop(key, None)
        job: Tables = {"name": name, "share": share, "workload": workload}
        job["placement"] = rng.choice(["contiguous", "random"])
        if name != "a" and rng.random() < 0.4:
            job["start"] = scale.time(rng.randrange(100))
        jobs.append(job)
    if rng.random() < 0.2:
        for number, job in enumerate(jobs):
            job["virtual_channels"] = [number, number]
    return Load({"job": jobs}, _duration(scale, nodes, 3))


_MAKERS: Mapping[str, Callable[[random.Random, Scale, int], Tables]] = {
    "synthetic": _synthetic,
    "in_slots": _in_slots,
    "traffic": _traffic,
    "replies": _replies,
    "messages": _messages,
    "program": _program,
    "python": _python,
    "trace": _trace,
    "ring_allreduce": _built_in("ring_allreduce", repeat=lambda rng: rng.randrange(1, 4)),
    "fan_in": _built_in("fan_in"),
    "fan_out": _built_in("fan_out", multicast=lambda rng: rng.random() < 0.6),
    "mesh": _built_in("mesh", exchanges=2),
    "torus": _built_in("torus", exchanges=2),
    "token_pass": _built_in("token_pass", laps=1),
    "complete_exchange": _built_in(
        "complete_exchange", send_order=lambda rng: rng.choice(["bounded", "naive_random"])
    ),
    "peer_exchange": _built_in("peer_exchange", peers="four_neighbours", repeat=3),
    "boundary_exchange": _built_in("boundary_exchange", period="1 us", repeat=3),
    "bandwidth": _built_in("bandwidth"),
}

_USUAL = (
    *("synthetic",) * 12,
    *("traffic",) * 4,
    *("messages",) * 4,
    *("program",) * 3,
    *("jobs",) * 3,
    *(kind for kind in _MAKERS if kind not in ("synthetic", "in_slots", "traffic", "replies")),
)
