"""What users write type-checks, with the types that ship with the package; a slip does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

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
