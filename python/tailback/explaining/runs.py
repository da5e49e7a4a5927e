"""The runs of an explanation: with contention, without, and with changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailback.critical_path import CriticalPath, unknown_path
from tailback.errors import CutOffError, UserError
from tailback.results import Result
from tailback.units import Time, counted


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """The runs that show where the time of a program goes."""

    result: Result
    """The run with contention."""
    baseline: Result | None
    """The run in mode `run.baseline`; None if it was not run."""
    what_if: dict[str, Result] = field(default_factory=dict)
    """Runs with contention and one change, by the name of the change."""

    @property
    def path(self) -> CriticalPath:
        """The critical path."""
        return path_of(self.result)

    @property
    def complete(self) -> bool:
        """Whether all runs are complete."""
        return all(run.complete for run in self.runs)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended one of them."""
        return any(run.interrupted for run in self.runs)

    @property
    def runs(self) -> list[Result]:
        """All runs."""
        return [self.result, *self.what_if.values(), *filter(None, [self.baseline])]


def path_of(result: Result) -> CriticalPath:
    """Return the critical path of a run; raise `UserError` if it has none."""
    if result.critical_path is None:
        if result.experiment.run.critical_path:
            raise _not_ended(result)
        raise unknown_path()
    return result.critical_path


def _not_ended(result: Result) -> UserError:
    """Return why a program that has not ended has no path."""
    at = Time(round(result.ending.simulated_ms * 1e9))
    if result.ending.lost:
        lost = counted(result.messages_lost, "message")
        return CutOffError("workload", None, f"never ends: {lost} lost, and it waits for them")
    if result.ending.cut_off:
        key, _, given = result.ending.cut_off.partition(" = ")
        allowed = f"cut off at {at}, before the program had ended; raise it"
        return CutOffError(key, given, allowed)
    run = result.experiment.run
    if result.interrupted or run.duration is None:
        return UserError("run", None, f"ended at {at} ({result.ending.stop_reason})")
    return UserError("run.duration", str(run.duration), "the program had not ended then")
