"""Workloads from what people have: flows of htsim and HPCC, matrices of bytes, rates by source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.workloads.all_to_all import read_byte_matrix
from tailback.workloads.message_file import read_messages

STAR = {"topology": {"kind": "star", "nodes": 4}}

CM = """\
# A permutation.
Nodes 4
Connections 2
0->3 id 1 start 5000 size 2000000
2->1 start 0 size 5000000000 prio 3  # the rest of a line is a comment
"""

HPCC = """\
3
0 3 3 100 1000 2.000000001
1 3 3 100 5000000000 0
2 1 0 100 64 1e-6
"""


def experiment(workload: dict[str, Any], **run: Any) -> tb.Experiment:
    return tb.Experiment.from_dict({"machine": STAR, "workload": workload, "run": run})


def test_connections_of_htsim_are_messages(tmp_path: Path) -> None:
    file = tmp_path / "flows.cm"
    file.write_text(CM)
    found = read_messages(file)
    assert found.time_ps.tolist() == [0, 5000]
    assert (found.source.tolist(), found.destination.tolist()) == ([2, 0], [1, 3])
    assert found.bytes.tolist() == [5_000_000_000, 2_000_000]
    assert found.traffic_class is not None
    assert found.traffic_class.tolist() == [3, 0]


@pytest.mark.parametrize("name", ["flow.txt", "flow"])
def test_flows_of_hpcc_are_messages(name: str, tmp_path: Path) -> None:
    """Seconds are exact to the picosecond, whatever binary fractions there are."""
    file = tmp_path / name
    file.write_text(HPCC)
    found = read_messages(file)
    assert found.time_ps.tolist() == [0, 1_000_000, 2_000_000_001_000]
    assert found.source.tolist() == [1, 2, 0]
    assert found.bytes.tolist() == [5_000_000_000, 64, 1000]
    file.write_text(HPCC.replace("5000000000", "5000"))
    result = tb.run(experiment({"kind": "messages", "file": str(file)}, max_duration="3 s"))
    assert result["completion_us"].value > 2e6


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.cm", "0->1 start 0", "line 1: has no size"),
        ("a.cm", "0>1 start 0 size 3", 'line 1 = "0>1": must be source->destination, or one of'),
        ("a.cm", "Node 4", 'line 1 = "Node": must be source->destination, or one of'),
        ("a.cm", "Nodes 2\n0->2 start 0 size 3", "destination must be a whole number, 0 to 1"),
        ("a.cm", "Connections 2\n0->1 start 0 size 3", "says that it has 2 connections, and has 1"),
        ("a.cm", "0->1 start 0 sise 3", '"sise": must be one of id, start, size'),
        ("a.cm", "0->1 start 0 size", '"size": must be followed by a number'),
        ("a.cm", "0->1 start x size 3", '"x": start must be a whole number'),
        ("a.cm", "0->1 trigger 1 size 3", "triggers are not read: what waits for other messages"),
        ("a.cm", "Triggers 1", "triggers are not read"),
        ("a.cm", "failure 3", "failures are not read"),
        ("a.cm", "", "has no connections"),
        ("a.txt", "2\n0 1 3 100 64 0", "says that it has 2 flows, and has 1"),
        ("a.txt", "2\n0 1 3 100 64 0\n1 2", 'line 3 = "1 2": must be source, destination'),
        ("a.txt", "1\n0 1 3 100 64 -1", '"-1": start must be a number of seconds'),
        ("a.txt", "1\n0 1 3 100 64 nan", '"nan": start must be a number of seconds'),
        ("a.txt", "1\n0 x 3 100 64 0", '"x": destination must be a whole number'),
        ("a.txt", "0", "has no flows"),
        ("a.txt", "hello", "must end in .csv, .parquet or .cm, or be a flow file of HPCC"),
    ],
)
def test_mistakes_in_flows_name_the_line(name: str, text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        read_messages(file)
    assert str(caught.value).startswith(str(file))
    assert told in str(caught.value)


def test_an_all_to_all_has_the_lengths_of_its_matrix(tmp_path: Path) -> None:
    """Node 0 sends 1.25 MB to node 1: 100 us at 100 Gbit/s; diagonals and zeros are not sent."""
    matrix = [[7, 1_250_000, 0], [10, 7, 0], [0, 0, 7]]
    (tmp_path / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in matrix))
    np.save(tmp_path / "m.npy", np.array(matrix))
    machine = {"topology": {"kind": "star", "nodes": 3}, "interface": {"packet_size": "10 kB"}}
    identities = set()
    for name in ("m.csv", "m.npy"):
        workload = {"kind": "all_to_all_v", "file": str(tmp_path / name), "algorithm": "linear"}
        made = tb.Experiment.from_dict({"machine": machine, "workload": workload})
        result = tb.run(made, keep_messages=True)
        assert result.messages is not None
        assert sorted(result.messages["bytes"].to_pylist()) == [10, 1_250_000]
        assert result["completion_us"].value == pytest.approx(100, rel=0.01)
        identities.add(made.workload.digest())
    assert len(identities) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1,2\n3\n", "line 2 = 1 numbers: must have a number for each of 2 rows"),
        ("1,2\n3,x\n", 'line 2 = "x": must be a number of bytes'),
        ("1,-2\n3,4\n", 'line 1 = "-2": must be a number of bytes'),
        ("", "has no rows"),
    ],
)
def test_mistakes_in_matrices_name_the_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        read_byte_matrix(file)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (np.zeros((2, 3)), "must be a square"),
        (np.array([[0, -1], [1, 0]]), "must hold numbers of bytes"),
        (np.array([[0, 1.5], [1, 0]]), "must hold whole numbers of bytes"),
        (np.array([["a", "b"], ["c", "d"]]), "must hold numbers of bytes"),
    ],
)
def test_mistakes_in_arrays_are_told(array: Any, told: str, tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", array)
    with pytest.raises(UserError, match=told):
        read_byte_matrix(tmp_path / "m.npy")
    (tmp_path / "m.npy").write_bytes(b"\x93NUMPY rubbish")
    with pytest.raises(UserError, match="is no NumPy array that can be read"):
        read_byte_matrix(tmp_path / "m.npy")


def test_the_matrix_has_a_row_for_every_node(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("0 1\n1 0\n")
    with pytest.raises(UserError, match="2 rows: must have a row for each of the 4 nodes"):
        experiment({"kind": "all_to_all_v", "file": str(tmp_path / "m.csv")})


def sent_by(tmp_path: Path, table: str, **workload: Any) -> list[int]:
    """Return how many messages each node has sent."""
    (tmp_path / "weights.txt").write_text(table)
    described = {
        "kind": "synthetic",
        "preset": "uniform_open_loop",
        "compute_period": "10 us",
        "pattern": "traffic_matrix",
        "file": str(tmp_path / "weights.txt"),
        **workload,
    }
    result = tb.run(experiment(described, duration="4 ms", keep_messages=True), mode="full")
    sources = np.array(result.messages["source"])
    return np.bincount(sources, minlength=4).tolist()


@pytest.mark.parametrize("distribution", ["constant", "exponential"])
def test_sources_send_as_often_as_a_table_of_noxim_says(distribution: str, tmp_path: Path) -> None:
    """A source without rows is silent; rates are in proportion to the sums of weights."""
    table = "% src dst pir\n0 1 0.02\n0 2 0.01\n2 3 0.01\n"
    given = {"compute_distribution": distribution}
    equal = sent_by(tmp_path, table, **given)
    assert equal[1] == equal[3] == 0
    assert equal[0] == pytest.approx(equal[2], rel=0.2)
    by_source = sent_by(tmp_path, table, rates="by_source", **given)
    assert by_source[1] == by_source[3] == 0
    assert by_source[0] == pytest.approx(3 * by_source[2], rel=0.2)
    # All four together send as often as asked for: 400 messages each in 4 ms.
    assert sum(by_source) == pytest.approx(4 * 400, rel=0.15)


def test_nobody_sends_where_no_weight_is(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no weight above zero: nobody sends"):
        sent_by(tmp_path, "% flows\n0 1 0\n")
    with pytest.raises(UserError, match=r"rates.*has no effect here; needs pattern"):
        experiment({"kind": "synthetic", "rates": "by_source"})


def test_a_butterfly_exchanges_the_first_and_the_last_bit() -> None:
    """As in noxim."""
    machine = tb.Machine(topology=tb.Mesh(dims=[4, 2]))
    workload = tb.Synthetic(pattern="butterfly")
    assert workload.permutation(machine) == (0, 4, 2, 6, 1, 5, 3, 7)


def test_a_matrix_of_bytes_may_be_as_numpy_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "bytes.csv"
    np.savetxt(file, [[0, 1500], [20, 0]], delimiter=",", header="bytes")
    assert read_byte_matrix(file) == [[0, 1500], [20, 0]]
    for word in ("1.5", "nan", "1e99", "1_0", "-1e0"):
        file.write_text(f"0 {word} # no number of bytes\n1 0")
        with pytest.raises(UserError, match=f'line 1 = "{word}": must be a number of bytes'):
            read_byte_matrix(file)
