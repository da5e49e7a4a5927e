"""What a folder says that a sweep asked for: read in parts, as if it were read as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benches.stores import synthetic_store
from tailback.store import records
from tailback.store.documents import DamagedError, json_bytes
from tailback.store.records import read_question
from tailback.tables.frames import Columns, numbered

IDENTITIES = [f"{number:064x}" for number in range(7)]


def question(values: list[Any], **more: Any) -> dict[str, Any]:
    points = [[i, value, 1] for i, value in zip(IDENTITIES, values, strict=True)]
    return {"asked": {}, "modes": ["full"], "columns": ["x", "run.seed"], "points": points, **more}


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_TOGETHER", 2)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4, 5, 6, 7],
        [1, 2, 3.5, 4, 5, 6, 1e-7],
        [None, None, "a", None, "] }", "b", "c"],
        ["a", "b", 1e-7, True, None, 2, "c"],
        [True, False, None, None, 1, 0, 2],
        [None] * 7,
    ],
)
def test_points_are_read_in_parts_as_they_are_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[Any]
) -> None:
    path = tmp_path / "q.json"
    path.write_bytes(json_bytes(question(values)))
    found = read_question(path)["points"]
    monkeypatch.setattr(records, "_POINTS", "written otherwise")
    whole = read_question(path)["points"]
    assert found.equals(whole)
    assert found["identity"].to_pylist() == IDENTITIES


@pytest.mark.parametrize("more", [{}, {"later": 1}], ids=["last", "not last"])
def test_however_it_is_written(tmp_path: Path, more: dict[str, Any]) -> None:
    path = tmp_path / "q.json"
    asked = question([1, 2, 3, 4, 5, 6, 7], **more)
    texts = [json.dumps(asked, indent=indent) for indent in (None, 1, 4)]
    texts.append(texts[1].replace('"modes"', '"more": {\n "points": [\n  1]}, "modes"'))
    for text in texts:
        path.write_text(text)
        assert read_question(path)["points"]["x"].to_pylist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"points": [', '"points": [['),
        ('"points": [', '"points": [5,'),
        ('"columns": [', '"columns": ["y",'),
        ('"columns": [', '"columns": ["x",'),
        ('"columns": [', '"rows": ['),
        ("\n ]\n}", "\n ]\n"),
        ("\n ]\n}", "\n ]\n}}"),
        ("\n ]\n}", ",\n ]\n}"),
        (f'"{IDENTITIES[3]}"', "3"),
        ("   2,", "   2"),
    ],
)
def test_what_is_damaged_is_told(tmp_path: Path, old: str, new: str) -> None:
    text = json_bytes(question([1, 2, 3, 4, 5, 6, 7])).decode()
    path = tmp_path / "q.json"
    path.write_text(text.replace(old, new))
    assert old in text
    with pytest.raises(DamagedError):
        read_question(path)


def test_a_store_is_read_without_experiments() -> None:
    code = (
        "import sys, tailback.store.points, tailback.analysis\n"
        "sys.exit('tailback.experiment' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_columns_are_numbered_one_after_the_other() -> None:
    rows, names = 10_000, [str(i) for i in range(60)]
    column = pa.chunked_array([np.arange(rows) % 2])
    tracemalloc.start()
    numbers = numbered(Columns(names, rows, lambda name: column), names)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * numbers.nbytes
    assert numbers.max() == 1


def test_a_table_does_without_pandas(tmp_path: Path) -> None:
    synthetic_store(tmp_path / "store", 10)
    code = (
        "import sys; from tailback.cli import main; sys.argv = ['tailback', 'table', 'store']\n"
        "try: main()\n"
        "finally: assert 'pandas' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "AssertionError" not in done.stderr
    assert done.stdout.count("\n") > 10
