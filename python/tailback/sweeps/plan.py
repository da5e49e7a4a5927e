"""Reads a ``[sweep]`` table: axes, computed values, exclusions, modes and seeds.

All mistakes in the table itself are found here, without expanding it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import Any, get_args

from ..errors import UserError, choice, shown, unknown_key
from ..experiment import Mode, Run
from ..experiment.choosing import WORKLOAD
from ..experiment.keys import keys_of, parameters_called
from ..experiment.tables import (
    CLASSES,
    FAULTS,
    JOBS,
    MACHINE_TABLES,
    class_of,
    entries,
    fault_of,
    is_section,
    job_of,
    named,
    section_and_key,
    table_at,
)
from ..expressions import Expression, parsed
from ..machines.reading import check_keys
from .axes import as_quantities, axis
from .names import ELSEWHERE, check_own, resolved, usual_words, words_of

MODES: tuple[str, ...] = get_args(Mode)

FIDELITY = "run.fidelity"

_MOST_SEEDS = 10**9
_TABLES = ("machine", "workload", JOBS, "run", FAULTS)
_KEYS = ("modes", "seeds", "mix_fidelities", "exclude", "let", *_TABLES)

Tables = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What a ``[sweep]`` table asks for.

    Full names, such as ``workload.sync`` and ``sweep.n``, stand for what is varied.
    """

    varied: tuple[str, ...]
    """What differs between points, in the order of the file."""
    axes: Mapping[str, Sequence[object]]
    computed: Mapping[str, Expression]
    exclude: tuple[Expression, ...]
    modes: tuple[str, ...]
    seeds: Sequence[int]
    mixes_fidelities: bool
    """Whether points may run at different fidelities though that is not varied."""

    @property
    def count(self) -> int:
        """Combinations of all values, excluded ones too, times seeds."""
        return prod(map(len, self.axes.values())) * len(self.seeds)

    def behind(self, names: Iterable[str]) -> set[str]:
        """Return the names, those they are computed from, those that these are, and so on."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.computed[name].names if name in self.computed else ()
        return found


def read_plan(table: Mapping[str, Any], base: Tables) -> Plan:
    """Return what the table asks for; ``base`` has the experiment's other tables.

    Raises `UserError`.
    """
    for key in table:
        if key not in _KEYS:
            raise _stray(key)
    axes: dict[str, Sequence[object]] = {}
    texts: dict[str, object] = {}
    for name, field, given in _entries(table):
        _check_job(name, base)
        _check_class(name, base)
        _check_fault(name, base)
        if isinstance(given, Mapping) and "computed" in given:
            texts[name] = _computed(field, given)
        else:
            values = axis(field, usual_words(name, given))
            axes[name] = as_quantities(field, values) if name.startswith("sweep.") else values
    # Also checks the base's own mode, which no point has.
    kept = {key: base["run"][key] for key in ("seed", "mode", "baseline") if key in base["run"]}
    run = Run(**kept)
    own = [name.partition(".")[2] for name in [*axes, *texts] if name.startswith("sweep.")]
    computed = {name: _read(_field(name), text, own) for name, text in texts.items()}
    varied = tuple(name for name, _, _ in _entries(table))
    plan = Plan(
        varied=varied,
        axes=axes,
        computed=computed,
        exclude=tuple(_exclusions(table.get("exclude", []), own)),
        modes=_modes(table.get("modes", ["full", run.baseline])),
        seeds=_seeds(table.get("seeds", 1), run.seed),
        mixes_fidelities=_mixes(table.get("mix_fidelities", False)) or FIDELITY in varied,
    )
    if not plan.varied and "seeds" not in table:
        raise UserError("sweep", None, "varies nothing: give values for a parameter, or seeds")
    _check_order(plan, base)
    _check_used(plan)
    for expression in [*computed.values(), *plan.exclude]:
        _check_words(expression, axes)
    return plan


def _read(field: str, text: object, own: Iterable[str]) -> Expression:
    return parsed(field, text, lambda name: resolved(name, own))


def _check_words(expression: Expression, axes: Mapping[str, Sequence[object]]) -> None:
    """Raise `UserError` if a name is compared with a word it never is."""
    for name, word in expression.compared_words():
        words = sorted({*words_of(name), *_words(axes.get(name, ()))})
        if words and word not in words:
            wrong = choice(name, word, words)
            why = f"{name} is never {shown(word)}: it {wrong.allowed}"
            raise expression.mistake(UserError("", None, why, wrong.nearest))


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    """Yield the full name of everything varied, its place in the file, and what is written."""
    for section, given in table.items():
        if section not in ("let", *_TABLES):
            continue
        if not isinstance(given, Mapping):
            allowed = f"must be a table: [sweep.{section}]"
            raise UserError(f"sweep.{section}", shown(given), allowed)
        if section == "let":
            for key, values in given.items():
                check_own(key, f"sweep.let.{key}")
                yield f"sweep.{key}", f"sweep.let.{key}", values
            continue
        for name, values in entries(given, section):
            _check_key(name, values)
            yield name, f"sweep.{name}", values


def _check_job(name: str, base: Tables) -> None:
    """Refuse to vary a job that there is not, or a workload beside jobs."""
    section, _ = section_and_key(name)
    jobs = base.get(JOBS, {})
    job = job_of(section)
    if job is not None and job not in jobs:
        raise (
            choice(f"sweep.{JOBS}", job, jobs)
            if jobs
            else UserError(
                f"sweep.{JOBS}", shown(job), "there are no jobs in this experiment: no [[job]]"
            )
        )
    if section == WORKLOAD.section and jobs:
        allowed = f"must be varied by job: sweep.{JOBS}.NAME.{WORKLOAD.section}"
        raise UserError(f"sweep.{section}", None, allowed)


def _check_fault(name: str, base: Tables) -> None:
    """Refuse to vary a fault that there is not."""
    number, faults = fault_of(section_and_key(name)[0]), base.get(FAULTS, {})
    if number is None or number in faults:
        return
    field = f"sweep.{FAULTS}"
    if not faults:
        raise UserError(field, number, "there are no faults in this experiment: no [[fault]]")
    last = len(faults) - 1
    allowed = f"must be 0 to {last}: [[fault]] in the order of the file" if last else "must be 0"
    raise UserError(field, number, f"{allowed}; there is no other [[fault]]")


def _check_class(name: str, base: Tables) -> None:
    """Refuse to vary a traffic class that there is not."""
    section, _ = section_and_key(name)
    one = class_of(section)
    if one is None or table_at(base, section):
        return
    place = section.removesuffix(f".{one}")
    classes = table_at(base, place.removesuffix(f".{CLASSES}")).get(CLASSES)
    known = named(classes) if isinstance(classes, list | tuple) else {}
    if not known:
        raise UserError(f"sweep.{place}", shown(one), f"there are no such classes: no [[{place}]]")
    raise choice(f"sweep.{place}", one, known)


def _stray(key: str) -> UserError:
    """Return the mistake of a key that no sweep has, perhaps a parameter without its table."""
    meant = [f"sweep.{name}" for name in parameters_called(key) if name not in ELSEWHERE]
    if meant:
        return UserError(f"sweep.{key}", None, "unknown key", " or ".join(meant))
    return unknown_key("sweep", key, _KEYS)


def _check_key(name: str, given: object) -> None:
    if name in ELSEWHERE:
        allowed = f"cannot be varied like a parameter; use sweep.{ELSEWHERE[name]} = ..."
        raise UserError(f"sweep.{name}", shown(given), allowed)
    section, key = section_and_key(name)
    if is_section(section) and key in keys_of(section):
        return
    if section == "machine" or section in MACHINE_TABLES:
        _check_machine(name, given)
    if not is_section(section) and (section == FAULTS or is_section(f"{section}.NAME")):
        one = "NUMBER" if section == FAULTS else "NAME"
        raise UserError(f"sweep.{name}", None, f"must name one: sweep.{section}.{one}.{key}")
    known = keys_of(section) if is_section(section) else ()
    raise unknown_key(f"sweep.{section}", key, known)


def _check_machine(name: str, given: object) -> None:
    """Refuse what is no key of a machine, with the one that was meant."""
    section, key = section_and_key(name)
    table: object = {} if section == "machine" and not is_section(name) else given
    tables = {key: table} if section == "machine" else {section.partition(".")[2]: {key: given}}
    try:
        check_keys(tables)
    except UserError as error:
        allowed = re.sub(r"(is |\[)machine\.", r"\1sweep.machine.", error.allowed)
        meant = None if error.nearest is None else f"sweep.{error.nearest}"
        raise UserError(f"sweep.{error.field}", error.given, allowed, meant) from None


def _field(name: str) -> str:
    """Return where in the file a full name is given."""
    section, _, key = name.partition(".")
    return f"sweep.let.{key}" if section == "sweep" else f"sweep.{name}"


def _computed(field: str, given: Mapping[str, Any]) -> object:
    others = [key for key in given if key != "computed"]
    if others:
        allowed = f"is computed, so that {others[0]} cannot be given as well"
        raise UserError(field, shown(dict(given)), allowed)
    return given["computed"]


def _exclusions(given: object, own: Iterable[str]) -> Iterator[Expression]:
    if not isinstance(given, list):
        raise UserError("sweep.exclude", shown(given), 'must be a list, such as ["n == 2"]')
    for index, text in enumerate(given):
        yield _read(f"sweep.exclude[{index}]", text, own)


def _modes(given: object) -> tuple[str, ...]:
    """Return modes in their usual order."""
    field = "sweep.modes"
    if not isinstance(given, list) or not given:
        raise UserError(field, shown(given), 'must be a list of modes, such as ["full", "free"]')
    for index, mode in enumerate(given):
        if mode not in MODES:
            raise choice(f"{field}[{index}]", mode, MODES)
        if mode in given[:index]:
            raise UserError(f"{field}[{index}]", shown(mode), "is there twice")
    return tuple(mode for mode in MODES if mode in given)


def _mixes(given: object) -> bool:
    if not isinstance(given, bool):
        raise UserError("sweep.mix_fidelities", shown(given), "must be true or false")
    return given


def _seeds(given: object, first: int) -> Sequence[int]:
    """Return the seeds: a list as it is, a number of them from run.seed on."""
    field = "sweep.seeds"
    if type(given) is int:
        most = min(_MOST_SEEDS, 2**63 - first)
        if not 1 <= given <= most:
            raise UserError(field, shown(given), f"must be 1 to {most}, or a list of seeds")
        return range(first, first + given)
    if not isinstance(given, list):
        raise UserError(field, shown(given), "must be a whole number of seeds, or a list of them")
    if not given:
        raise UserError(field, "[]", "is empty: there is nothing to run")
    seeds: dict[int, None] = {}
    for index, seed in enumerate(given):
        if type(seed) is not int or not 0 <= seed < 2**63:
            raise UserError(f"{field}[{index}]", shown(seed), "must be a whole number from 0")
        if seed in seeds:
            raise UserError(f"{field}[{index}]", shown(seed), "is there twice")
        seeds[seed] = None
    return tuple(seeds)


def _check_order(plan: Plan, base: Tables) -> None:
    """Raise `UserError` if something is computed from itself."""
    needs = {
        name: sorted({need for used in expression.names for need in _needs(used, plan, base)})
        for name, expression in plan.computed.items()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        expression = plan.computed[circle[0]]
        way = " from ".join(circle)
        given = shown(expression.text)
        raise UserError(expression.field, given, f"is computed from itself: {way}") from None


def _needs(name: str, plan: Plan, base: Tables) -> Iterator[str]:
    """Yield what must be known before a name is: a default depends on preset and kind."""
    yield name
    section, key = section_and_key(name)
    if section == "run" or name in plan.varied or key in table_at(base, section):
        return
    yield f"{section.partition('.')[0]}.preset"
    yield f"{section}.kind"


def _check_used(plan: Plan) -> None:
    """Raise `UserError` if values of a name change no parameter: they would all be one run."""
    used = plan.behind(name for name in plan.computed if not name.startswith("sweep."))
    for name in plan.axes:
        if name.startswith("sweep.") and name not in used:
            example = f'such as {WORKLOAD.section}.messages = {{computed = "{name[6:]}"}}'
            allowed = f"is used by no computed parameter, {example}"
            raise UserError(_field(name), None, allowed)


def _words(values: Sequence[object]) -> Iterator[str]:
    """Yield the texts among the values of a list; ranges have none."""
    if isinstance(values, tuple):
        yield from (value for value in values if isinstance(value, str))
