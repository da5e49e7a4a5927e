"""The critical path of a program, with contention and without, and what would shorten it.

docs/critical-path.md defines the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tailback.critical_path import ALL_PART_WORDS
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.memory import at_once
from tailback.progress import Watch, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.threads import Task, in_order
from tailback.wording import notebook
from tailback.wording.scaling import MICROSECONDS, scaled

from .facts import facts
from .runs import Runs, path_of
from .what_if import Change, channels_of, faster, without

__all__ = [
    "Change",
    "Explanation",
    "channels_of",
    "explain",
    "faster",
    "path_of",
    "prepared",
    "without",
]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Runs):
    """The critical path of a program, and runs to compare it with."""

    def to_dict(self, top: int = 5) -> dict[str, Any]:
        """Return what `tailback explain --json` prints."""
        return {**self.result.to_dict(), "critical_path": facts(self, top)}

    def _repr_html_(self) -> str:
        total = self.path.makespan_ps / 1e6
        rows = [
            (name, scaled(us, MICROSECONDS, 4), f"{100 * us / total:.1f} %")
            for name, us in self._parts()
        ]
        runs = {**self.what_if}
        if self.baseline is not None:
            runs = {f"mode {self.baseline.mode}": self.baseline, **runs}
        said = [f"The program takes {scaled(total, MICROSECONDS, 4)}."]
        said += [
            f"{name[0].upper()}{name[1:]}: {scaled(run['completion_us'].value, MICROSECONDS, 4)}."
            for name, run in runs.items()
        ]
        return notebook.shown(("the critical path", "time", "share"), rows, said, self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        return notebooks.bars("The critical path", self._parts(), MICROSECONDS)

    def _parts(self) -> list[tuple[str, float]]:
        """Return the parts of the critical path in microseconds, the longest first."""
        return [
            (ALL_PART_WORDS[share.key[0]], share.time_ps / 1e6) for share in self.path.by("part")
        ]

    def __repr__(self) -> str:
        return f"<Explanation {self.path.makespan_ps / 1e6} us in {self.path.segments} segments>"


def prepared(experiment: Experiment, *, slack: bool = True) -> Experiment:
    """Return the experiment with all records that an explanation needs.

    Raises `UserError` for a workload without an end.
    """
    if not experiment.finite:
        allowed = (
            "goes on for ever: only one that ends has a critical path; for others see tailback "
            "cost and tailback blame"
        )
        raise UserError("workload", None, allowed)
    # Fidelity fluid and machines without a network have no blame.
    blame = experiment.fidelity != "fluid" and experiment.machine.loggops is None
    return experiment.with_run(critical_path=True, slack=slack, blame=blame)


def _with_timeline(
    shown: Mapping[str, Any] | None,
) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """Return the change of a specification that records a timeline; None without one."""
    if shown is None:
        return None
    return lambda spec: spec | {"causes": {**spec["causes"], "timeline": dict(shown)}}


def explain(
    experiment: Experiment,
    *,
    changes: Sequence[Change] = (),
    shown: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Explanation:
    """Run a `prepared` experiment with contention, without, and with each of some changes.

    `shown`: what of the first run a chart shows, as the engine describes it (`recording.Window`).
    Up to `jobs` runs go on at once; None: one per processor. Ctrl-C ends that with what there is;
    it raises `KeyboardInterrupt` if the first run had not ended.
    """
    mode, baseline = experiment.run.mode, experiment.run.baseline
    plain = experiment.with_run(critical_path=False, slack=False, blame=False)
    # Without a network there is no contention.
    compares = mode != baseline and experiment.machine.loggops is None
    tasks = [Task(partial(_run_of_path, experiment, shown))]
    tasks += [Task(partial(_run, plain, baseline, None))] if compares else []
    tasks += [Task(partial(_run, plain, mode, change.of), change.name) for change in changes]
    result, *others = in_order(tasks, at_once(experiment, jobs), watch)
    without = others.pop(0) if compares and others else None
    names = [change.name for change in changes]
    return Explanation(result, without, dict(zip(names, others, strict=False)))


def _run_of_path(experiment: Experiment, shown: Mapping[str, Any] | None, watch: Watch) -> Result:
    """Run the experiment; raise `UserError` unless it ends, and so has a critical path."""
    result = run_mode(experiment, experiment.run.mode, watch=watch, change=_with_timeline(shown))
    if result.interrupted:
        raise KeyboardInterrupt
    path_of(result)
    return result


def _run(
    experiment: Experiment,
    mode: str,
    change: Callable[[dict[str, Any]], dict[str, Any]] | None,
    watch: Watch,
) -> Result:
    return run_mode(experiment, mode, watch=watch, change=change)
