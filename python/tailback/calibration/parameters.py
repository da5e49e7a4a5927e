"""Keys of a machine as numbers that can be fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from tailback.errors import UserError, nearest, shown
from tailback.experiment import Experiment
from tailback.machines import LinkClass, Machine
from tailback.machines.kinds import PLAIN
from tailback.parts import Part, fields_of
from tailback.units import Quantity, Rate, Size, Time, TimePerByte

#: What is fitted unless keys are named. Of several keys that act alike the first is.
USUAL = (
    "machine.interface.send_overhead",
    "machine.link.rate",
    "machine.node_link.rate",
    "machine.interface.receive_overhead_after",
    "machine.interface.send_overhead_per_byte",
    "machine.link.delay",
    "machine.node_link.delay",
    "machine.switch.delay",
)
FLIT = "machine.link.flit"

_CLASSES = "machine.link_classes."
_FITTED = (Rate, Time, TimePerByte)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key, or several rates that are equal, as one number: rates as ps per bit.

    So what a message takes is linear in it, at least piecewise.
    """

    names: tuple[str, ...]
    kind: type[Quantity]
    before: Quantity
    flit_bits: int | None = None
    """Of a rate that must fit a flit: bits that take a whole number of ps. None: any rate."""

    @property
    def name(self) -> str:
        """All its keys."""
        return " and ".join(self.names)

    @property
    def start(self) -> float:
        """Its number in the file."""
        return self.number(self.before)

    @property
    def least(self) -> float:
        """The least number it can have; above 0 if it is: other keys may need it."""
        if self.kind is Rate:
            return 1e12 / Rate.largest
        return 1.0 if self.before.amount else 0.0

    def number(self, quantity: Quantity) -> float:
        """Return a quantity as a number."""
        return float(quantity.bit_ps) if isinstance(quantity, Rate) else float(quantity.amount)

    def quantity(self, number: float) -> Quantity:
        """Return the quantity nearest to a number that has five digits, and fits the flit."""
        amount = max(number, self.least)
        if self.kind is Rate:
            if self.flit_bits is not None:
                amount = max(round(amount * self.flit_bits), 1) / self.flit_bits
            amount = max(1e12 / amount, 1000.0)
        return self.kind(min(round(float(f"{amount:.5g}")), self.kind.largest))

    def step(self, times: float, per_byte: float) -> float:
        """Return by how much it is changed to see what it does.

        ``times``: the shortest measured time in ps; ``per_byte``: the shortest for a byte, in fs.
        """
        if self.kind is Rate:
            return max(self.start / 20, 1 / (self.flit_bits or 10**6))
        return max(self.start / 20, (times if self.kind is Time else per_byte) / 50, 1.0)

    def scale(self, times: float, per_byte: float) -> float:
        """Return a large change of it."""
        usual = times if self.kind is Time else per_byte
        return self.start if self.kind is Rate else max(usual, self.start)


def parameters(experiment: Experiment, names: Sequence[str]) -> list[Parameter]:
    """Return the parameters that are fitted: of these keys, or the usual ones if there are none.

    Raises `UserError` for a key that the machine does not have, or that cannot be fitted.
    """
    machine = experiment.machine
    known = dict(_known(machine))
    for name in names:
        if name not in known:
            allowed = "must be a rate, a time or a time per byte of the machine"
            raise UserError("--fit", shown(name), allowed, nearest(name, known))
    if machine.loggops is not None:
        raise UserError("machine.loggops", None, "has no network whose links could be fitted")
    usual = [name for name in (*USUAL, *_given_rates(machine)) if _is_usual(machine, name)]
    found: list[Parameter] = []
    for name in dict.fromkeys(names or usual):
        part, kind = known[name]
        before = _value(machine, part, name, kind)
        alike = [one for one in found if kind is Rate and (one.kind, one.before) == (Rate, before)]
        found = [one for one in found if one not in alike]
        found.append(Parameter((*alike[0].names, name) if alike else (name,), kind, before))
    found = [_fitting(machine, one) for one in found]
    return [one for one in found if _can_change(experiment, one, is_asked=bool(names))]


