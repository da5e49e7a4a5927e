"""Traces of programs become other forms, or are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailback.conversion import BY_SUFFIX, FORMATS, TARGETS, Reading, convert
from tailback.errors import UserError
from tests.commands import tailback

SAMPLES = Path(__file__).parents[1] / "traces"
RING = SAMPLES / "goal" / "allreduce_ring_8_1m.goal"
NAS_IS = SAMPLES / "simgrid_ti" / "nas_is_s_4" / "files.txt"


def test_a_trace_is_counted_and_written(tmp_path: Path) -> None:
    out = tmp_path / "ring.bin"
    found = tailback("convert", RING, out)
    assert found.returncode == 0
    assert found.stdout == (
        f"{out}: goal_binary, 8 ranks, 224 operations, 112 messages of 14680064 B together, "
        "0 parts of collectives\n"
    )
    assert out.read_bytes() == RING.with_suffix(".bin").read_bytes()


def test_what_has_no_effect_is_said(tmp_path: Path) -> None:
    source = SAMPLES / "dumpi" / "testtrace-0000.ascii.txt"
    found = tailback("convert", source, tmp_path / "ring.tbt", "--json")
    answer = json.loads(found.stdout)
    assert (answer["target"], answer["ranks"], answer["messages"]) == ("tailback", 4, 4)
    assert "MPI_Comm_rank" in answer["notes"][0]


def test_collectives_become_messages_in_goal(tmp_path: Path) -> None:
    found = tailback("convert", NAS_IS, tmp_path / "nas.goal", "--flops", "1e9", "--json")
    answer = json.loads(found.stdout)
    assert (answer["ranks"], answer["collectives"]) == (4, 0)
    assert answer["messages"] > 100
    assert "messages that MPICH makes of them" in answer["notes"][0]


def test_every_form_that_is_written_has_a_suffix() -> None:
    assert sorted(BY_SUFFIX.values()) == sorted(TARGETS)
    assert set(TARGETS) - set(FORMATS) == {"messages"}


def refusal(*words: object) -> str:
    found = tailback("convert", *words)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("error: ")
    assert found.stderr.count("\n") == 1
    return found.stderr.removeprefix("error: ").strip()


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    out = tmp_path / "out.goal"
    table = tmp_path / "out.csv"
    expected = f"{table}: the form messages has no place for operation 1 of rank 0: a collective"
    assert refusal(NAS_IS, table, "--flops", "1e9").startswith(expected)
    assert refusal(tmp_path / "none", out).endswith("none: no such file")
    assert refusal(RING, tmp_path / "out.txt").startswith("--to: is needed")
    assert refusal(RING, out, "--from", "gaol") == (
        f"--from = gaol: must be {', '.join(FORMATS[:-1])} or {FORMATS[-1]}; did you mean goal?"
    )
    assert refusal(RING, tmp_path / "no" / "out.goal").endswith("is in a folder that is not there")
    assert refusal(RING, out, "--cycle", "0").endswith("must be above 0")
    assert refusal(RING, out, "--flops", "-1") == "--flops = -1.0: must be a number above 0"
    broken = tmp_path / "broken.goal"
    broken.write_text("num_ranks 1\nrank 0 {\nl1: send 8b to 1\n}\n")
    assert refusal(broken, out) == f"{broken}: line 3: rank 1 is not there: there are 1"
    assert [path.name for path in tmp_path.iterdir()] == ["broken.goal"]


def test_who_watches_can_stop_it_or_fail(tmp_path: Path) -> None:
    out = tmp_path / "out.tbt"
    source = tmp_path / "long"
    source.write_text("0 compute 5\n" * 400_000)
    seen: list[int] = []

    def fail(operations: int) -> bool:
        seen.append(operations)
        raise RuntimeError("seen enough")

    limit = Reading(format="simgrid_ti")
    try:
        convert(source, out, limit, watch=fail)
    except RuntimeError:
        assert not out.exists()
    assert convert(source, out, limit, watch=lambda _: True) is not None
    with pytest.raises(UserError, match="must be 1 or more"):
        convert(source, out, Reading(limit_gib=0))
