"""What a program reads besides its own text: modules, data and variables of the environment.

A file of a program is executed under an import and open hook. What it reads then is known before a
run, and part of its identity. What processes read as they run would be known too late: it is
refused, unless it is declared (`workload.reads`, `workload.environment`). Installed packages and
what the system has under ``/etc``, ``/proc`` and the like are not followed; names in folders, and
files that compiled libraries open by themselves, are not seen.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import io
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ..contents import Stamp, sha256_of, stamp_of
from ..errors import UserError

#: Nothing below these is followed: it is of the system or of installed packages.
_OF_SYSTEM = ("/proc", "/sys", "/dev", "/etc", "/usr/share", "/usr/lib")

#: Modules by which the environment is asked.
_ASKS = ("os", "collections.abc", "_collections_abc")

#: What listens to what a thread reads.
_listening: dict[int, Reads] = {}
#: Modules that were imported for a program; the next one imports them anew.
_imported: set[str] = set()


class Reads:
    """What one program has read, and what it may still read.

    Use it as a context: what the thread opens and imports meanwhile is the program's.
    """

    def __init__(
        self,
        folder: Path,
        declared: Sequence[tuple[str, str]] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Take what is ``declared``: names that it opens, or "", and the files meant.

        ``environment``: variables that are given.
        """
        self.folder = os.path.realpath(folder)
        self.files: dict[str, str] = {}
        """Of every file read its real name, and the name by which it was opened."""
        self.contents: dict[str, str | None] = {}
        """Their hashes; None: there was no such file."""
        self.stamps: dict[str, Stamp | None] = {}
        self.environment: dict[str, str | None] = dict(environment or {})
        """Of every variable read its value; None: there was none."""
        self.modules: dict[str, str] = {}
        """Of files that are modules the names by which they are found beside a program."""
        self.code: set[str] = set()
        """Files of code that is not installed."""
        self.refusal: UserError | None = None
        """The first read that came too late."""
        self._given = dict(environment or {})
        self._stand_ins = {os.path.normpath(name): file for name, file in declared if name}
        self._written: set[str] = set()
        self._environment: _Environment | None = None
        self._runs = self._busy = False
        for name, file in declared:
            self._note(os.path.realpath(file), name or file)

    def run(self) -> None:
        """Refuse from now on what was not read before."""
        self._runs = True

    def account(self) -> list[list[str | None]]:
        """Return names and hashes of what was read, and variables, in an order of their own."""
        names = {real: os.path.basename(name) for real, name in self.files.items()}
        files = sorted(self.files, key=names.__getitem__)
        read = [[names[real], self.contents[real]] for real in files]
        return read + [[f"${name}", self.environment[name]] for name in sorted(self.environment)]

    def is_current(self) -> bool:
        """Whether everything that was read is still as it was."""
        same = all(stamp_of(Path(real)) == stamp for real, stamp in self.stamps.items())
        return same and all(
            value == self._given.get(name, os.environ.get(name))
            for name, value in self.environment.items()
        )

    def __enter__(self) -> Reads:
        """Begin to listen."""
        thread = threading.get_ident()
        self._outside = _listening.get(thread), os.environ, builtins.open
        _listen()
        _listening[thread] = self
        if self._environment is None or self._environment._all is not os.environ:
            self._environment = _Environment(self, os.environ)
        os.environ = self._environment  # noqa: B003
        if self._stand_ins:
            builtins.open = io.open = self._opening(builtins.open)
        return self

    def __exit__(self, *error: object) -> None:
        """Listen no longer."""
        outside, os.environ, opened = self._outside
        if self._stand_ins:
            builtins.open = io.open = opened
        if outside is None:
            del _listening[threading.get_ident()]
        else:
            _listening[threading.get_ident()] = outside

    def _opening(self, opened: Callable[..., Any]) -> Any:
        def instead(file: Any, *more: Any, **named: Any) -> Any:
            if isinstance(file, str | os.PathLike):
                file = self._stand_ins.get(os.path.normpath(os.fspath(file)), file)
            return opened(file, *more, **named)

        return instead

    def opened(self, name: str, flags: int) -> None:
        """Hear of a file that is opened."""
        real = os.path.realpath(name)
        writes_only = flags & os.O_ACCMODE == os.O_WRONLY or flags & os.O_TRUNC
        if writes_only or (flags & os.O_CREAT and not os.path.exists(real)):
            self._written.add(real)
        elif not (real in self._written or is_installed(real) or os.path.isdir(real)):
            self._note(real, name)

    def imported(self, name: str, path: str, *, is_package: bool) -> None:
        """Hear of a module that is read."""
        real = os.path.realpath(path)
        self._note(real, path)
        module = name.replace(".", "/")
        self.modules[real] = (
            f"{module}/{Path(path).name}" if is_package else f"{module}{_end(path)}"
        )
        self.code.update((path, real))

    def asked(self, name: str, value: str | None) -> str | None:
        """Hear of a variable of the environment that is asked for; return what is known of it."""
        frame = sys._getframe(2)
        # What libraries ask for themselves says how they work, not what they answer.
        while frame.f_back is not None and frame.f_globals.get("__name__") in _ASKS:
            frame = frame.f_back
        value = self._given.get(name, value)
        if frame.f_code.co_filename in self.code and name not in self.environment:
            if self._runs:
                given = f'{name} = "{value or ""}"'
                remedy = f"workload.environment = {{{given}}}"
                self._refuse(f"${name}", remedy)
            self.environment[name] = value
        return value

    def _note(self, real: str, name: str) -> None:
        if real in self.files or self._busy:
            return
        if self._runs:
            self._refuse(name, f'workload.reads = ["{name}"]')
        self._busy = True
        try:
            stamp = stamp_of(Path(real))
            self.contents[real] = None if stamp is None else sha256_of(Path(real))
            self.files[real], self.stamps[real] = name, stamp
        finally:
            self._busy = False

    def _refuse(self, name: str, remedy: str) -> None:
        allowed = "is read as processes run, and so is not part of the identity of results"
        error = UserError(name, None, f"{allowed}; read it before, or declare it: {remedy}")
        self.refusal = self.refusal or error
        raise error


