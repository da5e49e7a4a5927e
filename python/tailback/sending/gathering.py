"""The files that an experiment needs, with their places in the folder that is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment.tables import FILES, JOBS, put, section_and_key, table_at
from tailback.workloads import PythonProgram, Trace, Workload
from tailback.workloads.trace_files import relative_list

from .layout import Layout


@dataclass
class Gathered:
    """Files by their places, relative to the experiment file."""

    layout: Layout
    sources: dict[str, Path] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    """What is written instead of the content of the source."""
    notes: list[str] = field(default_factory=list)
    """What cannot be run again."""

    def add(self, path: str | Path) -> str:
        """Add a file; return its place."""
        name = self.layout.place(path)
        self.sources[name] = Path(path)
        return name


def gather(tables: dict[str, Any], folder: Path, experiments: Iterable[Experiment]) -> Gathered:
    """Find all files that experiments need, and name them in their tables by their places.

    ``tables``: those of the file, names of files ready to be opened; those of its sweep are
    relative to ``folder``. Files that are not there are left out.
    """
    found = Gathered(Layout(folder))
    _rename(tables, found)
    workloads: dict[int, Workload] = {}
    for experiment in experiments:
        for one in _named_by(experiment):
            found.add(one)
        for workload in _workloads_of(experiment):
            workloads[id(workload)] = workload
    programs = [one for one in workloads.values() if isinstance(one, PythonProgram)]
    different = list({(one.file, one.reads, one.environment): one for one in programs}.values())
    for workload in workloads.values():
        if isinstance(workload, Trace):
            _add_trace(found, workload)
    for program in different:
        _add_program(found, program, tables, is_only=len(different) == 1)
    found.sources = {name: path for name, path in found.sources.items() if path.is_file()}
    return found


def _rename(tables: dict[str, Any], found: Gathered) -> None:
    """Name files by their places: in tables, in those of jobs, and among values of a sweep."""
    for at in [tables, *({"workload": job.get("workload")} for job in tables.get(JOBS, ()))]:
        for name in FILES:
            section, key = section_and_key(name)
            given = table_at(at, section).get(key)
            if isinstance(given, str):
                put(at, name, found.add(given))
    sweep = tables.get("sweep", {})
    jobs = [f"{JOBS}.{name}." for name in sweep.get(JOBS, {})]
    for name in (start + name for start in ["", *jobs] for name in FILES):
        section, key = section_and_key(name)
        given = table_at(sweep, section).get(key)
        if isinstance(given, list | tuple):
            put(sweep, name, [_swept(one, found) for one in given])


def _swept(given: object, found: Gathered) -> object:
    """Return the name of a file of a sweep: as it is, if it is found by it in the kept folder."""
    if not isinstance(given, str):
        return given
    place = found.add(os.path.join(found.layout.folder, given))
    return given if os.path.normpath(given).replace(os.sep, "/") == place else place


def _named_by(experiment: Experiment) -> Iterator[str]:
    """Yield the files that an experiment names."""
    machine = experiment.machine
    parts: list[tuple[str, object]] = [("machine.topology", machine.topology)]
    parts += [("machine.routing", machine.chosen_routing)]
    parts += [("workload", workload) for workload in _workloads_of(experiment)]
    for name in FILES:
        section, key = section_and_key(name)
        for place, part in parts:
            value = getattr(part, key, None) if place == section else None
            if isinstance(value, str):
                yield value


def _workloads_of(experiment: Experiment) -> list[Workload]:
    return [job.workload for job in experiment.jobs] or [experiment.workload]


def _add_trace(found: Gathered, trace: Trace) -> None:
    """Add the files of ranks; a list names them where they are kept."""
    given = found.layout.place(trace.file)
    places = [found.add(path) for path in trace.files_read()]
    assert given in places
    listed = trace.listed_files()
    if listed:
        start = Path(given).parent
        names = [os.path.relpath(found.layout.place(path), start) for path in listed]
        text = relative_list(Path(trace.file), [name.replace(os.sep, "/") for name in names])
        if text is not None:
            found.contents[given] = text


def _add_program(
    found: Gathered, program: PythonProgram, tables: dict[str, Any], *, is_only: bool
) -> None:
    """Add modules beside the program, and what it reads with the names by which it is opened."""
    if program.file is None:
        name = getattr(program.function, "__name__", "function")
        found.notes.append(f"workload.function is {name}, a function that was given itself")
        return
    try:
        reads = program.source.reads()
    except UserError as error:
        found.notes.append(str(error))
        return
    folder = Path(found.add(program.file)).parent
    for real, module in reads.modules.items():
        name = found.layout.put(real, (folder / module).as_posix())
        found.sources[name] = Path(real)
    stand_ins = {
        name: found.add(real)
        for real, name in reads.files.items()
        if real not in reads.modules and reads.contents[real] is not None
    }
    environment = {n: value for n, value in reads.environment.items() if value is not None}
    if not is_only and (stand_ins or environment):
        found.notes.append(f"{program.file} reads more than its text, and is not the only program")
        return
    for workload in _tables_of_programs(tables):
        _set(workload, "reads", stand_ins)
        _set(workload, "environment", environment)


def _set(table: dict[str, Any], key: str, value: Mapping[str, str]) -> None:
    table.pop(key, None)
    if value:
        table[key] = dict(value)


def _tables_of_programs(tables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    workloads = [tables.get("workload"), *(job.get("workload") for job in tables.get(JOBS, ()))]
    for workload in workloads:
        if isinstance(workload, dict) and workload.get("kind") == "python":
            yield workload
