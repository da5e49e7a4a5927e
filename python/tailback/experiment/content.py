"""What an experiment reads while it runs, as it was when its identity was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..contents import ChangedError, check_same, contents_of
from ..errors import shown
from ..workloads import InPython, Jobs, Workload


@dataclass(frozen=True)
class Content:
    """Files and variables that are read for a workload, and functions given themselves."""

    files: Mapping[str, str]
    """Hashes by name."""
    variables: tuple[Mapping[str, str | None], ...]
    """Of the environment, by program; None: not set."""
    programs: tuple[str, ...]

    @classmethod
    def of(cls, workload: Workload) -> Content:
        """Return what a workload reads, as it is now. Raises `UserError`."""
        workloads = [job.workload for job in workload.jobs] if isinstance(workload, Jobs) else []
        programs = [one for one in workloads or [workload] if isinstance(one, InPython)]
        files = contents_of(workload.files_read())
        variables = tuple(one.variables_read() for one in programs)
        return cls(files, variables, tuple(one.digest() for one in programs))

    def check(self, workload: Workload, allowed: str) -> None:
        """Raise `ChangedError` if it is not what the workload reads now."""
        now = Content.of(workload)
        check_same(self.files, now.files, allowed)
        for before, after in zip(self.variables, now.variables, strict=True):
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    raise _differs(name, before.get(name), after.get(name))
        if now.programs != self.programs:
            raise ChangedError(
                "workload.function",
                None,
                "reads other values in the process that carries it out: a global, perhaps, that "
                "was set after its module was imported",
            )


def _differs(name: str, before: str | None, after: str | None) -> ChangedError:
    """Return the mistake of a variable that is another one where a workload is carried out."""
    was, is_now = ("not set" if value is None else shown(value) for value in (before, after))
    remedy = f"workload.environment = {{{name} = {shown(before or '')}}} gives it to all processes"
    return ChangedError(f"environment variable {name}", None, f"was {was}, is {is_now}; {remedy}")
