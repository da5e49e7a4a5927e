"""Folders of results: whole or not at all, and never over somebody else's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailback.errors import UserError
from tailback.store import run_folder as store

TABLES = {"full": {"nodes": pa.table({"node": [0, 1]})}}


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    store.prepare(folder, "abc")
    store.save(folder, TABLES, {"identity": "abc", "complete": True})
    assert pq.read_table(folder / "full" / "nodes.parquet") == TABLES["full"]["nodes"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["files"] == {"full": ["full/nodes.parquet"]}
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [
        "SHA256SUMS",
        "manifest.json",
        "nodes.parquet",
    ]


def one_bit_wrong(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_changed_bit_is_noticed(tmp_path: Path) -> None:
    tables = {"full": dict.fromkeys(("nodes", "channels"), TABLES["full"]["nodes"])}
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, tables, {"identity": "abc"})
    assert store.read_tables(tmp_path, "full") == tables["full"]
    one_bit_wrong(tmp_path / "full" / "nodes.parquet")
    with pytest.raises(UserError, match=r"nodes\.parquet: is damaged .* makes it again"):
        store.read_tables(tmp_path, "full")
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, tables, {"identity": "abc"})
    assert store.read_tables(tmp_path, "full") == tables["full"]


def test_a_damaged_manifest_is_told_and_made_again(tmp_path: Path) -> None:
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, TABLES, {"identity": "abc"})
    one_bit_wrong(tmp_path / "manifest.json")
    with pytest.raises(UserError, match="has a damaged manifest"):
        store.prepare(tmp_path, "abc")
    (tmp_path / "manifest.json").unlink()
    store.prepare(tmp_path, "abc")


def test_folders_without_digests_are_read(tmp_path: Path) -> None:
    tables = {"full": dict.fromkeys(("nodes", "channels"), TABLES["full"]["nodes"])}
    store.save(tmp_path, tables, {"identity": "abc"})
    (tmp_path / store.DIGESTS).unlink()
    store.prepare(tmp_path, "abc")
    assert store.read_tables(tmp_path, "full") == tables["full"]


@pytest.mark.parametrize("version", [20, 21])
def test_digests_that_are_gone_are_told_and_made_again(tmp_path: Path, version: int) -> None:
    tables = {"full": dict.fromkeys(("nodes", "channels"), TABLES["full"]["nodes"])}
    description = {"identity": "abc", "results_version": version}
    store.save(tmp_path, tables, description)
    (tmp_path / store.DIGESTS).unlink()
    for read in (
        lambda: store.read_tables(tmp_path, "full"),
        lambda: store.verified(tmp_path, store.MANIFEST),
    ):
        with pytest.raises(UserError, match="SHA256SUMS: is gone, so that no file can be checked"):
            read()
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, tables, description)
    assert store.read_tables(tmp_path, "full") == tables["full"]


@pytest.mark.parametrize("name", ["manifest.json", "full/nodes.parquet"])
def test_a_damaged_list_of_digests_is_told_and_made_again(tmp_path: Path, name: str) -> None:
    tables = {"full": dict.fromkeys(("nodes", "channels"), TABLES["full"]["nodes"])}
    store.save(tmp_path, tables, {"identity": "abc"})
    digests = tmp_path / store.DIGESTS
    whole = digests.read_bytes()
    digests.write_bytes(whole.replace(name[1:].encode(), b"\xff" * (len(name) - 1)))
    with pytest.raises(UserError, match=f"SHA256SUMS: is damaged .it has no digest of {name}"):
        store.verified(tmp_path, name)
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, tables, {"identity": "abc"})
    assert digests.read_bytes() == whole


def test_folders_of_results_versions_without_digests_are_read(tmp_path: Path) -> None:
    tables = {"full": dict.fromkeys(("nodes", "channels"), TABLES["full"]["nodes"])}
    store.save(tmp_path, tables, {"identity": "abc", "results_version": 19})
    (tmp_path / store.DIGESTS).unlink()
    assert store.read_tables(tmp_path, "full") == tables["full"]


def test_the_same_experiment_may_be_stored_again(tmp_path: Path) -> None:
    for _ in range(2):
        store.prepare(tmp_path, "abc")
        store.save(tmp_path, TABLES, {"identity": "abc"})


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        store.prepare(folder, "abc")
        store.save(folder, TABLES, {"identity": "abc"})
    a, b = ((folder / "full" / "nodes.parquet").read_bytes() for folder in folders)
    assert a == b


def test_other_results_are_not_overwritten(tmp_path: Path) -> None:
    store.prepare(tmp_path, "abc")
    store.save(tmp_path, TABLES, {"identity": "abc"})
    before = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(UserError, match="holds other results; nothing is overwritten"):
        store.prepare(tmp_path, "xyz")
    assert (tmp_path / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
@pytest.mark.parametrize("content", ["", "[]", "{", "{}"])
def test_foreign_files_are_not_joined(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match="nothing is overwritten"):
        store.prepare(tmp_path, "abc")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("")
    with pytest.raises(UserError, match="is a file"):
        store.prepare(file, "abc")
    with pytest.raises(UserError, match="cannot be made"):
        store.prepare(file / "below", "abc")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="cannot be written to"):
        store.prepare(tmp_path, "abc")


def test_a_failed_write_leaves_nothing_half_done(tmp_path: Path) -> None:
    store.prepare(tmp_path, "abc")
    (tmp_path / "full").write_text("in the way")
    with pytest.raises(UserError, match="cannot be written to"):
        store.save(tmp_path, TABLES, {"identity": "abc"})
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
