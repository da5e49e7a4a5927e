"""What a function given itself depends on besides its text: closures, defaults and globals."""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import inspect
import random
import types
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any

from ..contents import sha256_of
from ..errors import UserError
from ..parts import Part
from ..units import Quantity
from .reads import is_installed

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice)
_BY_REPR = (date, timedelta, Decimal, Fraction, PurePath, Quantity, Part)


def text_of(function: Any) -> str:
    """Return the source of a function or class, or else its code."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__
        return f"{code.co_code!r} {code.co_consts!r} {code.co_names!r}"


def account_of(function: Any) -> str:
    """Return all values that a function reads besides its arguments, as text; empty if none.

    What is installed counts by its name. Raises `UserError` for a value that cannot be told from
    others of its kind.
    """
    return _Account(getattr(function, "__name__", "function")).of_function(_plain(function))


def _plain(function: Any) -> Any:
    """Return the function of a method: the object it belongs to is described otherwise."""
    return getattr(function, "__func__", function)


class _Account:
    def __init__(self, name: str) -> None:
        self._name = name
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []

    def of_function(self, function: Any) -> str:
        """Return the values that a function reads, by name."""
        told = [
            f"{name} = {text}"
            for name, value in _read_by(function)
            if (text := self._told(name, value))
        ]
        return "\n".join(told)

    def _told(self, name: str, value: Any) -> str:
        """Return a value as text; empty if it is installed, so that its name says all."""
        if isinstance(value, _PLAIN):
            return f"{type(value).__name__} {value!r}"
        if _comes_with_package(value):
            return ""
        if id(value) in self._seen:
            return f"as {self._seen[id(value)]}"
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)  # else another object could get its number
        return self._described(name, value)

    def _described(self, name: str, value: Any) -> str:
        kind = type(value).__qualname__
        if isinstance(value, enum.Enum):
            return f"{kind}.{value.name}"
        if isinstance(value, _BY_REPR):
            return f"{kind} {value!r}"
        if isinstance(value, tuple | list):
            return f"{kind} [{', '.join(self._inside(name, one) for one in value)}]"
        if isinstance(value, set | frozenset):
            return f"{kind} {sorted(self._inside(name, one) for one in value)}"
        if isinstance(value, Mapping):
            entries = [self._inside(name, pair) for pair in value.items()]
            return f"{kind} {{{', '.join(entries)}}}"
        return self._of_code(name, value) or self._of_object(name, value)

    def _inside(self, name: str, value: Any) -> str:
        """Return a value in another; what is installed by its name."""
        return self._told(name, value) or str(getattr(value, "__qualname__", value.__class__))

    def _of_code(self, name: str, value: Any) -> str:
        if isinstance(value, functools.partial):
            return f"partial {self._inside(name, (value.func, value.args, value.keywords))}"
        if isinstance(value, types.MethodType):
            return f"{self._inside(name, value.__self__)}.{self._inside(name, value.__func__)}"
        if isinstance(value, types.FunctionType):
            return f"{text_of(value)} {self.of_function(value)}"
        if isinstance(value, types.ModuleType):
            file = getattr(value, "__file__", None)
            return f"module {sha256_of(Path(file))}" if file else ""
        if isinstance(value, type):
            methods = [one for one in vars(value).values() if isinstance(one, types.FunctionType)]
            return f"{text_of(value)} {[self.of_function(one) for one in methods]}"
        return ""

    def _of_object(self, name: str, value: Any) -> str:
        kind = type(value).__qualname__
        if isinstance(value, random.Random):
            return f"{kind} {value.getstate()}"
        is_numpy = type(value).__module__ == "numpy" and hasattr(value, "tobytes")
        if is_numpy and value.dtype != object:
            digest = hashlib.sha256(value.tobytes()).hexdigest()
            return f"{kind} {value.dtype} {value.shape} {digest}"
        if dataclasses.is_dataclass(value):
            fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            return f"{self._inside(name, type(value))} {self._inside(name, fields)}"
        if not _comes_with_package(type(value)) and hasattr(value, "__dict__"):
            return f"{self._inside(name, type(value))} {self._inside(name, vars(value))}"
        allowed = (
            f"reads {name}, a {kind}, whose value cannot be told from others: "
            "give numbers, texts, lists, dictionaries or NumPy arrays"
        )
        raise UserError(self._name, None, allowed)


def _read_by(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a function reads: defaults, values it encloses, globals."""
    for place, value in enumerate(function.__defaults__ or ()):
        yield f"default {place}", value
    for name, value in sorted((function.__kwdefaults__ or {}).items()):
        yield f"default {name}", value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it has no value yet
            yield name, None
    for name in sorted(_globals_of(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _globals_of(code: types.CodeType) -> set[str]:
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    found = {str(one.argval) for one in dis.get_instructions(code) if one.opname in loads}
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return found.union(*map(_globals_of, inner))


def _comes_with_package(value: Any) -> bool:
    """Whether a module, class or function is installed or built in."""
    if isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType):
        return True
    if isinstance(value, types.ModuleType):
        return is_installed(getattr(value, "__file__", None) or "<frozen")
    if isinstance(value, types.FunctionType):
        return is_installed(value.__code__.co_filename)
    if isinstance(value, type):
        file = getattr(inspect.getmodule(value), "__file__", None)
        return is_installed(file) if file else value.__module__ != "__main__"
    return False