def _end(path: str) -> str:
    """Return the end of a module's name: ``.py``, ``.cpython-311-x86_64-linux-gnu.so``."""
    return "".join(Path(path).suffixes)


def is_installed(path: str) -> bool:
    """Whether a file belongs to Python, an installed package or the system."""
    return path.startswith(("<frozen", *_installed()))


@cache
def _installed() -> tuple[str, ...]:
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(kind) for kind in kinds]
    places += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    places += [str(Path(__file__).parents[1])]
    both = {*places, *map(os.path.realpath, places), *_OF_SYSTEM}
    return tuple(sorted(f"{place}{os.sep}" for place in both if place))


class _Environment(os._Environ):  # type: ignore[type-arg]
    """The environment, which tells what is asked of it."""

    _reads: Reads
    _all: Any

    def __init__(self, reads: Reads, environment: Any) -> None:
        self.__dict__.update(vars(environment), _reads=reads, _all=environment)

    def __getitem__(self, key: str) -> str:
        value: str | None = self._reads.asked(key, self._all.get(key))
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        return self._reads.asked(str(key), self._all.get(key)) is not None


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules for programs: beside them first, and from their text, never from a cache."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        reads = _listening.get(threading.get_ident())
        if reads is None:
            return None
        places = [reads.folder, *sys.path] if path is None else path
        spec = importlib.machinery.PathFinder.find_spec(name, places)
        origin = None if spec is None else spec.origin
        if spec is None or (origin is not None and is_installed(os.path.realpath(origin))):
            return None
        _imported.add(name)
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(name, str(origin))
        elif spec.has_location and origin is not None:
            reads.imported(name, origin, is_package=spec.submodule_search_locations is not None)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Executes the text of a module, and tells that it was read."""

    def get_code(self, fullname: str) -> CodeType:
        reads = _listening.get(threading.get_ident())
        if reads is not None:
            reads.imported(fullname, self.path, is_package=self.is_package(fullname))
        return self.source_to_code(Path(self.path).read_bytes(), self.path)


def forget_modules() -> None:
    """Let what programs have imported be imported anew."""
    for name in _imported:
        sys.modules.pop(name, None)
    _imported.clear()


def note_modules(reads: Reads, names: Mapping[str, Any]) -> None:
    """Note modules that a program has found imported already: those of what it has names for."""
    for value in list(names.values()):
        module = value if isinstance(value, ModuleType) else None
        if module is None:
            module = sys.modules.get(str(getattr(value, "__module__", "")))
        file = getattr(module, "__file__", None)
        if module is None or not file or file in reads.code or is_installed(os.path.realpath(file)):
            continue
        reads.imported(module.__name__, file, is_package=hasattr(module, "__path__"))
        note_modules(reads, vars(module))


def builtins_of(reads: Reads) -> dict[str, Any]:
    """Return the names that are built in, for a program: what it imports is noted."""

    def importing(name: str, *more: Any, **named: Any) -> ModuleType:
        module = builtins.__import__(name, *more, **named)
        note_modules(reads, {"": module, name: sys.modules.get(name)})
        return module

    return {**vars(builtins), "__import__": importing}


@cache
def _listen() -> None:
    sys.addaudithook(_heard)
    sys.meta_path.insert(0, _Finder())


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _listening:
        return
    reads = _listening.get(threading.get_ident())
    name, _, flags = arguments
    if reads is not None and isinstance(name, str | bytes | os.PathLike):
        reads.opened(os.fsdecode(name), flags)
