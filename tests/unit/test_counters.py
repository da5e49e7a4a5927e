"""Counters of ports: sums are those of the run's tables; text that is printed is read again."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from tailback import Experiment, UserError
from tailback.counters import (
    FORMS,
    Counters,
    beside,
    between,
    counters_of,
    run_counted,
    sampled,
    text_of,
    with_counters,
)
from tailback.counters.measured import Block
from tailback.counters.recorded import Waiting
from tailback.results import Result
from tailback.store.run_folder import tables_of
from tailback.terminal.counted import counters_report
from tests.commands import tailback

#: Nodes 0 and 2 send three packets each to node 1, between them; buffers have room for one packet,
#: which takes a microsecond on every link.
BOTH_SIDES: dict[str, Any] = {
    "machine": {
        "topology": {"kind": "mesh", "dims": [3]},
        "link": {"rate": "8 Gbit/s"},
        "interface": {"packet_size": "999 B", "header": "1 B"},
        "switch": {"switching": "store_and_forward", "input_buffer": "1000 B"},
    },
    "workload": {
        "kind": "messages",
        "messages": [["0 ns", source, 1, "2997 B"] for source in (0, 2)],
    },
}
PAUSED: dict[str, Any] = {
    "machine": {
        "preset": "gigabit_ethernet",
        "topology": {"kind": "star", "nodes": 4},
        "switch": {"memory": "40 KiB", "pause": "all"},
    },
    "workload": {
        "kind": "messages",
        "messages": [["0 ns", source, 3, "60 kB"] for source in range(3)],
    },
}
LOSING = PAUSED | {
    "machine": PAUSED["machine"] | {"switch": {"memory": "20 KiB"}},
    "run": {"duration": "3 ms", "warmup": "0 s"},
}


def counted(
    tables: dict[str, Any], *changes: str, slices: int | None = None
) -> tuple[Result, Counters]:
    """Run an experiment and count."""
    experiment = with_counters(Experiment.from_dict(tables), slices)
    result = run_counted(experiment)
    first = counters_of(experiment, tables_of(result, packets=False))
    waiting = Waiting.of(result, first.ports)
    return result, counters_of(experiment, tables_of(result, packets=False), waiting)


def total(found: Counters, column: str, kind: str | None = None) -> int:
    """Add up a column over all ports, or those of switches or nodes."""
    return sum(row[column] or 0 for row in found.rows if kind in (None, row["kind"]))


def port(found: Counters, device: str, peer: str) -> dict[str, Any]:
    [row] = [row for row in found.rows if (row["device"], row["peer"]) == (device, peer)]
    return row


def test_octets_and_packets_are_those_sent_over_each_link() -> None:
    _, found = counted(BOTH_SIDES)
    toward = port(found, "switch (0)", "switch (1)")
    assert (toward["xmit_octets"], toward["xmit_packets"]) == (3000, 3)
    at = port(found, "switch (1)", "switch (0)")
    assert (at["rcv_octets"], at["rcv_packets"], at["xmit_octets"]) == (3000, 3, 0)
    node = port(found, "node (1)", "switch (1)")
    assert (node["rcv_octets"], node["rcv_packets"], node["port"]) == (6000, 6, 1)


def test_a_packet_without_room_behind_its_output_counts_as_xmit_wait() -> None:
    # A place is free when all of the packet has left it. Both first packets are in their switches
    # from 1 to 2 us and at switch 1 at 2 us. Node 0's goes on until 3 us, the other one until
    # 4 us. So the second ones, which wait in nodes 0 and 2 since 1 us, start at 2 us and may go on
    # to switch 1 at 3 us, when they are there, and at 4 us. The third ones wait in nodes since
    # 3 us, until the second ones have left switches 0 and 2: at 4 and 5 us. They come to
    # switches 0 and 2 when the second ones have left switch 1, at 5 and 6 us.
    _, found = counted(BOTH_SIDES)
    waits = {
        (name, peer): port(found, name, peer)["xmit_wait_ps"]
        for name, peer in (
            ("node (0)", "switch (0)"),
            ("node (2)", "switch (2)"),
            ("switch (0)", "switch (1)"),
            ("switch (2)", "switch (1)"),
        )
    }
    assert list(waits.values()) == [2_000_000, 3_000_000, 0, 1_000_000]
    assert sum(waits.values()) == total(found, "xmit_wait_ps")
    # A tick is the time of four octets, and a packet takes a microsecond.
    node = port(found, "node (2)", "switch (2)")
    assert (node["xmit_wait_ticks"], node["stall_to_flit"]) == (750, 1.0)


@pytest.mark.parametrize("tables", [BOTH_SIDES, PAUSED, LOSING])
def test_sums_are_those_of_the_run(tables: dict[str, Any]) -> None:
    result, found = counted(tables, slices=20)
    channels = result.channels
    assert total(found, "xmit_packets") == sum(channels["packets"].to_pylist())
    assert total(found, "rcv_packets") == total(found, "xmit_packets")
    assert total(found, "rcv_octets") == total(found, "xmit_octets")
    assert total(found, "busy_ps") == sum(channels["busy_ps"].to_pylist())
    assert result.blame is not None
    assert result.blame.waits is not None
    room = result.blame.waits.keys[:, 1] == result.blame.causes.index("buffer_full")
    assert total(found, "xmit_wait_ps") == int(result.blame.waits.totals_ps[room].sum())
    lost, pauses = (
        (result.samples[name].to_pylist()[-1] for name in ("packets_lost", "pauses"))
        if result.frames is not None
        else (0, 0)
    )
    assert total(found, "rcv_discards") == lost
    # A switch tells all its neighbours at once.
    assert total(found, "xmit_pauses") == pauses * (4 if result.frames is not None else 0)
    assert total(found, "rcv_pauses") == total(found, "xmit_pauses")


def test_senders_wait_while_they_are_paused() -> None:
    _, found = counted(PAUSED)
    senders = [port(found, f"node {node}", "switch 0") for node in range(3)]
    assert all(row["rcv_pauses"] > 0 for row in senders)
    # Nothing else keeps a frame from its node's link.
    assert all(0 < row["xmit_wait_ps"] <= row["paused_ps"] for row in senders)
    assert total(found, "rcv_discards") == 0


@pytest.mark.parametrize("tables", [BOTH_SIDES, PAUSED])
def test_slices_add_up_to_the_run(tables: dict[str, Any]) -> None:
    result, found = counted(tables, slices=20)
    stored = tables_of(result, packets=False)
    table = sampled(result.experiment, found, stored, Waiting.of(result, found.ports))
    assert table is not None
    for column in ("xmit_octets", "rcv_octets", "busy_ps", "xmit_wait_ps"):
        rows = table.group_by(["device", "port"]).aggregate([(column, "sum")]).to_pylist()
        sums = {(row["device"], row["port"]): row[f"{column}_sum"] for row in rows}
        assert sums == {(row["device"], row["port"]): row[column] for row in found.rows}
    most = table.group_by(["device", "port"]).aggregate([("queue_max", "max")]).to_pylist()
    highest = {(row["device"], row["port"]): row["queue_max_max"] for row in most}
    assert highest == {(row["device"], row["port"]): row["queue_max"] for row in found.rows}


def test_the_longest_queue_is_that_of_the_waits() -> None:
    _, found = counted(BOTH_SIDES)
    # Two packets wait behind the first one in their node.
    assert port(found, "node (0)", "switch (0)")["queue_max"] == 2


def test_rates_of_links_from_a_file_and_its_ports(tmp_path: Path) -> None:
    lines = ["<graphml>", '<key id="k" for="node" attr.name="kind" attr.type="string"/>']
    names = ("source_port", "target_port", "rate")
    kinds = ("int", "int", "string")
    lines += [
        f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>'
        for name, kind in zip(names, kinds, strict=True)
    ]
    lines.append('<graph edgedefault="undirected">')
    lines += [f'<node id="{name}"><data key="k">switch</data></node>' for name in ("left", "right")]
    lines += [f'<node id="{name}"><data key="k">node</data></node>' for name in ("a", "b")]
    edges = [
        ("left", "right", {"source_port": 7, "target_port": 4}),
        ("left", "right", {"source_port": 3, "target_port": 9, "rate": "4 Gbit/s"}),
        ("a", "left", {"target_port": 1}),
        ("b", "right", {"target_port": 2}),
    ]
    for start, end, data in edges:
        said = "".join(f'<data key="{name}">{value}</data>' for name, value in data.items())
        lines.append(f'<edge source="{start}" target="{end}">{said}</edge>')
    file = tmp_path / "two.graphml"
    file.write_text("\n".join([*lines, "</graph></graphml>"]))
    machine = {
        "topology": {"kind": "graph", "file": str(file)},
        "routing": {"kind": "shortest", "parallel_links": "any"},
        "link": {"rate": "8 Gbit/s"},
        "interface": {"packet_size": "999 B", "header": "1 B"},
    }
    listed = [["0 ns", 0, 1, "999 B"] for _ in range(9)]
    tables = {"machine": machine, "workload": {"kind": "messages", "messages": listed}}
    _, found = counted(tables)
    numbers = [(row["device"], row["port"], row["peer"]) for row in found.rows]
    assert numbers == [
        ("left", 1, "a"),
        ("left", 3, "right"),
        ("left", 7, "right"),
        ("right", 2, "b"),
        ("right", 4, "left"),
        ("right", 9, "left"),
        ("a", 1, "left"),
        ("b", 1, "right"),
    ]
    by = {
        (device, number): row for (device, number, _), row in zip(numbers, found.rows, strict=True)
    }
    for row in found.rows:
        assert row["xmit_octets"] == 1000 * row["xmit_packets"]
        assert row["rcv_octets"] == 1000 * row["rcv_packets"]
    assert by["left", 3]["xmit_packets"] == by["right", 9]["rcv_packets"] > 0
    assert by["left", 7]["xmit_packets"] == by["right", 4]["rcv_packets"]


# What was measured.


def files(tmp_path: Path, *texts: str) -> list[Path]:
    """Write texts into files."""
    paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def place(block: Block) -> tuple[str, int]:
    return block.device, block.port


@pytest.mark.parametrize("form", sorted(FORMS))
def test_what_is_printed_is_read_again(form: str, tmp_path: Path) -> None:
    _, found = counted(PAUSED)
    again = text_of(found, form)
    nothing = "\n".join(
        line if line.startswith(("#", "Port=", "NIC", "---")) else _zero(line)
        for line in again.splitlines()
    )
    before, after = files(tmp_path, nothing, again)
    compared = beside(found, before, after)
    assert compared.not_measured == 0
    assert len(compared.rows) == len(found.rows)
    for row in compared.rows:
        assert row.apart < 0.001  # Words of four octets are rounded down.
        for name, value in row.measured.items():
            unit = 4 if name.endswith("octets") else 1_000_000 if name == "paused_ps" else 1
            assert (row.simulated[name] or 0) // unit == value // unit


def _zero(line: str) -> str:
    for mark in ("=", ":"):
        name, there, _ = line.partition(mark)
        if there:
            return f"{name}{mark}{'.' * 10 if name.startswith('Port') else ''} 0".replace("= ", "=")
    return line


PERFQUERY = """# Port extended counters: Lid 12 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
PortSelect:......................1
CounterSelect:...................0x0000
PortXmitData:....................1000
PortRcvData:.....................2000
PortXmitPkts:....................30
PortRcvPkts:.....................40
CounterSelect2:..................0x00000000
SymbolErrorCounter:..............0
PortXmitWait:....................{wait}
"""
IBDIAGNET = """# This database file was automatically generated by IBDIAG
Port=3 Lid=0x000c GUID=0x0002c90300a7c3a1 Device=51000 Port Name=leaf1/U1/P3
-------------------------------------------------------
link_down_counter=0x0000000000000000
port_xmit_data=0x{old:08x}
port_xmit_data_extended=0x{new:016x}
port_xmit_wait=NA
"""
ETHTOOL = """# host1 port 1
NIC statistics:
     rx_packets: 17
     tx_packets: {packets}
     tx_bytes: 900
     tx_bytes_phy: 1000
