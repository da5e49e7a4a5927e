"""Programs from files and functions."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import UserError, nearest, read_text, shown
from .node import Node

Function = Callable[[Node], Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class Program:
    """A function that processes carry out, and how its places are named in messages."""

    function: Function
    filename: str
    """What Python calls the file of the function's code."""
    name: str
    """What the user calls it."""


def from_file(path: Path, name: str) -> Program:
    """Execute a file and return its function ``name``: anew for every run.

    Raises `UserError` for a file that cannot be read or executed, and where `check_file` does.
    """
    text = check_file(path, name)
    module = ModuleType(f"tailback_program_{path.stem}")
    module.__file__ = str(path)
    # Dataclasses and the like look their module up.
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise mistake(str(path), str(path), error) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(str(path), None, f"has no function {name} after it was executed")
    return Program(function, str(path), str(path))


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


def from_function(function: Any) -> Program:
    """Return the program that a function is; raise `UserError` if it is none."""
    if not inspect.iscoroutinefunction(function):
        name = getattr(function, "__name__", shown(function))
        allowed = "must be a function written `async def program(node)`"
        raise UserError("workload.function", name, allowed)
    filename = function.__code__.co_filename
    path = Path(filename)
    return Program(function, filename, path.name if path.is_file() else function.__name__)


def hash_of(function: str | Function, file: str | None) -> str:
    """Return a hash of a file's text and the function's name, or of a function's text."""
    if file is not None:
        return _sha256(read_text(Path(file)), str(function))
    try:
        text = inspect.getsource(function)  # type: ignore[arg-type]
    except (OSError, TypeError):
        code = function.__code__  # type: ignore[union-attr]
        text = f"{code.co_code!r} {code.co_consts!r} {code.co_names!r}"
    return _sha256(text)


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
