"""The command line.

Standard output carries the answer, as a table or one JSON object; everything
else goes to standard error. Exit codes: 0, 1 where a rerun gives other bytes, 2
for a mistake of the user, 3 for a run that cannot go on, 4 for a workload that a
limit cut off, 130 after Ctrl-C.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from tailback import interrupts, memory
from tailback.errors import one_line

from .homes import HOMES

if TYPE_CHECKING:
    from typer import Typer
    from typer.models import CommandInfo

#: New objects after which Python looks for garbage.
_OBJECTS = 100_000


def main() -> None:
    """Run the command line."""
    interrupts.end_at_once()
    # Importing makes many objects and next to no garbage: to look for some after every few hundred
    # takes a tenth of the time until a run begins.
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    memory.keep_within_limit()
    _prepare_streams()
    warnings.showwarning = _warn
    try:
        try:
            sys.exit(_carried_out(sys.argv[1:]))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _close_output()
        sys.exit(1)
    except OSError as error:
        place = "standard output" if error.filename is None else os.fsdecode(error.filename)
        reason = f"cannot be used: {error.strerror or error}"
        print(f"error: {one_line(f'{place}: {reason}')}", file=sys.stderr)
        _close_output()
        sys.exit(2)


def _carried_out(words: list[str]) -> int:
    """Carry out a command line and return the exit code."""
    program = _program(words)
    from .carrying_out import carry_out

    return carry_out(program, words)


def _program(words: list[str]) -> Typer:
    """Return what carries out a command line: it knows the command that is given, or else all.

    Where a command is named first, the modules of others are not imported: a command costs what it
    needs.
    """
    # Plugins of pydantic are for services that log what is validated. Looking for some takes
    # longer than validating an experiment.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    command = words[0] if words else ""
    import_module(f"{__name__}.{HOMES.get(command, 'commands')}")
    from .options import app

    # What users need first is listed first, whatever the order of imports.
    order = {name: place for place, name in enumerate(HOMES)}
    app.registered_commands.sort(key=lambda one: order.get(_name_of(one), len(order)))

    return app


def _name_of(command: CommandInfo) -> str:
    """Return the name of a command: its own, or that of its function."""
    return str(command.name or getattr(command.callback, "__name__", ""))


def _prepare_streams() -> None:
    """See that there is something to print to, which can show any text somehow."""
    # Closed ones (`2>&-`) are missing; what is opened next would take their place.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Say a warning as all else is said, without the line of code that it comes from."""
    print(f"warning: {one_line(str(message))}", file=sys.stderr)


def _close_output() -> None:
    """Do not complain again when the rest is flushed at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
