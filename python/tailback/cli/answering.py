"""How commands answer, and how they fail: one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from json import dumps
from typing import TYPE_CHECKING, Any, Protocol

import typer

from tailback.errors import CircleError, CutOffError, RunFailure, UserError, check_readable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from tailback.experiment import Experiment
    from tailback.progress import Ticker

INTERRUPTED = 130
CUT_OFF = 4


class Found(Protocol):
    """What one run or several found."""

    @property
    def complete(self) -> bool:
        """Whether all runs were left to end by themselves."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended them."""


def print_json(value: object) -> None:
    """Print a value as JSON; numbers that are not known must be None already."""
    print(dumps(value, indent=2, allow_nan=False))


def exit_unless(complete: bool) -> None:
    """Exit with the code of Ctrl-C unless all was done."""
    if not complete:
        raise typer.Exit(INTERRUPTED)


def exit_by(found: Found) -> None:
    """Exit with the code of Ctrl-C, or of limits that cut off what was run, unless all was done."""
    if not found.complete:
        raise typer.Exit(INTERRUPTED if found.interrupted else CUT_OFF)


def prepare(
    out: Path | None, experiment: Experiment, modes: Sequence[str] = (), packets: bool = False
) -> None:
    """Look at the output folder before the run, so that no run is in vain."""
    if out is None and packets:
        raise UserError("--packets", None, "needs --out DIR, where the packets are written")
    if out is not None:
        from tailback import engine
        from tailback.store import run_folder

        identity = experiment.identity(engine.RESULTS_VERSION, modes)
        run_folder.prepare(out, identity)


def loaded(file: Path, changes: Iterable[str] = ()) -> Experiment:
    """Return the experiment of a file, changed."""
    from tailback.experiment import Experiment

    return Experiment.load(file, changes)


def ticking() -> Ticker:
    """Return what shows the state of a run that takes long."""
    from tailback.progress import Ticker

    return Ticker()


def stored(results: Mapping[str, Any], packets: bool) -> dict[str, Any]:
    """Return the tables of every mode's result, as a folder holds them."""
    from tailback.store.run_folder import tables_of

    return {mode: tables_of(result, packets=packets) for mode, result in results.items()}


def save(out: Path | None, tables: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Save an answer and its tables, if there is a folder for them."""
    if out is not None:
        from tailback.store import run_folder

        run_folder.save(out, tables, answer)


def tell(answer: Mapping[str, Any], report: Callable[[], RenderableType] | None) -> None:
    """Print the report, or else the answer as JSON."""
    if report is None:
        print_json(answer)
    else:
        show(report())


def show(report: RenderableType, stderr: bool = False) -> None:
    """Show what fits a terminal."""
    from tailback.terminal import layout

    layout.show(report, stderr=stderr)


@contextmanager
def failures(json: bool, reads: Path | None = None) -> Iterator[None]:
    """Turn what can go wrong into one line on standard error and an exit code.

    That the file ``reads`` is missing is told before anything is imported that takes long.
    """
    try:
        if reads is not None:
            check_readable(reads)
        yield
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        if isinstance(error, CircleError):
            _tell_circle(error, json)
        elif json:
            print_json(_mistake(error))
        raise typer.Exit(error.exit_code) from None
    except RunFailure as failure:
        _tell(failure, json)
        raise typer.Exit(failure.exit_code) from None
    except MemoryError:
        print("error: memory: there is not enough of it for this", file=sys.stderr)
        raise typer.Exit(UserError.exit_code) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _mistake(error: UserError) -> dict[str, Any]:
    """Return a mistake of the user as an object."""
    cut_off = {"error": "cut off", "complete": False}
    return {
        **(cut_off if isinstance(error, CutOffError) else {"error": "mistake"}),
        "text": str(error),
        "field": error.field,
        "given": error.given,
        "allowed": error.allowed,
        "nearest": error.nearest,
    }


@contextmanager
def prints_aside(json: bool) -> Iterator[None]:
    """Send what programs print to standard error, if standard output is one JSON object."""
    with redirect_stdout(sys.stderr) if json else nullcontext():
        yield


def _tell(failure: RunFailure, json: bool) -> None:
    """Say why a run cannot go on: one line, and who waits for what."""
    print(f"error: {failure}", file=sys.stderr)
    if json:
        waiting = [{"who": who, "what": what} for who, what in failure.waiting]
        at_ns = None if failure.at_ps is None else failure.at_ps / 1e3
        told = {"error": failure.kind, "at_ns": at_ns, "waiting": waiting}
        print_json(told | {"circle": list(failure.circle)})
    elif failure.waiting or failure.circle:
        from tailback.terminal.failed import failure_report

        show(failure_report(failure), stderr=True)


def _tell_circle(error: CircleError, json: bool) -> None:
    """Say which channels could wait for each other, and for which packets."""
    if json:
        print_json({"error": "can deadlock", "text": str(error), "circle": list(error.circle)})
    else:
        from tailback.terminal.failed import circle_report

        show(circle_report(error.circle), stderr=True)
