"""Carries out a command line; mistakes in its words are told in one line, like all others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from shlex import quote
from typing import Any

import typer
import typer.main

from tailback.errors import UserError, listed, nearest, one_line, shown

from .answering import of_mistake, print_json
from .homes import HOMES

_NOT_ONE_OF = re.compile(r"is not one of (.+?)\.?$")
_NO_COMMAND = re.compile(r"No such command '(.*?)'")
_EXTRA = re.compile(r"unexpected extra arguments? ?(?:\(s\) )?\((.*)\)")
_WHOLE = re.compile(r"valid integer")
_NUMBER = re.compile(r"valid (?:number|float)")
_FEW = re.compile(r"greater than or equal to (\S+)|x>=(\S+?)\.?$")


def carry_out(program: typer.Typer, words: Sequence[str]) -> int:
    """Carry out a command line and return the exit code: 2 for words that it does not know."""
    command = typer.main.get_command(program)
    try:
        # Where a command ends early, what comes back is its exit code.
        return command.main([*words], "tailback", standalone_mode=False) or 0
    except typer.Abort:
        print("aborted", file=sys.stderr)
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if not words:
            # The help text.
            print(error.format_message(), file=sys.stderr)
            return UserError.exit_code
        print(f"error: {one_line(str(found := mistake(error, words)))}", file=sys.stderr)
        if "--json" in words:
            print_json(of_mistake(found))
        return UserError.exit_code


def mistake(error: Any, words: Sequence[str]) -> UserError:
    """Return what is wrong with the words of a command line.

    ``error``: what Typer makes of it, an exception with `format_message`. Some versions bring
    Click along and others import it, so it is known by what it has.
    """
    message = str(error.format_message()).splitlines()[0]
    if hasattr(error, "possibilities"):  # no such option
        found = _change(error, words) or nearest(error.option_name, error.possibilities or ())
        return UserError(error.option_name, None, f"is no option of {_command(words)}", found)
    if command := _NO_COMMAND.search(message):
        return UserError(command[1], None, "is no command", nearest(command[1], HOMES))
    if extra := _EXTRA.search(message):
        return UserError(extra[1], None, f"is more than {_command(words)} takes")
    if hasattr(error, "option_name"):
        return UserError(error.option_name, None, "needs a value")
    if getattr(error, "param", None) is None:
        return UserError("command line", None, message)
    return _of_parameter(error.param, message, words)


def _change(error: Any, words: Sequence[str]) -> str | None:
    """Return how `--set` changes the parameter that an unknown option is called after."""
    from tailback.experiment.keys import parameters_called

    known = {name for one in error.ctx.command.params for name in one.opts}
    found = parameters_called(error.option_name.lstrip("-").replace("-", "_"))
    if "--set" not in known or not found:
        return None
    given = _value_of(error.option_name, words)
    value = "VALUE" if not given or given.startswith("-") else given
    return " or ".join(f"--set {quote(f'{name}={value}')}" for name in found)


def _of_parameter(parameter: Any, message: str, words: Sequence[str]) -> UserError:
    if "Missing" in message:
        place = str(parameter.metavar or parameter.human_readable_name).strip("[]{}")
        return UserError(place, None, f"must be given; {_command(words)} --help says what it is")
    place, given = _given(parameter, words)
    allowed, known = _allowed(message)
    meant = nearest(given, known) if given is not None else None
    return UserError(place, _shown(given), allowed, meant and json.dumps(meant))


def _shown(given: str | None) -> str | None:
    return given if given is None or re.fullmatch(r"[-+.\d]+", given) else shown(given)


def _command(words: Sequence[str]) -> str:
    named = [word for word in words[:1] if word in HOMES]
    return " ".join(["tailback", *named])


def _given(parameter: Any, words: Sequence[str]) -> tuple[str, str | None]:
    """Return the name of a parameter and what it was given, if that can be told."""
    if not parameter.opts[0].startswith("-"):
        return str(parameter.human_readable_name), None
    for name in parameter.opts:
        value = _value_of(name, words)
        if value is not None:
            return name, value
    return parameter.opts[0], None


def _value_of(name: str, words: Sequence[str]) -> str | None:
    """Return what an option is given, if it is there; an empty text if nothing follows."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
    return None


def _allowed(message: str) -> tuple[str, list[str]]:
    """Return what a message says is allowed, and the words that are, if it has them."""
    if one := _NOT_ONE_OF.search(message):
        known = re.findall(r"'([^']*)'", one[1])
        return f"must be {listed(json.dumps(word) for word in known)}", known
    if least := _FEW.search(message):
        return f"must be at least {least[1] or least[2]}", []
    if _WHOLE.search(message):
        return "must be a whole number", []
    if _NUMBER.search(message):
        return "must be a number", []
    return message.rpartition(": ")[2], []
