"""A study: its folder, and how it is carried out from the command line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Study:
    """A folder beside this file, named like the module that is run."""

    name: str

    @property
    def folder(self) -> Path:
        """Return where all of it is."""
        return Path(__file__).parent / self.name

    @property
    def sweeps(self) -> Path:
        """Return the folder of what is run: an experiment file with a sweep for each."""
        return self.folder / "sweeps"

    @property
    def stores(self) -> Path:
        """Return the folder of what came of it: a store for each sweep, under its name."""
        return self.folder / "stores"

    @property
    def results(self) -> Path:
        """Return the report in Markdown."""
        return self.folder / "RESULTS.md"

    @property
    def page(self) -> Path:
        """Return the report with figures, one HTML page."""
        return self.folder / "report.html"


def carry_out(
    run: Callable[[], Found],
    report: Callable[[Found, float], bool | None],
    written: tuple[Path, ...],
) -> int:
    """Run everything, write the reports and return the exit code.

    `report` gets what `run` found and how many seconds it took; if it says False, the exit code
    is 1. `written` are the files it makes; Ctrl-C leaves them as they were. What all of it took
    on all processors is said at the end.
    """
    started = time.monotonic()
    try:
        found = run()
    except KeyboardInterrupt:
        print(
            "Interrupted; no report was written, finished points of sweeps are kept.",
            file=sys.stderr,
        )
        return 130
    holds = report(found, time.monotonic() - started)
    print(f"Wrote {' and '.join(map(str, written))}; {sum(os.times()[:4]) / 60:.1f} min of CPU")
    return 1 if holds is False else 0
