"""A folder of points: durable, whole or not there, and never mixed with anything else."""

from __future__ import annotations

import errno
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tailback as tb
from tailback import files
from tailback.comparison import compare
from tailback.errors import UserError
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.store.rows import table_of, to_bytes
from tailback.sweeps.running import SweepRun
from tests.machines import t9000
from tests.stores import Here, file_of, nested_of, runs_of, swept
from tests.sweeps import sweep_of

IDENTITY = "0" * 64


def point_file(seed: int, identity: str) -> bytes:
    """Return the file of a small point."""
    machine = t9000(dims=(2, 2))
    workload = tb.Synthetic(radius=1, compute_period="20 us")
    experiment = tb.Experiment(machine, workload, tb.Run(seed=seed, duration="100 us"))
    cost = compare(experiment, ("full", "throttled"))
    return to_bytes(table_of(cost, identity))


def filled(folder: Path, count: int = 3) -> PointStore:
    store = PointStore.create(folder)
    for number in range(count):
        identity = f"{number:064x}"
        store.save_point(identity, point_file(number + 1, identity))
    return store


def test_points_are_read_back_in_order_of_identity_with_and_without_an_index(
    tmp_path: Path,
) -> None:
    store = filled(tmp_path)
    before = runs_of(store)
    store.write_index()
    after = runs_of(PointStore.open(tmp_path))
    assert before.equals(after)
    assert after["identity"].to_list() == sorted(after["identity"].to_list())
    assert after["mode"].to_list() == ["full", "throttled"] * 3
    assert after["run.seed"].to_list() == [1, 1, 2, 2, 3, 3]


