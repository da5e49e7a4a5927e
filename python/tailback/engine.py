"""The only door to the compiled engine.

Maps the engine's errors to the user's: field paths are translated to the keys
of an experiment file, a deadlock becomes a `RunFailure`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tailback import _engine
from tailback.errors import CircleError, RunFailure, UserError

VERSION: str = _engine.VERSION
RESULTS_VERSION: int = _engine.RESULTS_VERSION
CAUSES: tuple[str, ...] = tuple(_engine.CAUSES)

Stop = Literal["time", "events", "finished"]
MessageColumns = tuple[NDArray[Any], ...]
Columns = dict[str, NDArray[Any]]

# The engine's paths where the user's is another.
_USER_FIELDS = {
    "machine.topology.children": "machine.topology.switches_per_level",
    "machine.topology.widths": "machine.topology.level_widths",
    "machine.routing": "machine.routing.kind",
    "machine.routing.next": "machine.routing.file",
    "machine.routing.classes": "machine.routing.file",
    "machine.link.half_duplex": "machine.link.duplex",
    "machine.interface.acknowledges": "machine.interface.acknowledgements",
    "machine.interface.packet_bytes": "machine.interface.packet_size",
    "machine.interface.first_packet_bytes": "machine.interface.first_packet",
    "workload.pattern.to": "workload.file",
    "workload.pattern.nodes": "workload.hot_spots",
    "workload.pattern.share": "workload.hot_spot_share",
    "workload.compute.mean": "workload.compute_period",
    "workload.compute.shape.slot": "workload.compute_slot",
    "workload.compute.shape.burst": "workload.compute_burst",
    "workload.compute.shape.peak": "workload.compute_peak",
    "sample_interval_ps": "run.sample_interval",
    "blame.classes": "workload.classes",
    "blame.message_classes": "workload.file",
    "mode": "run.mode",
    "fidelity": "run.fidelity",
    "seed": "run.seed",
}
#: Times of links that follow from their rate.
_OF_RATE = re.compile(r"\.(flit|control)_ps$")
#: What the engine's names end with that the user's do not.
_UNIT = re.compile(r"_(ps|bytes|flits|packets)$")


class Processes(Protocol):
    """Processes that are carried out here, not in the engine."""

    def begin(self, neighbours: Callable[[int], list[int]]) -> None:
        """Tell how to find the nodes one link away from one."""

    def answer(self, now_ps: int, asking: Sequence[tuple[int, Any]]) -> list[int]:
        """Return instructions for those that ask, each of which was told something."""

    def place(self, process: int) -> str | None:
        """Return the line that a process waits in."""


class Simulation:
    """One run of the engine: advance to an instant, read what was measured.

    Times are picoseconds. While the engine runs the GIL is released.
    """

    def __init__(
        self,
        spec: str,
        messages: MessageColumns | None = None,
        classes: NDArray[Any] | None = None,
        processes: Processes | None = None,
    ) -> None:
        """`spec`: JSON; `messages`: columns of a message list that is not in it; `classes`: theirs.

        Classes matter only if the specification asks for blame; `processes` if its workload
        is external.
        """
        self._spec = spec
        self._processes = processes
        with _user_errors(spec):
            self._engine = _engine.Simulation(spec, messages, classes)
        if processes is not None:
            processes.begin(self._engine.neighbours)

    def advance(self, until_ps: int, max_events: int) -> Stop:
        """Run until an instant, for `max_events` more events, or to the end of the workload.

        Raises what `Processes.answer` raises.
        """
        with _user_errors(self._spec, self._processes):
            reached = self._engine.advance(until_ps, max_events)
            if self._processes is not None:
                answer, go_on = self._processes.answer, self._engine.go_on
                while isinstance(reached, tuple):
                    reached = go_on(answer(*reached))
        assert reached in ("time", "events", "finished")
        return reached  # type: ignore[return-value]

    @property
    def now_ps(self) -> int:
        """Simulated time reached."""
        return self._engine.now_ps

    @property
    def sharing_channels(self) -> int:
        """Channels that send over the wire of another one."""
        return self._engine.sharing_channels

    @property
    def events(self) -> int:
        """Events handled since time 0."""
        return self._engine.events

    @property
    def offered(self) -> tuple[int, int] | None:
        """Bytes times internal channels of packets delivered, and the last send (ps).

        None unless nodes are integrated.
        """
        return self._engine.offered

    def begin_window(self) -> None:
        """Forget the tables' measures and packets; the window starts now. Counters go on."""
        self._engine.begin_window()
        self._engine.take_packets()

    def counters(self) -> dict[str, int]:
        """Everything counted since time 0."""
        return self._engine.counters()

    def take_samples(self) -> dict[str, NDArray[np.uint64]]:
        """Counters at each sample instant passed since the last call."""
        return self._engine.take_samples()

    def nodes(self) -> Columns:
        """One row per node: measures of the window."""
        return self._engine.nodes()

    def channels(self) -> Columns:
        """One row per channel: measures of the window."""
        return self._engine.channels()

    def processes(self) -> Columns:
        """One row per process: measures of the window."""
        return self._engine.processes()

    def take_packets(self) -> Columns:
        """One row per packet delivered since the last call, if they are recorded."""
        return self._engine.take_packets()

    def blame(self) -> dict[str, Any] | None:
        """Who made whom wait, by table, in the window; None unless that is kept."""
        return self._engine.blame()

    def moments(self) -> list[dict[str, Any]]:
        """Count, sums of powers, extremes per variable and class; exact integers."""
        return self._engine.moments()

    def histograms(self) -> list[dict[str, Any]]:
        """Occupied bins per variable and class."""
        return self._engine.histograms()


