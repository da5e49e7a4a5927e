"""Steps that several processes take together: barriers and other collectives."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict

from ..errors import UserError, shown
from ..machines.collectives import Method, method_spec
from ..parts import MaybeSize, Part, key
from ..units import Size


def all_or_numbers(given: object, of: str, twice: str) -> object:
    """Return ``"all"``, or a tuple of numbers; refuse anything else in one line.

    ``of``: what they are; ``twice``: what is said of one that is there twice.
    """
    if given == "all":
        return given
    if not isinstance(given, list | tuple) or not given:
        raise UserError("", shown(given), f'must be "all" or a list of {of}')
    for number in given:
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise UserError("", shown(number), f"must be {of}, from 0")
    if len(set(given)) < len(given):
        again = next(number for place, number in enumerate(given) if number in given[:place])
        raise UserError("", shown(again), twice)
    return tuple(given)


Group = Annotated[
    Literal["all"] | tuple[int, ...],
    BeforeValidator(
        partial(all_or_numbers, of="process numbers", twice="is named twice"),
        json_schema_input_type=Literal["all"]
        | Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)],
    ),
]
Blocks = Size | Annotated[tuple[Size, ...], Strict(False)]
Rows = Size | Annotated[tuple[Annotated[tuple[Size, ...], Strict(False)], ...], Strict(False)]


class Collective(Part, init=False):
    """What several processes do together; the base of every such step."""

    operation: ClassVar[str]

    group: Group = key(
        default="all", description='The processes that take part, in order; or "all".'
    )
    algorithm: Method = key(
        default=None,
        description="How it is made of messages, or what it costs; default: what "
        "machine.interface says.",
    )
    segment: MaybeSize = key(
        default=None,
        description="Longest piece that is passed on alone, for chain, binary_tree and "
        "segmented_ring; default: all at once.",
    )

    @property
    def members(self) -> tuple[int, ...] | None:
        """The processes that take part, in order; None: all."""
        group: Any = getattr(self, "barrier", self.group)
        return None if group == "all" else group

    @property
    def given_root(self) -> int | None:
        """The process that is the root, if one is given."""
        return None

    def check(self, place: str, process: int, processes: int) -> None:
        """Raise `UserError` unless its processes are there, and the step's own among them."""
        key = "barrier" if self.operation == "barrier" else "group"
        members = range(processes) if self.members is None else self.members
        for member in members:
            if member >= processes:
                allowed = f"must be at most {processes - 1}, the last process"
                raise UserError(f"{place}.{key}", shown(member), allowed)
        if process not in members:
            allowed = f"must have process {process} itself in it"
            raise UserError(f"{place}.{key}", shown(list(members)), allowed)
        root = self.given_root
        if root is not None and root not in members:
            raise UserError(f"{place}.root", shown(root), "must be one of the group")
        self.check_lengths(place, len(members))

    def check_lengths(self, place: str, count: int) -> None:
        """Raise `UserError` unless there is a length for each member, or one for all."""
        lengths = getattr(self, self.operation)
        for part in (lengths, *lengths) if isinstance(lengths, tuple) else ():
            if isinstance(part, tuple) and len(part) != count:
                allowed = f"must be one for each of the {count} processes of the group"
                raise UserError(f"{place}.{self.operation}", f"{len(part)} entries", allowed)

    @property
    def bytes(self) -> int:
        """The length it is about, or the longest block."""
        lengths = getattr(self, self.operation)
        if isinstance(lengths, Size):
            return lengths.bytes
        flat: list[Any] = list(lengths) if isinstance(lengths, tuple) else []
        while flat and isinstance(flat[0], tuple):
            flat = [size for row in flat for size in row]
        return max((size.bytes for size in flat if isinstance(size, Size)), default=0)

    def spec(self, process: int) -> dict[str, Any]:
        """Return the step of a process as the engine describes it."""
        lengths = getattr(self, self.operation)
        found: dict[str, Any] = {
            "op": "collective",
            "operation": self.operation,
            "group": None if self.members is None else list(self.members),
            "root": self.given_root,
            "method": method_spec(self.algorithm),
            "segment": None if self.segment is None else self.segment.bytes,
        }
        if isinstance(lengths, Size):
            return found | {"bytes": lengths.bytes}
        if not isinstance(lengths, tuple):
            return found
        if self.operation != "all_to_all":
            return found | {"sizes": [size.bytes for size in lengths]}
        place = process if self.members is None else self.members.index(process)
        return found | {
            "sizes": [size.bytes for size in lengths[place]],
            "receives": [row[place].bytes for row in lengths],
        }


class Rooted(Collective, init=False):
    """A collective with a root."""

    root: int | None = key(
        default=None, ge=0, description="Number of the root; default: the first of the group."
    )

    @property
    def given_root(self) -> int | None:
        """The process that is the root, if one is given."""
        return self.root


class Barrier(Collective, init=False):
    """Wait until all processes of a group have come here."""

    operation = "barrier"
    barrier: Group = key(description='The processes, such as [0, 1], or "all".')


class Broadcast(Rooted, init=False):
    """What the root has, all get."""

    operation = "broadcast"
    broadcast: Size = key(description="Length of it.")


class Reduce(Rooted, init=False):
    """The root gets the sum of what all have."""

    operation = "reduce"
    reduce: Size = key(description="Length of what each has.")


class AllReduce(Collective, init=False):
    """All get the sum of what all have."""

    operation = "all_reduce"
    all_reduce: Size = key(description="Length of what each has.")


class Gather(Rooted, init=False):
    """The root gets a block of each."""

    operation = "gather"
    gather: Blocks = key(description="Length of a block, or a list: of each.")


class Scatter(Rooted, init=False):
    """Each gets a block of the root."""

    operation = "scatter"
    scatter: Blocks = key(description="Length of a block, or a list: of each.")


class AllGather(Collective, init=False):
    """All get a block of each."""

    operation = "all_gather"
    all_gather: Blocks = key(description="Length of a block, or a list: of each.")


class ReduceScatter(Collective, init=False):
    """Each gets its block of the sum of what all have."""

    operation = "reduce_scatter"
    reduce_scatter: Blocks = key(description="Length of a block, or a list: of each.")


class AllToAll(Collective, init=False):
    """Each gets a block of its own of each."""

    operation = "all_to_all"
    all_to_all: Rows = key(
        description="Length of a block, or a list of lists: what each sends to each."
    )


#: The classes of steps, by the key that names them.
COLLECTIVES: dict[str, type[Collective]] = {
    made.operation: made
    for made in (
        Barrier,
        Broadcast,
        Reduce,
        AllReduce,
        Gather,
        Scatter,
        AllGather,
        ReduceScatter,
        AllToAll,
    )
}
