"""Programs from files and functions."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Coroutine
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import UserError, nearest, read_text, shown
from .node import Node
from .reads import Reads, builtins_of, forget_modules
from .values import account_of, text_of

Function = Callable[[Node], Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class Program:
    """A function that processes carry out, and how its places are named in messages."""

    function: Function
    filename: str
    """What Python calls the file of the function's code."""
    name: str
    """What the user calls it."""
    reads: Reads | None = None
    """What it has read; None if it is ours."""


@dataclass(frozen=True)
class Source:
    """A program as it is given: a function, or the name of one in a file; what it may read."""

    function: str | Function
    file: str | None = None
    declared: tuple[tuple[str, str], ...] = ()
    """Names that it opens, or "", and the files meant; see `Reads`."""
    environment: tuple[tuple[str, str], ...] = ()

    def load(self) -> Program:
        """Return the program; a file is executed anew for every run. Raises `UserError`."""
        if self.file is None:
            return from_function(self.function, self._reads())
        return from_file(Path(self.file), str(self.function), self._reads())

    def reads(self) -> Reads:
        """Return what it reads before its processes run; executes the file unless that is known.

        What it prints is not shown: it will be, when it is executed for a run.
        """
        if self.file is None:
            return self._reads()
        known = _known.get(self)
        if known is None or not known.is_current():
            with redirect_stdout(StringIO()):
                known = self.load().reads
            assert known is not None
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[self] = known
        return known

    def files_read(self) -> list[Path]:
        """Return the files that are read, the program itself first; raises `UserError`."""
        own = [] if self.file is None else [Path(self.file)]
        reads = self.reads()
        there = [Path(real) for real, digest in reads.contents.items() if digest is not None]
        return list(dict.fromkeys([*own, *there]))

    def digest(self) -> str:
        """Return a hash of its text and its function's name, and of all that it reads."""
        if self.file is None:
            text, values = text_of(self.function), account_of(self.function)
            own = _sha256(text, values) if values else _sha256(text)
        else:
            own = _sha256(read_text(Path(self.file)), str(self.function))
        read = self.reads().account()
        return _sha256(own, json.dumps(read)) if read else own

    def _reads(self) -> Reads:
        if self.file is not None:
            folder = Path(self.file).parent
        else:
            folder = Path(getattr(self.function, "__code__", _NO_CODE).co_filename).parent
        return Reads(folder, self.declared, dict(self.environment))


#: What programs read that were executed, as long as that does not change.
_known: dict[Source, Reads] = {}
_MOST_KNOWN = 100
_NO_CODE = (lambda: None).__code__


def from_file(path: Path, name: str, reads: Reads | None = None) -> Program:
    """Execute a file and return its function ``name``: anew for every run.

    What it reads goes into ``reads``. Raises `UserError` for a file that cannot be read or
    executed, and where `check_file` does.
    """
    reads = Reads(path.parent) if reads is None else reads
    text = check_file(path, name)
    module = ModuleType(f"tailback_program_{path.stem}")
    module.__file__ = str(path)
    # Dataclasses and the like look their module up.
    sys.modules[module.__name__] = module
    forget_modules()
    reads.code.add(str(path))
    try:
        with reads:
            module.__dict__["__builtins__"] = builtins_of(reads)
            exec(compile(text, str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise mistake(str(path), str(path), error) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(str(path), None, f"has no function {name} after it was executed")
    reads.run()
    return Program(function, str(path), str(path), reads)


def check_file(path: Path, name: str) -> str:
    """Return the text of a file with an ``async def`` function ``name``; execute nothing.

    Raises `UserError`.
    """
    text = read_text(path)
    try:
        parsed = ast.parse(text, str(path))
    except SyntaxError as error:
        place = f"{path}:{error.lineno}"
        raise UserError(place, None, f"is not valid Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UserError(str(path), None, f"is not valid Python: {error}") from None
    defined = [n for n in parsed.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in defined:
        if function.name == name:
            if isinstance(function, ast.AsyncFunctionDef):
                return text
            problem = f"{name} must be written `async def {name}(node)`"
            raise UserError(f"{path}:{function.lineno}", None, problem)
    meant = nearest(name, [function.name for function in defined])
    raise UserError(str(path), None, f"has no function `async def {name}(node)`", meant)


def from_function(function: Any, reads: Reads | None = None) -> Program:
    """Return the program that a function is; raise `UserError` if it is none."""
    if not inspect.iscoroutinefunction(function):
        name = getattr(function, "__name__", shown(function))
        allowed = "must be a function written `async def program(node)`"
        raise UserError("workload.function", name, allowed)
    filename = function.__code__.co_filename
    path = Path(filename)
    if reads is not None:
        reads.code.add(filename)
        reads.run()
    name = path.name if path.is_file() else function.__name__
    return Program(function, filename, name, reads)


def _sha256(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def mistake(name: str, filename: str, error: BaseException, who: str = "") -> UserError:
    """Return an exception of a program as one line: file and line, who, what."""
    line = line_of(filename, error)
    place = name if line is None else f"{name}:{line}"
    return UserError(f"{place}: {who}" if who else place, None, _told(error).rstrip(": "))


def _told(error: BaseException) -> str:
    """Return what an exception says, which may be nothing: it is a program's."""
    if isinstance(error, UserError):
        return str(error)
    kind = type(error).__name__
    try:
        return f"{kind}: {error}"
    except Exception:
        return kind


def line_of(filename: str, error: BaseException) -> int | None:
    """Return the last line of a file that an exception came through."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
