"""Several workloads side by side, each on nodes of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator

from tailback.since311 import Self

from ..errors import UserError, choice, shown
from ..parts import Part, key
from ..units import Time
from .base import Network, Workload
from .messages import Messages
from .shares import Choice, Order, Wanted, placed
from .traffic import Priority, Traffic, VirtualChannels

if TYPE_CHECKING:
    from ..door import TraceFile
    from ..programs import Running

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
#: How the engine's keys of traffic classes begin.
_OF_CLASS = re.compile(r"^workload\.traffic_class(?:\[(\d+)\])?\.")


def _name(given: object) -> object:
    """Refuse what is no name in one line."""
    if not isinstance(given, str) or not _NAME.fullmatch(given) or len(given) > 60:
        allowed = "must be up to 60 letters, digits, - and _, a letter first"
        raise UserError("", shown(given), allowed)
    return given


def _nodes(given: object) -> object:
    """Return a list of numbers and ranges such as ``"0-15"`` as numbers."""
    entries = [given] if isinstance(given, str) else given
    if not isinstance(entries, list | tuple) or not entries:
        allowed = 'must be numbers of nodes and ranges of them, such as [0, "4-7"]'
        if isinstance(given, int) and not isinstance(given, bool):
            allowed += f"; share = {given} is how many nodes"
        raise UserError("", shown(given), allowed)
    found: list[int] = []
    for entry in entries:
        found += _numbers(entry)
    if len(set(found)) < len(found):
        twice = next(node for place, node in enumerate(found) if node in found[:place])
        raise UserError("", str(twice), "is given twice")
    return tuple(found)


def _numbers(entry: object) -> Iterable[int]:
    if isinstance(entry, int) and not isinstance(entry, bool) and 0 <= entry < 2**32:
        return (entry,)
    ends = _RANGE.fullmatch(entry) if isinstance(entry, str) else None
    if ends is None or int(ends[1]) > int(ends[2]):
        allowed = 'must be a number of a node, from 0, or a range such as "4-7"'
        raise UserError("", shown(entry), allowed)
    if int(ends[2]) >= 2**20:
        raise UserError("", shown(entry), f"must be below {2**20}")
    return range(int(ends[1]), int(ends[2]) + 1)


def _share(given: object) -> object:
    """Refuse what is no part of a machine in one line."""
    is_count = isinstance(given, int) and not isinstance(given, bool) and given >= 1
    is_part = isinstance(given, float) and 0 < given <= 1
    if not (is_count or is_part):
        allowed = "must be a number of nodes, or a part of all: above 0.0, at most 1.0"
        raise UserError("", shown(given), allowed)
    return given


class Job(Part, init=False):
    """A workload on some nodes of a machine.

    It sees a machine of these nodes only, numbered from 0: all on one switch or, if they are all
    there are, in order, the machine itself. Its random numbers depend on its name and the seed.
    """

    section: ClassVar[str] = "job"
    name: Annotated[str, BeforeValidator(_name)] = key(
        description="What it is called: letters, digits, - and _, a letter first."
    )
    workload: Workload = key(description="What runs on its nodes.")
    nodes: Annotated[tuple[int, ...], BeforeValidator(_nodes)] | None = key(
        default=None, description='Its nodes, numbers and ranges, such as [0, "4-7"].'
    )
    share: Annotated[int | float, BeforeValidator(_share)] | None = key(
        default=None,
        description="How many nodes it has, or which part of all (0.25); instead of nodes. "
        "Without both: all that are left.",
    )
    placement: Choice = key(
        default="contiguous",
        description="Which free nodes a share is: the first in a row, any drawn at random, or "
        "those of switches or groups drawn at random.",
    )
    order: Order = key(
        default="linear",
        description="Which of them is its node 0, 1, ...: as they are chosen or given, or in an "
        "order drawn at random.",
    )
    seed: int = key(default=0, ge=0, lt=2**63, description="Seed of what is drawn of placement.")
    start: Time = key(default=Time(0), description="When it begins.")
    background: bool = key(
        shown="given",
        default=False,
        description="Whether the run does not wait for it, but ends when all other jobs have "
        "ended.",
    )
    virtual_channels: VirtualChannels = key(
        shown="given",
        default=None,
        description="The first and the last virtual channel, of every link, that its packets may "
        "use; default: all. Of two jobs they are the same, or have none in common. Classes of a "
        "workload traffic have their own.",
    )
    priority: Priority = key(
        shown="given",
        default=0,
        description='How urgent its packets are where switch.arbiter is "priority"; higher is '
        "more urgent. Classes of a workload traffic have their own.",
    )

    def _check(self) -> None:
        if isinstance(self.workload, Traffic):
            for key, usual in (("virtual_channels", None), ("priority", 0)):
                if getattr(self, key) != usual:
                    allowed = "must be left out: workload.traffic_class says it"
                    raise self.refused(key, allowed)

    @property
    def has_classes(self) -> bool:
        """Whether the network has to tell its messages from those of others."""
        is_said = self.virtual_channels is not None or self.priority != 0
        return is_said or isinstance(self.workload, Traffic)

    def network_classes(self) -> list[dict[str, Any]]:
        """Return what the network knows of the classes of its messages: one, or its workload's."""
        if isinstance(self.workload, Traffic):
            own = self.workload.network_classes()
            return [{**one, "name": f"{self.name}.{one['name']}"} for one in own]
        share = None if self.virtual_channels is None else list(self.virtual_channels)
        return [{"name": self.name, "virtual_channels": share, "priority": self.priority}]

    @property
    def stream(self) -> int:
        """What tells its random numbers from those of other jobs."""
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], "big")

    @property
    def wanted(self) -> Wanted:
        """The nodes it is to have."""
        return Wanted(self.name, self.nodes, self.share, self.placement, self.order, self.seed)

    def on(self, nodes: tuple[int, ...]) -> Job:
        """Return the same job on exactly these nodes."""
        given = {name: getattr(self, name) for name in _WHEREVER}
        return Job(**given, nodes=nodes)


