"""The base of everything a user describes: plain frozen classes with real signatures.

A part takes what users write (``rate="400 Gbit/s"``) and keeps what it means (`Rate`). Editors
complete its keys and type checkers find misspelled ones; a value that is not possible raises
`UserError`. pydantic checks the values, but stays behind the class: its model of a part is made
when the first one is checked, so that a command pays for the parts it uses.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from copy import copy
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from ..errors import UserError, joined, shown, unknown_key
from ..helping import Helped
from ..since311 import Self, dataclass_transform
from ..units import Quantity, Time
from .keys import REQUIRED, Key, in_engine_units, key, learn_names
from .mistakes import first_mistake

Kind = TypeVar("Kind")

#: Types of values that the engine has as they are.
_PLAIN = frozenset((int, float, str, bool, type(None)))


def kinds(base: type[Kind], *modules: ModuleType) -> dict[str, type[Kind]]:
    """Return the kinds that modules have in ``__all__``, by their words, in order of definition."""
    named = (vars(module).items() for module in modules)
    all_names = {name for module in modules for name in module.__all__}
    classes = [made for items in named for name, made in items if name in all_names]
    return {made.kind: made for made in classes if issubclass(made, base)}


class _Usual:
    """The default of a key in a signature, shown as short as it can be written."""

    def __init__(self, default: Part | Quantity) -> None:
        self.default = default

    def __repr__(self) -> str:
        if isinstance(self.default, Quantity):
            return repr(str(self.default))
        given = ", ".join(f"{name}={value!r}" for name, value in self.default.given().items())
        return f"{type(self.default).__name__}({given})"


class _Signature:
    """The signature of a part: its keys, with their defaults."""

    def __get__(self, part: Part | None, kind: type[Part]) -> inspect.Signature:
        only = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature(
            [
                inspect.Parameter(name, only, default=_shown(one.default))
                for name, one in kind.keys.items()
            ]
        )


def _shown(default: Any) -> Any:
    """Return the default of a key for a signature."""
    if default is REQUIRED:
        return inspect.Parameter.empty
    return _Usual(default) if isinstance(default, (Part, Quantity)) else default


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(key,))
class Part(metaclass=Helped):
    """The base of every part of a description: frozen, complete, without unknown keys.

    ``section`` is the table of the experiment file it stands for; parts without one stand inside
    others.
    """

    helpful: ClassVar[tuple[str, ...]] = ("given", "named", "values")
    """What help texts show besides keys."""
    section: ClassVar[str] = ""
    keys: ClassVar[Mapping[str, Key]] = {}
    """All keys by name, those of bases first."""
    key_names: ClassVar[tuple[str, ...]] = ()
    """Their names."""
    _told: ClassVar[tuple[tuple[str, tuple[str, ...], str, Key], ...]] = ()
    """Keys that the engine is told of: their names, and the steps and the end of its paths."""
    about: ClassVar[str] = ""
    """What the class is, without its keys."""
    removed: ClassVar[Mapping[str, str]] = {}
    """Keys that there were, and what became of each."""
    __signature__: ClassVar[Any] = _Signature()

    def __init_subclass__(cls, *, init: bool = True, **values: Any) -> None:
        """Collect the keys.

        ``init=False`` tells type checkers (PEP 681) that the constructor takes any value: users
        write ``compute_period="1 us"``, not the `Time` that comes of it.
        """
        super().__init_subclass__(**values)
        every = (item for base in reversed(cls.__mro__) for item in vars(base).items())
        cls.keys = {name: made for name, made in every if isinstance(made, Key)}
        cls.key_names = tuple(cls.keys)
        learn_names(cls.section, {name: vars(cls)[name] for name in cls.keys if name in vars(cls)})
        paths = ((name, one.path(name).split("."), one) for name, one in cls.keys.items())
        cls._told = tuple(
            (name, tuple(steps), last, one)
            for name, (*steps, last), one in paths
            if last and not (steps or [last])[0].startswith("/")
        )
        cls.about = inspect.cleandoc(vars(cls).get("__doc__") or "")
        if cls.keys and cls.about:
            described = ((name, one.description) for name, one in cls.keys.items())
            told = (f"{name}: {meaning}" for name, meaning in described if meaning)
            cls.__doc__ = "\n".join((f"{cls.about}\n\nKeys:", *told))

    def __init__(self, **values: Any) -> None:
        """Turn what is given into what it means; raise `UserError` for what is not possible."""
        if not values.keys() <= self.keys.keys():
            raise self._stray(next(name for name in values if name not in self.keys))
        self.__dict__.update(self._meant(values), _named=tuple(values))
        self._check()

    def _stray(self, name: str) -> UserError:
        """Return the mistake of an unknown or removed key."""
        if name in self.removed:
            return UserError(joined(self.section, name), None, self.removed[name])
        meant = meant_by(type(self), name)
        if meant is not None:
            return UserError(joined(self.section, name), None, "unknown key", meant)
        return unknown_key(self.section, name, self.key_names)

    def _meant(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all keys with what the values given mean."""
        if not values:
            defaults = {name: one.default for name, one in self.keys.items()}
            if REQUIRED not in defaults.values():
                return defaults
        try:
            return vars(model_of(type(self))(**values))
        except ValidationError as error:
            raise first_mistake(error, self.section) from None

    def _check(self) -> None:
        """Refuse values that are possible alone but not together."""

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to be changed."""
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class and has the same values."""
        if type(other) is not type(self):
            return NotImplemented
        return self.values() == other.values()

    def _hash(self) -> int:
        """Return a hash of all values."""
        return hash((type(self), *self.values().values()))

    # Not a method to type checkers: they would take it for the hash of the class.
    __hash__: ClassVar[Any] = _hash

    def __repr__(self) -> str:
        """Return the class and its keys."""
        told = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"{type(self).__qualname__}({told})"

    def values(self) -> dict[str, Any]:
        """Return all keys with what they mean here."""
        return {name: self.__dict__[name] for name in self.key_names}

    def named(self) -> dict[str, Any]:
        """Return the keys that were given, whether or not they differ from their defaults."""
        return {name: self.__dict__[name] for name in self.__dict__["_named"]}

    def with_worked_out(self, **values: Any) -> Self:
        """Return the same with values that follow from others: nobody gave those."""
        made = type(self)(**self.named())
        # Its checks may have cached what follows from the old values.
        kept = {"_named": made.__dict__["_named"], **made.values(), **values}
        made.__dict__.clear()
        made.__dict__.update(kept)
        return made

    def with_known(self, **values: Any) -> Self:
        """Return the same with values that are known to be possible: nothing is checked."""
        made = copy(self)
        named = dict.fromkeys((*self.__dict__["_named"], *values))
        made.__dict__.update(values, _named=tuple(named))
        return made

    def given(self) -> dict[str, Any]:
        """Return the keys that differ from their defaults."""
        return {
            name: value for name, value in self.values().items() if value != self.keys[name].default
        }

    def listed(self) -> dict[str, Any]:
        """Return the same as `written` without keys that are listed only where they are given."""
        given = self.given()
        return {
            name: value
            for name, value in self.written().items()
            if name in given or self.keys[name].shown != "given"
        }

    def written(self) -> dict[str, Any]:
        """Return all keys as they are written in a file: quantities as text, lists as lists."""
        return {name: plain(value) for name, value in self.values().items()}

    def engine_keys(self, worked_out: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
        """Return the keys that have a name in the engine, nested, by that name and in its units.

        A key that was added later is left out while it has its default. ``worked_out``: keys whose
        values follow from others.
        """
        values = {**self.__dict__, **worked_out}
        found: dict[str, Any] = {}
        for name, steps, last, one in self._told:
            value = values[name]
            if one.added and value == one.default:
                continue
            at = found
            for step in steps:
                at = at.setdefault(step, {})
            at[last] = value if value.__class__ in _PLAIN else in_engine_units(value)
        return found

    def refused(self, name: str, allowed: str, *given: object) -> UserError:
        """Return the mistake of giving the key ``name`` its value, or ``given``."""
        value = plain(given[0] if given else getattr(self, name, None))
        told = None if value in (None, []) else shown(value)
        return UserError(joined(self.section, name), told, allowed)

    def with_clock(
        self, cycle: Time | None, flit: Time | None = None, *, place: str | None = None
    ) -> Self:
        """Return the same with times that are given in cycles, or flits, as times.

        ``place`` is where it stands, if not in its own table. Raises `UserError` if there are
        such times and no clock.
        """
        path = self.section if place is None else place
        given = self.named()
        timed = {
            name: _timed(value, (cycle, flit), joined(path, name)) for name, value in given.items()
        }
        if all(timed[name] is value for name, value in given.items()):
            return self
        return type(self)(**timed)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Let a part be the value of a key of another; its own model is made when it is used."""
        # By its name a schema refers to it, instead of describing it in every place.
        name = f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
        return core_schema.no_info_plain_validator_function(cls._taken, ref=name)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: Any
    ) -> dict[str, Any]:
        """Describe it as its model does."""
        described: dict[str, Any] = handler(model_of(cls).__pydantic_core_schema__)
        return described

    @classmethod
    def _taken(cls, value: object) -> Self:
        """Return a part, or that of a table if it stands inside others."""
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping) and not cls.section:
            return cls(**value)
        allowed = f"must be a {cls.__name__}" if cls.section else "must be a table"
        # A union tries each of its classes: building this message must be cheap.
        told = type(value).__name__ if isinstance(value, Part) else shown(value)
        raise UserError("", told, allowed)


def _timed(value: Any, lengths: tuple[Time | None, Time | None], place: str) -> Any:
    """Return a value, and all in it, with times in cycles as times; itself if there are none."""
    if isinstance(value, Part):
        return value.with_clock(*lengths, place=place)
    if isinstance(value, tuple):
        made = tuple(_timed(one, lengths, f"{place}[{n}]") for n, one in enumerate(value))
        return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
    if not isinstance(value, Time) or value.cycles is None:
        return value
    try:
        return value.at(*lengths)
    except UserError as error:
        raise error.inside(place) from None


def fields_of(part: type[Part]) -> Mapping[str, FieldInfo]:
    """Return what is known of every key: type, default, description."""
    return model_of(part).model_fields


def meant_by(part: type[Part], word: str) -> str | None:
    """Return the path of the key that a word for a key of ``part`` probably means.

    One that other tools call so, or one of that name of the parts in its lists.
    """
    for name, one in part.keys.items():
        if word in one.also:
            return joined(part.section, name)
    for name, field in fields_of(part).items():
        for inner in _parts_in(field.annotation):
            if word in inner.keys:
                return f"{joined(part.section, name)}.{word}, in each [[{part.section}.{name}]]"
    return None


def _parts_in(annotation: Any) -> Iterator[type[Part]]:
    """Yield the parts in lists of a type."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts_in(inner)


_MODELS: dict[type[Part], type[BaseModel]] = {}


def model_of(part: type[Part]) -> type[BaseModel]:
    """Return the pydantic model that checks a part's values; it is made once."""
    if part not in _MODELS:
        hints = get_type_hints(part, include_extras=True)
        fields: Any = {name: (hints[name], one.field) for name, one in part.keys.items()}
        strict = ConfigDict(extra="forbid", strict=True)
        _MODELS[part] = create_model(
            part.__name__,
            __config__=strict,
            __doc__=part.about,
            __module__=part.__module__,
            **fields,
        )
    return _MODELS[part]


def plain(value: Any) -> Any:
    """Return a value as a file has it."""
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, Part):
        return value.written()
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    return value
