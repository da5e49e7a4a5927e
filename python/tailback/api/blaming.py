"""Who makes whom late: `blame`, and what `tailback blame` says."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailback.answers import of_blame
from tailback.answers.lateness import kept
from tailback.helping import Helped
from tailback.results import Result
from tailback.results.names import Names
from tailback.runner import run_mode
from tailback.terminal.blamed import facts
from tailback.wording import notebook, number
from tailback.wording.scaling import MICROSECONDS, scaled
from tailback.workloads import Workload

from .experiments import What, experiment_of, watched

Rows = list[dict[str, Any]]
"""Times are estimates (`value`, `low`, `high`) under `us_per_message`."""

_ROWS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Blaming(metaclass=Helped):
    """Who made whom late in one run: of all lateness, the most first."""

    result: Result
    """Everything else the run measured."""

    def kinds(self) -> Rows:
        """Return why messages are late: where the roots of their waits are."""
        return self._facts("kinds", _ROWS)

    def culprits(self, top: int = _ROWS) -> Rows:
        """Return who makes whom late, and at which root channel."""
        return self._facts("culprits", top)

    def pairs(self, top: int = _ROWS) -> Rows:
        """Return who makes whom late, wherever."""
        return self._facts("pairs", top)

    def roots(self, top: int = _ROWS) -> Rows:
        """Return the channels where lateness begins."""
        return self._facts("roots", top)

    def packet_waits(self, top: int = _ROWS) -> dict[str, Any] | None:
        """Return what packets waited in all (`us`), by place and by cause: not what it cost.

        None unless `packet_waits=True` asked for it, or the mode is `throttled` or `ideal`.
        """
        found: dict[str, Any] | None = facts(self.result, top)["packet_waits"]
        return found

    def to_dict(self, top: int = _ROWS) -> dict[str, Any]:
        """Return what `tailback blame --json` prints."""
        return {**self.result.to_dict(), "blame": facts(self.result, top)}

    def write_page(self, path: str | os.PathLike[str]) -> Path:
        """Write a page of HTML with who makes whom late and where it begins; return where it is."""
        from tailback.report.of_blame import write_blame

        write_blame(self.result, Path(path))
        return Path(path)

    def write_look(self, path: str | os.PathLike[str]) -> Path:
        """Write the page of `tailback look`, a map of the waits; return where it is."""
        from tailback.look import check_drawable, write_look

        check_drawable(self.result.experiment)
        write_look(self.result, Path(path))
        return Path(path)

    def _facts(self, name: str, top: int) -> Rows:
        found: Rows = facts(self.result, top)[name]
        return found

    def _repr_html_(self) -> str:
        rows = [
            (name, scaled(us, MICROSECONDS, 4), f"{100 * share:.1f} %")
            for name, us, share in self._roots()
        ]
        said = of_blame(self.result).lines
        return notebook.shown(
            ("root channel", "per message", "share"), rows, said, self._repr_svg_()
        )

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        rows = [(name, us) for name, us, _ in self._roots()]
        return notebooks.bars("Lateness per message, by root channel", rows, MICROSECONDS)

    def _roots(self) -> list[tuple[str, float, float]]:
        blame, names = kept(self.result), Names.of(self.result)
        found = blame.by_channel(self.result.experiment.run.confidence, _ROWS)
        return [(names.channel(c.key[0]), c.per_message_us.value, c.share) for c in found]

    def __repr__(self) -> str:
        confidence = self.result.experiment.run.confidence
        blame = kept(self.result)
        if not blame.has_lateness:
            return f"<Blaming {self.result.mode}: packet waits only>"
        late = number(blame.late(confidence))
        return f"<Blaming {self.result.mode}: a message is late by {late} us>"


def blame(
    what: What,
    workload: Workload | None = None,
    *,
    progress: bool = False,
    **run_fields: Any,
) -> Blaming:
    """Run one contention mode and return who makes whom late, where and why.

    Arguments are those of `run`; with `packet_waits=True` it is kept, too, what packets waited for.

    >>> import tailback as tb
    >>> many_to_one = tb.FanIn(message_size="10 kB")
    >>> blaming = tb.blame(tb.Star(nodes=8), many_to_one)
    >>> [kind] = blaming.kinds()
    >>> kind["kind"], kind["share"]
    ('destination', 1.0)
    """
    given = experiment_of(what, workload, **run_fields, blame=True)
    with watched(progress) as watch:
        return Blaming(run_mode(given, given.run.mode, watch=watch))
