"""Files that cannot be used: one clear line each."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import tailback as tb
from tailback.conversion import convert
from tailback.csv_files import read_csv
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.workloads import Messages
from tailback.workloads.message_file import read_messages

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


def trace_refused(path: Path) -> str:
    """Return why a trace is refused, without the folder."""
    with pytest.raises(UserError) as caught:
        tb.run(tb.Experiment(tb.Machine(), tb.Trace(file=str(path))))
    with pytest.raises(UserError) as converted:
        convert(path, path.with_suffix(".tbt"))
    assert str(caught.value) == str(converted.value)
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


GOAL = "num_ranks 1\nrank 0 {\ncalc 5\n}\n"
FORMS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "gzip": (gzip.compress, "is compressed: unpack it with gunzip first"),
    "bzip2": (bz2.compress, "is compressed: unpack it with bunzip2 first"),
    "xz": (lzma.compress, "is compressed: unpack it with unxz first"),
    "zstd": (lambda text: b"\x28\xb5\x2f\xfd" + text, "is compressed: unpack it with unzstd first"),
    "utf-16": (lambda text: text.decode().encode("utf-16"), "is UTF-16: save it as UTF-8"),
}


@pytest.mark.parametrize("form", FORMS)
def test_text_in_another_form_says_how_it_becomes_text(tmp_path: Path, form: str) -> None:
    made, told = FORMS[form]
    file = tmp_path / "file"
    file.write_bytes(made(GOAL.encode()))
    assert trace_refused(file) == f"file: {told}"
    assert load_refused(file) == f"file: {told}"
    assert read_refused(file.rename(tmp_path / "file.csv")) == f"file.csv: {told}"


def test_a_byte_order_mark_is_no_part_of_a_trace(tmp_path: Path) -> None:
    file = tmp_path / "x.goal"
    file.write_text(GOAL, encoding="utf-8-sig")
    assert tb.Trace(file=str(file)).facts().computing_ps == 5000
    file.write_text("nothing", encoding="utf-8-sig")
    assert trace_refused(file).startswith("x.goal: has none of the formats that are known: goal, ")


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
        ("seed = 1\n", "seed: unknown key; did you mean run.seed?"),
        ("[[machine]]\ndims = [4]\n", 'machine = [{"dims": [4]}]: must be a table: [machine]'),
        ("[machine]\ndims = [4]\n", "machine.dims: is machine.topology.dims now"),
        ("[machine]\nlink = 4\n", "machine.link = 4: must be a table: [machine.link]"),
        ("[[machine.link]]\nrate = 4\n", 'machine.link = [{"rate": 4}]: must be a table'),
        ("[machine.lnik]\n", "machine.lnik: unknown key; did you mean machine.link?"),
        ("[machine.link]\nrate = 1e9\n", "machine.link.rate = 1000000000.0: needs a unit"),
        ("[machine.link.rate]\n", "machine.link.rate = {}: must be a rate, such as"),
        ("[link]\n", "link: unknown key; did you mean [machine.link]?"),
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
        (
            HEADER + "0,0,1,2\n0,1_0,1,2\n",
            "x.csv: source of message 1 = 1_0: must be a number, such as 1000 or 1e3",
        ),
        ("Time,source,destination,bytes\n0,0,1,2\n", "did you mean Time?"),
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


@pytest.mark.parametrize(
    "text",
    [
        HEADER.replace(",", ";") + "0;0;1;1000\n5;1;0;2000\n",
        HEADER.replace(",", "\t") + "0\t0\t1\t1000\r\n5\t1\t0\t2000\r\n",
        HEADER.replace(",", " , ") + "0 , 0 , 1 , 1e3\n5, 1, 0, 2000.0\n",
        "# of a test, in bytes\n" + HEADER + "\n  \n0,0,1,1000\n # the last\n5,1,0,2000",
    ],
)
def test_message_files_as_spreadsheets_and_people_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    found = read_messages(path)
    assert found.time_ps.tolist() == [0, 5000]
    assert found.source.tolist() == [0, 1]
    assert found.bytes.tolist() == [1000, 2000]


@pytest.mark.parametrize("between", [";", "\t"])
def test_other_tables_may_have_semicolons_or_tabs_too(tmp_path: Path, between: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a, b\n1, 2\n".replace(", ", between))
    assert list(read_csv(path, ["b", "a"]).cells(["b", "a"])) == [(2, ["2", "1"])]
