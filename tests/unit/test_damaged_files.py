"""Files that are damaged, strange or hostile: one line each that names the file, nothing else."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import tailback as tb
from benches.stores import MODES
from tailback.analysis import table
from tailback.csv_files import csv_text
from tailback.errors import UserError, shown
from tailback.graphs import reading
from tailback.graphs.reading import Conventions, read_graph
from tailback.importing import read_myrinet
from tailback.store import run_folder
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.workloads.message_file import read_messages
from tests.stores import small_store

LONG = "9" * 5000
HUNDREDS = "9" * 400


def refusal(read: Callable[[Path], object], path: Path) -> str:
    with pytest.raises(UserError) as caught:
        read(path)
    line = str(caught.value)
    assert line.isprintable()
    assert str(path) in line
    return line.replace(str(path), path.name)


GRAPHML = """<?xml version="1.0" encoding="{encoding}"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="width" attr.type="{type}"/>
<key id="n" for="node" attr.name="nodes" attr.type="int"/>
<key id="x" for="node" attr.name="x" attr.type="{place}"/>
<key id="y" for="node" attr.name="y" attr.type="{place}"/>
<graph edgedefault="undirected">
<node id="{name}"><data key="x">{x}</data><data key="y">0</data><data key="n">{nodes}</data></node>
<node id="b"/>
<edge source="{name}" target="b"><data key="w">{width}</data></edge>
</graph></graphml>
"""
SANE = {"encoding": "utf-8", "type": "int", "place": "double", "name": "a", "x": "1"}
SANE |= {"nodes": "2", "width": "2"}


class TestGraphs:
    @pytest.mark.parametrize(
        "change",
        [
            {"encoding": "klingon"},
            {"encoding": "utf-7"},
            {"encoding": "utf-32"},
            {"width": LONG},
            {"width": HUNDREDS},
            {"type": "string", "width": LONG},
            {"type": "double", "width": "1e400"},
            {"nodes": LONG},
            {"nodes": HUNDREDS},
            {"place": "int", "x": LONG},
        ],
        ids=str,
    )
    def test_graphml(self, tmp_path: Path, change: dict[str, str]) -> None:
        path = tmp_path / "g.graphml"
        path.write_text(GRAPHML.format(**SANE | change))
        refusal(lambda file: read_graph(file, Conventions()), path)

    @pytest.mark.parametrize(
        "change", [{}, {"place": "int", "x": HUNDREDS}, {"name": LONG}], ids=["sane", "x", "name"]
    )
    def test_what_does_not_matter_is_read(self, tmp_path: Path, change: dict[str, str]) -> None:
        path = tmp_path / "g.graphml"
        path.write_text(GRAPHML.format(**SANE | change))
        assert len(read_graph(path, Conventions()).nodes) == 2

    @pytest.mark.parametrize(
        "row",
        [
            f"a b {{'latency': {HUNDREDS}}}",
            "a b {'latency': 1e308}",
            f"a b {{'width': {HUNDREDS}}}",
            f"a b {{'width': '{LONG}'}}",
            f"a b {{'width': {LONG}}}",
            "a b " + "(" * 3000,
            "a b {'a': " * 90,
            "a b " + "-" * 30000 + "1",
        ],
        ids=lambda row: row[:20],
    )
    def test_edge_lists(self, tmp_path: Path, row: str) -> None:
        path = tmp_path / "g.edgelist"
        path.write_text(f"{row}\n")
        refusal(lambda file: read_graph(file, Conventions(cycle_ps=1000)), path)

    @pytest.mark.parametrize(
        "row",
        [f"router 0 router {LONG}", f"router 0 router 1 {LONG}", f"router 0 router 1 -{LONG}"],
        ids=lambda row: row[:18],
    )
    def test_anynet(self, tmp_path: Path, row: str) -> None:
        path = tmp_path / "g.anynet"
        path.write_text(f"{row} node 0\nrouter 1 node 1\n")
        line = refusal(lambda file: read_graph(file, Conventions(cycle_ps=1000)), path)
        assert len(line) < 300

    @pytest.mark.parametrize(
        "edge",
        [
            f"edge [ source 0 target 1 width {LONG} ]",
            f"edge [ source 0 target {LONG} ]",
            "edge [" * 999,
        ],
        ids=["width", "target", "deep"],
    )
    def test_gml(self, tmp_path: Path, edge: str) -> None:
        path = tmp_path / "g.gml"
        path.write_text(f"graph [ node [ id 0 ] node [ id 1 ] {edge} ]\n")
        line = refusal(lambda file: read_graph(file, Conventions()), path)
        assert len(line) < 600

    def test_every_format_is_tried(self) -> None:
        # DOT needs a package that tests do without (test_graphs.py).
        assert set(reading.FORMATS) == {"graphml", "edge_list", "anynet", "gml", "dot"}


def one_byte_wrong(content: bytes, count: int) -> Iterable[bytes]:
    source = random.Random(1)
    for _ in range(count):
        wrong = bytearray(content)
        place = source.randrange(len(wrong))
        wrong[place] ^= source.randrange(1, 256)
        if source.random() < 0.3:
            del wrong[place : place + source.choice([1, 4, 40])]
        yield bytes(wrong)


class TestMessages:
    def test_a_column_that_is_there_twice(self, tmp_path: Path) -> None:
        path = tmp_path / "m.csv"
        path.write_text("time_ns,source,source,destination,bytes\n0,0,0,1,8\n")
        assert refusal(read_messages, path) == "m.csv: has 2 columns source; needs one"

    def test_damaged_parquet_is_read_or_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "m.parquet"
        names = ("time_ns", "source", "destination", "bytes")
        columns = {name: list(range(40)) for name in names}
        sink = pa.BufferOutputStream()
        parquet.write_table(pa.table(columns), sink, compression="zstd")
        refused = 0
        for content in one_byte_wrong(sink.getvalue().to_pybytes(), 150):
            path.write_bytes(content)
            try:
                read_messages(path)
            except UserError:
                refused += 1
        assert refused > 50


JUNK = [b"", b"{", b"[]", b"\xff\xfe", b'{"identity": 1}', b"[" * 100_000, b'{"a":' * 100_000]


class TestStores:
    """A store in which something is not as it was written."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> PointStore:
        return small_store(tmp_path / "store", {"workload.compute_period": ["20 us", "9 us"]})

    @pytest.mark.parametrize("content", JUNK, ids=lambda content: content[:20])
    def test_a_damaged_question(self, store: PointStore, content: bytes) -> None:
        path = next((store.folder / "sweeps").iterdir())
        path.write_bytes(content)
        assert "is damaged" in refusal(lambda _: table(store), path)

    @pytest.mark.parametrize("content", JUNK, ids=lambda content: content[:20])
    def test_a_damaged_failure(self, store: PointStore, content: bytes) -> None:
        store.save_failure(Failure("f" * 64, "refused", "no", {}))
        path = store.folder / "failures" / f"{'f' * 64}.json"
        path.write_bytes(content)
        assert "is damaged" in refusal(lambda _: store.failures(), path)

    @pytest.mark.parametrize("name", ["points", "sweeps", "failures"])
    def test_a_folder_is_gone(self, store: PointStore, name: str) -> None:
        path = store.folder / name
        path.rename(store.folder / "elsewhere")

        def read(_: Path) -> object:
            return store.failures() if name == "failures" else table(store)

        assert refusal(read, path).startswith(f"{name}: cannot be read")

    @pytest.mark.parametrize("name", ["points", "sweeps", "failures"])
    def test_a_pipe_is_not_waited_for(self, store: PointStore, name: str) -> None:
        suffix = ".parquet" if name == "points" else ".json"
        path = store.folder / name / ("e" * 64 + suffix)
        os.mkfifo(path)

        def read(_: Path) -> object:
            return {
                "points": store.finished,
                "sweeps": store.sweeps,
                "failures": store.failures,
            }[name]()

        assert "is not a file" in refusal(read, path)
        if name == "points":
            assert "is not a file" in refusal(lambda _: store.runs(), path)

    @pytest.mark.parametrize("kept", [0, 4, 100, -1])
    def test_an_index_that_is_cut_off_is_made_again(self, store: PointStore, kept: int) -> None:
        index = store.folder / "runs.parquet"
        whole = index.read_bytes()
        before = table(store)
        index.write_bytes(whole[:kept])
        assert table(store).equals(before)
        assert len(store.finished()) == 2
        store.write_index()
        assert index.read_bytes() == whole
        assert pl.read_parquet(index).height == 2 * len(MODES)


