"""Parts of a machine: plain frozen classes with real signatures.

A part is a frozen dataclass whose constructor takes what users write
(``rate="400 Gbit/s"``) and keeps what it means (`Rate`). Editors complete its keys and
type checkers find misspelled ones; a value that is not possible raises `UserError`.
pydantic checks the values, but stays behind the class, so that ``help`` shows the keys
and little else.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from ..errors import UserError, joined, shown
from ..since311 import Self, dataclass_transform
from ..units import Frequency, Quantity, Rate, Size, Time, TimePerByte
from .mistakes import first_mistake

Meant = TypeVar("Meant")
Kind = TypeVar("Kind")

if TYPE_CHECKING:

    class Written(Generic[Meant]):
        """A key that is given as text, perhaps, and kept as what it means."""

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
    RateKey, SizeKey, TimeKey, FrequencyKey = Rate, Size, Time, Frequency
    MaybeRate, MaybeSize, MaybeTime = Rate | None, Size | None, Time | None
    MaybeFrequency, MaybeTimePerByte = Frequency | None, TimePerByte | None

_MISSING: Any = dataclasses.MISSING


def key(*, description: str, default: Any = _MISSING, **limits: Any) -> Any:
    """Return a key of a part: its default (none: it must be given), meaning and limits.

    ``limits`` are pydantic's: ``ge``, ``le``, ``gt``, ``lt``, ``min_length``, ``max_length``.
    """
    about: dict[str, Any] = {"description": description, **limits}
    given = {} if default is _MISSING else {"default": default}
    return dataclasses.field(metadata={"key": Field(**given, **about)}, **given)


def kinds(base: type[Kind], *modules: ModuleType) -> dict[str, type[Kind]]:
    """Return the kinds that modules have in ``__all__``, by their words, in order of definition."""
    named = (vars(module).items() for module in modules)
    all_names = {name for module in modules for name in module.__all__}
    classes = [made for items in named for name, made in items if name in all_names]
    return {made.kind: made for made in classes if issubclass(made, base)}


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(key,))
class Part:
    """The base of every part of a description.

    ``section`` is the table of the experiment file it stands for.
    """

    section: ClassVar[str] = ""
    key_names: ClassVar[tuple[str, ...]] = ()
    """The keys, in order."""

    def __init_subclass__(cls, **values: Any) -> None:
        """Make every part a frozen dataclass."""
        super().__init_subclass__(**values)
        made: Any = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        known = dataclasses.fields(made)
        cls.key_names = tuple(field.name for field in known)
        if known and cls.__doc__:
            told = (f"{field.name}: {field.metadata['key'].description}" for field in known)
            about, keys = inspect.cleandoc(cls.__doc__), "\n".join(told)
            cls.__doc__ = f"{about}\n\nKeys:\n{keys}"

    def __post_init__(self) -> None:
        """Turn what was given into what it means; raise `UserError` for what is not possible."""
        given = self.values()
        try:
            made = model_of(type(self))(**given)
        except ValidationError as error:
            raise first_mistake(error, self.section, list(given)) from None
        for name in given:
            object.__setattr__(self, name, getattr(made, name))
        self._check()

    def _check(self) -> None:
        """Refuse values that are possible alone but not together."""

    def values(self) -> dict[str, Any]:
        """Return all keys with what they mean here."""
        return {name: getattr(self, name) for name in self.key_names}

    def given(self) -> dict[str, Any]:
        """Return the keys that differ from their defaults."""
        fields = fields_of(type(self))
        return {
            name: value for name, value in self.values().items() if value != fields[name].default
        }

    def written(self) -> dict[str, Any]:
        """Return all keys as they are written in a file: quantities as text, lists as lists."""
        return {name: plain(value) for name, value in self.values().items()}

    def refused(self, name: str, allowed: str) -> UserError:
        """Return the mistake of giving the key ``name`` the value it has."""
        value = getattr(self, name, None)
        given = None if value is None else shown(plain(value))
        return UserError(joined(self.section, name), given, allowed)

    def with_clock(self, cycle: Time | None, flit: Time | None = None) -> Self:
        """Return the same with times that are given in cycles, or flits, as times."""
        given = self.values()
        changed: dict[str, Time] = {}
        for name, value in given.items():
            if isinstance(value, Time) and value.cycles is not None:
                try:
                    changed[name] = value.at(cycle, flit)
                except UserError as error:
                    raise error.inside(joined(self.section, name)) from None
        return type(self)(**given | changed) if changed else self


def fields_of(part: type[Part]) -> Mapping[str, FieldInfo]:
    """Return what is known of every key: type, default, description."""
    return model_of(part).model_fields


_MODELS: dict[Any, type[BaseModel]] = {}


def model_of(part: type[Part]) -> type[BaseModel]:
    """Return the pydantic model that checks a part's values; it is made once."""
    if part not in _MODELS:
        _MODELS[part] = _made_model(part)
    return _MODELS[part]


def _made_model(part: type[Part]) -> type[BaseModel]:
    hints = get_type_hints(part, include_extras=True)
    known: Any = dataclasses.fields(part)  # type: ignore[arg-type]
    fields: Any = {field.name: (hints[field.name], field.metadata["key"]) for field in known}
    strict = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
    return create_model(part.__name__, __config__=strict, __doc__=part.__doc__, **fields)


def plain(value: Any) -> Any:
    """Return a value as a file has it."""
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, Part):
        # A file has no word for nothing.
        return {name: entry for name, entry in value.written().items() if entry is not None}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    return value
