"""The parameters of an experiment, part by part, with those that are not defaults marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tailback.experiment import Experiment, Run
from tailback.experiment.tables import FAULTS, JOBS, entries, section_and_key
from tailback.machines import Machine
from tailback.parts import Part, fields_of, plain
from tailback.wording import UNKNOWN
from tailback.workloads import Job

from .layout import new_table, texts, words

_LONGEST = 48  # characters of a parameter


def parameters_tables(experiment: Experiment) -> Iterator[Table | Text]:
    """Yield a table of every part's parameters, defaults filled in.

    Keys without effect are left out. A star marks what differs from the default, that of a
    machine, workload or run without given keys.
    """
    usual = _usual(experiment)
    tables: dict[str, Table] = {}
    for name, value in _entries(experiment):
        if value is None or value == {}:
            continue
        section, key = section_and_key(name)
        if section not in tables:
            columns = (*words(""), *texts(""), Column(""))
            tables[section] = new_table("", *columns, has_head=False)
            # As a text, in which brackets are no markup.
            tables[section].title = Text(f"[{section}]", style="bold")
        mark = "" if name in usual and usual[name] == value else "*"
        tables[section].add_row(key, _parameter(value), mark)
    yield from tables.values()
    yield Text("* not the default", style="dim")


def _usual(experiment: Experiment) -> dict[str, object]:
    """Return the parameters if only kinds were given."""
    topology = type(experiment.machine.topology)
    found: dict[str, object] = {}
    if topology.key_names and "file" in topology.key_names:
        machine = Machine()
    else:
        machine = Machine(topology=topology())
    found |= dict(entries({"machine": machine.resolved(machine.usual_fidelity)}))
    described: list[tuple[str, type[Part]]] = [("run", Run)]
    if not experiment.jobs:
        described.append(("workload", type(experiment.workload)))
    for job in experiment.jobs:
        described += [(f"job.{job.name}", Job), (f"job.{job.name}.workload", type(job.workload))]
    for section, kind in described:
        fields = fields_of(kind).items()
        found |= {f"{section}.{key}": plain(field.default) for key, field in fields}
    return found


def _entries(experiment: Experiment) -> Iterator[tuple[str, object]]:
    """Yield the dotted name and the value of every parameter; jobs by their names."""
    tables = experiment.resolved()
    jobs, faults = tables.pop(JOBS, []), tables.pop(FAULTS, [])
    yield from entries(tables)
    for place, fault in enumerate(faults):
        for key, value in fault.items():
            yield f"{FAULTS}[{place}].{key}", value
    for job in jobs:
        for section, table in (("", job), (".workload", job["workload"])):
            for key, value in table.items():
                if key not in ("name", "workload"):
                    yield f"{JOBS}.{job['name']}{section}.{key}", value


def _parameter(value: Any) -> str:
    """Return a value about as in an experiment file, on one line."""
    if value is None:
        return UNKNOWN
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
