"""The runs that explain a program's end: as it is, without contention, a little different."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailback.critical_path import CriticalPath, unknown_path
from tailback.errors import UserError, shown
from tailback.results import Result


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """What is known of where the time of a program went."""

    result: Result
    """The run with contention."""
    baseline: Result | None
    """The same without, in the mode `run.baseline`; None if that was not, or cannot be, run."""
    what_if: dict[str, Result] = field(default_factory=dict)
    """The run with contention, a little different; by what was asked for."""

    @property
    def path(self) -> CriticalPath:
        """The critical path."""
        return path_of(self.result)

    @property
    def complete(self) -> bool:
        """Whether all runs were left to end."""
        runs = [self.result, *self.what_if.values(), *filter(None, [self.baseline])]
        return all(run.complete for run in runs)


def path_of(result: Result) -> CriticalPath:
    """Return the critical path of a run; raise `UserError` where none was kept."""
    if result.critical_path is None:
        if result.experiment.run.critical_path:
            how = f"the program had not ended ({result.ending.stop_reason})"
            raise UserError("run.max_duration", shown(str(result.ending.simulated_ms)), how)
        raise unknown_path()
    return result.critical_path
