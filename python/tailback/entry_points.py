"""Kinds and readers that other distributions add by entry points.

They are looked up when a word is not one of ours, so that nobody pays for plugins who has none.
A plugin that cannot be used is one line that names the distribution.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from .errors import UserError, choice, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Groups of entry points, and where users write their words.
FIELDS = {
    "tailback.topologies": "machine.topology.kind",
    "tailback.workloads": "workload.kind",
    "tailback.readers": "import",
}

Kind = TypeVar("Kind")
Made = TypeVar("Made")
Asked = ParamSpec("Asked")


@dataclass(frozen=True)
class Origin:
    """The distribution that a plugin is from."""

    distribution: str
    version: str
    content: str
    """SHA-256 of all files of its package."""

    def __str__(self) -> str:
        """Return it as it is stored: name, version, and the start of the hash."""
        return f"{self.distribution} {self.version} ({self.content[:12]})"


class Kinds(dict[str, type[Kind]]):
    """Kinds by their words: those built in, then those of plugins, from when they are looked up.

    A lookup raises `UserError` for a plugin that cannot be used.
    """

    def __init__(self, built_in: Mapping[str, type[Kind]], group: str, base: type[Kind]) -> None:
        """``group``: of the entry points of further kinds, which must be subclasses of ``base``."""
        super().__init__(built_in)
        self.built_in = frozenset(built_in)
        self._group = group
        self._base = base

    def __missing__(self, word: str) -> type[Kind]:
        """Look for a plugin's kind, and keep it."""
        entry = _entry(self._group, word)
        if entry is None:
            raise KeyError(word)
        for other in _entries(self._group):
            if _name(other) == _name(entry) and other.name in self.built_in:
                raise _refused(self._group, other, "which is the word of a kind that is built in")
        made = _loaded(self._group, entry)
        if not (isinstance(made, type) and issubclass(made, self._base)):
            raise _refused(self._group, entry, f"which is no class of {self._base.__name__}")
        if word_of(made) != word:
            raise _refused(self._group, entry, f"whose kind is {word_of(made)!r}, not {word!r}")
        self[word] = made
        forget()
        return made

    def __contains__(self, word: object) -> bool:
        """Whether there is such a kind, built in or of a plugin."""
        return self.get(word) is not None

    def get(self, word: object, default: None = None) -> type[Kind] | None:  # type: ignore[override]
        """Return the kind of a word, or None."""
        try:
            return self[word] if isinstance(word, str) else default
        except KeyError:
            return default

    def words(self) -> list[str]:
        """Return the words of all kinds, those of plugins that have not been loaded, too."""
        return list(dict.fromkeys([*self, *(entry.name for entry in _entries(self._group))]))

    def unknown(self, path: str, given: object) -> UserError:
        """Return the mistake of giving at ``path`` what is no word of a kind."""
        mistake = choice(path, given, self.words())
        meant = [word for word, made in self.items() if given in getattr(made, "also", "").split()]
        if meant:
            return UserError(path, mistake.given, mistake.allowed, json.dumps(meant[0]))
        return mistake

    def origin(self, made: type[Any]) -> Origin | None:
        """Return where a class is from; None if it is built in, or of no plugin."""
        word = word_of(made)
        if word in self.built_in or self.get(word) is not made:
            return None
        entry = _entry(self._group, word)
        return None if entry is None else _origin(entry)


def reader(word: str) -> Callable[[Path], Mapping[str, Any]] | None:
    """Return the function of a plugin that reads a file as an experiment; None if there is none.

    Raises `UserError` for one that cannot be used.
    """
    group = "tailback.readers"
    entry = _entry(group, word)
    if entry is None:
        return None
    made = _loaded(group, entry)
    if not callable(made):
        raise _refused(group, entry, "which is no function")
    found: Callable[[Path], Mapping[str, Any]] = made
    return found


def readers() -> list[str]:
    """Return the words of all readers of plugins."""
    return [entry.name for entry in _entries("tailback.readers")]


def word_of(made: type[Any]) -> str:
    """Return the word of a kind, which is a constant of its class or the default of its key."""
    keys = getattr(made, "keys", {})
    return str(keys["kind"].default if "kind" in keys else getattr(made, "kind", ""))


@contextmanager
def blamed(field: str, made: object) -> Iterator[None]:
    """Turn an exception of a plugin's code into one line that names its class or function."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        code = made if hasattr(made, "__qualname__") else type(made)
        name = f"{code.__module__}.{code.__qualname__}"
        raise UserError(field, None, f"{name} failed: {_told(error)}") from error


_CACHES: list[Any] = []


def by_kinds(function: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """Keep the results of a function until a kind is added."""
    kept = cache(function)
    _CACHES.append(kept)
    return cast("Callable[Asked, Made]", kept)


def forget() -> None:
    """Forget what was worked out from all kinds."""
    for kept in _CACHES:
        kept.cache_clear()


@cache
def _entries(group: str) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def _entry(group: str, word: str) -> EntryPoint | None:
    """Return the entry point of a word; raise `UserError` if several distributions have it."""
    found = {_name(entry): entry for entry in _entries(group) if entry.name == word}
    if len(found) > 1:
        both = " and ".join(sorted(found))
        raise UserError(FIELDS[group], shown(word), f"is a word of {both}; uninstall one of them")
    return next(iter(found.values()), None)


def _name(entry: EntryPoint) -> str:
    assert entry.dist is not None
    return f"{entry.dist.name} {entry.dist.version}"


def _loaded(group: str, entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise _refused(group, entry, f"which cannot be loaded: {_told(error)}") from error


def _refused(group: str, entry: EntryPoint, problem: str) -> UserError:
    told = f"is {entry.value} of the plugin {_name(entry)}, {problem}"
    return UserError(FIELDS[group], shown(entry.name), told)


def _told(error: BaseException) -> str:
    line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


@cache
def _origin(entry: EntryPoint) -> Origin:
    assert entry.dist is not None
    return Origin(entry.dist.name, entry.dist.version, _content(entry.module.partition(".")[0]))


def _content(package: str) -> str:
    """Return a hash of the names and contents of a package's files, compiled ones apart."""
    from importlib.util import find_spec

    spec = find_spec(package)
    places = () if spec is None else spec.submodule_search_locations or ()
    files = {
        path.relative_to(place).as_posix(): path
        for place in places
        for path in Path(place).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if not files and spec is not None and spec.origin is not None:
        files = {Path(spec.origin).name: Path(spec.origin)}
    found = hashlib.sha256()
    for name in sorted(files):
        found.update(name.encode() + b"\0")
        found.update(hashlib.sha256(files[name].read_bytes()).digest())
    return found.hexdigest()
