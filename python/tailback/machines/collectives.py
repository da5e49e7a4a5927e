"""What barriers and other collectives are on a machine: messages, a formula, or free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field

from ..errors import UserError, choice, shown
from ..parts import MaybeTimePerByte, Part, key
from ..units import Time

Algorithm = Literal[
    "linear",
    "chain",
    "binary_tree",
    "binomial",
    "knomial",
    "scatter_doubling",
    "scatter_ring",
    "dissemination",
    "double_ring",
    "recursive_doubling",
    "recursive_halving",
    "rabenseifner",
    "ring",
    "segmented_ring",
    "bruck",
    "pairwise",
    "neighbour_exchange",
    "by_root",
]
Table = Literal["mpich", "open_mpi"]
OPERATIONS = (
    "barrier",
    "broadcast",
    "reduce",
    "all_reduce",
    "gather",
    "scatter",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
)
_WORDS = ("free", *get_args(Table), *get_args(Algorithm))


def _signed(given: object) -> str:
    """Return a time that may be negative as text."""
    negative = isinstance(given, str) and given.lstrip().startswith("-")
    time = Time.parse(given.lstrip()[1:] if negative else given)  # type: ignore[attr-defined]
    sign = "-" if negative and time.ps else ""
    return f"{sign}{Time(time.ps)}"


Signed = Annotated[str, BeforeValidator(_signed)]


def _signed_ps(text: str) -> int:
    return -Time.parse(text[1:]).ps if text.startswith("-") else Time.parse(text).ps


class _Brief(Part):
    """A table that is written in one line: without keys that say nothing."""

    def written(self) -> dict[str, Any]:
        """Return the keys that are not None as they are written in a file."""
        return {name: value for name, value in super().written().items() if value is not None}


class Formula(_Brief):
    """What a collective takes that is no messages: the sum of all.

    n is the number of its members: the processes of its group, all nodes of a machine if there is
    one on each. It is no side of a mesh: on a square of s x s nodes log2 n is 2 log2 s.
    """

    section: ClassVar[str] = ""

    base: Signed = key(default=str(Time(0)), description="In any case; may be negative.")
    per_log2: Signed = key(
        default=str(Time(0)), description="Times log2 of the number of members; may be negative."
    )
    per_byte: MaybeTimePerByte = key(
        default=None, description="Times the length; default: nothing."
    )

    def spec(self) -> dict[str, Any]:
        """Return it as the engine describes it."""
        found = {"base_ps": _signed_ps(self.base), "per_log2_ps": _signed_ps(self.per_log2)}
        return found | ({} if self.per_byte is None else {"per_byte_fs": self.per_byte.fs})


def _method(given: object) -> object:
    """Refuse what is neither a word nor a formula, in one line."""
    if isinstance(given, Formula) or given is None or given in (*_WORDS, "messages"):
        return None if given == "messages" else given
    if isinstance(given, Mapping):
        known = Formula.key_names
        for name in given:
            if name not in known:
                raise choice("", name, known)
        return Formula(**given)
    if isinstance(given, str):
        raise choice("", given, ("messages", *_WORDS))
    allowed = 'must be "messages", "free", an algorithm, or such as {base = "134 us"}'
    raise UserError("", shown(given), allowed)


_Written = (
    Literal["messages", "free"] | Table | Algorithm | Annotated[dict[str, str], Field(min_length=1)]
)
#: What a collective is: None where the table says.
Method = Annotated[
    str | Formula | None, BeforeValidator(_method, json_schema_input_type=_Written | None)
]


def method_spec(method: str | Formula | None) -> dict[str, Any] | None:
    """Return what a collective is as the engine describes it."""
    if method is None:
        return None
    if method == "free":
        return {"price": {}}
    if isinstance(method, Formula):
        return {"price": method.spec()}
    return {"table" if method in get_args(Table) else "algorithm": method}


class Collectives(_Brief):
    """What each collective is: an algorithm, a table that chooses one, "free", or a formula."""

    section: ClassVar[str] = "machine.interface.collectives"

    table: Table = key(default="mpich", description="Chooses algorithms for what is not named.")
    broadcast: Method = key(default=None, description="From the root to all.")
    reduce: Method = key(default=None, description="The sum of all, to the root.")
    all_reduce: Method = key(default=None, description="The sum of all, to all.")
    gather: Method = key(default=None, description="A block of each, to the root.")
    scatter: Method = key(default=None, description="A block for each, from the root.")
    all_gather: Method = key(default=None, description="A block of each, to all.")
    reduce_scatter: Method = key(default=None, description="A block of the sum for each.")
    all_to_all: Method = key(default=None, description="A block of each for each.")

    def spec(self) -> dict[str, Any]:
        """Return what differs from the defaults as the engine describes it."""
        return {
            name: value if name == "table" else method_spec(value)
            for name, value in self.given().items()
        }


def _collectives(given: object) -> object:
    """Return the collectives that a table's name or a mapping stands for."""
    if isinstance(given, Collectives):
        return given
    if isinstance(given, str):
        if given not in get_args(Table):
            raise choice("", given, get_args(Table))
        return Collectives(table=given)  # type: ignore[arg-type]
    if isinstance(given, Mapping):
        for name in given:
            if name == "barrier":
                raise UserError("barrier", None, "is a key of machine.interface")
            if name not in Collectives.key_names:
                raise choice("", name, Collectives.key_names)
        try:
            return Collectives(**given)
        except UserError as error:
            # The owner of the key adds its place.
            field = error.field.removeprefix(f"{Collectives.section}.")
            raise UserError(field, error.given, error.allowed, error.nearest) from None
    raise UserError("", shown(given), 'must be "mpich", "open_mpi" or a table of operations')


CollectivesKey = Annotated[
    Collectives,
    BeforeValidator(
        _collectives,
        json_schema_input_type=Table | dict[str, _Written],
    ),
]
