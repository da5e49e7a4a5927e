"""Commands on results that are sent on: `rerun`, `pack`, `diff`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.errors import UserError, shown

from .answering import failures, print_json, say_code
from .homes import HOMES
from .options import Json, NoCode, app, examples
from .words import option_names

if TYPE_CHECKING:
    from tailback.sending.asked import Kept

DIFFERENT = 1
"""Exit code where a result differs."""

#: Commands that are run again.
_AGAIN = {
    *("run", "cost", "describe", "blame", "look", "flows", "explain", "interference"),
    *("resilience", "sweep"),
}

Results = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of results of run --out or sweep, or a pack.")
]
NewFolder = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Keep the new results in this folder."),
]
Check = Annotated[
    bool, typer.Option("--check", help="Compare all results byte by byte; exit code 1: differs.")
]


@app.command(
    epilog=examples("tailback rerun results --check", "tailback rerun results.zip --out again")
)
def rerun(
    folder: Results, *, out: NewFolder = None, check: Check = False, no_code: NoCode = False
) -> None:
    """Run again what a folder of results was made by, from what is kept in it."""
    with failures(json=False):
        from tailback.sending.asked import kept_in, told_of
        from tailback.sending.packs import unpacked

        old = unpacked(folder)
        _check_results(folder, old)
        with told_of(folder, old):
            questions = kept_in(old)
            for kept in questions:
                kept.check()
        if not check and out is None and questions[0].words[0] == "sweep":
            raise UserError("--out", None, "must be given for a sweep, or --check")
        with _target(out) as new:
            codes = []
            for kept in questions:
                _say_versions(kept)
                codes.append(_carry_out(kept, new, no_code, quiet=check))
            if check:
                codes = [0 if _compare(folder, old, new) else DIFFERENT]
    if any(codes):
        raise typer.Exit(max(codes))


@contextmanager
def _target(out: Path | None) -> Iterator[Path]:
    """Give the folder for new results: a temporary one, unless it is to be kept."""
    if out is not None:
        if out.is_dir() and any(out.iterdir()):
            raise UserError("--out", str(out), "must be new or empty")
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="tailback-") as above:
        yield Path(above) / "again"


def _check_results(given: Path, folder: Path) -> None:
    if not folder.exists():
        raise UserError(str(given), None, "no such folder")
    if not folder.is_dir():
        raise UserError(str(given), None, "is neither a folder of results nor a pack")


def _say_versions(kept: Kept) -> None:
    """Say what results were made by, if it is something else now."""
    from tailback.sending.asked import versions

    now = versions()
    for name, was in kept.versions.items():
        if now.get(name) != was and name in now:
            what = {"tailback": "Tailback", "results": "results version", "python": "Python"}
            told = f"{what.get(name, name)} {shown(was).strip(chr(34))}; this is {now[name]}"
            print(f"note: these results were made by {told}", file=sys.stderr)


def _carry_out(kept: Kept, new: Path, no_code: bool, quiet: bool) -> int:
    """Carry out the command of a question and return its exit code.

    Raise `typer.Exit` where it left no results.
    """
    words = [*_checked(kept), str(kept.file), "--out", str(new)]
    words += ["--no-code"] if no_code else []
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere if quiet else sys.stdout),
    ):
        code = app(words, standalone_mode=False)
    # What a limit cut off, or points that failed, are results as well.
    if code not in (None, 0, 3, 4):
        raise typer.Exit(int(code))
    return int(code or 0)


def _checked(kept: Kept) -> list[str]:
    """Return the words of a command; refuse others than are kept."""
    command, *options = kept.words
    if command not in _AGAIN:
        raise UserError(str(kept.file), shown(command), "is no command that is run again")
    home = import_module(f"{__package__}.{HOMES[command]}")
    known = option_names(signature(getattr(home, command), eval_str=True).parameters.values())
    for word in options:
        if word.startswith("-") and word not in known:
            raise UserError(str(kept.file), shown(word), f"is no option of {command} that is kept")
    return [command, *options]


def _compare(given: Path, old: Path, new: Path) -> bool:
    """Print which files differ between two folders of results; return whether none does."""
    from tailback.store.comparing import compared

    found = compared(old, new)
    for line in found.lines:
        print(f"  {line}")
    if found.unfinished:
        print(f"  {found.unfinished} files more: these results were not finished")
    if found.lines:
        print(f"{given}: {len(found.lines)} of {found.count} files differ.")
    else:
        print(f"{given}: all {found.count} files are the same.")
    return not found.lines


@app.command(
    epilog=examples("tailback pack results", "tailback pack results --out results_of_may.zip")
)
def pack(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of results.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The pack; default: DIR.zip.")
    ] = None,
    json: Json = False,
) -> None:
    """Make one file of a folder of results, which all commands open as the folder."""
    with failures(json):
        from tailback.sending.packs import pack as made
        from tailback.store.comparing import is_results

        _check_results(folder, folder)
        if not is_results(folder):
            raise UserError(str(folder), None, "holds no results")
        place = folder if folder.name not in ("", "..") else folder.resolve()
        target = place.with_name(f"{place.name}.zip") if out is None else out
        count = made(folder, target)
        _say_missing(folder)
        size = target.stat().st_size
        if json:
            print_json({"pack": str(target), "files": count, "bytes": size})
        else:
            print(f"{target}: {count} files, {size / 1e6:.1f} MB")


def _say_missing(folder: Path) -> None:
    """Say which files a pack has only by their hash, or why it cannot be run again."""
    from tailback.sending.asked import kept_in

    try:
        kept_in(folder)
    except UserError as error:
        print(f"note: {error}", file=sys.stderr)


Compared = Annotated[
    Path, typer.Argument(metavar="A", help="Folder of results, pack or experiment file.")
]
With = Annotated[Path, typer.Argument(metavar="B", help="What it is compared with.")]


@app.command(
    epilog=examples("tailback diff before after", "tailback diff old.toml new.toml --json")
)
def diff(first: Compared, second: With, *, json: Json = False, no_code: NoCode = False) -> None:
    """Compare two results or experiments: what was asked, and what came out, with intervals."""
    with failures(json):
        from tailback.analysis.differences import differences
        from tailback.analysis.telling import differences_text

        found = differences(
            first,
            second,
            code=not no_code,
            seen=lambda experiment: say_code(experiment.programs()),
        )
        if json:
            print_json(found.to_dict())
        else:
            print(differences_text(found))
