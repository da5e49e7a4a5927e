"""The keys that tables of an experiment have, and what a word of the wrong table is.

A table of a kind has the keys of all kinds here.
"""

from __future__ import annotations

from ..entry_points import by_kinds
from ..errors import UserError
from ..machines.reading import known_keys
from ..machines.words import SYNONYMS
from ..parts import Part, meant_by
from ..workloads import Job, TrafficClass
from .choosing import WORKLOAD
from .faults import Fault
from .jobs import KEYS
from .run import Run
from .tables import (
    CLASSES,
    FAULTS,
    JOBS,
    SECTIONS,
    class_of,
    fault_of,
    is_section,
    job_of,
    section_and_key,
)

#: What may be varied of a job, beside its workload.
JOB_KEYS = tuple(key for key in KEYS if key != "name")
#: What may be varied of a traffic class.
CLASS_KEYS = tuple(key for key in TrafficClass.keys if key != "name")
#: Parameters that a word alone may be: with more of them none is meant.
_FEW = 2

#: What tables with names describe.
NAMED: dict[str, type[Part]] = {JOBS: Job, CLASSES: TrafficClass, FAULTS: Fault}


@by_kinds
def keys_of(section: str) -> tuple[str, ...]:
    """Return every key a table of an experiment may have, of whatever kind it is."""
    section = usual_section(section)
    if section == JOBS:
        return JOB_KEYS
    if section == CLASSES:
        return CLASS_KEYS
    if section == "machine":
        return ("preset", "clock")
    if section.startswith("machine."):
        return known_keys(section.split(".")[1])
    preset = ["preset"] if section == WORKLOAD.section else []
    fields = [key for described in classes_of(section) for key in described.keys]
    return tuple(dict.fromkeys(preset + fields))


def is_parameter(name: str) -> bool:
    """Whether a dotted name is that of a parameter."""
    section, key = section_and_key(name)
    return is_section(section) and key in keys_of(section)


@by_kinds
def by_key() -> dict[str, list[str]]:
    """Return the full names of the parameters with each key."""
    names: dict[str, list[str]] = {}
    for section in SECTIONS:
        for key in keys_of(section):
            names.setdefault(key, []).append(f"{section}.{key}")
    return names


def parameters_called(word: str) -> list[str]:
    """Return the full names of the few parameters that a word alone may stand for.

    A letter of a paper stands for none without its topology.
    """
    if len(word) == 1:
        return []
    if f"machine.{word}" in SECTIONS or word == WORKLOAD.section:
        section = word if word == WORKLOAD.section else f"machine.{word}"
        return [f"{section}.kind"] if "kind" in keys_of(section) else []
    if word in by_key():
        return by_key()[word] if len(by_key()[word]) <= _FEW else []
    moved = SYNONYMS.get(word)
    if moved is not None:
        return [f"machine.{moved}"]
    meant = (meant_by(part, word) for part in (Run, WORKLOAD.classes[WORKLOAD.default]))
    return [path for path in meant if path is not None]


def placed(mistake: UserError) -> UserError:
    """Return the mistake of an unknown key with where it belongs, if another table has it."""
    section, _, word = mistake.field.rpartition(".")
    if not mistake.allowed.startswith("unknown key") or section in NAMED:
        return mistake
    if not section and f"machine.{word}" in SECTIONS:
        return UserError(mistake.field, None, "unknown key", f"[machine.{word}]")
    beside = (mistake.nearest or "").rpartition(".")[0]
    if mistake.nearest and (beside == section or word not in by_key()):
        return mistake
    found = parameters_called(word)
    if not found:
        return mistake
    return UserError(mistake.field, None, "unknown key", " or ".join(found))


def usual_section(section: str) -> str:
    """Return what a table with a name is like: a job's, a workload or a class; others as it is."""
    if class_of(section) is not None:
        return CLASSES
    if fault_of(section) is not None:
        return FAULTS
    if job_of(section) is None:
        return section
    return WORKLOAD.section if section.endswith(f".{WORKLOAD.section}") else JOBS


def classes_of(section: str) -> tuple[type[Part], ...]:
    """Return the classes that a table of the usual sections describes."""
    if section in NAMED:
        return (NAMED[section],)
    return tuple(WORKLOAD.classes.values()) if section == WORKLOAD.section else (Run,)
