"""Files that cannot be used: one clear line each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.workloads import Messages

HEADER = "time_ns,source,destination,bytes\n"


def load_refused(path: Path) -> str:
    """Return why the experiment file is refused, without the folder."""
    with pytest.raises(UserError) as caught:
        Experiment.load(path)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{path.parent}{os.sep}", "")


def read_refused(path: Path) -> str:
    """Return why the message file is refused, without the folder."""
    with pytest.raises(UserError) as caught:
        Messages(file=str(path)).messages_arrays()
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{path.parent}{os.sep}", "")


@pytest.mark.parametrize("refused", [load_refused, read_refused])
def test_files_that_cannot_be_read(tmp_path: Path, refused: Callable[[Path], str]) -> None:
    assert refused(tmp_path / "none.csv") == "none.csv: no such file"
    (tmp_path / "folder.csv").mkdir()
    assert refused(tmp_path / "folder.csv") == "folder.csv: is a directory, not a file"
    latin = tmp_path / "latin.csv"
    latin.write_bytes("# Länge\n".encode("latin-1"))
    assert refused(latin) == "latin.csv: is not UTF-8 text (byte 3)"
    within = latin / "inside.csv"
    assert refused(within) == "inside.csv: cannot be read: not a directory"


@pytest.mark.parametrize("refused", [load_refused, read_refused])
def test_a_file_without_permission(
    tmp_path: Path, refused: Callable[[Path], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    (tmp_path / "secret.csv").touch()
    # The superuser, who runs tests in containers, may read everything.
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert refused(tmp_path / "secret.csv") == "secret.csv: cannot be read: permission denied"


@pytest.mark.parametrize("refused", [load_refused, read_refused])
def test_a_name_no_file_can_have(refused: Callable[[Path], str]) -> None:
    assert "'a\\x00.csv': is not a file name" in refused(Path("a\0.csv"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[machine\n", "x.toml: is not valid TOML: "),
        ("[machine]\ndims = [4, 4\n[run]\n", "at line"),
        ("seed = 1\n[run]\nseed == 2\n", "at line 3"),
        ("[run]\nseed = 1\nseed = 2\n", "x.toml: is not valid TOML: "),
        ("a = " + "[" * 5000, "x.toml: is not valid TOML: "),
        ("<html></html>", "x.toml: is not valid TOML: "),
        ("seed = 1\n", "seed: unknown key; known here: machine, workload, run"),
        ("[[machine]]\ndims = [4]\n", 'machine = [{"dims": [4]}]: must be a table: [machine]'),
        ("[machine]\ndims = [4]\n", "machine.dims: is machine.topology.dims now"),
        ("[machine]\nlink = 4\n", "machine.link = 4: must be a table: [machine.link]"),
        ("[[machine.link]]\nrate = 4\n", 'machine.link = [{"rate": 4}]: must be a table'),
        ("[machine.lnik]\n", "machine.lnik: unknown key; did you mean machine.link?"),
        ("[machine.link]\nrate = 1e9\n", "machine.link.rate = 1000000000.0: needs a unit"),
        ("[machine.link.rate]\n", "machine.link.rate = {}: must be a rate, such as"),
        ("[link]\n", "link: unknown key; known here: machine, workload, run"),
        ("[run]\nduration = 2020-01-01\n", 'run.duration = "2020-01-01": must be a time'),
    ],
    ids=range(16),
)
def test_experiment_files(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    assert expected in load_refused(path)


def test_an_empty_file_is_the_default_experiment(tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.write_text("")
    assert Experiment.load(path) == Experiment.from_dict({})


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "mark.toml"
    path.write_bytes(b"\xef\xbb\xbf[run]\nseed = 5\n")
    assert Experiment.load(path).run.seed == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "x.csv: cannot be read: "),
        (HEADER, "x.csv: has no messages"),
        ("source,destination,bytes\n0,1,2\n", "x.csv: has no columns of time; needs one of time"),
        ("time_ns,time_us,source,destination,bytes\n0,0,0,1,2\n", "has 2 columns of time"),
        (
            "time_ns,source,destnation,bytes\n0,0,1,2\n",
            "x.csv: has no column destination; did you mean destnation?",
        ),
        (HEADER + "0,zero,1,2\n", "x.csv: column source must hold numbers only"),
        (HEADER + "0,0,1,2\n0,0,1\n", "x.csv: cannot be read: "),
        (HEADER + "0,0,1,2\n-5,0,1,2\n", "x.csv: time_ns of message 1 = -5: must be 0 to"),
        (HEADER + "0,0,1,2\n0,-1,1,2\n", "x.csv: source of message 1 = -1: must be 0 to"),
        (HEADER + "0,0,1.5,2\n", "x.csv: destination of message 0 = 1.5: must be a whole number"),
        (
            HEADER + "0,0,1,2\n0,0,1,\n",
            "x.csv: bytes of message 1 = nan: must be 0 to 1000000000000000",
        ),
        (HEADER + "inf,0,1,2\n", "x.csv: time_ns of message 0 = inf: must be 0 to 100000000000000"),
        (
            HEADER + "0,0,1,2000000000000000\n",
            "bytes of message 0 = 2000000000000000: must be 0 to 1000000000000000",
        ),
    ],
)
def test_message_files(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert expected in read_refused(path)


def test_message_files_of_another_kind(tmp_path: Path) -> None:
    assert read_refused(tmp_path / "x.xls") == (
        "x.xls: must end in .csv, .parquet or .cm, or be a flow file of HPCC; else give the format"
    )
    broken = tmp_path / "x.parquet"
    broken.write_bytes(b"PAR1 not really")
    assert read_refused(broken).startswith("x.parquet: cannot be read: ")
    broken.write_bytes(b"")
    assert read_refused(broken).startswith("x.parquet: cannot be read: ")


def test_a_message_outside_the_machine_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(HEADER + "9,0,1,2\n5,0,400,2\n0,0,1,2\n")
    experiment = {"workload": {"kind": "messages", "file": str(path)}}
    with pytest.raises(UserError, match=r"destination of message 1 = 400: must be at most 255"):
        Experiment.from_dict(experiment)


@pytest.mark.parametrize(
    ("column", "values", "expected_ps"),
    [
        ("time_ps", [7, 3], [3, 7]),
        ("time_ns", [0.5, 0.1], [100, 500]),
        ("time_us", [2, 1], [1_000_000, 2_000_000]),
        ("time_ms", [1.25, 0], [0, 1_250_000_000]),
        ("time_s", [1, 0], [0, 10**12]),
    ],
)
def test_csv_and_parquet_give_the_same(
    tmp_path: Path, column: str, values: list[float], expected_ps: list[int]
) -> None:
    table = pa.table(
        {column: values, "source": [1, 2], "destination": [3, 4], "bytes": [5, 6], "note": [0, 0]}
    )
    parquet.write_table(table, tmp_path / "x.parquet")
    rows = zip(*table.to_pydict().values(), strict=True)
    lines = [",".join(table.column_names), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    for name in ("x.csv", "x.parquet"):
        time_ps, source, _, length = Messages(file=str(tmp_path / name)).messages_arrays()
        assert time_ps.tolist() == expected_ps
        assert source.tolist() == [2, 1]
        assert length.tolist() == [6, 5]
