"""What all workloads have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

from pydantic import BeforeValidator

from ..errors import UserError, shown
from ..parts import Part, key
from ..since311 import Self
from ..units import Size, Time

if TYPE_CHECKING:
    from ..door import TraceFile
    from ..programs import Running

Shape = Literal["constant", "normal", "exponential"]
#: Distributions of other times as well, and what else makes messages come.
Gaps = Literal[Shape, "geometric", "on_off", "modulated"]
Start = Literal["random", "together"]

#: Processes of the largest workload.
MOST_PROCESSES = 2**24


#: Beyond the largest number of a traffic class.
_CLASSES = 2**32 - 1


def _classes(given: object) -> object:
    """Refuse what are no classes in one line; a list becomes a tuple."""
    if given in ("node", "process"):
        return given
    if not isinstance(given, list | tuple) or not given:
        allowed = 'must be "node", "process" or a list of whole numbers, one for each process'
        raise UserError("", shown(given), allowed)
    if isinstance(given[0], dict):
        told = "are numbers of classes; a table that describes one is [[workload.traffic_class]]"
        raise UserError("", None, told)
    for number in given:
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < _CLASSES:
            raise UserError("", shown(number), f"must be whole numbers from 0 to {_CLASSES - 1}")
    return tuple(given)


Classes = Annotated[Literal["node", "process"] | tuple[int, ...], BeforeValidator(_classes)]


class Network(Protocol):
    """What a workload may know of the machine it runs on."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for a machine without coordinates."""

    @property
    def sides(self) -> tuple[int, ...]:
        """Switches along each dimension, x first; empty where there is none."""

    @property
    def group_nodes(self) -> int | None:
        """Nodes of a group, island or largest subtree; None where there are no groups."""

    def cycle(self) -> Time | None:
        """Return the time of a cycle of its clock, if it has one."""

    @property
    def has_injection_channels(self) -> bool:
        """Whether nodes send over channels of their own."""

    def message_injection_ps(self, message_bytes: int) -> int:
        """Return how long the packets of a message occupy a channel from a node."""

    def homes(self) -> tuple[int, ...]:
        """Return the switch of every node."""

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message and its acknowledgements take without contention."""


class Workload(Part, init=False):
    """What runs on a machine; the base of every kind."""

    section: ClassVar[str] = "workload"
    also: ClassVar[str] = ""
    """What the kind is called elsewhere, a word or several."""
    kind: str = key()
    classes: Classes = key(
        engine="/blame.classes",
        default="node",
        description="Traffic classes that lateness is charged to (run.blame): messages are of the "
        "class of their node, of their process, or of the number listed for their process.",
    )

    def class_spec(self) -> dict[str, Any]:
        """Return how lateness is charged to classes, as the engine describes it."""
        listed = [] if isinstance(self.classes, str) else list(self.classes)
        return {"by_process": self.classes == "process", "classes": listed}

    def network_classes(self) -> list[dict[str, Any]]:
        """Return what the network knows of traffic classes, if there are several."""
        return []

    def queued_together(self, network: Network) -> list[str]:
        """Return the traffic classes that share nodes and virtual channels with another."""
        return []

    @contextmanager
    def names(self) -> Iterator[None]:
        """Give keys of traffic classes their place in mistakes that the engine finds meanwhile."""
        yield

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return False

    @property
    def is_open_loop(self) -> bool:
        """Whether a load is offered without end, whatever part of it the network accepts."""
        return False

    @property
    def sends_messages(self) -> bool:
        """Whether there is any message."""
        return True

    def check_two_nodes(self, network: Network) -> None:
        """Raise `UserError` for a machine of a single node."""
        if network.nodes < 2:
            raise self.refused("kind", "needs at least two nodes")

    def longest_bytes(self) -> int:
        """Return about how long the longest message is that is sent at once; 0 if not known."""
        return 0

    def on(self, network: Network) -> Self:
        """Return the same with what follows from the machine: periods for loads."""
        return self

    def steps(self, network: Network) -> int:
        """Return how many steps of processes its description lists, where these may be many."""
        return 0

    @abstractmethod
    def check(self, network: Network) -> None:
        """Raise `UserError` if the workload does not fit on the machine."""

    @abstractmethod
    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it: picoseconds, bytes."""

    @abstractmethod
    def iteration_ps(self, network: Network) -> int:
        """Return roughly the time between two messages of a process without contention."""

    def settling_ps(self, network: Network) -> int:
        """Return roughly how long the start lasts at least; 0 where it is soon forgotten."""
        return 0

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on the machine."""
        return self.listed()

    def processes(self, network: Network, seed: int) -> Running | None:
        """Return the processes of one run, if they are carried out in Python."""
        return None

    @property
    def in_python(self) -> bool:
        """Whether some processes are carried out in Python."""
        return type(self).processes is not Workload.processes

    def traces(self) -> list[TraceFile]:
        """Return the files of traces that its processes carry out."""
        return []

    def files_read(self) -> list[Path]:
        """Return the files that are read while it runs, not before."""
        return []

    def digest(self) -> str:
        """Return a hash of content that is not part of `spec`; empty if there is none."""
        return ""


def iterations_to_fall_out_of_step(extent: int, reach: int) -> float:
    """Return how long processes that wait for each other remember that they started together.

    Each waits in every iteration for others that are at most `reach` away, along
    a dimension of `extent`. How far they are apart in time grows like a surface,
    which is stationary after a time that goes with the power 3/2 of its size
    [Korniss et al. 2000]; until then they wait less for each other.
    """
    return (extent / reach) ** 1.5 if reach else 0.0


def distribution(shape: Shape, mean: Time | Size, sigma: float) -> dict[str, Any]:
    """Return a distribution as the engine describes it."""
    relative_sigma = sigma if shape == "normal" else 0.0
    return {"shape": shape, "mean": mean.amount, "relative_sigma": relative_sigma}


def gaps(
    shape: Gaps,
    mean: Time,
    *,
    sigma: float,
    slot: Time,
    bursts: tuple[float, float],
    turns: tuple[float, float],
) -> dict[str, Any]:
    """Return a distribution of times as the engine describes it.

    ``sigma`` is for the normal distribution, ``slot`` for those in slots, ``bursts`` (mean number,
    peak) for bursts, ``turns`` (on, off) for modulated sources.
    """
    if shape == "geometric":
        return distribution("constant", mean, 0.0) | {"shape": {shape: {"slot": slot.ps}}}
    if shape == "on_off":
        parameters: dict[str, float] = dict(zip(("burst", "peak"), bursts, strict=True))
        return distribution("constant", mean, 0.0) | {"shape": {shape: parameters}}
    if shape == "modulated":
        parameters = {"slot": slot.ps} | dict(zip(("turn_on", "turn_off"), turns, strict=True))
        return distribution("constant", mean, 0.0) | {"shape": {shape: parameters}}
    return distribution(shape, mean, sigma)


def check_node(network: Network, field: str, node: int) -> None:
    """Raise `UserError` for a number of a node that is not there; ``field``: where it is given."""
    if node >= network.nodes:
        allowed = f"must be at most {network.nodes - 1} (there are {network.nodes} nodes)"
        raise UserError(field, shown(node), allowed)
