"""What a notebook keeps of a result: a table, and a picture without a library or a script."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.store.points import PointStore
from tests.stores import small_store

RUN = {"duration": "40 us", "warmup": "10 us"}
MESH = tb.Machine(topology=tb.Mesh(dims=(3, 3)))
LOOP = tb.Synthetic(compute_period="2 us")
OPEN = tb.Synthetic(sync="asynchronous", compute_period="60 ns")
MANY = tb.FanIn(message_size="10 kB")


def jobs() -> tb.Experiment:
    """Two jobs that share a switch."""
    made = [
        tb.Job(name=f"<{n}>", nodes=nodes, workload=MANY) for n, nodes in ((1, "0-3"), (2, "4-7"))
    ]
    return tb.Experiment(machine=tb.Machine(topology=tb.Star(nodes=8)), workload=made)


MADE: dict[str, Callable[[], Any]] = {
    "run": lambda: tb.run(MESH, LOOP, **RUN),
    "cost": lambda: tb.cost(MESH, LOOP, **RUN),
    "describe": lambda: tb.describe(MESH, LOOP),
    "describe a large one": lambda: tb.describe(tb.Machine(topology=tb.Mesh(dims=(16, 16))), LOOP),
    "blame": lambda: tb.blame(tb.Star(nodes=4), MANY),
    "explain": lambda: tb.explain(tb.Star(nodes=4), MANY),
    "saturate": lambda: tb.saturate(tb.Star(nodes=4), OPEN, tolerance=0.5, jobs=1),
}


def check(result: Any) -> str:
    """Check that a table and a picture are there and say the same everywhere; return the table."""
    text: str = result._repr_html_()
    assert "<script" not in text
    assert len(text) < 100_000
    [image] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', text)
    picture = base64.b64decode(image).decode()
    assert picture == result._repr_svg_()
    ET.fromstring(picture)
    table = text.partition("<img")[0]
    assert table.count("<tr>") > 1
    return table


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_a_table_and_a_picture(name: str) -> None:
    check(MADE[name]())


def test_results_of_a_sweep_say_what_was_varied(tmp_path: Path) -> None:
    store = small_store(tmp_path / "store", {"workload.compute_period": ["5 us", "20 us"]})
    table = check(store)
    assert "compute period" in table or "points" in table
    assert "20 µs" in table or ">2<" in table
    empty = PointStore.create(tmp_path / "empty")
    assert empty._repr_svg_() is None
    assert "<td" in empty._repr_html_()
