"""What users write type-checks, with the types that ship with the package."""

from __future__ import annotations

from pathlib import Path

from mypy import api

USE = """
import tailback as tb

machine = tb.Mesh(dims=(8, 8), link_width=4)
workload = tb.Synthetic(radius=4, compute_period="50 us")
run = tb.Run(duration="5 ms")
picoseconds: int = workload.compute_period.ps
cost: tb.Cost = tb.cost(machine, workload, precision=0.02)
value: float = cost.theta_t.value
"""


def test_what_users_write_type_checks(tmp_path: Path) -> None:
    program = tmp_path / "use.py"
    program.write_text(USE, encoding="utf-8")
    told, failed, _ = api.run(["--strict", str(program)])
    assert not failed
    assert told.startswith("Success"), told
