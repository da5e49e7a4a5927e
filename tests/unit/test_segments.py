"""Points that are put together: the same rows as before, durable, and nothing is unnoticed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import tailback as tb
from tailback.comparison import compare
from tailback.errors import UserError
from tailback.execution import Outcome
from tailback.store import index, segments
from tailback.store.comparing import compared
from tailback.store.points import PointStore
from tailback.store.rows import table_of, to_bytes
from tailback.store.wire import to_stream
from tailback.sweeps import putting_together
from tailback.sweeps.running import SweepRun
from tests.machines import t9000
from tests.sweeps import sweep_of

#: As many points as a sweep puts together, in one test; elsewhere fewer are enough.
ALL = [f"{number:064x}" for number in range(segments.SIZE)]
SIZE = 12
POINTS = ALL[:SIZE]


@pytest.fixture(scope="module", autouse=True)
def few_are_enough() -> Iterator[None]:
    """Put as few points together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_FEWEST", SIZE)
        yield


class Points:
    """Rows of points like one, each with numbers of its own; made once."""

    def __init__(self, one: pa.Table) -> None:
        self._one = one
        self._rows: dict[str, pa.Table] = {}
        self._contents: dict[str, bytes] = {}

    def rows(self, identity: str) -> pa.Table:
        if identity not in self._rows:
            self._rows[identity] = self._with_numbers(identity)
        return self._rows[identity]

    def content(self, identity: str) -> bytes:
        """Return the file of a point."""
        if identity not in self._contents:
            self._contents[identity] = to_bytes(self.rows(identity))
        return self._contents[identity]

    def streams(self, points: Sequence[str] = POINTS) -> dict[str, bytes]:
        """Return points as workers send them."""
        return {identity: to_stream(self.rows(identity)) for identity in points}

    def _with_numbers(self, identity: str) -> pa.Table:
        one, number = self._one, int(identity, 16)
        changes = {"identity": identity, "run.seed": number, "window_ms": number + 0.5}
        for name, value in changes.items():
            column = pa.array([value] * one.num_rows, one.schema.field(name).type)
            one = one.set_column(one.column_names.index(name), name, column)
        return one


@pytest.fixture(scope="module")
def one() -> Points:
    """Points like a small one."""
    workload = tb.Synthetic(radius=1, compute_period="20 us")
    experiment = tb.Experiment(t9000(dims=(2, 2)), workload, tb.Run(duration="100 us"))
    return Points(table_of(compare(experiment, ("full", "throttled")), ""))


