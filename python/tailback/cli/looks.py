"""The page of `look`, beside the answer of a command or alone: the option, and what it takes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.errors import RunFailure

from .answering import Asked

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.look import Look as Shown
    from tailback.results import Result

Look = Annotated[
    Path | None,
    typer.Option("--look", metavar="PAGE", help="Also write the page of look: the waits on a map."),
]


def kept(asked: Asked, look: Path | None) -> Sequence[str]:
    """Return what a run keeps for the page, if there is to be one: changes of an experiment."""
    return () if look is None else changes(asked)


def changes(asked: Asked) -> Sequence[str]:
    """Return what a run keeps for the page as changes of an experiment."""
    from tailback.experiment.reading import merged, read_description
    from tailback.experiment.tables import FAULTS
    from tailback.look import kept_with

    given = merged(read_description(asked.file, asked.overrides))
    keys = kept_with(faults=bool(given.get(FAULTS)))
    return [f"run.{name}={json.dumps(value)}" for name, value in keys.items()]


def check(look: Path | None, experiment: Experiment) -> None:
    """Refuse, before a run, a network that is not drawn."""
    if look is not None:
        from tailback.look import check_drawable

        check_drawable(experiment)


def write(
    asked: Asked,
    look: Path | None,
    result: Result,
    name: str = "",
    other: Result | None = None,
    command: str = "",
) -> Shown | None:
    """Write the page of a run, perhaps beside `other`, called `name`; raise if it failed."""
    if look is None:
        return None
    from tailback.look import Against, write_look

    against = None if other is None else Against(name, other)
    found = write_look(result, look, command or asked.again("look"), against)
    if result.failure is not None:
        print(f"page: {look}", file=sys.stderr)
        raise result.failure
    return found


@contextmanager
def of_failures(
    asked: Asked, look: Path | None, experiment: Experiment, mode: str
) -> Iterator[None]:
    """Write the page of a mode that cannot go on, too: several runs keep nothing of one that fails.

    The mode is run once more.
    """
    try:
        yield
    except RunFailure as failure:
        if look is None:
            raise
        from tailback.runner import run_mode

        print(f"running mode {mode} again, for its page", file=sys.stderr)
        with asked.running() as watch:
            result = run_mode(experiment, mode, watch=watch, until_failure=True)
        write(asked, look, result)
        raise failure from None
