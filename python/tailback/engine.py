"""Runs of the compiled engine, and what it counts.

A deadlock, a livelock, a buffer that is too full or a clock that stands still becomes a
`RunFailure`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tailback.door import (
    LONGEST_CIRCLE,
    Named,
    Names,
    TraceFile,
    compiled,
    trace_mistake,
    user_error,
)
from tailback.errors import RunFailure
from tailback.lazy import lazy_module
from tailback.memory import Guard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")

VERSION: str = compiled.VERSION
RESULTS_VERSION: int = compiled.RESULTS_VERSION
CAUSES: tuple[str, ...] = tuple(compiled.CAUSES)
KINDS: tuple[str, ...] = tuple(compiled.KINDS)
#: What time is put down to, segments of critical paths, and what processes do, by number.
PARTS: tuple[str, ...] = tuple(compiled.PARTS)
SEGMENTS: tuple[str, ...] = tuple(compiled.SEGMENTS)
ACTIVITIES: tuple[str, ...] = tuple(compiled.ACTIVITIES)

Stop = Literal["time", "events", "finished"]
MessageColumns = tuple["NDArray[Any]", ...] | list[tuple["NDArray[Any]", ...] | None]
Columns = dict[str, "NDArray[Any]"]


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
        traces: Sequence[TraceFile] = (),
        labels: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`spec`: JSON; `messages`: columns of a message list; `classes`: theirs.

        Lists, of jobs one for each that has one, are not in the JSON. Classes matter only if the
        specification asks for blame; `processes` if its workload is external, and `traces`, in
        order, if it has any. `labels`: what each node and each switch is called in a failure.
        """
        self._spec = spec
        self._labels = labels
        self._processes = processes
        self._lost_before = 0
        self._memory = Guard()
        with _user_errors(spec):
            files = [vars(trace) for trace in traces]
            self._engine = compiled.Simulation(spec, messages, classes, files)
        if processes is not None:
            processes.begin(self._engine.neighbours)

    def advance(self, until_ps: int, max_events: int) -> Stop:
        """Run until an instant, for `max_events` more events, or to the end of the workload.

        Raises what `Processes.answer` raises, and `ShortMemoryError` if an instant takes more
        memory than is left.
        """
        with _user_errors(self._spec, self._processes, self._labels):
            reached = self._engine.advance(until_ps, max_events)
            while reached not in ("time", "events", "finished"):
                reached = self._engine.go_on(self._answered(reached))
        return reached  # type: ignore[return-value]

    def _answered(self, reached: Any) -> list[int]:
        """Return what processes are to do that ask; nothing after a look at memory."""
        if reached == "grown":
            self._memory.check()
            return []
        assert self._processes is not None
        return self._processes.answer(*reached)

    @property
    def kernel(self) -> str:
        """The kernel that simulates the network; ``loggops`` where there is none."""
        return self._engine.kernel

    @property
    def now_ps(self) -> int:
        """Simulated time reached."""
        return self._engine.now_ps

    @property
    def sharing_channels(self) -> int:
        """Channels that send over the wire of another one."""
        return self._engine.sharing_channels

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self._engine.node_count

    @property
    def channel_counts(self) -> list[int]:
        """Number of channels of each kind, in the order of `tables.CHANNEL_KINDS`."""
        return self._engine.channel_counts

    @property
    def messages_lost(self) -> int:
        """Messages of which the first packet has been lost in the window: they never arrive."""
        return self._engine.messages_lost - self._lost_before

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

    def catch_up(self) -> None:
        """Do what nobody has looked at: before anything is read where `advance` ended by events."""
        self._engine.catch_up()

    def begin_window(self) -> None:
        """Forget the tables' measures and packets; the window starts now. Counters go on."""
        self._lost_before = self._engine.messages_lost
        self._engine.begin_window()
        self._engine.take_packets()
        self._engine.take_messages()

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

    def frames(self) -> Columns | None:
        """One row per channel: frames lost, and pauses, in the window; None without frames."""
        return self._engine.frames()

    def processes(self) -> Columns:
        """One row per process: measures of the window."""
        return self._engine.processes()

    def jobs_over(self) -> list[bool]:
        """Of every job, whether all of it is done; none where there are no jobs."""
        return self._engine.jobs_over()

    def job_moments(self) -> list[dict[str, Any]]:
        """Those of the latencies of messages, one job after the other."""
        return self._engine.job_moments()

    def job_histograms(self) -> list[dict[str, Any]]:
        """Occupied bins of the same."""
        return self._engine.job_histograms()

    def take_packets(self) -> Columns:
        """One row per packet delivered since the last call, if they are recorded."""
        return self._engine.take_packets()

    def keep_messages(self) -> None:
        """Keep one row per message from now on, as many as there is room for."""
        self._engine.keep_messages()

    def take_messages(self) -> Columns:
        """One row per message received since the last call, if they are kept."""
        return self._engine.take_messages()

    def take_late(self) -> Columns:
        """One row per message that has arrived since the last call, if `lateness` is specified.

        `charges` says how many rows of the columns from `culprit` on are its own: these are longer.
        """
        return self._engine.take_late()

    def blame(self) -> dict[str, Any] | None:
        """Who made whom late, by table, in the window; None unless that is kept."""
        return self._engine.blame()

    def slices(self) -> dict[str, Any] | None:
        """Return waits and busy times by slice of the window; None unless that is kept."""
        return self._engine.slices()

    def critical_path(self) -> Columns | None:
        """One row per piece of the critical path; None unless `causes` is specified."""
        return self._engine.critical_path()

    def places(self) -> list[tuple[int, list[str]]]:
        """Of every trace: its first process, and names of places in the program by their number."""
        return self._engine.places()

    def times(self) -> Columns | None:
        """One row per process: where its time went; None unless `causes` is specified."""
        return self._engine.times()

    def activities(self) -> Columns | None:
        """One row per thing a process did; None unless `causes.timeline` is specified."""
        return self._engine.activities()

    def transfers(self) -> Columns | None:
        """One row per message; None unless `causes.timeline` is specified."""
        return self._engine.transfers()

    def turns(self) -> Columns | None:
        """One row per turn of a packet on a channel; None unless `causes.timeline.turns` is."""
        return self._engine.turns()

    def waits(self) -> Columns | None:
        """One row per piece of a wait of a packet for a channel; None as above."""
        return self._engine.waits()

    @property
    def turns_missing_ps(self) -> int | None:
        """Since when there have been more of them than are kept; None if there are not."""
        return self._engine.turns_missing_ps()

    def moments(self) -> list[dict[str, Any]]:
        """Count, sums of powers, extremes per variable and class; exact integers."""
        return self._engine.moments()

    def histograms(self) -> list[dict[str, Any]]:
        """Occupied bins per variable and class."""
        return self._engine.histograms()


