"""Which files belong to a trace: what any of them holds is part of the identity of a run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.workloads.trace_files import files_of_trace

TRACES = Path(__file__).resolve().parents[1] / "traces"


def identity(file: Path, **keys: object) -> str:
    return _experiment(file, **keys).identity(1)


def _experiment(file: Path, **keys: object) -> tb.Experiment:
    workload = tb.Trace(file=str(file), compute_speed=1e9, **keys)
    return tb.Experiment(tb.Machine(topology=tb.Mesh(dims=(4, 4))), workload)


def ring(folder: Path, size: int) -> list[Path]:
    """Write the files of two ranks that send to each other."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"rank{rank}.txt" for rank in range(2)]
    files[0].write_text(f"0 send 1 0 {size} 1\n0 recv 1 0 {size} 1\n")
    files[1].write_text(f"1 recv 0 0 {size} 1\n1 send 0 0 {size} 1\n")
    return files


@pytest.mark.parametrize("written", ["absolute", "relative", "above"])
def test_files_of_ranks_that_a_list_names_are_part_of_the_identity(
    tmp_path: Path, written: str
) -> None:
    files = ring(tmp_path / "ranks", 1000)
    (tmp_path / "lists").mkdir()
    listing = tmp_path / "lists" / "list.txt"
    names = {
        "absolute": files,
        "relative": [f"../ranks/{file.name}" for file in files],
        "above": [f"ranks/{file.name}" for file in files],
    }
    listing.write_text("# ranks\n" + "".join(f"{name}\n" for name in names[written]))
    first, of_first = identity(listing), tb.run(_experiment(listing))["completion_us"].value
    ring(tmp_path / "ranks", 9000)
    second = _experiment(listing)
    assert second.identity(1) != first
    # What is known of the trace is of the new files as well.
    assert second.workload.facts().bytes == 72_000
    assert tb.run(second)["completion_us"].value > 2 * of_first


def test_the_names_of_files_are_no_part_of_the_identity(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        files = ring(tmp_path / folder, 1000)
        (tmp_path / f"{folder}.txt").write_text("".join(f"{file}\n" for file in files))
    assert identity(tmp_path / "one.txt") == identity(tmp_path / "other.txt")


@pytest.mark.parametrize(
    ("format", "given", "count"),
    [
        ("dumpi", "testtrace-0000.ascii.txt", 4),
        ("chakra", "all_reduce.0.et", 4),
        ("goal", "incast_3.goal", 1),
        ("goal", "allreduce_ring_8_1m.bin", 1),
        ("netrace", "example.tra.bz2", 1),
    ],
)
def test_the_files_that_belong_to_a_trace_suffice_to_read_it(
    tmp_path: Path, format: str, given: str, count: int
) -> None:
    files = files_of_trace(TRACES / format / given, None)
    assert len(files) == count
    assert files == files_of_trace(TRACES / format / given, format)[:count] or count == 1
    for file in files:
        shutil.copy(file, tmp_path)
    whole, alone = (tb.Trace(file=str(place / given)) for place in (TRACES / format, tmp_path))
    assert alone.facts() == whole.facts()
    assert alone.digest() == whole.digest()


def test_every_rank_of_dumpi_and_liballprof_is_part_of_the_identity(tmp_path: Path) -> None:
    for file in (TRACES / "dumpi").glob("*.txt"):
        shutil.copy(file, tmp_path)
    first = identity(tmp_path / "testtrace-0000.ascii.txt")
    last = tmp_path / "testtrace-0003.ascii.txt"
    last.write_text(last.read_text() + "\n")
    assert identity(tmp_path / "testtrace-0000.ascii.txt") != first
    for rank in range(2):
        call = f"MPI_Barrier:{rank + 1}.5:0,1,2:9.5\n"
        (tmp_path / f"pmpi-trace-rank-{rank}.txt").write_text(f"# a comment\n{call}")
    found = files_of_trace(tmp_path / "pmpi-trace-rank-0.txt", None)
    assert [file.name[-5] for file in found] == ["0", "1"]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_ranks_belong_to_a_trace_however_its_text_begins(tmp_path: Path, mark: bytes) -> None:
    for rank in range(2):
        call = b"MPI_Barrier\tentering at walltime 1.0\nMPI_Barrier\treturning at walltime 2.0\n"
        (tmp_path / f"a-{rank}.txt").write_bytes(mark + b"\n# printed by hand\n" + call)
    first = tmp_path / "a-0.txt"
    assert files_of_trace(first, None) == [first, tmp_path / "a-1.txt"]
    files = ring(tmp_path / "ranks", 1000)
    listing = tmp_path / "list.txt"
    listing.write_bytes(mark + b"".join(os.fsencode(file) + b"\n" for file in files))
    assert files_of_trace(listing, None) == files


def test_long_lines_are_no_names_of_files(tmp_path: Path) -> None:
    file = tmp_path / "long.goal"
    line = f"/* {'y' * 5000} */"
    file.write_text(
        f"num_ranks 2\n{line}\nrank 0 {{\nsend 8b to 1\n}}\nrank 1 {{\nrecv 8b from 0\n}}\n"
    )
    assert files_of_trace(file, None) == [file]
    assert identity(file)
    file.write_text(f"{'z' * 5000}\n")
    with pytest.raises(UserError, match="has none of the formats that are known"):
        tb.Trace(file=str(file)).facts()


def test_a_pipe_is_no_trace(tmp_path: Path) -> None:
    pipe = tmp_path / "trace.goal"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="must be a file"):
        tb.Trace(file=str(pipe)).facts()
