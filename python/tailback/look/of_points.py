"""The pages of points of a sweep, which a report links to: each point is run once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.memory import at_once
from tailback.progress import Watch, ignore
from tailback.report.of_store import path_of, points_with_pages
from tailback.sending.asked import kept_in
from tailback.sending.packs import unpacked
from tailback.store.points import PointStore
from tailback.sweeps import Sweep
from tailback.sweeps.running import identity_of
from tailback.threads import Task, in_order

from .flows import run_with_flows
from .model import check_drawable, kept_with
from .writing import write_look

_FULL = "full"
_LETTERS = 16
"""Of the identity of a point, in the name of its page."""


@dataclass(frozen=True)
class _Page:
    """A page that is to be made."""

    experiment: Experiment
    mode: str
    path: Path
    command: str

    def make(self, watch: Watch) -> None:
        result = run_with_flows(self.experiment, self.mode, watch)
        write_look(result, self.path, self.command)


def write_pages(
    folder: Path,
    report: Path | None = None,
    *,
    jobs: int | None = None,
    watch: Watch = ignore,
    code: bool = True,
    seen: Callable[[Experiment], object] = id,
) -> dict[str, Path]:
    """Write the pages of points of a store, into a folder beside its report; return them.

    By identity. ``folder``: of results, or a pack; ``report``: where that goes, unless it is the
    usual place. Points whose sweep is not kept in the folder have no page; a page that is there is
    kept. Without ``code``, programs in Python are refused; ``seen`` is told of every experiment
    before it runs. Raises `UserError` for a network that is not drawn, a run without blame, and a
    page that cannot be written.
    """
    commands = points_with_pages(PointStore.open(folder))
    place = path_of(folder, report)
    into = place.with_name(f"{place.stem}-pages")
    pages = dict(_pages(unpacked(folder), commands, into, code))
    missing = [page for page in pages.values() if not page.path.exists()]
    for page in missing:
        seen(page.experiment)
    if missing:
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(str(into), None, f"cannot be made: {error.strerror or error}") from None
        tasks = [Task(page.make) for page in missing]
        in_order(tasks, min(at_once(page.experiment, jobs) for page in missing), watch)
    # After Ctrl-C there are only the first ones.
    return {identity: page.path for identity, page in pages.items() if page.path.exists()}


def _pages(
    folder: Path, commands: Mapping[str, str], into: Path, code: bool
) -> Iterator[tuple[str, _Page]]:
    for kept in kept_in(folder):
        if kept.words[0] != "sweep":
            continue
        for point in Sweep.load(kept.file, code=code).points():
            identity = identity_of(point)
            if identity in commands:
                experiment = point.experiment
                experiment = experiment.with_run(**kept_with(faults=bool(experiment.faults)))
                check_drawable(experiment)
                mode = _FULL if _FULL in point.modes else point.modes[0]
                path = into / f"{identity[:_LETTERS]}.html"
                yield identity, _Page(experiment, mode, path, commands[identity])
