"""What one MPI process did, as actions of SimGrid's time-independent traces."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tailback.errors import UserError

from .collectives import ACTIONS, WITHOUT_EFFECT
from .communicators import Communicators

_PS = 10**12
_COMPLETE = {"MpiIsendComplete", "MpiIrecv"}


class Rank:
    """Takes the events of a process in order, and makes the lines of its file.

    The sender of a receive that does not block is known when it is complete: lines behind it wait
    until then.
    """

    def __init__(self, me: int, communicators: Communicators, resolution: int, place: str) -> None:
        self._me, self._communicators, self._resolution = me, communicators, resolution
        self._place = place
        self._lines: list[str | None] = [f"{me} init"]
        self._first = 0
        """How many lines have been taken."""
        self._posted: dict[int, int] = {}
        """By request: the line of a receive that is not complete."""
        self._open: dict[int, str] = {}
        """By request: how it is waited for."""
        self._since: int | None = None
        """From when on it computes, unless it is in a call."""
        self._latest = 0
        """When it last entered or left something that is no call."""
        self._regions: list[str] = []
        """Calls of MPI that it is in."""
        self._begun: list[str] = []
        """The call in which each collective that goes on has begun."""
        self._call: list[Any] = []
        """Messages of the call that it is in."""
        self._communicator = 0
        """That of which the next collective is, unless something else is said."""
        self._known = {0}
        """Communicators whose members have been said."""
        self.notes: Counter[str] = Counter()

    def lines(self) -> list[str]:
        """Take the lines that are known by now."""
        found = []
        for line in self._lines:
            if line is None:
                break
            found.append(line)
        del self._lines[: len(found)]
        self._first += len(found)
        return found

    def end(self) -> None:
        """No event follows."""
        if self._regions:
            raise self._refused(f"ends within {self._regions[0]}")
        if self._since is not None:
            self._compute(max(self._since, self._latest))
        for _, line in sorted(self._posted.items()):
            self._fill(line, "")
            self.notes["receives that are never complete have no effect"] += 1

    def enter(self, time: int, region: str | None) -> None:
        """Begin a call of MPI; without a name, something else."""
        if region is not None:
            self._compute(time)
            self._regions.append(region)
            return
        self._latest = time
        if self._since is None:
            self._since = time

    def leave(self, time: int, region: str | None) -> None:
        """End what was begun."""
        if region is None:
            self._latest = time
            return
        if not self._regions or self._regions.pop() != region:
            raise self._refused(f"leaves {region} without having entered it")
        if not self._regions:
            self._flush()
            self._since = time

    def event(self, kind: str, event: Any) -> None:
        """Do what a message or a collective says; calls without a region take no time."""
        if not self._regions:
            self._compute(event.time)
        if kind == "MpiCollectiveBegin":
            self._begun.append(self._regions[-1] if self._regions else "")
        elif kind == "MpiCollectiveEnd":
            self._collective(event)
        else:
            self._call.append((kind, event))
        if not self._regions:
            self._flush()
            self._since = event.time

    def _refused(self, what: str) -> UserError:
        return UserError(self._place, None, f"rank {self._me} {what}")

    def _compute(self, time: int) -> None:
        """Compute up to a time, unless it is in a call."""
        if self._regions:
            return
        if self._since is not None:
            if time < self._since:
                raise self._refused(f"goes back in time at {time}")
            length = time * _PS // self._resolution - self._since * _PS // self._resolution
            if length:
                self._say(f"sleep {length // _PS}.{length % _PS:012}")
        self._since = time

    def _say(self, action: str) -> None:
        self._lines.append(f"{self._me} {action}")

    def _fill(self, line: int, action: str) -> None:
        self._lines[line - self._first] = f"{self._me} {action}" if action else ""

    def _flush(self) -> None:
        """Say what the messages of a call are; what it sends and receives at once may cross."""
        events, self._call = self._call, []
        kinds = {kind for kind, _ in events}
        sent = []
        for kind, event in events:
            if kind == "MpiSend" and "MpiRecv" in kinds:
                self._say(f"isend {self._to(event)}")
                sent.append(self._waited(event))
            elif kind not in _COMPLETE:
                self._message(kind, event)
        for wait in sent:
            self._say(wait)
        self._complete([(kind, event) for kind, event in events if kind.startswith("MpiI")])

    def _message(self, kind: str, event: Any) -> None:
        if kind == "MpiSend":
            self._say(f"send {self._to(event)}")
        elif kind == "MpiIsend":
            self._say(f"isend {self._to(event)}")
            self._open[event.request_id] = self._waited(event)
        elif kind == "MpiRecv":
            self._say(f"recv {self._from(event)}")
        elif kind == "MpiIrecvRequest":
            self._posted[event.request_id] = self._first + len(self._lines)
            self._lines.append(None)
            self._open[event.request_id] = ""
        elif kind == "MpiRequestCancelled":
            self._cancel(event.request_id)
        else:
            self.notes[f"{kind} has no effect"] += 1

    def _cancel(self, request: int) -> None:
        self._open.pop(request, None)
        if request not in self._posted:
            raise self._refused("cancels a send, which has no counterpart")
        self._fill(self._posted.pop(request), "")
        self.notes["receives that are cancelled have no effect"] += 1

    def _complete(self, events: list[tuple[str, Any]]) -> None:
        """Wait for what is complete at the end of a call."""
        waits = []
        for kind, event in events:
            if kind not in _COMPLETE:
                continue
            wait = self._open.pop(event.request_id, None)
            if wait is None:
                raise self._refused(f"completes request {event.request_id}, which it did not make")
            if kind == "MpiIrecv":
                self._fill(self._posted.pop(event.request_id), f"irecv {self._from(event)}")
                wait = self._waited(event)
            waits.append(wait)
        if len(waits) > 1 and not self._open:
            waits = ["waitall"]
        for wait in waits:
            self._say(wait)

    def _tag(self, event: Any) -> int:
        return self._communicators.tag(event.communicator, event.msg_tag)

    def _to(self, event: Any) -> str:
        to = self._communicators.rank(event.communicator, event.receiver, self._me)
        return f"{to} {self._tag(event)} {event.msg_length}"

    def _from(self, event: Any) -> str:
        sender = self._communicators.rank(event.communicator, event.sender, self._me)
        return f"{sender} {self._tag(event)} {event.msg_length}"

    def _waited(self, event: Any) -> str:
        """Return how a request is waited for: by sender, receiver and tag."""
        communicator, me = event.communicator, self._me
        if hasattr(event, "receiver"):
            to = self._communicators.rank(communicator, event.receiver, me)
            return f"wait {me} {to} {self._tag(event)}"
        sender = self._communicators.rank(communicator, event.sender, me)
        return f"wait {sender} {me} {self._tag(event)}"

    def _collective(self, event: Any) -> None:
        known = self._communicators
        name = str(event.collective_op).rpartition(".")[2]
        begun = self._begun.pop() if self._begun else ""
        if name in WITHOUT_EFFECT:
            self.notes[f"collectives {name} have no effect"] += 1
            return
        if known.is_alone(event.communicator):
            self.notes["collectives of a rank with itself have no effect"] += 1
            return
        if self._regions and begun != self._regions[-1]:
            raise self._refused(f"goes on during {name} ({begun}), which has no counterpart")
        if name not in ACTIONS:
            raise self._refused(f"does {name}, whose lengths the archive does not have")
        members = known.members(event.communicator)
        ranks, root = len(members), event.root
        action = ACTIONS[name](event.size_sent, event.size_received, ranks, root)
        if action is None:
            what = f"sends {event.size_sent} B, receives {event.size_received} B"
            raise self._refused(f"{what} in {name}: no multiple of {ranks} ranks")
        self._flush()
        self._name(known.number(event.communicator), members)
        self._say(action)

    def _name(self, number: int, members: list[int]) -> None:
        """Say of which communicator the collectives that follow are, and, once, who is in it."""
        if number == self._communicator:
            return
        said = [] if number in self._known else members
        self._communicator = number
        self._known.add(number)
        self._say(" ".join(map(str, ("communicator", number, *said))))