#: Keys that do not depend on the nodes of a job.
_WHEREVER = ("name", "workload", "start", "background", "virtual_channels", "priority")


@dataclass(frozen=True)
class PartOfMachine:
    """What a job on some nodes of a machine knows of it."""

    machine: Network
    nodes: int
    shape: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    group_nodes: int | None = None

    def cycle(self) -> Time | None:
        """Return the time of a cycle of its clock, if it has one."""
        return self.machine.cycle()

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message and its acknowledgements take without contention."""
        return self.machine.round_trip_ps(message_bytes)

    @property
    def has_injection_channels(self) -> bool:
        """Whether nodes send over channels of their own."""
        return self.machine.has_injection_channels

    def message_injection_ps(self, message_bytes: int) -> int:
        """Return how long the packets of a message occupy a channel from a node."""
        return self.machine.message_injection_ps(message_bytes)

    def homes(self) -> tuple[int, ...]:
        """Return the switch of every node."""
        return (0,) * self.nodes


class Jobs(Workload, init=False):
    """Several workloads side by side: the tables ``[[job]]`` of an experiment file."""

    section: ClassVar[str] = "job"
    kind: Literal["jobs"] = key(default="jobs")
    jobs: tuple[Job, ...] = key(description="The jobs, each with a name and a workload.")
    absent: tuple[Job, ...] = key(
        default=(), description="Jobs that do not run; their virtual channels are nobody else's."
    )

    def __init__(self, jobs: Iterable[Job], absent: Iterable[Job] = ()) -> None:
        """Put jobs side by side; raise `UserError` if there is none, or two have one name."""
        jobs = tuple(jobs)
        if not jobs:
            raise UserError("job", "[]", "must be at least one")
        for place, job in enumerate(jobs):
            if not isinstance(job, Job):
                raise UserError(f"job[{place}]", shown(type(job).__name__), "must be a tb.Job")
            if isinstance(job.workload, Jobs):
                raise UserError(f"job.{job.name}.workload", '"jobs"', "must not be jobs again")
            if job.name in {other.name for other in jobs[:place]}:
                raise UserError("job.name", shown(job.name), "is the name of another job, too")
        super().__init__(jobs=jobs, absent=tuple(absent))

    def with_clock(
        self, cycle: Time | None, flit: Time | None = None, *, place: str | None = None
    ) -> Self:
        """Return the same with times in cycles as times."""
        made = [job.with_clock(cycle, place=f"job.{job.name}") for job in self.jobs]
        if all(new is old for new, old in zip(made, self.jobs, strict=True)):
            return self
        return type(self)(made, self.absent)

    def steps(self, network: Network) -> int:
        """Return how many steps the jobs list."""
        return sum(job.workload.steps(part) for job, _, part in self.parts(network))

    def longest_bytes(self) -> int:
        """Return the longest of the jobs' messages."""
        return max(job.workload.longest_bytes() for job in self.jobs)

    def on(self, network: Network) -> Self:
        """Return the same with what follows for jobs from where they are."""
        made = []
        for job, _, part in self.parts(network):
            try:
                workload = job.workload.on(part)
            except UserError as error:
                raise error.inside(f"job.{job.name}") from None
            is_same = workload is job.workload
            made.append(job if is_same else Job(**job.named() | {"workload": workload}))
        if all(new is old for new, old in zip(made, self.jobs, strict=True)):
            return self
        return type(self)(made, self.absent)

    @cached_property
    def _placed(self) -> list[tuple[Network, dict[str, tuple[int, ...]]]]:
        """The latest machine that was asked for, and the nodes of every job on it."""
        return []

    def places(self, network: Network) -> dict[str, tuple[int, ...]]:
        """Return the nodes of every job; raise `UserError` if there are not enough."""
        if not self._placed or self._placed[0][0] is not network:
            found = placed([job.wanted for job in self.jobs], network)
            self._placed[:] = [(network, found)]
        return self._placed[0][1]

    def parts(self, network: Network) -> list[tuple[Job, tuple[int, ...], Network]]:
        """Return every job with its nodes and the machine it sees."""
        places = self.places(network)
        return [(job, places[job.name], _seen(places[job.name], network)) for job in self.jobs]

    def only(self, names: Iterable[str], network: Network) -> Jobs:
        """Return these jobs, where they are beside the others."""
        places, wanted = self.places(network), set(names)
        for name in sorted(wanted - set(places)):
            raise choice("job", name, places)
        all_jobs = [(job.name in wanted, job.on(places[job.name])) for job in self.jobs]
        absent = [job for is_wanted, job in all_jobs if not is_wanted]
        return Jobs([job for is_wanted, job in all_jobs if is_wanted], [*absent, *self.absent])

    @property
    def finite(self) -> bool:
        """Whether all jobs end by themselves that a run waits for."""
        return all(job.workload.finite for job in self.waited_for)

    @property
    def waited_for(self) -> tuple[Job, ...]:
        """The jobs that are not in the background; all if there are no others."""
        return tuple(job for job in self.jobs if not job.background) or self.jobs

    @property
    def sends_messages(self) -> bool:
        """Whether any job does."""
        return any(job.workload.sends_messages for job in self.jobs)

    def network_classes(self) -> list[dict[str, Any]]:
        """Return what the network knows of traffic classes: those of all jobs, if any has some."""
        known = (*self.jobs, *self.absent)
        if not any(job.has_classes for job in known):
            return []
        return [one for job in known for one in job.network_classes()]

    def queued_together(self, network: Network) -> list[str]:
        """Return those of each job: a node has one job."""
        return [
            f"{job.name}.{name}"
            for job, _, part in self.parts(network)
            for name in job.workload.queued_together(part)
        ]

    @contextmanager
    def names(self) -> Iterator[None]:
        """Give keys of traffic classes their place in mistakes that the engine finds meanwhile."""
        try:
            yield
        except UserError as error:
            field = _OF_CLASS.sub(lambda found: self._place_of(found[1]), error.field)
            raise UserError(field, error.given, error.allowed, error.nearest) from None

    def _place_of(self, number: str | None) -> str:
        """Return how the keys of a traffic class begin: those of its job, or of its workload."""
        if number is None:
            return "job."
        job, _, own = self.network_classes()[int(number)]["name"].partition(".")
        return f"job.{job}.workload.traffic_class.{own}." if own else f"job.{job}."

    def _classes_spec(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return of how many traffic classes they are, and of each job the first; as the engine."""
        count = len(self.network_classes())
        if not count:
            return {}, [{} for _ in self.jobs]
        own = [len(job.network_classes()) for job in self.jobs]
        first = [{"traffic_class": sum(own[:place])} for place in range(len(own))]
        return {"traffic_classes": count}, first

    def class_spec(self) -> dict[str, Any]:
        """Return nothing: jobs are the classes."""
        return {}

    def check(self, network: Network) -> None:
        """Raise `UserError` if a job does not fit, or one in the background says no end."""
        self._check_background()
        for job, nodes, part in self.parts(network):
            if len(nodes) == 1 and job.workload.kind == "synthetic":
                allowed = "leaves nobody to send to: must be at least two"
                raise UserError(f"job.{job.name}.nodes", "one", allowed)
            try:
                job.workload.check(part)
            except UserError as error:
                raise error.inside(f"job.{job.name}") from None

    def _check_background(self) -> None:
        known = (*self.jobs, *self.absent)
        behind = next((job for job in known if job.background), None)
        if behind is None:
            return
        place = f"job.{behind.name}.background"
        others = [job for job in known if not job.background]
        if not others:
            raise UserError(place, "true", "must be false: there is no other job to wait for")
        endless = next((job for job in others if not job.workload.finite), None)
        if endless is not None:
            allowed = f"has no effect: job {endless.name} goes on for ever, too"
            raise UserError(place, "true", allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        of_all, of_each = self._classes_spec()
        return {
            "kind": "jobs",
            **of_all,
            "jobs": [
                {
                    **classes,
                    "name": job.name,
                    "nodes": list(nodes),
                    "start_ps": job.start.ps,
                    "stream": job.stream,
                    # Left out if it is not: as before there was such a key.
                    **({"background": True} if job.background else {}),
                    "workload": job.workload.spec(part),
                }
                for classes, (job, nodes, part) in zip(of_each, self.parts(network), strict=True)
            ],
        }

    def iteration_ps(self, network: Network) -> int:
        """Return that of the job that sends most often."""
        return min(job.workload.iteration_ps(part) for job, _, part in self.parts(network))

    def settling_ps(self, network: Network) -> int:
        """Return when the last job has forgotten its start."""
        return max(
            job.start.ps + job.workload.settling_ps(part) for job, _, part in self.parts(network)
        )

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter of all jobs, with their nodes."""
        found = []
        for job, nodes, part in self.parts(network):
            workload = job.workload.resolved(part)
            workload.pop("classes", None)
            values = job.listed()
            del values["workload"], values["nodes"]
            values |= {"nodes": written(nodes), "share": None, "order": "linear"}
            found.append(values | {"workload": workload})
        beside = [one for job in self.absent for one in job.network_classes()]
        others = {"absent": beside} if self.network_classes() and beside else {}
        return {"kind": self.kind, "jobs": found, **others}

    def traces(self) -> list[TraceFile]:
        """Return the files of traces of all jobs, in order."""
        return [file for job in self.jobs for file in job.workload.traces()]

    def messages_arrays(self) -> list[Any]:
        """Return the message list of every job, None for other kinds."""
        return [
            job.workload.messages_arrays() if isinstance(job.workload, Messages) else None
            for job in self.jobs
        ]

    @property
    def in_python(self) -> bool:
        """Whether processes of any job are carried out in Python."""
        return any(job.workload.in_python for job in self.jobs)

    def processes(self, network: Network, seed: int) -> Running | None:
        """Return the processes of all jobs that are carried out in Python, if there are any."""
        first = 0
        found: list[tuple[str, int, Running]] = []
        for job, _, part in self.parts(network):
            made = job.workload.processes(part, seed ^ job.stream)
            if made is not None:
                found.append((job.name, first, made))
            first += _processes(job.workload, part)
        if not found:
            return None
        from ..programs.of_jobs import ProcessesOfJobs

        return ProcessesOfJobs(found)

    def files_read(self) -> list[Path]:
        """Return the files that are read while the jobs run."""
        return [path for job in self.jobs for path in job.workload.files_read()]

    def digest(self) -> str:
        """Return a hash of the content of all jobs; empty if there is none."""
        own = [job.workload.digest() for job in self.jobs]
        return hashlib.sha256("\n".join(own).encode()).hexdigest() if any(own) else ""


def written(nodes: tuple[int, ...]) -> list[int | str]:
    """Return nodes as a file has them: those in a row as ranges."""
    found: list[int | str] = []
    first = 0
    for place in range(1, len(nodes) + 1):
        if place < len(nodes) and nodes[place] == nodes[place - 1] + 1:
            continue
        row = nodes[first:place]
        found += [f"{row[0]}-{row[-1]}"] if len(row) > 2 else row
        first = place
    return found


def _seen(nodes: tuple[int, ...], network: Network) -> Network:
    """Return the machine that a job on these nodes sees."""
    if len(nodes) == network.nodes and nodes == tuple(range(network.nodes)):
        return network
    return PartOfMachine(network, len(nodes))


def _processes(workload: Workload, part: Network) -> int:
    """Return how many processes the engine gives to a workload."""
    spec = workload.spec(part)
    for kind, listed in (("program", "processes"), ("trace", "nodes")):
        if spec["kind"] == kind:
            return len(spec[listed])
    if spec["kind"] == "traffic":
        return part.nodes * len(spec["classes"])
    return part.nodes * int(spec.get("processes_per_node", 1))