def predict(
    spec: str,
    max_pairs: int,
    messages: MessageColumns | None = None,
    weights: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """Return what can be said without simulating; see `prediction`.

    Each message of a list stands for as many as its weight says.
    """
    with _user_errors(spec):
        return compiled.predict(spec, max_pairs, messages, weights)


def survey(
    topology: str,
    link_width: int,
    max_links: int,
    link_delay_ps: int = 0,
    sources: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Return what can be said about a topology (JSON) by counting; see `survey`.

    `sources`: switches that stand for all, those that nodes enter at for as many each.
    """
    with _user_errors("{}"):
        return compiled.survey(topology, link_width, max_links, link_delay_ps, sources)


@contextmanager
def _user_errors(
    spec: str,
    processes: Processes | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[None]:
    """Map engine errors to exceptions users see; the only place that does."""
    try:
        yield
    except compiled.SpecError as error:
        raise user_error(error, spec) from None
    except compiled.TraceError as error:
        raise trace_mistake(error) from None
    except compiled.UnreceivedError as error:
        raise RunFailure(str(error.args[0]), "messages left", error.at_ps) from None
    except compiled.LostError as error:
        text = str(error.args[0])
        raise RunFailure(text, "lost", error.at_ps, error.waiting) from None
    except compiled.DeadlockError as error:
        raise _deadlock(error, _names(spec, labels), processes) from None
    except compiled.LivelockError as error:
        text = _names(spec, labels).told(str(error.args[0]))
        raise RunFailure(text, "livelock", error.at_ps) from None
    except compiled.BufferTooFullError as error:
        text = _names(spec, labels).told(str(error.args[0]))
        raise RunFailure(text, "buffer too full", error.at_ps) from None
    except compiled.ClockStuckError as error:
        raise RunFailure(str(error.args[0]), "clock stands still") from None


def _names(spec: str, labels: Mapping[str, Sequence[str]] | None) -> Names | Named:
    """Return what switches and nodes are called: as a file has them, or else by coordinates."""
    return Named(labels) if labels and "node" in labels else Names.of(spec)


def _deadlock(
    error: compiled.DeadlockError, names: Names | Named, processes: Processes | None
) -> RunFailure:
    text, waiting = str(error.args[0]), error.waiting
    if processes is not None:
        text = _PROCESS.sub(lambda who: _with_place(who, processes), text)
        waiting = [
            (_PROCESS.sub(lambda who: _with_place(who, processes), who), what)
            for who, what in waiting
        ]
    if len(error.circle) > LONGEST_CIRCLE:
        size = len(error.circle)
        text = f"{text.partition(': ')[0]}: {size} packets wait for each other in a cycle"
    circle = [names.blocked(packet) for packet in error.circle]
    if isinstance(names, Named):
        waiting = [(names.told(who), names.told(what)) for who, what in waiting]
    told = names.told(text) if circle or isinstance(names, Named) else text
    return RunFailure(told, "deadlock", error.at_ps, waiting, circle)


#: Who waits, in a message of the engine.
_PROCESS = re.compile(r"\bprocess (\d+) on node \d+(?= waits for|$)")


def _with_place(who: re.Match[str], processes: Processes) -> str:
    """Return who waits with the line of the program."""
    place = processes.place(int(who[1]))
    return who[0] if place is None else f"{who[0]} ({place})"
