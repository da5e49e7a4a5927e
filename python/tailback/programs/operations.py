"""Operations of a process: messages on their way while the process goes on."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..errors import UserError
from ..units import Size
from . import wire
from .speaking import Speaker


class Sending:
    """A message that a process has sent.

    Awaiting it waits for completion flag 3: its last packet has been acknowledged (on
    machines without acknowledgements: delivered). Of a broadcast that is what the node
    itself sends, not what other nodes pass on.
    """

    __slots__ = ("_node", "_number", "_over")

    def __init__(self, node: Speaker, number: int) -> None:
        self._node, self._number = node, number
        self._over = False

    def __await__(self) -> Generator[None, Any, None]:
        if not self._over:
            self._node.say(wire.WAIT, self._number, wire.COMPLETE)
            yield
            self._over = True

    async def started(self) -> int:
        """Wait for completion flag 1: the header of its first packet has left the node.

        Returns the flag, which is 3 if it is complete already.
        """
        return await self._wait(wire.IN_PROGRESS)

    async def flag(self) -> int:
        """Return its completion flag, 0, 1 or 3, without waiting."""
        return await self._wait(wire.NOW)

    async def _wait(self, until: int) -> int:
        if self._over:
            return wire.OVER
        self._node.say(wire.WAIT, self._number, until)
        flag: int = (await wire.PAUSE)[0]
        self._over = flag == wire.OVER
        return flag


class Message:
    """A message that a process has received."""

    __slots__ = ("_node", "_operation", "bytes", "content", "source", "type")

    def __init__(self, node: Speaker, operation: int | None, told: wire.Told, content: Any) -> None:
        """``operation``: the receive, if the message lies in a system buffer."""
        self._node, self._operation = node, operation
        _, self.source, self.type, self.bytes, _, _ = told
        self.content = content

    def release(self) -> None:
        """Give its system buffer back, once."""
        if self._operation is None:
            raise UserError("release", None, "it holds no system buffer, or gave it back before")
        self._node.say(wire.RELEASE, self._operation)
        self._operation = None

    def __repr__(self) -> str:
        return f"<Message of type {self.type} from node {self.source}, {self.bytes} bytes>"


class Receiving:
    """A receive that is ready for a message, or has it.

    Awaiting it waits for completion flag 3, the whole message, and gives the `Message`.
    Flag 1 and the first bytes are known before that only if one of the node's comparators
    was free when the message began to arrive.
    """

    __slots__ = ("_buffer", "_message", "_node", "_number")

    def __init__(self, node: Speaker, number: int, buffer: int | None) -> None:
        """``buffer``: length of the process' own buffer; None: the system's is used."""
        self._node, self._number, self._buffer = node, number, buffer
        self._message: Message | None = None

    def __await__(self) -> Generator[None, Any, Message]:
        if self._message is None:
            self._node.say(wire.WAIT, self._number, wire.COMPLETE)
            told = yield
            return self._whole(told)
        return self._message

    async def begun(self) -> int:
        """Wait for completion flag 1: a message begins to arrive, and a comparator follows it.

        Returns the flag: 3 if the message is complete, perhaps because none did.
        """
        return (await self._wait(wire.IN_PROGRESS))[0]

    async def bytes(self, count: int) -> int:
        """Wait for the first ``count`` bytes, or all; return how many are there."""
        if count < 0:
            raise UserError("receive.bytes", str(count), "must not be negative")
        # No message is longer, and the engine counts in 64 bits.
        return (await self._wait(min(count, Size.largest)))[4]

    async def flag(self) -> int:
        """Return its completion flag, 0, 1 or 3, without waiting."""
        return (await self._wait(wire.NOW))[0]

    async def _wait(self, until: int) -> wire.Told:
        if self._message is not None:
            message = self._message
            return wire.OVER, message.source, message.type, message.bytes, message.bytes, 0
        self._node.say(wire.WAIT, self._number, until)
        told: wire.Told = await wire.PAUSE
        if told[0] == wire.OVER:
            self._whole(told)
        return told

    def _whole(self, told: wire.Told) -> Message:
        """Keep the message: the engine tells of it once."""
        _, source, _, length, _, operation = told
        content = self._node.machine.take_content(source, operation)
        buffered = self._number if self._buffer is None else None
        self._message = Message(self._node, buffered, told, content)
        if self._buffer is not None and length > self._buffer:
            allowed = f"is too small for a message of {length} bytes from node {source}"
            raise UserError("receive.buffer", f"{self._buffer} B", allowed)
        return self._message