"""


def test_text_of_perfquery_is_read(tmp_path: Path) -> None:
    [one] = between(*files(tmp_path, PERFQUERY.format(wait=5), PERFQUERY.format(wait=9)), place)
    assert (one.device, one.port, one.wrapped) == ("12", 1, ())
    assert one.values["xmit_wait_ticks"] == 4


def test_a_counter_of_32_bits_that_began_anew_is_told(tmp_path: Path) -> None:
    texts = [PERFQUERY.format(wait=wait) for wait in (2**32 - 10, 5)]
    [one] = between(*files(tmp_path, *texts), place)
    assert one.values["xmit_wait_ticks"] == 15
    assert one.wrapped == ("PortXmitWait",)


def test_the_wide_counter_of_ibdiagnet_counts(tmp_path: Path) -> None:
    texts = [IBDIAGNET.format(old=2**32 - 1, new=new) for new in (2**33, 2**33 + 25)]
    [one] = between(*files(tmp_path, *texts), place)
    assert (one.device, one.port) == ("leaf1", 3)
    assert one.values == {"xmit_octets": 100}


def test_counters_of_the_port_count_for_ethtool(tmp_path: Path) -> None:
    texts = [ETHTOOL.format(packets=1), ETHTOOL.format(packets=6).replace("1000", "1500")]
    [one] = between(*files(tmp_path, *texts), place)
    assert one.values["xmit_octets"] == 500
    assert one.values["xmit_packets"] == 5


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("", "", "0.txt: is text of no tool that is read: "),
        (
            PERFQUERY.format(wait=1),
            ETHTOOL.format(packets=1),
            "1.txt: is text of ethtool, and {0} of perfquery; both must be of one tool",
        ),
        (
            PERFQUERY.format(wait=1),
            PERFQUERY.format(wait=1) + ETHTOOL.format(packets=1),
            "1.txt: is text of perfquery and ethtool; must be of one tool",
        ),
        (
            PERFQUERY.format(wait=1),
            PERFQUERY.format(wait="")[:-1],
            '1.txt: line 10 = "": must be the number that PortXmitWait has counted: is the file '
            "cut off?",
        ),
        (
            PERFQUERY.format(wait=1),
            PERFQUERY.partition("PortXmitPkts")[0],
            "1.txt: line 1: 12 port 1 has no PortXmitPkts, which {0} has: is it cut off?",
        ),
        (
            PERFQUERY.format(wait=1),
            PERFQUERY.splitlines()[0],
            "1.txt: line 1: 12 port 1 has no counter that is read: is the file cut off?",
        ),
        (
            PERFQUERY.format(wait=1) + PERFQUERY.format(wait=1).replace("port 1", "port 2"),
            PERFQUERY.format(wait=1),
            "1.txt: has no 12 port 2, which {0} has in line 11: is it cut off?",
        ),
        (
            PERFQUERY.format(wait=1) * 2,
            PERFQUERY.format(wait=1),
            '0.txt: line 11 = "12 port 1": is there already, in line 1',
        ),
        (
            PERFQUERY.format(wait=1),
            PERFQUERY.format(wait=2**32 - 1),
            "1.txt: line 1 = 4294967295: PortXmitWait is at its largest value, where it stops; "
            "clear it before the job",
        ),
        (
            PERFQUERY.format(wait=1).replace("1000", "99999999999"),
            PERFQUERY.format(wait=1),
            "1.txt: line 1 = 1000: PortXmitData was 99999999999 before: must not be less; were "
            "counters cleared in between?",
        ),
        (
            ETHTOOL.format(packets=1).partition("\n")[2],
            ETHTOOL.format(packets=1),
            '0.txt: line 1 = "NIC statistics:": is of which port? A line # DEVICE port N must '
            "stand above",
        ),
    ],
)
def test_mistakes_of_measured_files_are_one_line(
    before: str, after: str, text: str, tmp_path: Path
) -> None:
    paths = files(tmp_path, before, after)
    with pytest.raises(UserError) as raised:
        between(*paths, place)
    told = str(raised.value)
    assert "\n" not in told
    assert told.startswith(f"{tmp_path}/{text.format(paths[0])}")


def test_devices_are_found_by_their_addresses(tmp_path: Path) -> None:
    network = """
