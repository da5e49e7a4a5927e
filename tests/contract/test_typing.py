"""What users write type-checks, with the types that ship with the package; a slip does not."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from mypy import api

import tailback as tb

USE = """
import tailback as tb
from tailback.units import Rate, Time

machine = tb.Machine(
    topology=tb.Torus(dims=(8, 8)),
    link=tb.Link(rate="400 Gbit/s", delay="5 ns", flit="64 B"),
    node_link=tb.NodeLink(width="degree"),
    link_classes={"y": tb.LinkClass(rate="200 Gbit/s")},
    switch=tb.Switch(switching="wormhole", input_buffer="64 kB", virtual_channels=4),
    routing=tb.MinimalAdaptive(selection="most_credit"),
    interface=tb.Interface(packet_size="4 kB", window=16),
    clock="1 GHz",
)
rate: Rate = machine.link.rate
delay: Time | None = machine.node_link.delay
again = tb.Link(rate=rate, delay=Time(5000))
workload = tb.Synthetic(radius=4, compute_period="50 us")
run = tb.Run(duration="5 ms")
picoseconds: int = workload.compute_period.ps
cost: tb.Cost = tb.cost(machine, workload, precision=0.02)
value: float = cost.theta_t.value
experiment = tb.load("experiment.toml")
"""

#: What is not possible, and what is said of it.
SLIPS = {
    'tb.Link(rte="1 Gbit/s")': 'Unexpected keyword argument "rte" for "Link"; did you mean "rate"',
    "tb.Link(rate=400)": 'Argument "rate" to "Link" has incompatible type "int"',
    'tb.Link("400 Gbit/s")': 'Too many positional arguments for "Link"',
    "tb.Link().rate = None": 'Property "rate" defined in "Link" is read-only',
    'tb.Switch(switching="cut_trough")': 'Argument "switching" to "Switch" has incompatible type',
    "tb.Switch(vcs=4)": 'Unexpected keyword argument "vcs" for "Switch"',
    "tb.Torus(dimensions=3)": 'Unexpected keyword argument "dimensions" for "Torus"',
    'tb.Interface(window="16")': 'Argument "window" to "Interface" has incompatible type',
    "tb.UpDown(rot=3)": 'Unexpected keyword argument "rot" for "UpDown"; did you mean "root"?',
    "tb.Table()": 'Missing named argument "file" for "Table"',
    "tb.Machine(link=tb.Switch())": 'Argument "link" to "Machine" has incompatible type "Switch"',
    "tb.Machine().lnk": '"Machine" has no attribute "lnk"',
}


@pytest.mark.verify
def test_what_users_write_type_checks_and_slips_are_found(tmp_path: Path) -> None:
    program = tmp_path / "use.py"
    program.write_text(USE + "\n".join(SLIPS) + "\n", encoding="utf-8")
    told, _, failed = api.run(["--strict", "--no-error-summary", str(program)])
    assert failed == 1
    first = USE.count("\n") + 1
    errors: dict[int, str] = {}
    for line, text in re.findall(r"use\.py:(\d+): error: (.*)", told):
        errors.setdefault(int(line), text)
    assert not [text for line, text in errors.items() if line < first], told
    for number, (slip, expected) in enumerate(SLIPS.items(), first):
        assert errors.get(number, "nothing").startswith(expected), (slip, told)


#: A program that uses every public name, and one that there is not, in the last line.
EVERY_NAME = "".join(
    f"from tailback import {name}\nprint(tailback.{name}, {name})\n" for name in dir(tb)
)
NAMES = f"import tailback\n{EVERY_NAME}print(tailback.Torsu)\n"


@pytest.mark.verify
def test_mypy_knows_every_public_name(tmp_path: Path) -> None:
    program = tmp_path / "names.py"
    program.write_text(NAMES, encoding="utf-8")
    told, _, _ = api.run(["--strict", "--no-error-summary", str(program)])
    [line] = told.splitlines()
    assert line.endswith('Module has no attribute "Torsu"; maybe "Torus"?  [attr-defined]')


def test_what_type_checkers_see_is_public_and_all_of_it() -> None:
    """Names that are imported for them, under their own names or by a star."""
    seen: set[str] = set()
    for node in ast.walk(ast.parse(Path(tb.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tailback."):
            for name in node.names:
                kinds = import_module(node.module or "").__all__ if name.name == "*" else []
                seen |= {*kinds, *([name.name] if name.asname == name.name else [])}
    assert seen | {"__version__"} == set(dir(tb))


@pytest.mark.verify
def test_pyright_knows_every_public_name(tmp_path: Path) -> None:
    # It asks of an installed library alone that names be public.
    folder = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = tmp_path / "env" / "lib" / folder / "site-packages"
    packages.mkdir(parents=True)
    (packages / "tailback").symlink_to(Path(tb.__file__).parent)
    (tmp_path / "names.py").write_text(NAMES, encoding="utf-8")
    settings = {"include": ["names.py"], "venvPath": ".", "venv": "env"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    [found] = json.loads(done.stdout)["generalDiagnostics"]
    assert found["message"].startswith('"Torsu" is not a known attribute of module "tailback"')
