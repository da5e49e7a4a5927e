"""What an experiment reads while it runs, as it was when its identity was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..contents import ChangedError, check_same, contents_of
from ..workloads import InPython, Jobs, Workload


@dataclass(frozen=True)
class Content:
    """Files that are read while a workload runs, by hash, and functions given themselves."""

    files: Mapping[str, str]
    programs: tuple[str, ...]

    @classmethod
    def of(cls, workload: Workload) -> Content:
        """Return what a workload reads, as it is now. Raises `UserError`."""
        workloads = [job.workload for job in workload.jobs] if isinstance(workload, Jobs) else []
        programs = [one.digest() for one in workloads or [workload] if isinstance(one, InPython)]
        return cls(contents_of(workload.files_read()), tuple(programs))

    def check(self, workload: Workload, allowed: str) -> None:
        """Raise `ChangedError` if it is not what the workload reads now."""
        now = Content.of(workload)
        check_same(self.files, now.files, allowed)
        if now.programs != self.programs:
            # A global, perhaps, that was set after its module was imported.
            raise ChangedError(
                "workload.function", None, f"{allowed}, or differs between processes"
            )