@pytest.fixture(scope="module")
def shared(one: Points, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store whose points are put together, to copy."""
    folder = tmp_path_factory.mktemp("shared")
    together(folder, one)
    return folder


def saved(folder: Path, one: Points, points: Sequence[str] = POINTS) -> PointStore:
    store = PointStore.create(folder)
    for identity in points:
        store.save_point(identity, one.content(identity))
    return store


def together(folder: Path, one: Points, points: Sequence[str] = POINTS) -> PointStore:
    store = saved(folder, one, points)
    store.put_together(points, one.streams(points))
    return store


def copied(shared: Path, folder: Path) -> PointStore:
    shutil.copytree(shared, folder, dirs_exist_ok=True)
    return PointStore.create(folder)


def files_in(folder: Path, name: str) -> dict[str, bytes]:
    found = (path for path in (folder / name).glob("[!.]*") if path.is_file())
    return {path.name: path.read_bytes() for path in found}


def test_points_that_are_put_together_are_read_as_before(one: Points, tmp_path: Path) -> None:
    alone, shared = saved(tmp_path / "alone", one), together(tmp_path / "shared", one)
    assert not files_in(tmp_path / "shared", "points")
    assert len(files_in(tmp_path / "shared", "segments")) == 1
    for store in (shared, PointStore.open(tmp_path / "shared")):
        assert store.finished() == {*POINTS}
        assert store.runs().equals(alone.runs())
        for name in ("nodes", "histograms"):
            chosen = [POINTS[7], POINTS[3]]
            assert store.nested(name, chosen).equals(alone.nested(name, chosen))
        wanted = {"channels": ["channel", "packets"]}
        assert store.tables(POINTS[5], wanted) == alone.tables(POINTS[5], wanted)
        assert store.messages(POINTS[5]) == {}
        with pytest.raises(UserError, match="blame"):
            store.blame(POINTS[5])
    assert compared(tmp_path / "alone", tmp_path / "shared").lines == ()
    alone.write_index()
    shared.write_index()
    assert (tmp_path / "alone/runs.parquet").read_bytes() == (
        tmp_path / "shared/runs.parquet"
    ).read_bytes()


def test_as_many_points_as_a_sweep_puts_together_are_small(one: Points, tmp_path: Path) -> None:
    store = together(tmp_path, one, ALL)
    assert not files_in(tmp_path, "points")
    assert len(files_in(tmp_path, "segments")) == 1
    store.write_index()
    runs = PointStore.open(tmp_path).runs()
    assert runs["identity"].to_pylist()[::2] == runs["identity"].to_pylist()[1::2] == ALL
    size = sum(path.stat().st_size for path in tmp_path.rglob("*"))
    assert size < 6000 * len(ALL)


def test_what_is_made_of_files_has_the_same_bytes(
    one: Points, shared: Path, tmp_path: Path
) -> None:
    saved(tmp_path, one).put_together(POINTS, {})
    for name in segments.FOLDERS:
        assert files_in(tmp_path, name) == files_in(shared, name) != {}


def test_few_and_large_points_stay_alone(
    one: Points, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = saved(tmp_path / "few", one, POINTS[:5])
    few.put_together(POINTS[:5], {})
    assert len(files_in(few.folder, "points")) == 5
    monkeypatch.setattr(segments, "_LARGEST", 1000)
    large = together(tmp_path / "large", one)
    assert len(files_in(large.folder, "points")) == SIZE
    large.write_index()
    assert large.runs().num_rows == 2 * SIZE


def test_no_bit_of_a_segment_can_flip_unnoticed(one: Points, shared: Path, tmp_path: Path) -> None:
    store = copied(shared, tmp_path)
    (path,) = (tmp_path / "segments").iterdir()
    content = path.read_bytes()
    for bit in random.Random(1).sample(range(8 * len(content)), 50):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        for look in (lambda s: s.runs(), lambda s: s.nested("nodes", POINTS[:1])):
            with pytest.raises(UserError, match="is damaged"):
                look(PointStore.open(tmp_path))
    store = PointStore.create(tmp_path)
    assert [str(error).partition(": ")[0] for error in store.mend()] == [str(path)]
    assert store.finished() == set()
    assert (path.parent / f".{path.name}.damaged").exists()
    assert not files_in(tmp_path, "members")
    assert together(tmp_path, one).finished() == {*POINTS}
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", [bytes.lower, bytes.upper, lambda text: text[:100]])
def test_a_list_of_members_is_made_again(
    shared: Path, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    store = copied(shared, tmp_path)
    whole = store.runs()
    (path,) = (tmp_path / "members").iterdir()
    content = path.read_bytes()
    path.write_bytes(change(content.replace(b"0", b"a", 1)))
    (path.parent / f"{'f' * 64}.txt").write_bytes(b"of no segment")
    assert PointStore.open(tmp_path).runs().equals(whole)
    path.unlink()
    assert PointStore.open(tmp_path).runs().equals(whole)
    store = PointStore.create(tmp_path)
    assert store.mend() == []
    assert files_in(tmp_path, "members") == {path.name: content}


def test_points_are_there_once_if_a_sweep_stops_before_their_own_files_are_removed(
    one: Points, shared: Path, tmp_path: Path
) -> None:
    whole = PointStore.open(shared).runs()
    stopped = saved(tmp_path, one)
    for name in segments.FOLDERS:
        shutil.copytree(shared / name, tmp_path / name)
    assert stopped.finished() == {*POINTS}
    assert PointStore.open(tmp_path).runs().equals(whole)
    assert PointStore.create(tmp_path).mend() == []
    assert not files_in(tmp_path, "points")


def test_points_that_are_put_together_while_they_are_read_are_found(
    one: Points, tmp_path: Path
) -> None:
    reader = saved(tmp_path, one)
    before = reader.runs()
    reading = reader.unread_runs  # listed before, read after
    PointStore.open(tmp_path).put_together(POINTS, {})
    assert reader.nested("nodes", POINTS[:1]).num_rows == 8
    assert reading().read().num_rows == before.num_rows
    assert reader.runs().equals(before)


def test_a_point_that_is_saved_after_another_sweep_put_it_together_is_there_once(
    one: Points, tmp_path: Path
) -> None:
    late = saved(tmp_path, one, POINTS[:-1])
    saved(tmp_path, one, POINTS[-1:]).put_together(POINTS, {})
    late.save_point(POINTS[-1], one.content(POINTS[-1]))
    late.put_together(POINTS, one.streams())
    assert not files_in(tmp_path, "points")
    assert len(files_in(tmp_path, "segments")) == 1
    late.write_index()
    assert late.runs().num_rows == 2 * SIZE


def test_an_index_in_several_files(
    one: Points, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "FULL", 7)
    store = together(tmp_path, one)
    whole = store.runs()
    store.write_index()
    parts = files_in(tmp_path, "runs")
    assert len(parts) == 1  # those that were written at once
    assert not (tmp_path / "runs.parquet").exists()
    more = [f"{number:064x}" for number in range(SIZE, SIZE + 12)]
    saved(tmp_path, one, more).write_index()
    assert len(files_in(tmp_path, "runs")) == 2
    assert PointStore.open(tmp_path).runs()["run.seed"].to_pylist()[::2] == [*range(SIZE + 12)]
    for path in (tmp_path / "runs").iterdir():
        content = path.read_bytes()
        path.write_bytes(content[:-9] + b"x" + content[-8:])
    assert PointStore.open(tmp_path).runs().slice(0, whole.num_rows).equals(whole)
    PointStore.open(tmp_path).write_index()
    names = files_in(tmp_path, "runs")
    assert len(names) == 3
    again = PointStore.open(tmp_path)
    assert again.runs().num_rows == 2 * (SIZE + 12)
    assert not again.unread_runs()._others  # all are in the index
    again.write_index()
    assert files_in(tmp_path, "runs") == names
    rows = again.runs()
    columns = again.unread_runs().columns(whole.column_names)
    for name in whole.column_names:  # one at a time
        assert columns[name].combine_chunks().equals(rows[name].combine_chunks())
    some = again.unread_runs().of(pa.array([more[3], POINTS[7], "0"]))
    assert sorted(some.read(["run.seed"])["run.seed"].to_pylist()) == [7, 7, SIZE + 3, SIZE + 3]


def test_an_old_index_of_many_points_is_kept_as_a_part(
    one: Points, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = saved(tmp_path, one)
    store.write_index()
    content = (tmp_path / "runs.parquet").read_bytes()
    monkeypatch.setattr(index, "FULL", 10)
    saved(tmp_path, one, [f"{999:064x}"]).write_index()
    assert [*files_in(tmp_path, "runs").values()] == [content]
    assert PointStore.open(tmp_path).runs().num_rows == 2 * SIZE + 2


def test_an_index_without_a_digest_that_cannot_be_read_is_made_again(
    one: Points, tmp_path: Path
) -> None:
    store = saved(tmp_path, one, POINTS[:3])
    store.write_index()
    whole, path = store.runs(), tmp_path / "runs.parquet"
    (tmp_path / "runs.parquet.sha256").unlink()
    content = path.read_bytes()
    middle = content.index(b"\x28\xb5\x2f\xfd", len(content) // 4)  # where a page begins
    path.write_bytes(content[:middle] + bytes(50) + content[middle + 50 :])
    assert PointStore.open(tmp_path).runs().equals(whole)
    PointStore.open(tmp_path).write_index()
    assert path.read_bytes() == content


def test_columns_in_which_all_runs_agree_are_known(shared: Path, tmp_path: Path) -> None:
    store = copied(shared, tmp_path)
    store.write_index()
    constant = store.unread_runs().constant()
    runs = store.runs()
    for name in runs.column_names:
        if name.startswith(("machine.", "workload.", "run.")):
            assert (name in constant) == (len(runs[name].unique()) == 1), name


SWEEP = """
[machine]
topology.kind = "mesh"
topology.dims = [2, 2]
[run]
duration = "5 us"
[sweep]
seeds = 6
"""


class Stops:
    """Does work in this process, in another order, and stops before it has all been done.

    What has been done once is not done again.
    """

    capacity = 1
    _answers: ClassVar[dict[str, Any]] = {}

    def __init__(self, most: int, *, backwards: bool = False) -> None:
        self.most, self.backwards = most, backwards

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Outcome[Any]]:
        """Yield what becomes of each item."""
        order = [*enumerate(items)]
        for number, (i, item) in enumerate(order[::-1] if self.backwards else order):
            if number == self.most:
                raise KeyboardInterrupt
            if item.identity not in self._answers:
                self._answers[item.identity] = function(item)
            yield Outcome(i, self._answers[item.identity])


def test_a_sweep_that_was_stopped_ends_with_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(putting_together, "SIZE", 4)
    monkeypatch.setattr(segments, "_FEWEST", 2)
    SweepRun(sweep_of(SWEEP), tmp_path / "whole").run(Stops(10))
    whole = {name: files_in(tmp_path / "whole", name) for name in ("", "points", "segments")}
    assert len(whole["segments"]) == 2
    for most in range(7):
        folder = tmp_path / str(most)
        for pool in (Stops(most, backwards=True), Stops(10)):
            try:
                SweepRun(sweep_of(SWEEP), folder).run(pool)
            except KeyboardInterrupt:
                continue
        assert {name: files_in(folder, name) for name in ("", "points", "segments")} == whole


def test_what_a_stopped_sweep_did_not_put_together_is_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(putting_together, "SIZE", 4)
    SweepRun(sweep_of(SWEEP), tmp_path).run(Stops(10))
    assert len(files_in(tmp_path, "points")) == 6
    monkeypatch.setattr(segments, "_FEWEST", 2)
    SweepRun(sweep_of(SWEEP), tmp_path).run(Stops(10))
    assert len(files_in(tmp_path, "segments")) == 2
    assert not files_in(tmp_path, "points")
