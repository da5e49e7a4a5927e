"""Keys: all properties of one parameter, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.fields import FieldInfo

from ..errors import UserError, shown
from ..units import Frequency, Quantity, Rate, Size, Time, TimePerByte

Meant = TypeVar("Meant")
#: When a key is listed among the parameters of an experiment.
Shown = Literal["", "blank", "used", "given"]

#: No buffer, packet or header of a machine is larger: messages may be.
_LARGEST = Size(10**9)


def size_of_machine(size: Size) -> Size:
    """Return a size of a part of a machine, which is no message. Raises `UserError`."""
    if size > _LARGEST:
        raise UserError("", shown(str(size)), f"must be at most {_LARGEST}")
    return size


def up_to_packets(most: int) -> BeforeValidator:
    """Return the check of a key that is a number of packets, or ``"unlimited"``."""

    def checked(given: object) -> object:
        if given is None or given == "unlimited":
            return given
        if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
            allowed = f'must be a number of packets, 1 to {most}, or "unlimited"'
            raise UserError("", shown(given), allowed)
        return given

    return BeforeValidator(
        checked,
        json_schema_input_type=Annotated[int, Field(ge=1, le=most)] | Literal["unlimited"] | None,
    )


if TYPE_CHECKING:

    class Written(Generic[Meant]):
        """A key that may be given as text and is kept as what the text means."""

        def __get__(self, instance: object, owner: Any = None) -> Meant:
            """Return what it means."""

        def __set__(self, instance: object, value: Meant | str) -> None:
            """Take what may be given."""

    RateKey = Written[Rate]
    SizeKey = Written[Size]
    TimeKey = Written[Time]
    FrequencyKey = Written[Frequency]
    MaybeRate = Written[Rate | None]
    MaybeSize = Written[Size | None]
    MaybeTime = Written[Time | None]
    MaybeFrequency = Written[Frequency | None]
    MaybeTimePerByte = Written[TimePerByte | None]
else:
    SizeKey = Annotated[Size, AfterValidator(size_of_machine)]
    RateKey, TimeKey, FrequencyKey = Rate, Time, Frequency
    MaybeRate, MaybeSize, MaybeTime = Rate | None, SizeKey | None, Time | None
    MaybeFrequency, MaybeTimePerByte = Frequency | None, TimePerByte | None

#: The default of a key that must be given.
REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of one key of a part; made by `key`."""

    default: Any
    description: str
    """What it means, for help texts, schema and documents."""
    limits: Mapping[str, Any]
    engine: str | bool
    added: bool
    needs: tuple[Any, ...]
    shown: Shown
    also: tuple[str, ...]
    aliases: Mapping[str, str]

    def path(self, name: str) -> str:
        """Return what the engine calls the key ``name``; empty if it does not know it."""
        return name if self.engine is True else self.engine or ""

    @property
    def field(self) -> FieldInfo:
        """Its default, meaning and limits as pydantic has them; made when a model needs it."""
        given = {} if self.default is REQUIRED else {"default": self.default}
        made: FieldInfo = Field(**given, description=self.description or None, **self.limits)
        return made


def key(  # noqa: PLR0913  # one argument for each property of a key
    *,
    default: Any = REQUIRED,
    description: str | None = None,
    engine: str | bool = "",
    added: bool = False,
    between: tuple[float, float] | None = None,
    needs: Any = (),
    shown: Shown = "",
    also: str = "",
    aliases: Mapping[str, str] = MappingProxyType({}),
    **limits: Any,
) -> Any:
    """Return a key of a part: its default (none: it must be given), its meaning and its limits.

    ``between``: its least and its greatest value; other ``limits`` are pydantic's: ``ge``, ``le``,
    ``gt``, ``lt``, ``min_length``, ``max_length``.

    * ``engine``: what the engine calls it (True: the same), a path inside the engine's table of the
      part, such as ``pipeline.speculative``, or a whole path that begins with ``/``.
      `Part.engine_keys` passes values on in the engine's units, and mistakes that the engine finds
      come back under the name that users know.
    * ``added``: it came later. The engine is not told of its default, so that experiments that do
      not use it keep their identity in stores.
    * ``needs``: what it needs to have an effect (`tailback.machines.needs`), one or several.
    * ``shown``: when ``describe`` lists it: as its first need says, or always; always, but as
      nothing where that need is not met (blank); only where it is met (used); only where the value
      is not the default (given).
    * ``also``: what other tools call it.
    * ``aliases``: other words for its values.
    """
    if between is not None:
        limits["ge"], limits["le"] = between
    return Key(
        default,
        description or "",
        limits,
        engine,
        added,
        needs if isinstance(needs, tuple) else (needs,),
        shown,
        tuple(also.split()),
        aliases,
    )


#: What users call what the engine calls otherwise, by the engine's path.
USER_NAMES: dict[str, str] = {}


def learn_names(section: str, keys: Mapping[str, Key]) -> None:
    """Note what users call the keys of a table; the first that has a path keeps it."""
    for name, one in keys.items():
        if section and (path := one.path(name)):
            whole = path[1:] if path[0] == "/" else f"{section}.{path}"
            USER_NAMES.setdefault(whole, f"{section}.{name}")


def in_engine_units(value: Any) -> Any:
    """Return a value as the engine has it: picoseconds, bytes, lists."""
    if isinstance(value, Quantity):
        return value.ps if isinstance(value, Time) else value.amount
    return [*map(in_engine_units, value)] if isinstance(value, tuple) else value


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of dotted paths as tables within tables."""
    found: dict[str, Any] = {}
    for path, value in flat.items():
        *steps, last = path.split(".")
        at = found
        for step in steps:
            at = at.setdefault(step, {})
        at[last] = value
    return found
