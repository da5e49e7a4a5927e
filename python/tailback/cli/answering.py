"""What commands share: reading an experiment, printing the answer, errors and exit codes."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from tailback import interrupts
from tailback.errors import (
    CircleError,
    CutOffError,
    RunFailure,
    UserError,
    check_readable,
    one_line,
    shown,
)
from tailback.files import check_named
from tailback.memory import check_limit

from .options import AllowDeadlock, File, Json, NoCode, Out, Seed, Set, app, examples
from .words import words_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tailback.experiment import Experiment
    from tailback.progress import Ticker
    from tailback.units import Quantity

Q = TypeVar("Q", bound="Quantity")

INTERRUPTED = interrupts.EXIT_CODE
CUT_OFF = 4


class Found(Protocol):
    """The result of one run or several."""

    @property
    def complete(self) -> bool:
        """Whether no run was interrupted or cut off by a limit."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended them."""


def print_json(value: object) -> None:
    """Print a value as JSON; unknown numbers must be None."""
    print(dumps(value, indent=2, allow_nan=False))


def exit_by(found: Found) -> None:
    """Exit with the code of an interruption or of a cut-off run, unless the result is complete."""
    if not found.complete:
        raise typer.Exit(INTERRUPTED if found.interrupted else CUT_OFF)


def loaded(file: Path, changes: Iterable[str] = (), *, code: bool = True) -> Experiment:
    """Return the experiment of a file with changes such as `run.seed=2`; see `Experiment.load`."""
    from tailback.experiment import Experiment

    try:
        return Experiment.load(file, changes, code=code)
    except UserError:
        if told := _of_results(file):
            raise UserError(str(file), None, told) from None
        raise


def _of_results(file: Path) -> str | None:
    """Return where results keep their experiment, if a file is a folder of results or a pack."""
    from tailback.sending.asked import kept_in
    from tailback.sending.packs import is_pack, unpacked

    if not (file.is_dir() or is_pack(file)):
        return None
    try:
        folder = unpacked(file)
        experiment = kept_in(folder)[0].file
    except UserError:
        return None
    if folder == file:
        return f"holds results; their experiment is {experiment}"
    inside = experiment.relative_to(folder).as_posix()
    return f"holds results; `python -m zipfile -e {file} DIR` gives their experiment, DIR/{inside}"


#: Programs that this command has said to run.
_SAID: set[str] = set()


def say_code(programs: Iterable[str]) -> None:
    """Say on standard error that these files are programs in Python and run: once a command."""
    for file in programs:
        if file not in _SAID:
            _SAID.add(file)
            said = one_line(f"note: {file} is a program in Python and is run; --no-code refuses it")
            print(said, file=sys.stderr)


@dataclass(frozen=True)
class Asked:
    """What a command about one experiment is asked, option by option, and how it answers."""

    file: File
    set_: Set = None
    seed: Seed = None
    allow_deadlock: AllowDeadlock = False
    json: Json = False
    out: Out = None
    no_code: NoCode = False
    words: tuple[str, ...] = field(default=(), init=False)
    """The command, and its own options but for files."""

    @property
    def overrides(self) -> list[str]:
        """Changes to the experiment file; those of --set first."""
        allowed = ["machine.routing.allow_deadlock=true"] if self.allow_deadlock else []
        seeds = [] if self.seed is None else [f"run.seed={self.seed}"]
        return [*(self.set_ or []), *allowed, *seeds]

    def again(self, command: str) -> str:
        """Return the line of a command on the same experiment."""
        changes = [word for change in self.overrides for word in ("--set", change)]
        return shlex.join(["tailback", command, str(self.file), *changes])

    def experiment(self, *changes: str) -> Experiment:
        """Return the experiment, with further changes."""
        changes = (*self.overrides, *changes)
        experiment = loaded(self.file, changes, code=not self.no_code)
        say_code(experiment.programs())
        return experiment

    def prepare(
        self, experiment: Experiment, modes: Sequence[str] = (), *, packets: bool = False
    ) -> None:
        """Check the output folder before the run, so that no run is in vain."""
        if self.out is None and packets:
            raise UserError("--packets", None, "needs --out DIR, where the packets are written")
        if self.out is not None:
            from tailback import engine
            from tailback.store import run_folder

            identity = experiment.identity(engine.RESULTS_VERSION, modes)
            run_folder.prepare(self.out, identity)
            self._keep(self.out, experiment)

    def _keep(self, out: Path, experiment: Experiment) -> None:
        """Keep in the output folder what was asked for, so that it can be run again."""
        from tailback.experiment.reading import merged, read_description
        from tailback.sending.asked import Description, keep

        tables = merged(read_description(self.file, self.overrides))
        asked = Description(self.file.stem, self.file.parent, tables)
        keep(out, asked, self.words, [experiment], alone=True)

    @contextmanager
    def running(self, before: str = "preparing the run") -> Iterator[Ticker]:
        """Show the state of a run that takes long, and what is done `before` it begins.

        What programs print goes to standard error if standard output is one JSON object.
        """
        from tailback.progress import Ticker

        with ExitStack() as stack:
            if self.json:
                stack.enter_context(redirect_stdout(sys.stderr))
            yield stack.enter_context(Ticker(before))

    def save(
        self, answer: Mapping[str, Any], tables: Callable[[], Mapping[str, Any]] = dict
    ) -> None:
        """Save an answer and its tables, if there is a folder for them."""
        if self.out is not None:
            from tailback.store import run_folder

            told = run_folder.portable(answer, self.file.parent)
            run_folder.save(self.out, tables(), told)

    def tell(self, answer: Mapping[str, Any], report: Callable[[], RenderableType]) -> None:
        """Print the report, or the answer as JSON."""
        if self.json:
            print_json(answer)
        else:
            show(report())