def changed(machine: Machine, values: Mapping[str, Quantity]) -> Machine:
    """Return a machine with other values of keys. Raises `UserError` where they do not fit."""
    parts: dict[str, Any] = machine.values()
    for name, value in values.items():
        section, _, key = name.removeprefix("machine.").rpartition(".")
        table, _, of_class = section.partition(".")
        if of_class:
            classes = dict(parts[table])
            old = classes.get(of_class, LinkClass())
            parts[table] = classes | {of_class: _with(old, key, value)}
        else:
            parts[table] = _with(parts[table], key, value)
    return Machine(**parts)


def _with(part: Part, key: str, value: object) -> Part:
    return type(part)(**part.named() | {key: value})


def _known(machine: Machine) -> Iterator[tuple[str, tuple[Part, type[Quantity]]]]:
    """Yield keys that are a rate, a time or a time per byte: their part and what they are."""
    parts = {name: getattr(machine, name) for name in PLAIN if name != "loggops"}
    tables = {f"machine.{name}": part for name, part in parts.items() if part is not None}
    for name in machine.topology.network.link_classes:
        tables[f"{_CLASSES}{name}"] = machine.link_classes.get(name, LinkClass())
    for table, part in tables.items():
        for key, field in fields_of(type(part)).items():
            options = get_args(field.annotation) or (field.annotation,)
            kind = next((one for one in options if one in _FITTED), None)
            if kind is not None:
                yield f"{table}.{key}", (part, kind)


def _given_rates(machine: Machine) -> list[str]:
    return [f"{_CLASSES}{name}.rate" for name, one in machine.link_classes.items() if one.rate]


def _is_usual(machine: Machine, name: str) -> bool:
    """Whether it is fitted without being named: links of nodes only where they are given."""
    section, _, key = name.rpartition(".")
    if section not in ("machine.node_link", "machine.hosts"):
        return True
    part = machine.hosts if section == "machine.hosts" else machine.node_link
    return part is not None and part.named().get(key) is not None


def _value(machine: Machine, part: Part, name: str, kind: type[Quantity]) -> Quantity:
    """Return the value of a key, or what stands for it where it is not given."""
    key = name.rpartition(".")[2]
    value = getattr(part, key)
    if value is None and key in ("rate", "delay"):
        value = getattr(machine.link, key)
    return kind(0) if value is None else kind(value.amount)


def _can_change(experiment: Experiment, one: Parameter, *, is_asked: bool) -> bool:
    """Whether the machine may have another value. Raises `UserError` if it is asked for one."""
    other = one.quantity(one.start + one.step(1e6, 1e6))
    changes = dict.fromkeys(one.names, other)
    try:
        changed(experiment.machine, changes).check(experiment.fidelity)
    except UserError as error:
        if is_asked:
            raise UserError("--fit", shown(one.name), error.allowed) from None
        return False
    return True


def _fitting(machine: Machine, one: Parameter) -> Parameter:
    """Return a parameter that keeps to the flit, where others do not leave it free."""
    link = machine.link
    if one.kind is not Rate or is_flit_free(machine, one.names):
        return one
    bits = link.flit.bytes * link.data_token_bits
    return Parameter(one.names, one.kind, one.before, bits)


def is_flit_free(machine: Machine, names: Sequence[str]) -> bool:
    """Whether the flit follows from the rate of these keys: not given, and all rates change."""
    given = ["machine.link.rate", *_given_rates(machine)]
    given += ["machine.node_link.rate"] if machine.node_link.rate is not None else []
    is_given = "flit" in machine.link.named()
    return not is_given and set(given) <= set(names) and set(machine.rates) == {machine.link.rate}


def kept_flit(machine: Machine, changes: Mapping[str, Quantity]) -> dict[str, Size]:
    """Return the flit as a change where it must stay as it is, though nobody gave it."""
    is_rate = "machine.link.rate" in changes
    is_given = "flit" in machine.link.named()
    return {FLIT: machine.link.flit} if is_rate and not is_given else {}