def test_text_in_csv_is_no_formula_and_no_second_cell() -> None:
    rows = [["=1+1", "a,b", -1.5, None, True], ["@x", "-y", 1e-9, 3, False]]
    assert csv_text(["+k", "b", "c", "d", "e"], rows) == (
        "'+k,b,c,d,e\n'=1+1,\"a,b\",-1.5,,true\n'@x,'-y,1e-09,3,false\n"
    )


def test_what_networkx_warns_of_is_not_said(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    port = '<node id="b"><port name="N"/></node>'
    text = GRAPHML.format(**SANE | {"width": "2"}).replace('<node id="b"/>', port)
    (tmp_path / "net.graphml").write_text(text)
    read_graph(tmp_path / "net.graphml", Conventions())
    assert not recwarn.list


class TestFoldersOfRuns:
    def test_what_a_full_disk_left_is_written_over(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        (out / "full").mkdir(parents=True)
        (out / "full" / "nodes.parquet").write_bytes(b"PAR1")
        (out / "full" / ".channels.parquet.7.part").write_bytes(b"")
        (out / ".manifest.json.7.part").write_bytes(b"")
        run_folder.prepare(out, "identity")

    def test_a_run_that_was_stopped_before_its_manifest_is_written_over(
        self, tmp_path: Path
    ) -> None:
        result = tb.run(
            tb.Machine(topology=tb.Mesh(dims=(2, 2))),
            tb.RingAllreduce(size="1 kB"),
            critical_path=True,
            keep_messages=True,
            blame=True,
        )
        tables = {"full": run_folder.tables_of(result, packets=False)}
        assert {"critical_path", "process_times", "blame_pairs", "flows"} <= {*tables["full"]}
        run_folder.save(out := tmp_path, tables, {"identity": "one"})
        (out / "manifest.json").unlink()
        run_folder.prepare(out, "another")

    @pytest.mark.parametrize("name", ["notes.txt", "full/notes.txt", "mine/nodes.parquet"])
    def test_what_is_not_ours_is_not(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
        with pytest.raises(UserError, match="holds other files; nothing is overwritten"):
            run_folder.prepare(tmp_path / "out", "identity")

    @pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
    def test_names_that_no_folder_has(self, tmp_path: Path, name: str) -> None:
        for prepare in (
            lambda: run_folder.prepare(tmp_path / name, "identity"),
            lambda: PointStore.create(tmp_path / name),
            lambda: PointStore.open(tmp_path / name),
        ):
            with pytest.raises(UserError) as caught:
                prepare()
            assert str(caught.value).isprintable()


def test_any_value_can_be_shown_in_one_line() -> None:
    assert "very long" in shown(10**5000)
    assert str(UserError("a\x1b[31m\u202e\udcff\n\tb", None, "x")) == r"a\x1b[31m\u202e\udcff b: x"


MYRINET = {
    "topology": "S0: P0 P1 D\n    S1.0\nS1: S0.3 P2 D # end\n",
    "routes": "p0 p1 1\np0 p2 31\np1 p0 0\np1 p2 31\np2 p0 00\np2 p1 01\n",
    "parameters": "propDelay 22 # flits\nbuffer_kg 64\nnumOfSwitch 2\n",
}


class TestMyrinet:
    @pytest.mark.parametrize("which", MYRINET)
    @pytest.mark.parametrize("how", ["cut", "changed", "doubled", "long"])
    def test_damaged(self, tmp_path: Path, which: str, how: str) -> None:
        chance = random.Random(f"{which} {how}")
        paths = {name: tmp_path / name for name in MYRINET}
        for name, text in MYRINET.items():
            paths[name].write_text(text)
        refused = 0
        for _ in range(100):
            whole = MYRINET[which].encode()
            at = chance.randrange(len(whole))
            put = {
                "cut": b"",
                "changed": bytes([chance.randrange(256)]),
                "doubled": whole[at : at + 9] * 2,
                "long": LONG.encode(),
            }[how]
            paths[which].write_bytes(whole[:at] + put + whole[at + 1 :])
            try:
                read_myrinet(paths["topology"], paths["routes"], paths["parameters"])
            except UserError as error:
                refused += 1
                line = str(error)
                assert line.isprintable(), line
                assert len(line) < 1000, line
        assert refused > 20
