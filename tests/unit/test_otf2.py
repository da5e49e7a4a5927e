"""OTF2 archives are read and written by their library, and refused in one line without it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tailback.archives import actions_of
from tailback.archives.collectives import ACTIONS
from tailback.conversion import convert
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.recording import record
from tailback.timelines import write_archive

TESTS = Path(__file__).parents[1]
MADE = TESTS / "traces" / "otf2" / "made" / "traces.otf2"
RING = TESTS.parent / "examples" / "trace.toml"

Definitions = dict[str, Any]


@pytest.fixture
def library() -> Any:
    pytest.importorskip("otf2.writer")
    return pytest.importorskip("otf2")


@pytest.fixture
def without_library(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which the library cannot be imported."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    (folder / "otf2.py").write_text("raise ImportError('hidden')\n")
    paths = [str(folder), *(path for path in sys.path if path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def test_without_the_library_one_line_names_it(
    without_library: dict[str, str], tmp_path: Path
) -> None:
    for words, place in [
        (["convert", MADE, tmp_path / "out.tbt"], f"IN = {MADE}"),
        (["timeline", RING, "--out", tmp_path / "r.otf2"], f"--out = {tmp_path / 'r.otf2'}"),
    ]:
        command = [sys.executable, "-m", "tailback", *map(str, words)]
        found = subprocess.run(
            command, env=without_library, capture_output=True, text=True, check=False
        )
        needed = 'needs the library otf2: pip install "tailback-sim[otf2]"'
        assert (found.returncode, found.stdout) == (2, "")
        assert found.stderr == f"error: {place}: {needed}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["hidden"]


def test_a_workload_says_how_to_convert_an_archive(tmp_path: Path) -> None:
    file = tmp_path / "trace.toml"
    file.write_text(RING.read_text().replace("ring.goal", "run/traces.otf2"))
    with pytest.raises(UserError, match=r"tailback convert .*traces\.otf2 program\.tbt"):
        Experiment.load(file)


@pytest.mark.parametrize(
    ("name", "sent", "received", "action"),
    [
        ("BARRIER", 0, 0, "barrier"),
        # Of four ranks: the root sends to all, or to all others, and has its own part.
        ("BCAST", 40, 10, "bcast 10 2"),
        ("BCAST", 0, 10, "bcast 10 2"),
        ("GATHER", 10, 40, "gather 10 10 2"),
        ("GATHER", 0, 30, "gather 10 10 2"),
        ("SCATTER", 30, 0, "scatter 10 10 2"),
        ("REDUCE", 10, 0, "reduce 10 0 2"),
        ("ALLREDUCE", 40, 40, "allreduce 10 0"),
        ("ALLREDUCE", 30, 30, "allreduce 10 0"),
        ("ALLTOALL", 40, 40, "alltoall 10 10"),
        ("ALLTOALL", 41, 41, None),
    ],
)
def test_collectives_have_the_length_of_a_part(
    name: str, sent: int, received: int, action: str | None
) -> None:
    assert ACTIONS[name](sent, received, 4, 2) == action


def test_the_sample_has_one_message(library: Any, tmp_path: Path) -> None:
    found = convert(MADE, tmp_path / "made.tbt")
    assert found is not None
    assert (found.ranks, found.operations, found.messages, found.bytes) == (2, 2, 1, 512)
    assert found.notes == ["Metric has no effect (1)"]


def archive(library: Any, folder: Path, fill: Callable[[int, Any, Definitions], None]) -> Path:
    """Write an archive of three ranks, in ticks of nanoseconds."""
    kinds, mpi = library.GroupType, library.Paradigm.MPI
    made = library.writer.Writer(str(folder), timer_resolution=10**9)
    known = made.definitions
    node = known.system_tree_node("node")
    locations = [
        known.location("main", group=known.location_group(f"rank {rank}", system_tree_parent=node))
        for rank in range(3)
    ]

    def group(kind: Any, members: list[Any]) -> Any:
        return known.group(f"{kind} {len(members)}", kind, mpi, members=members)

    group(kinds.COMM_LOCATIONS, locations)
    names: Definitions = {
        "world": known.comm("WORLD", group=group(kinds.COMM_GROUP, locations)),
        "pair": known.comm("PAIR", group=group(kinds.COMM_GROUP, [locations[2], locations[0]])),
        "main": known.region("main", paradigm=library.Paradigm.USER),
    }
    calls = ("MPI_Sendrecv", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce")
    names |= {call: known.region(call, paradigm=mpi) for call in calls}
    for rank, location in enumerate(locations):
        fill(rank, made.event_writer_from_location(location), names)
    made.close()
    return folder / "traces.otf2"


def test_calls_become_actions_of_the_world(library: Any, tmp_path: Path) -> None:
    all_reduce = library.CollectiveOp.ALLREDUCE

    def fill(me: int, events: Any, at: Definitions) -> None:
        events.enter(0, at["main"])
        events.enter(1000, at["MPI_Sendrecv"])
        events.mpi_send(1100, (me + 1) % 3, at["world"], 5, 100)
        events.mpi_recv(1200, (me + 2) % 3, at["world"], 5, 100)
        events.leave(1300, at["MPI_Sendrecv"])
        if me != 1:
            other = 1 if me == 2 else 0  # as the pair counts: rank 2 is its first
            events.enter(2000, at["MPI_Irecv"])
            events.mpi_irecv_request(2001, 1)
            events.leave(2002, at["MPI_Irecv"])
            events.enter(2002, at["MPI_Isend"])
            events.mpi_isend(2003, other, at["pair"], 5, 64, 2)
            events.leave(2100, at["MPI_Isend"])
            events.enter(2200, at["MPI_Waitall"])
            events.mpi_isend_complete(2201, 2)
            events.mpi_irecv(2202, other, at["pair"], 5, 64, 1)
            events.leave(2300, at["MPI_Waitall"])
        events.enter(3000, at["MPI_Allreduce"])
        events.mpi_collective_begin(3000)
        events.mpi_collective_end(3100, all_reduce, at["world"], 2**32 - 1, 24, 24)
        events.leave(3100, at["MPI_Allreduce"])
        events.leave(4000, at["main"])

    source = archive(library, tmp_path / "three", fill)
    assert actions_of(source, tmp_path) == []
    assert (tmp_path / "0.ti").read_text().splitlines() == [
        "0 init",
        "0 sleep 0.000001000000",
        "0 isend 1 5 100",
        "0 recv 2 5 100",
        "0 wait 0 1 5",
        "0 sleep 0.000000700000",
        "0 irecv 2 2147483648 64",
        "0 isend 2 2147483648 64",
        "0 sleep 0.000000100000",
        "0 waitall",
        "0 sleep 0.000000700000",
        "0 allreduce 8 0",
        "0 sleep 0.000000900000",
    ]
    found = convert(source, tmp_path / "three.tbt")
    assert found is not None
    assert (found.messages, found.bytes, found.collectives) == (5, 428, 3)


def test_collectives_may_be_of_some_ranks(library: Any, tmp_path: Path) -> None:
    """The pair is ranks 2 and 0, in this order: its root 0 is rank 2 of the world."""
    operations = library.CollectiveOp

    def fill(me: int, events: Any, at: Definitions) -> None:
        def together(time: int, operation: Any, where: str, root: int, *sizes: int) -> None:
            events.mpi_collective_begin(time)
            events.mpi_collective_end(time + 10, operation, at[where], root, *sizes)

        if me != 1:
            together(1000, operations.BCAST, "pair", 0, 128 * (me == 2), 64)
            together(2000, operations.ALLTOALL, "pair", 2**32 - 1, 48, 48)
        together(3000, operations.ALLREDUCE, "world", 2**32 - 1, 24, 24)
        if me != 1:
            together(4000, operations.GATHER, "pair", 1, 16, 32 * (me == 0))

    source = archive(library, tmp_path / "some", fill)
    assert actions_of(source, tmp_path) == []
    said = (tmp_path / "2.ti").read_text().splitlines()
    assert [line for line in said if "sleep" not in line] == [
        "2 init",
        "2 communicator 1 2 0",
        "2 bcast 64 0",
        "2 alltoall 24 24",
        "2 communicator 0",
        "2 allreduce 8 0",
        "2 communicator 1",
        "2 gather 16 16 1",
    ]
    found = convert(source, tmp_path / "some.goal")
    assert found is not None
    # A broadcast and a gather of one message, two of the exchange, and those of an all-reduce of
    # three: one before two of recursive doubling, one after.
    assert (found.messages, found.bytes) == (1 + 2 + 4 + 1, 64 + 48 + 32 + 16)
    with pytest.raises(UserError, match="a collective of some ranks"):
        convert(source, tmp_path / "some.ti")


def refusal(source: Path, out: Path) -> str:
    with pytest.raises(UserError) as caught:
        convert(source, out)
    assert not out.exists()
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{source}: ")


def test_what_has_no_counterpart_is_refused_by_name(library: Any, tmp_path: Path) -> None:
    operations = library.CollectiveOp

    def of_a_stranger(me: int, events: Any, at: Definitions) -> None:
        if me == 1:
            events.mpi_collective_begin(10)
            events.mpi_collective_end(20, operations.BARRIER, at["pair"], 2**32 - 1, 0, 0)

    def of_lists(me: int, events: Any, at: Definitions) -> None:
        events.mpi_collective_begin(10)
        events.mpi_collective_end(20, operations.ALLTOALLV, at["world"], 2**32 - 1, 8, 8)

    def in_two_calls(me: int, events: Any, at: Definitions) -> None:
        events.enter(10, at["MPI_Isend"])
        events.mpi_collective_begin(11)
        events.leave(12, at["MPI_Isend"])
        events.enter(20, at["MPI_Waitall"])
        events.mpi_collective_end(21, operations.ALLREDUCE, at["world"], 2**32 - 1, 24, 24)
        events.leave(22, at["MPI_Waitall"])

    def unknown_request(me: int, events: Any, at: Definitions) -> None:
        events.mpi_isend_complete(10, 7)

    for number, (fill, expected) in enumerate(
        [
            (of_a_stranger, "rank 1 is no member of communicator 1"),
            (of_lists, "rank 0 does ALLTOALLV, whose lengths the archive does not have"),
            (in_two_calls, "goes on during ALLREDUCE (MPI_Isend), which has no counterpart"),
            (unknown_request, "rank 0 completes request 7, which it did not make"),
        ]
    ):
        source = archive(library, tmp_path / str(number), fill)
        assert expected in refusal(source, tmp_path / "out.tbt")


def test_damaged_archives_are_one_line(library: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.tbt"
    broken = tmp_path / "broken.otf2"
    assert "is no whole OTF2 archive: File or directory does not" in refusal(broken, out)
    broken.write_text("no archive\n")
    assert "is no whole OTF2 archive: Invalid or inconsistent" in refusal(broken, out)
    # Its files are named as it is, and not there.
    broken.write_bytes(MADE.read_bytes())
    assert "is no whole OTF2 archive" in refusal(broken, out)


def test_a_timeline_is_read_back(library: Any, tmp_path: Path) -> None:
    recorded = record(Experiment.load(RING))
    out = tmp_path / "ring.otf2"
    written = write_archive(recorded.timeline, out)
    transfers = recorded.result.transfers
    assert transfers is not None
    received = Counter(zip(transfers["source"], transfers["destination"], strict=True))
    reader = library.reader.Reader(str(out / "traces.otf2"))
    events = list(reader.events)
    reader.close()
    assert len(events) == written
    assert [path.name for path in tmp_path.iterdir()] == ["ring.otf2"]
    sent: Counter[tuple[int, int]] = Counter()
    lasted: Counter[str] = Counter()
    for location, event in events:
        kind = type(event).__name__
        if kind == "MpiSend":
            sent[location._ref, event.receiver] += 1
        if kind in {"Enter", "Leave"} and event.region.name == "computes":
            lasted[location.group.name] += event.time if kind == "Leave" else -event.time
    assert sent == received
    # As ring.goal says: 10, 20, 25 and 30 us, and 5 us more at the end.
    assert sorted(lasted.values()) == [15_000_000, 25_000_000, 30_000_000, 35_000_000]
    converted = convert(out / "traces.otf2", tmp_path / "ring.tbt")
    assert converted is not None
    assert converted.messages == received.total()
    with pytest.raises(UserError, match="is there already"):
        write_archive(recorded.timeline, out)
