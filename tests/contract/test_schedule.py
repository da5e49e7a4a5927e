"""`tailback schedule` as its users meet it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.commands import tailback


def test_a_schedule_is_told_with_what_else_there_is() -> None:
    done = tailback("schedule", "8x8")
    assert done.returncode == 0, done.stderr
    assert "bounded on 8 x 8: complete exchange of 64 nodes" in done.stdout
    assert "Verified: every node sends to every other exactly once." in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    # Steps between barriers, groups, lower bound, node and link contention, busy nodes in %.
    assert ["2", "64", "64", "1", "2", "100"] in rows
    # A node has 63 others to send to.
    assert ["128", "1", "1", "63", "128", "100"] in rows


@pytest.mark.parametrize(
    ("mesh", "group", "node", "link"), [("2x3", 6, 5, 4), ("3x3", 9, 8, 6), ("3x3", 3, 3, 3)]
)
def test_the_contention_told_is_the_one_counted(
    mesh: str, group: int, node: int, link: int
) -> None:
    """All at once: over a link between halves go the messages of one to the other; by hand."""
    told = json.loads(tailback("schedule", mesh, "--json").stdout)
    (found,) = [one for one in told["contentions"] if one["group"] == group]
    assert (found["node"], found["link"]) == (node, link)
    asked = json.loads(tailback("schedule", mesh, "--group", group, "--json").stdout)
    assert (asked["node"], asked["link"]) == (node, link)
    rows = [line.split() for line in tailback("schedule", mesh).stdout.splitlines()]
    assert [*map(str, (node, link)), "100"] in [row[-3:] for row in rows]


def test_json_has_what_is_counted() -> None:
    done = tailback("schedule", "16x16", "--node", 128, "--json")
    told = json.loads(done.stdout)
    assert (told["messages"], told["steps"], told["groups"]) == (65_280, 1024, 2)
    assert (told["node"], told["link"]) == (128, 512)
    assert len(told["contentions"]) == 11


def test_steps_are_shown_as_the_paper_prints_them(tmp_path: Path) -> None:
    done = tailback("schedule", "8x8", "--step", "120-121", "--out", "steps.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0   1,1   1,7                           1,0   1,6" in done.stdout
    assert "Step 121" in done.stdout
    assert (tmp_path / "steps.svg").read_text().startswith("<svg")


def test_what_is_saved_is_verified_again(tmp_path: Path) -> None:
    tailback("schedule", "4x4", "--save", "mine.csv", cwd=tmp_path)
    done = tailback("schedule", "4x4", "--file", "mine.csv", "--node", 1, "--link", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = tailback(
        "schedule", "4x4", "--file", "mine.csv", "--group", 2, "--link", 1, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: mine.csv: has link contention 2 in groups of 2 steps, not 1\n"


def test_messages_can_be_run(tmp_path: Path) -> None:
    done = tailback(
        *("schedule", "4x4", "--order", "naive_shifted", "--messages", "m.csv"),
        *("--size", "100 B", "--period", "1 us"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "m.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 240
    assert rows[-1]["time_ps"] == "14000000"
    text = '[machine.topology]\nkind = "mesh"\ndims = [4, 4]\n'
    (tmp_path / "e.toml").write_text(f'{text}[workload]\nkind = "messages"\nfile = "m.csv"\n')
    done = tailback("run", "e.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_program_can_be_run(tmp_path: Path) -> None:
    tailback("schedule", "2x3", "--order", "naive_random", "--program", "e.toml", cwd=tmp_path)
    done = tailback("run", "e.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Infinity" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("8 by 8",), 'mesh = "8 by 8": must be the sides of a mesh, such as 8x8'),
        (("0x8",), 'mesh = "0x8": must have sides of at least 1'),
        (("8x8", "--order", "scott", "--link", 2), '--order = "scott": has a barrier after each'),
        (("8x8", "--order", "naive_random", "--group", 2), '--order = "naive_random": has no bar'),
        (("8x8", "--step", "x"), '--step = "x": must be the number of a step, or two: 8-9'),
        (("4x4", "--out", "a.png"), "--out = a.png: must end in .svg"),
        (("4x4", "--save", "a.txt"), "--save = a.txt: must end in .csv or .json"),
        (("4x4", "--program", "nowhere/a.toml"), "--program = nowhere/a.toml: is in a folder"),
        (("4x4", "--program", "a.toml", "--size", "3"), "--size = "),
        (("4x4", "--messages", "a.csv", "--period", "fast"), "--period = "),
        (("8x8", "--file", "none.csv", "--group", 0), "none.csv: no such file"),
        (("8x8", "--group", 0), "group = 0: must be at least 1"),
    ],
)
def test_mistakes_are_one_line(
    arguments: tuple[object, ...], expected: str, tmp_path: Path
) -> None:
    done = tailback("schedule", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {expected}")
    assert done.stderr.count("\n") == 1