def stored(results: Mapping[str, Any], packets: bool = False) -> dict[str, Any]:
    """Return the tables of every mode's result, as a folder holds them."""
    from tailback.store.run_folder import tables_of

    return {mode: tables_of(result, packets=packets) for mode, result in results.items()}


Command = Callable[..., Found | None]


def command(*shown: str, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Make a function of `Asked` and further options a command, with `shown` as examples.

    Its options are the fields of `Asked`, except those in `without`, and those of the function,
    whose annotations must be known at run time. What goes wrong is printed as one line; what it
    returns decides on the exit code.
    """

    def declared(function: Command) -> Command:
        fields = [p for p in _parameters(Asked) if p.name not in without]
        own = _parameters(function)[1:]

        def run(**given: Any) -> None:
            asked = Asked(**{field.name: given.pop(field.name) for field in fields})
            asked.__dict__["words"] = (function.__name__, *words_of(own, given))
            _SAID.clear()
            is_file = not os.path.isdir(asked.file)
            with failures(asked.json, asked.file if is_file else None):
                _check_jobs(given.get("jobs"))
                found = function(asked, **given)
            if found is not None:
                exit_by(found)

        # Typer reads both.
        run.__signature__ = Signature([*fields, *own])  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in (*fields, *own)}
        run.__doc__ = function.__doc__
        app.command(function.__name__, epilog=examples(*shown))(run)
        return function

    return declared


def _check_jobs(jobs: int | None) -> None:
    if jobs is not None:
        from tailback.threads import check_jobs

        check_jobs("--jobs", jobs)


def _parameters(of: Callable[..., object]) -> list[Parameter]:
    """Return what something is called with; by keyword, so that defaults may come in any order."""
    known = signature(of, eval_str=True).parameters.values()
    return [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in known]


def quantity_of(option: str, kind: type[Q], text: str) -> Q:
    """Return the quantity that an option gives; raise `UserError` about the option."""
    try:
        return kind.parse(text)
    except UserError as error:
        raise error.inside(option) from None


def span_of(option: str, text: str, allowed: str) -> tuple[int, int]:
    """Return the first and the last number of `8-9`, or of one number; raise `UserError`."""
    ends = text.split("-")
    if len(ends) > 2 or not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
        raise UserError(option, shown(text), allowed)
    return int(ends[0]), int(ends[-1])


def check_files(**files: Path | None) -> None:
    """Check, before a run, the files that are to be written, by the names of their options."""
    for name, path in files.items():
        if path is not None:
            check_named(f"--{name}", path)


def show(report: RenderableType, stderr: bool = False) -> None:
    """Print a report on the terminal."""
    from tailback.terminal import layout

    layout.show(report, stderr=stderr)


@contextmanager
def failures(json: bool, reads: Path | None = None) -> Iterator[None]:
    """Turn errors into one line on standard error and an exit code.

    A missing file ``reads`` is reported before anything is imported that takes long.
    """
    try:
        with interrupts.raised():
            check_limit()
            if reads is not None:
                check_readable(reads)
            yield
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        if isinstance(error, CircleError):
            _tell_circle(error, json)
        elif json:
            print_json(of_mistake(error))
        raise typer.Exit(error.exit_code) from None
    except RunFailure as failure:
        _tell(failure, json)
        raise typer.Exit(failure.exit_code) from None
    except MemoryError:
        print("error: memory: there is not enough for this run", file=sys.stderr)
        raise typer.Exit(UserError.exit_code) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def of_mistake(error: UserError) -> dict[str, Any]:
    """Return a mistake of the user for JSON."""
    cut_off = {"error": "cut off", "complete": False}
    return {
        **(cut_off if isinstance(error, CutOffError) else {"error": "mistake"}),
        "text": str(error),
        "field": error.field,
        "given": error.given,
        "allowed": error.allowed,
        "nearest": error.nearest,
    }


def _tell(failure: RunFailure, json: bool) -> None:
    """Print why a run cannot go on: one line, and what each blocked packet waits for."""
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
    """Print a cycle of channel dependencies, with the packets that cause it."""
    if json:
        print_json({"error": "can deadlock", "text": str(error), "circle": list(error.circle)})
    else:
        from tailback.terminal.failed import circle_report

        show(circle_report(error.circle), stderr=True)
