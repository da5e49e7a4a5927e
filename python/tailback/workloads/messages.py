"""A written list of messages."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Strict

from ..errors import UserError, shown
from ..parts import Part, key
from ..units import Size, Time
from .base import Network, Workload
from .message_file import Format, MessageArrays, from_columns, read_messages

_COLUMNS = ("time", "source", "destination", "bytes")


class Message(Part, init=False):
    """One message: when, from which node, to which node, how long."""

    time: Time = key(description="When it is sent.")
    source: int = key(ge=0, lt=2**32, description="Number of the sending node.")
    destination: int = key(ge=0, lt=2**32, description="Number of the receiving node.")
    bytes: Size = key(description="Its length.")


def _row(value: object) -> object:
    """Name the columns of a row written as a list."""
    if isinstance(value, list | tuple):
        if len(value) != len(_COLUMNS):
            raise UserError("", shown(value), f"must be [{', '.join(_COLUMNS)}]")
        value = dict(zip(_COLUMNS, value, strict=True))
    return Message(**value) if isinstance(value, dict) else value


_Written = Message | tuple[Time, int, int, Size]
Row = Annotated[Message, BeforeValidator(_row, json_schema_input_type=_Written)]


class Messages(Workload, init=False):
    """Messages at given times; every receiver is ready.

    Rows are sorted by time, those of one time staying in the order given; the
    numbers of messages in results are those after sorting.
    """

    also: ClassVar[str] = "flows"
    kind: Literal["messages"] = key(default="messages")
    messages: Annotated[tuple[Row, ...], Strict(False)] = key(
        default=(),
        description='Rows such as ["0 ns", 0, 5, "32 B"]: time, source, destination, bytes.',
    )
    file: str | None = key(
        engine="/blame.message_classes",
        default=None,
        description="CSV or Parquet file with the columns time_ns (or time_ps, time_us, time_ms, "
        "time_s), source, destination and bytes, and perhaps class (a number of a traffic "
        "class for run.blame); or flows of htsim (.cm) or HPCC; relative to the experiment file.",
    )
    format: Format = key(
        shown="given",
        default="auto",
        description="What the file is: csv, parquet, htsim (connections of .cm files), hpcc (flow "
        "files: source destination priority port bytes start); auto: by the end of its name, or by "
        "its first lines. Priorities are traffic classes for run.blame.",
    )

    def _check(self) -> None:
        if self.file is not None and self.messages:
            raise self.refused("file", "must not be given together with messages")
        if self.file is None and self.format != "auto":
            raise self.refused("format", "has no effect here; needs file")
        if self.file is None and not self.messages:
            raise self.refused("messages", "must have at least one row, or a file must be given")

    @cached_property
    def _list(self) -> MessageArrays:
        """The messages in order; a file is read once."""
        if self.file is not None:
            return read_messages(Path(self.file), self.format)
        return from_columns(
            [message.time.ps for message in self.messages],
            [message.source for message in self.messages],
            [message.destination for message in self.messages],
            [message.bytes.bytes for message in self.messages],
        )

    @property
    def finite(self) -> bool:
        """It ends with its last message."""
        return True

    def messages_arrays(self) -> tuple[Any, Any, Any, Any]:
        """Return NumPy arrays: time in ps (uint64), source, destination (uint32), bytes.

        Those are uint32, or uint64 if one is longer than that.
        """
        rows = self._list
        return rows.time_ps, rows.source, rows.destination, rows.bytes

    def longest_bytes(self) -> int:
        """Return the longest message of the list."""
        return int(max(self._list.bytes, default=0))

    def message_classes(self) -> Any:
        """Return the traffic class of every message (uint32), or None if they have none."""
        return self._list.traffic_class

    def check(self, network: Network) -> None:
        """Raise `UserError` if the file cannot be used, or a node is not in the machine."""
        for name in ("source", "destination"):
            nodes = getattr(self._list, name)
            worst = int(nodes.argmax())
            if nodes[worst] >= network.nodes:
                allowed = f"must be at most {network.nodes - 1} (there are {network.nodes} nodes)"
                place = self._place(int(self._list.row[worst]), name)
                raise UserError(place, shown(int(nodes[worst])), allowed)

    def _place(self, row: int, column: str) -> str:
        if self.file is None:
            return f"workload.messages[{row}].{column}"
        return f"{self.file}: {column} of message {row}"

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it; the rows go to it as arrays."""
        columns = ("time_ps", "source", "destination", "bytes")
        return {"kind": self.kind} | {column: [] for column in columns}

    def iteration_ps(self, network: Network) -> int:
        """Return a five-hundredth of the time between the first and the last message."""
        times = self._list.time_ps
        return int(times[-1] - times[0]) // 500

    def digest(self) -> str:
        """Return a hash of the messages, which does not depend on the file format."""
        arrays = list(self.messages_arrays())
        if self._list.traffic_class is not None:
            arrays.append(self._list.traffic_class)
        columns = b"".join(column.tobytes() for column in arrays)
        return hashlib.sha256(columns).hexdigest()

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return the parameters; of the messages only how many they are and their hash."""
        counted = {"messages": len(self._list.time_ps), "messages_sha256": self.digest()}
        return {"kind": self.kind, "classes": self.classes, "file": self.file} | counted