switchguids=0x1
Switch\t2 "S-0000000000000001"\t\t# "switch 0" enhanced port 0 lid 12 lmc 0
[1]\t"H-0000000000000002"[1](3)\t\t# "node 0" lid 2 4xHDR
[2]\t"H-0000000000000004"[1](5)\t\t# "node 1" lid 3 4xHDR

caguids=0x2
Ca\t1 "H-0000000000000002"\t\t# "node 0"
[1](3)\t"S-0000000000000001"[1]\t\t# lid 2 lmc 0 "switch 0" lid 12 4xHDR

caguids=0x4
Ca\t1 "H-0000000000000004"\t\t# "node 1"
[1](5)\t"S-0000000000000001"[2]\t\t# lid 3 lmc 0 "switch 0" lid 12 4xHDR
"""
    _, found = counted(PAUSED)
    texts = [PERFQUERY.format(wait=1), PERFQUERY.format(wait=2).replace("1000", "1500")]
    before, after, known = files(tmp_path, *texts, network)
    with pytest.raises(
        UserError, match=r'"Lid 12": is no switch or node of the machine; --network'
    ):
        beside(found, before, after)
    compared = beside(found, before, after, known)
    assert [(row.device, row.port) for row in compared.rows] == [("switch 0", 1)]
    assert compared.rows[0].measured["xmit_octets"] == 2000
    assert compared.not_measured == len(found.rows) - 1
    moved = files(tmp_path, *(text.replace("port 1", "port 44") for text in texts))
    with pytest.raises(UserError, match="is no port of switch 0, which has 1, 2, 3, 4"):
        beside(found, *moved, known)


def test_ports_that_disagree_most_come_first(tmp_path: Path) -> None:
    _, found = counted(PAUSED)
    text = text_of(found, "ethtool")
    row = next(row for row in found.rows if row["device"] == "node 2")
    other = text.replace(
        f"tx_bytes_phy: {row['xmit_octets']}\n", f"tx_bytes_phy: {row['xmit_octets'] // 2}\n"
    )
    zero = "\n".join(
        line if ":" not in line or "NIC" in line else _zero(line) for line in text.splitlines()
    )
    compared = beside(found, *files(tmp_path, zero, other))
    assert compared.rows[0].by == "xmit_octets"
    assert compared.rows[0].apart > compared.rows[-1].apart


# The command.


def experiment_file(tmp_path: Path) -> Path:
    from tailback.importing.toml import to_toml

    file = tmp_path / "both.toml"
    file.write_text(to_toml(BOTH_SIDES))
    return file


def test_the_command_prints_writes_and_compares(tmp_path: Path) -> None:
    file = experiment_file(tmp_path)
    done = tailback("counters", file, "--as", "perfquery")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Port extended counters: Lid switch (0) port 1\n")
    (tmp_path / "after.txt").write_text(done.stdout)
    zero = [line if line.startswith("#") else _zero(line) for line in done.stdout.splitlines()]
    (tmp_path / "before.txt").write_text("\n".join(zero))
    done = tailback("counters", file, "--measured", "before.txt", "after.txt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "10 ports were measured" in done.stdout
    # Nothing between the same file twice.
    done = tailback("counters", file, "--measured", "after.txt", "after.txt", cwd=tmp_path)
    assert "no port counted any traffic between the two files" in done.stdout
    assert "100.0%" in done.stdout
    assert "00.0%" not in done.stdout.replace("100.0%", "")
    out = tmp_path / "ports.parquet"
    done = tailback("counters", file, "--slices", 10, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert sum(row["xmit_packets"] for row in answer["ports"]) == 18
    assert pq.read_table(out).to_pylist() == answer["slices"]
    assert np.unique([row["slice"] for row in answer["slices"]]).size > 1


def test_counters_of_a_run_in_which_a_link_fails_say_what_is_not_known(tmp_path: Path) -> None:
    file = experiment_file(tmp_path)
    fault = '\n[[fault]]\nlink = [0, 1]\ntime = "1 us"\nduration = "5 us"\n'
    file.write_text(file.read_text() + fault)
    done = tailback("counters", file, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert sum(row["xmit_packets"] for row in answer["ports"]) == 18
    assert {row["xmit_wait_ps"] for row in answer["ports"]} == {None}
    assert "as none with [[fault]] of links does" in answer["notes"][0]


def test_a_folder_of_results_has_the_same_counters(tmp_path: Path) -> None:
    file = experiment_file(tmp_path)
    changes = ["--set", "run.blame=true", "--set", "run.packet_waits=true"]
    done = tailback("run", file, *changes, "--out", tmp_path / "kept")
    assert done.returncode == 0, done.stderr
    answers = [
        json.loads(tailback("counters", source, "--json").stdout)["ports"]
        for source in (file, tmp_path / "kept")
    ]
    for rows in answers:
        for row in rows:
            del row["queue_max"]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ["--as", "perfqueri"],
            '--as = "perfqueri": must be "perfquery", "ibdiagnet" or "ethtool"',
        ),
        (["--slices", "9"], "--slices = 9: needs --out or --json, where they go"),
        (["--network", "x"], "--network = x: needs --measured"),
        (["--out", "x.txt"], '--out = "x.txt": must end in .parquet, .csv, .json'),
        (["--measured", "a", "b"], "a: no such file"),
        (["--as", "ethtool", "--measured", "a", "b"], "--as = ethtool: must not be given with"),
    ],
)
def test_mistakes_of_the_command_are_one_line(
    options: list[str], text: str, tmp_path: Path
) -> None:
    done = tailback("counters", experiment_file(tmp_path), *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {text}"), done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    done = tailback("counters", tmp_path)
    assert done.returncode == 2
    assert "keeps no experiment" in done.stderr


def test_whatever_is_cut_or_changed_is_read_or_one_line(tmp_path: Path) -> None:
    texts = (PERFQUERY.format(wait=5), IBDIAGNET.format(old=5, new=77), ETHTOOL.format(packets=4))
    dice = random.Random(3)
    for _ in range(500):
        text = dice.choice(texts)
        changed = bytearray(text.encode())
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(changed) + 1)
            put = bytes(dice.choices(b"0123456789xX:=#\n .port\xff", k=dice.randrange(3)))
            changed[at : dice.choice([at, at + 9, len(changed)])] = put
        before, after = files(tmp_path, text, "")
        after.write_bytes(changed)
        told = ""
        try:
            between(before, after, place)
        except UserError as error:
            told = str(error)
        assert "\n" not in told


def test_counters_of_frames_fit_into_a_narrow_terminal() -> None:
    """Eleven columns were shortened until names and numbers were gone: "3,3…"."""
    switch = {"forwarding": "per_port", "memory": "200 kB", "pause": "all"}
    _, found = counted(
        {
            "machine": {
                "preset": "gigabit_ethernet",
                "topology": {"kind": "xgft", "children": [4, 3], "parents": [1]},
                "switch": switch | {"pause_high": "60 kB", "pause_low": "30 kB"},
            },
            "workload": {
                "kind": "messages",
                "messages": [["0 ns", node, 4, "200 kB"] for node in (0, 1, 8, 9)],
            },
        }
    )
    text = io.StringIO()
    Console(file=text, width=80).print(counters_report(found))
    assert "pauses:" in text.getvalue()
    assert "…" not in text.getvalue()
    assert text.getvalue().count("node 0 1") == 2