def test_an_index_that_grew_has_the_same_bytes_as_one_made_at_once(tmp_path: Path) -> None:
    grown, whole = filled(tmp_path / "grown", 2), filled(tmp_path / "whole", 3)
    grown.write_index()
    grown = filled(tmp_path / "grown", 3)
    assert runs_of(grown).height == 6
    grown.write_index()
    whole.write_index()
    whole_point = file_of(tmp_path / "whole", IDENTITY)
    for name in ("runs.parquet", "runs.parquet.sha256", f"points/{whole_point.name}"):
        assert (tmp_path / "grown" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_points_of_different_machines_lie_below_each_other(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    cube = tb.Experiment(
        t9000("hypercube", dimensions=2), tb.Synthetic(radius="all"), tb.Run(duration="100 us")
    )
    identity = "a" * 64
    store.save_point(identity, to_bytes(table_of(compare(cube, ("full",)), identity)))
    before = runs_of(store)
    store.write_index()
    assert runs_of(store).equals(before)
    assert before["machine.topology.kind"].to_list() == ["mesh"] * 4 + ["hypercube"]


def test_a_point_whose_file_was_deleted_is_gone_from_the_index_too(tmp_path: Path) -> None:
    store = filled(tmp_path, 3)
    store.write_index()
    file_of(tmp_path, IDENTITY).unlink()
    assert runs_of(store)["run.seed"].to_list() == [2, 2, 3, 3]
    store.write_index()
    assert runs_of(store)["run.seed"].to_list() == [2, 2, 3, 3]


def test_large_columns_are_read_as_tables(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    nodes = nested_of(store, "nodes", [IDENTITY])
    assert nodes.height == 2 * 4
    assert nodes.columns[:3] == ["identity", "mode", "node"]
    assert nested_of(store, "channels")["identity"].n_unique() == 2


def test_names_of_a_sweep_become_columns(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    points = [[f"{number:064x}", number + 0.5, number] for number in range(2)]
    store.save_sweep({"asked": {}, "columns": ["sweep.c_us", "run.seed"], "points": points})
    runs = runs_of(store)
    assert runs["sweep.c_us"].to_list() == [0.5, 0.5, 1.5, 1.5]


def test_the_same_question_is_kept_once(tmp_path: Path) -> None:
    store = PointStore.create(tmp_path)
    for _ in range(2):
        store.save_sweep({"asked": {}, "columns": [], "points": []})
    assert len(store.sweeps()) == 1


def test_a_failure_is_forgotten_when_the_point_succeeds(tmp_path: Path) -> None:
    store = PointStore.create(tmp_path)
    failure = Failure(IDENTITY, "lost", "its worker died", {"run.seed": 1})
    store.save_failure(failure)
    assert store.failures() == [failure]
    assert not failure.final
    store.save_point(IDENTITY, point_file(1, IDENTITY))
    assert store.failures() == []


def damaged(path: Path, reason: str = "its content has changed since it was written") -> str:
    return f"{path}: is damaged ({reason}); the same tailback sweep makes it again"


@pytest.mark.parametrize("kept", [0, 3, 1000, -1])
def test_a_truncated_point_is_one_clear_line(tmp_path: Path, kept: int) -> None:
    store = filled(tmp_path, 2)
    path = file_of(tmp_path, IDENTITY)
    path.write_bytes(path.read_bytes()[:kept])
    for look in (store.finished, lambda: runs_of(store)):
        with pytest.raises(UserError) as caught:
            look()
        assert str(caught.value) == damaged(path)


def flipped(path: Path, bit: int) -> None:
    """Flip one bit of a file; that many places from the start, or -1 from the end."""
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def test_no_bit_of_a_point_can_flip_unnoticed(tmp_path: Path) -> None:
    whole = filled(tmp_path, 1).runs()
    path = file_of(tmp_path, IDENTITY)
    content = path.read_bytes()
    for bit in random.Random(1).sample(range(8 * len(content)), 300):
        flipped(path, bit)
        with pytest.raises(UserError) as caught:
            PointStore.open(tmp_path).runs()
        assert str(caught.value) == damaged(path)
        path.write_bytes(content)
    assert PointStore.open(tmp_path).runs().equals(whole)


def test_a_point_that_changes_while_it_is_read_again_and_again_is_found_out(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    store.nested("nodes", [IDENTITY])
    flipped(file_of(tmp_path, IDENTITY), 8000)
    with pytest.raises(UserError, match="is damaged"):
        store.nested("nodes", [IDENTITY])


def test_damaged_files_are_set_aside_so_that_they_are_made_again(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    store.save_failure(Failure("e" * 64, "deadlock", "nothing moves", {"run.seed": 1}))
    store.save_sweep({"asked": {}, "columns": [], "points": []})
    point = file_of(tmp_path, IDENTITY)
    [failure], [sweep] = ([*(tmp_path / name).iterdir()] for name in ("failures", "sweeps"))
    for path in (point, failure, sweep):
        flipped(path, 8 * 20)
    store = PointStore.create(tmp_path)
    assert [str(error) for error in store.mend()] == [*map(damaged, (point, failure, sweep))]
    assert store.mend() == []
    assert store.finished() == {f"{1:064x}"}
    assert store.failures() == store.sweeps() == []
    assert (point.parent / f".{point.name}.damaged").exists()


@pytest.mark.parametrize("bit", [3, 8 * 12 + 1, 8 * 40])
def test_a_damaged_index_is_made_again(tmp_path: Path, bit: int) -> None:
    store = filled(tmp_path, 2)
    store.write_index()
    whole, index = store.runs(), tmp_path / "runs.parquet"
    content = index.read_bytes()
    for path in (index, tmp_path / "runs.parquet.sha256"):
        flipped(path, bit)
        store = PointStore.open(tmp_path)
        assert store.runs().equals(whole)
        store.write_index()
        assert index.read_bytes() == content
    digest = tmp_path / "runs.parquet.sha256"
    told = digest.read_bytes()
    for damage in (told + b"x", told[:-1], b""):
        digest.write_bytes(damage)
        PointStore.open(tmp_path).write_index()
        assert digest.read_bytes() == told
    digest.unlink()
    assert PointStore.open(tmp_path).runs().equals(whole)
    PointStore.open(tmp_path).write_index()
    assert digest.read_bytes() == told


def test_a_damaged_mark_is_made_again(tmp_path: Path) -> None:
    filled(tmp_path, 1).write_index()
    mark = tmp_path / "store.json"
    content = mark.read_bytes()
    later = []
    for bit in range(8 * len(content)):
        flipped(mark, bit)
        with pytest.raises(UserError):
            PointStore.open(tmp_path)
        try:
            PointStore.create(tmp_path)
        except UserError as error:
            # Only what may be of a later version of the program is left as it is.
            later.append(str(error).rpartition("is of version ")[2])
        else:
            assert mark.read_bytes() == content
        mark.write_bytes(content)
    assert later == [f"{version}; this program reads 1 to 4" for version in (5, 6)]
    mark.unlink()
    assert PointStore.create(tmp_path).finished() == {IDENTITY}


def test_a_folder_from_before_there_were_digests_is_read_and_given_some(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    whole = store.runs()
    point = file_of(tmp_path, IDENTITY)
    point.rename(point.with_name(f"{IDENTITY}.parquet"))
    mark = tmp_path / "store.json"
    content = mark.read_bytes()
    mark.write_bytes(content.replace(b"4", b"1"))
    assert PointStore.open(tmp_path).runs().equals(whole)
    store = PointStore.create(tmp_path)
    assert store.mend() == []
    assert point.exists()
    assert mark.read_bytes() == content
    assert store.runs().equals(whole)


def test_a_point_that_lost_its_digest_is_told_and_made_again(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    point = file_of(tmp_path, IDENTITY)
    point.rename(point.with_name(f"{IDENTITY}.parquet"))
    with pytest.raises(UserError, match=r"is damaged \(the digest in its name is gone\)"):
        store.runs()
    store = PointStore.create(tmp_path)
    assert len(store.mend()) == 1
    assert IDENTITY not in store.finished()


def test_a_folder_from_before_there_were_digests_stays_one_until_all_files_have_some(
    tmp_path: Path,
) -> None:
    filled(tmp_path, 1)
    mark = tmp_path / "store.json"
    content = mark.read_bytes()
    mark.write_bytes(content.replace(b"4", b"1"))
    store = PointStore.create(tmp_path)
    assert mark.read_bytes() != content
    store.mend()
    assert mark.read_bytes() == content


def test_an_index_that_lost_its_digest_is_not_read(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    store.write_index()
    whole, path = store.runs(), tmp_path / "runs.parquet"
    content = path.read_bytes()
    other = whole.set_column(
        whole.column_names.index("run.seed"), "run.seed", pa.array([7] * whole.num_rows)
    )
    pq.write_table(other, path)
    (tmp_path / "runs.parquet.sha256").unlink()
    assert PointStore.open(tmp_path).runs().equals(whole)
    PointStore.open(tmp_path).write_index()
    assert path.read_bytes() == content


def test_a_point_under_another_name_is_found_out(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    path = file_of(tmp_path, IDENTITY)
    other = path.with_name(path.name.replace(IDENTITY, "f" * 64))
    other.write_bytes(path.read_bytes())
    with pytest.raises(UserError, match="it holds another point"):
        store.runs()


def test_a_file_that_is_not_ours_is_found_out(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    (tmp_path / "points" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="does not belong here; move it elsewhere"):
        store.finished()
    assert (tmp_path / "points" / "notes.txt").read_text() == "mine"


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="holds other files; nothing is overwritten"):
        PointStore.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", ["points", "store.json", ".store.json.1.part"])
def test_a_store_that_another_sweep_is_making_is_no_other_thing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    PointStore.create(whole)
    made = tmp_path / "made"
    made.mkdir()
    if name == "points":
        (made / name).mkdir()
    else:
        (made / name).write_bytes((whole / "store.json").read_bytes())
    # As if the mark came between two looks.
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: path.name != "store.json" and exists(path))
    PointStore.create(made)
    assert (made / "store.json").is_file()


def test_a_store_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    PointStore.create(tmp_path)
    (tmp_path / "store.json").write_text(json.dumps({"format": "tailback store", "version": 99}))
    with pytest.raises(UserError, match="is of version 99; this program reads 1 to 4"):
        PointStore.create(tmp_path)


@pytest.mark.parametrize(
    ("make", "problem"),
    [(False, "no such folder"), (True, "holds no results of a sweep")],
)
def test_nothing_to_read_is_one_clear_line(tmp_path: Path, make: bool, problem: str) -> None:
    folder = tmp_path / "results"
    if make:
        folder.mkdir()
    with pytest.raises(UserError, match=problem):
        PointStore.open(folder)


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    store = PointStore.create(tmp_path)
    with pytest.raises(UserError, match="holds no finished point"):
        store.runs()


def test_a_full_disk_leaves_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path, 2)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(UserError, match=r"cannot be written to: No space left .* is kept"):
        store.save_point("f" * 64, b"PAR1PAR1")
    assert len(store.finished()) == 2
    assert not list(tmp_path.rglob("*.part"))


def test_what_a_killed_program_left_is_removed_but_not_what_another_is_writing(
    tmp_path: Path,
) -> None:
    PointStore.create(tmp_path)
    dead = tmp_path / "points" / f".{IDENTITY}.parquet.999999999.part"
    alive = tmp_path / "points" / f".{IDENTITY}.parquet.1.part"
    for path in (dead, alive):
        path.write_bytes(b"PAR1")
    PointStore.create(tmp_path)
    assert not dead.exists()
    assert alive.exists()


def test_a_part_that_another_program_removed_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, tries = Path.replace, []

    def removed_once(path: Path, target: Path) -> Path:
        tries.append(path)
        if len(tries) == 1:
            path.unlink()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", removed_once)
    files.write_durably(tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"
    assert len(tries) == 2


SMALL_SWEEP = """
[machine]
topology.kind = "mesh"
topology.dims = [2, 2]
[run]
duration = "5 us"
[sweep]
seeds = 3
"""


def test_a_sweep_makes_damaged_points_again_and_says_which(tmp_path: Path) -> None:
    store = swept(tmp_path, SMALL_SWEEP)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "points").iterdir()}
    [first, _, last] = (file_of(tmp_path, identity) for identity in sorted(store.finished()))
    flipped(first, 8000)
    last.write_bytes(b"")
    run = SweepRun(sweep_of(SMALL_SWEEP), tmp_path)
    assert run.damaged == [damaged(first), damaged(last)]
    run.run(Here())
    assert run.done == 2
    points = (tmp_path / "points").glob("[!.]*")
    assert {path.name: path.read_bytes() for path in points} == whole
