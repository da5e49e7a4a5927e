"""Experiments of the first edition of the file, and what they measured.

`first_edition/` has the examples as they were with one flat table `[machine]`, and
`rows.csv` a hash of all packets that each delivered then (version 0.1.0, results
version 2), in modes whose definition is what it was. In their present form they deliver the same
packets at the same picoseconds.
"""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines.words import FIRST_EDITION
from tailback.runner import run_mode

FOLDER = Path(__file__).parent / "first_edition"
FILES = sorted(FOLDER.glob("*.toml"))
SHORT = ("wormhole_mesh", "bursts", "adaptive_mesh", "campus")
LONG = ("tweedie", "sweep")
THEN = {
    "hypercube_transports": ["machine.interface.minimum_packet=0 B"],
    "torus": ["workload.radius=4"],
}
"""What was usual then: short packets of Buzzard & Mudge were not filled up, and destinations were
at most half the largest dimension away."""

with (FOLDER / "rows.csv").open(newline="") as lines:
    ROWS = list(csv.DictReader(lines))


def _window(name: str, *, finite: bool) -> list[str]:
    """Return what the run of an example was cut to."""
    if finite:
        return []
    if name in SHORT:
        return ["run.duration=20 us", "run.warmup=0 s", "run.sample_interval=1 us"]
    length = 400 if name in LONG else 100
    return [f"run.duration={length} us", "run.warmup=0 s", "run.sample_interval=10 us"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['example']}-{row['mode']}")
def test_packets_are_those_of_the_first_edition(row: dict[str, str], examples: Path) -> None:
    path = examples / row["example"]
    cut = _window(path.stem, finite=Experiment.load(path).finite)
    cut += THEN.get(path.stem, [])
    packets = run_mode(Experiment.load(path, cut), row["mode"], packets=True).packets
    assert packets.num_rows == int(row["packets"])
    digest = hashlib.sha256()
    for name in packets.column_names:
        digest.update(name.encode())
        digest.update(repr(packets[name].to_pylist()).encode())
    assert digest.hexdigest() == row["sha256"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_the_first_edition_gets_one_line_that_names_the_new_key(path: Path) -> None:
    if path.stem in ("bandwidth", "hypercube_transports"):
        pytest.skip("names nothing but a preset")
    with pytest.raises(UserError) as caught:
        Experiment.load(path)
    line = str(caught.value)
    key = caught.value.field.removeprefix("machine.")
    moved = f"machine.{FIRST_EDITION[key]}" if key in FIRST_EDITION else f"machine.{key}.kind"
    assert moved in line
    assert "\n" not in line
