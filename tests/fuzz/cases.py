"""Cases: a command line and its files, with at most one thing wrong."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import valid
from .files import damaged
from .keys import known_keys
from .values import BROKEN, broken, sensible
from .writing import toml, written

_COMMANDS = ("describe", "run", "run", "cost", "blame")


@dataclass
class Case:
    """What is to be tried, in a folder that holds its files."""

    number: int
    fault: str
    """What was broken; `nothing` of a case that should be accepted."""
    arguments: list[str] = field(default_factory=list)
    was_valid: bool = True
    """Whether the experiment was accepted before anything was broken."""


def made(seed: int, number: int, folder: Path) -> Case:
    """Make a case in an empty folder: the same for the same numbers."""
    rng = random.Random(f"{seed}/{number}")
    description, named = valid.experiment(rng)
    for name, text in named.items():
        (folder / name).write_text(text)
    path = folder / "e.toml"
    was_valid = valid.accepted(description, path)
    fault = rng.choice(list(FAULTS))
    case = Case(number, fault, was_valid=was_valid)
    command = rng.choice(_COMMANDS)
    case.arguments = [command, str(path)]
    FAULTS[fault](rng, case, description, folder)
    if rng.random() < 0.6 and case.arguments[0] not in ("table", "report"):
        case.arguments.append("--json")
    return case


def _nothing(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    if rng.random() < 0.3 and case.arguments[0] != "blame":
        case.arguments += ["--out", str(folder / "out")]


def _value(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    table, key = _place(rng, description)
    table[key] = broken(rng, table[key])
    _write(description, folder)


def _another_key(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    """Add a key that the schema knows, with a value that it may have, wherever it belongs."""
    keys = known_keys()
    name = rng.choice(keys.tables())
    known = keys.of(name)
    key = rng.choice(list(known))
    value = sensible(rng, key, known[key], keys.definitions)
    table: dict[str, Any] = description
    for step in name.split("."):
        table = table.setdefault(step, {})
    table[key] = rng.choice(BROKEN) if value is None else value
    _write(description, folder)


def _misspelt(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    table, key = _place(rng, description)
    others = [key[:-1], key + "s", key.upper(), f" {key}", "", "é", "\x1b[31m", key + "\u202e"]
    table[rng.choice(others)] = table.pop(key)
    _write(description, folder)


def _left_out(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    table, key = _place(rng, description)
    del table[key]
    _write(description, folder)


def _file(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    others = [path for path in sorted(folder.iterdir()) if path.is_file()]
    path = rng.choice(others[-3:])
    path.write_bytes(damaged(rng, path.read_bytes()))


def _option(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    table, key = _place(rng, description)
    value = written(broken(rng, table[key]))
    name = rng.choice(["machine", "run", "workload", "x", ""])
    options = (
        ["--set", f"{name}.{key}={value}".replace("\0", "")],
        ["--set", rng.choice(["", "=", ".=", "a", "run.seed=[", "run.seed==1"])],
        ["--seed", rng.choice(["-1", "x", "", "9223372036854775808"])],
        [
            "--out",
            rng.choice([".", "/", "/dev/null", "x" * 300, "a\x1b[31m", str(folder / "e.toml")]),
        ],
        ["--nosuch"],
    )
    case.arguments += rng.choice(options)


def _sweep(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    """Sweep two keys over sensible values; break one of these half of the time."""
    keys = known_keys()
    axes: dict[str, Any] = {}
    for _ in range(rng.choice([1, 2])):
        name = rng.choice(
            ["machine.link", "machine.switch", "machine.interface", "workload", "run"]
        )
        known = keys.of(name)
        key = rng.choice(list(known))
        values = [sensible(rng, key, known[key], keys.definitions) for _ in range(3)]
        different = [v for i, v in enumerate(values) if v is not None and v not in values[:i]]
        axes[f"{name}.{key}"] = different[:2]
    if rng.random() < 0.3:
        kinds = list(keys.kinds["machine.topology"])
        axes["machine.topology.kind"] = rng.sample(kinds, 2)
    if rng.random() < 0.5:
        name = rng.choice(list(axes))
        axes[name] = rng.choice(BROKEN) if rng.random() < 0.5 else [rng.choice(BROKEN)]
    if rng.random() < 0.3:
        axes["seeds"] = rng.choice([1, 2, [3, 4]])
    description["run"]["max_events"] = 1000
    _write(description | {"sweep": axes}, folder)
    case.arguments = ["sweep", str(folder / "e.toml"), "--out", str(folder / "store")]


def _saturate(rng: random.Random, case: Case, description: dict[str, Any], folder: Path) -> None:
    workload = {"kind": "synthetic", "sync": "asynchronous", "radius": "all"}
    description["workload"] = workload | {"compute_period": rng.choice(["1 us", "20 us", "1 ps"])}
    description["run"] = {"max_events": 3000}
    _write(description, folder)
    bound = rng.choice(["--low", "--high", "--tolerance"])
    value = rng.choice(["0", "-1", "nan", "inf", "1e300", "1e-300", "0.02", "1", "x"])
    case.arguments = ["saturate", str(folder / "e.toml"), bound, value]


Fault = Callable[[random.Random, Case, dict[str, Any], Path], None]

FAULTS: Mapping[str, Fault] = {
    "nothing": _nothing,
    "value": _value,
    "another key": _another_key,
    "misspelt": _misspelt,
    "left out": _left_out,
    "file": _file,
    "option": _option,
    "sweep": _sweep,
    "saturate": _saturate,
}


def _place(rng: random.Random, description: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a table and one of its keys, of all that there are, whole tables among them."""
    found = []
    tables = [description]
    while tables:
        table = tables.pop()
        found += [(table, key) for key in table]
        tables += [value for value in table.values() if isinstance(value, dict)]
    return rng.choice(found)


def _write(description: dict[str, Any], folder: Path) -> None:
    text = toml(copy.deepcopy(description))
    (folder / "e.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