def predict(spec: str, max_pairs: int, messages: MessageColumns | None = None) -> dict[str, Any]:
    """Return what can be said without simulating; see `prediction`."""
    with _user_errors(spec):
        return _engine.predict(spec, max_pairs, messages)


def survey(
    topology: str, link_width: int, max_links: int, link_delay_ps: int = 0
) -> dict[str, Any]:
    """Return what can be said about a topology (JSON) by counting; see `survey`."""
    with _user_errors("{}"):
        return _engine.survey(topology, link_width, max_links, link_delay_ps)


def user_field(field: str) -> str:
    """Return the engine's path of a field as the user writes it."""
    own = _OF_RATE.sub(".rate", field.replace(".algorithm.", "."))
    return _USER_FIELDS.get(field) or _UNIT.sub("", own)


@contextmanager
def _user_errors(spec: str, processes: Processes | None = None) -> Iterator[None]:
    """Map engine errors to exceptions users see; the only place that does."""
    try:
        yield
    except _engine.SpecError as error:
        raise _user_error(error, spec) from None
    except _engine.DeadlockError as error:
        raise _deadlock(error, spec, processes) from None
    except _engine.LivelockError as error:
        text = _Names.of(spec).told(str(error.args[0]))
        raise RunFailure(text, "livelock", error.at_ps) from None
    except _engine.ClockStuckError as error:
        raise RunFailure(str(error.args[0]), "clock stands still") from None


def _deadlock(error: _engine.DeadlockError, spec: str, processes: Processes | None) -> RunFailure:
    names, text, waiting = _Names.of(spec), str(error.args[0]), error.waiting
    if processes is not None:
        text = _PROCESS.sub(lambda who: _with_place(who, processes), text)
        waiting = [
            (_PROCESS.sub(lambda who: _with_place(who, processes), who), what)
            for who, what in waiting
        ]
    if len(error.circle) > _LONGEST_CIRCLE:
        size = len(error.circle)
        text = f"{text.partition(': ')[0]}: {size} packets wait for each other in a circle"
    circle = [names.blocked(packet) for packet in error.circle]
    told = names.told(text) if circle else text
    return RunFailure(told, "deadlock", error.at_ps, waiting, circle)


#: Who waits, in a message of the engine.
_PROCESS = re.compile(r"\bprocess (\d+) on node \d+(?= waits for|$)")


def _with_place(who: re.Match[str], processes: Processes) -> str:
    """Return who waits with the line of the program."""
    place = processes.place(int(who[1]))
    return who[0] if place is None else f"{who[0]} ({place})"


def _user_error(error: _engine.SpecError, spec: str) -> UserError:
    field, given, allowed = user_field(error.field), error.given or None, error.allowed
    if not error.circle:
        return UserError(field, given, allowed)
    names = _Names.of(spec)
    if len(error.circle) > _LONGEST_CIRCLE:
        remedy = allowed.rpartition("; ")[2]
        size = len(error.circle)
        allowed = f"can deadlock: {size} channels wait for each other in a circle; {remedy}"
    circle = [names.held(channel) for channel in error.circle]
    return CircleError(field, given, names.told(allowed), circle)


#: Channels or packets of a circle that are named in one line.
_LONGEST_CIRCLE = 6


class _Names:
    """What switches and nodes are called in messages: by their coordinates, if they have two."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        """``shape``: switches along each dimension, x first; empty without dimensions."""
        self._shape = shape if len(shape) > 1 else ()

    @classmethod
    def of(cls, spec: str) -> _Names:
        """Return the names of the machine of a run."""
        topology = json.loads(spec).get("machine", {}).get("topology", {})
        return cls(tuple(topology.get("dims", ())) or (2,) * topology.get("dimensions", 0))

    def told(self, text: str) -> str:
        """Return a message of the engine with coordinates instead of numbers."""
        if not self._shape:
            return text
        text = re.sub(r"\bswitch (\d+)", lambda match: self._number(int(match[1])), text)
        numbers = r"(?<=\bnode )\d+|\d+(?=->)|(?<=->)\d+"
        return re.sub(numbers, lambda match: self._number(int(match[0])), text)

    def blocked(self, packet: Mapping[str, Any]) -> dict[str, Any]:
        """Return a packet of a deadlock with names."""
        return {
            **packet,
            "text": self.told(packet["text"]),
            "from": self._number(packet["source"]),
            "to": self._number(packet["destination"]),
            "holds": [self._channel(place) for place in packet["holds"]],
            "waits_for": self._channel(packet["waits_for"]),
        }

    def held(self, channel: Mapping[str, int]) -> dict[str, Any]:
        """Return a channel of a circle with names."""
        ends = f"{self._number(channel['from'])} to {self._number(channel['to'])}"
        kind = f" (class {channel['class']})" if channel["class"] else ""
        packet = f"{self._number(channel['source'])} to {self._number(channel['destination'])}"
        return {**channel, "channel": f"{ends}{kind}", "packet": packet}

    def _channel(self, place: Mapping[str, Any]) -> dict[str, Any]:
        lane = f" (channel {place['lane']})" if place["lane"] else ""
        return {**place, "name": f"{self._end(place['from'])} to {self._end(place['to'])}{lane}"}

    def _end(self, end: tuple[str, int]) -> str:
        kind, number = end
        is_known = bool(self._shape) and kind == "switch"
        return self._number(number) if is_known else f"{kind} {self._number(number)}"

    def _number(self, number: int) -> str:
        """Return ``(3, 0)`` for a switch or the node on it; a number where it has only that."""
        if not self._shape:
            return str(number)
        place = []
        for extent in self._shape:
            number, coordinate = divmod(number, extent)
            place.append(str(coordinate))
        return f"({', '.join(place)})"
