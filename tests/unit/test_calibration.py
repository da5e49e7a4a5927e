"""Machines fitted to measured times: readers, the fit, what cannot be told apart, the file."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import tailback as tb
from tailback.calibration import READERS, Calibration, calibrate, read_measured, rewritten
from tailback.calibration.measured import (
    COLLECTIVES,
    HALF_ROUND_TRIP,
    Exchange,
    Measured,
    messages_in_flight,
)
from tailback.calibration.simulated import placed, times
from tailback.errors import UserError
from tailback.machines import Machine, machine_of
from tests.commands import tailback

SIZES = tuple(2**power for power in range(23))
#: Where times are exact, or few numbers follow from them.
FEW = SIZES[::2]
WINDOW = messages_in_flight(64, both_ways=False, ends_with_reply=True)


def machine(
    rate: str = "100 Gbit/s", delay: str = "5 ns", topology: Any = None, **interface: Any
) -> Machine:
    return tb.Machine(
        topology=topology or tb.Star(nodes=4),
        link=tb.Link(rate=rate, delay=delay),
        interface=tb.Interface(**{"packet_size": "4 KiB", **interface}),
    )


def on(machine: Machine) -> tb.Experiment:
    return tb.Experiment(machine, tb.ComputeOnly())


def simulated(
    machine: Machine,
    exchange: Exchange,
    sizes: Sequence[int] = SIZES,
    noise: float = 0,
    seed: int = 1,
) -> list[tuple[int, float]]:
    """Return what a machine would be measured to take, with noise."""
    table = Measured(Path("x"), exchange, rows=[(size, 1.0) for size in sizes])
    draws = random.Random(seed)
    found = times(on(machine), machine, [placed(table, machine, None)])
    return [
        (size, float(time) * (1 + noise * draws.gauss(0, 1)))
        for size, time in zip(sizes, found, strict=True)
    ]


def osu(title: str, rows: Sequence[tuple[int, float]], ways: int = 0) -> str:
    """Return the output of an OSU benchmark; ``ways``: of which bandwidth is measured."""
    head = f"# OSU MPI {title} Test v7.4\n# Datatype: MPI_CHAR.\n# Size      {title}\n"
    return head + "".join(
        f"{size:<10}{(ways * size / time if ways else time):>18.2f}\n" for size, time in rows
    )


def fitted_to(path: Path, text: str, start: Machine, **asked: Any) -> Calibration:
    path.write_text(text)
    return calibrate(on(start), read_measured(path), **asked)


def value(found: Calibration, key: str) -> int:
    """Return the amount of a changed key, in its smallest unit."""
    return found.changes[f"machine.{key}"].amount


class TestTheParametersComeBack:
    """Simulate a machine, print it as a benchmark would, fit another machine to it."""

    TRUTH = machine("80 Gbit/s", send_overhead="1300 ns")

    @pytest.mark.parametrize(
        "start",
        [machine(), machine("400 Gbit/s"), machine("10 Gbit/s", send_overhead="20 us")],
        ids=["near", "too_fast", "too_slow"],
    )
    def test_of_osu_latency(self, tmp_path: Path, start: Machine) -> None:
        text = osu("Latency", simulated(self.TRUTH, HALF_ROUND_TRIP, FEW))
        found = fitted_to(tmp_path / "osu.txt", text, start)
        # Times are printed to 10 ns, of 1.3 us 0.8 %.
        assert value(found, "link.rate") == pytest.approx(80e9, rel=2e-3)
        assert value(found, "interface.send_overhead") == pytest.approx(1.3e6, rel=4e-3)
        assert set(found.changes) == {"machine.link.rate", "machine.interface.send_overhead"}
        assert found.worst < 6e-3
        assert not found.warnings()

    @pytest.mark.parametrize("seed", range(3))
    def test_with_noise(self, tmp_path: Path, seed: int) -> None:
        rows = simulated(self.TRUTH, HALF_ROUND_TRIP, noise=0.02, seed=seed)
        found = fitted_to(tmp_path / "osu.txt", osu("Latency", rows), machine())
        errors = {one.name: one.error for one in found.parameters if one.error}
        assert value(found, "link.rate") == pytest.approx(80e9, rel=0.03)
        assert value(found, "interface.send_overhead") == pytest.approx(1.3e6, rel=0.02)
        assert all(0.003 < error < 0.03 for error in errors.values())
        assert set(found.changes) == {"machine.link.rate", "machine.interface.send_overhead"}

    @pytest.mark.verify
    def test_of_osu_latency_and_osu_bw_the_delay_too(self, tmp_path: Path) -> None:
        truth = machine("80 Gbit/s", "300 ns", send_overhead="1300 ns")
        text = osu("Latency", simulated(truth, HALF_ROUND_TRIP, noise=0.01))
        text += osu("Bandwidth", simulated(truth, WINDOW, FEW, noise=0.01, seed=2), ways=1)
        found = fitted_to(tmp_path / "both.txt", text, machine())
        assert value(found, "link.rate") == pytest.approx(80e9, rel=0.02)
        assert value(found, "interface.send_overhead") == pytest.approx(1.3e6, rel=0.02)
        assert value(found, "link.delay") == pytest.approx(300e3, rel=0.05)

    def test_of_perftest(self, tmp_path: Path) -> None:
        exchange = messages_in_flight(128, both_ways=False, ends_with_reply=False)
        rows = simulated(self.TRUTH, exchange, FEW[:9])
        lines = "".join(f"{s} 5000 0.00 {8e-3 * s / t:.4f} 1.0\n" for s, t in rows)
        header = "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n"
        text = f"   RDMA_Write BW Test\n TX depth        : 128\n {header}{lines}"
        found = fitted_to(tmp_path / "ib_write_bw.txt", text, machine())
        assert value(found, "link.rate") == pytest.approx(80e9, rel=2e-3)
        assert value(found, "interface.send_overhead") == pytest.approx(1.3e6, rel=2e-3)

    def test_of_a_collective(self, tmp_path: Path) -> None:
        rows = simulated(self.TRUTH, COLLECTIVES["all_reduce"], FEW[:10])
        found = fitted_to(tmp_path / "osu.txt", osu("Allreduce Latency", rows), machine())
        assert value(found, "link.rate") == pytest.approx(80e9, rel=5e-3)
        assert value(found, "interface.send_overhead") == pytest.approx(1.3e6, rel=5e-3)

    def test_of_a_network_from_a_file(self, tmp_path: Path) -> None:
        # Its links and those of nodes are equally fast: both rates change.
        sample = Path(__file__).parents[1] / "networks" / "leaf_spine_tiny.topo"
        done = tailback("import", "network", sample, "--out", "cluster.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        experiment = tb.load(tmp_path / "cluster.toml")
        slower = tb.load(
            tmp_path / "cluster.toml",
            ["machine.link.rate=190.5 Gbit/s", "machine.node_link.rate=190.5 Gbit/s"],
        ).machine
        table = Measured(
            tmp_path / "x", HALF_ROUND_TRIP, rows=simulated(slower, HALF_ROUND_TRIP, FEW[:9])
        )
        rates = {"machine.link.rate", "machine.node_link.rate"}
        found = calibrate(experiment, [table], fit=sorted(rates))
        assert set(found.changes) == rates
        assert value(found, "node_link.rate") == pytest.approx(190.5e9, rel=3e-3)


class TestWhatCannotBeToldApart:
    def test_is_said_and_left_as_it_was(self, tmp_path: Path) -> None:
        truth = machine("80 Gbit/s", "300 ns", send_overhead="1 us")
        text = osu("Latency", simulated(truth, HALF_ROUND_TRIP, FEW))
        found = fitted_to(tmp_path / "osu.txt", text, machine())
        notes = {one.name: one.note for one in found.parameters}
        like = "left as in the file: not distinguishable from machine.interface.send_overhead"
        assert notes["machine.link.delay"] == f"{like} by these measurements"
        assert notes["machine.link.rate"] == ""
        # Two links of 295 ns more than in the file.
        sum_of_both = value(found, "interface.send_overhead")
        assert sum_of_both == pytest.approx(1e6 + 2 * 295e3, rel=5e-3)

    def test_another_key_takes_over_where_the_first_is_at_its_bound(self, tmp_path: Path) -> None:
        text = osu("Latency", simulated(machine(send_overhead="300 ns"), HALF_ROUND_TRIP, FEW))
        found = fitted_to(tmp_path / "osu.txt", text, machine(delay="2 us"))
        assert set(found.changes) == {"machine.link.delay"}
        assert value(found, "link.delay") == pytest.approx(155e3, rel=2e-2)

    def test_only_keys_that_are_named_change(self, tmp_path: Path) -> None:
        text = osu("Latency", simulated(machine(delay="300 ns"), HALF_ROUND_TRIP, FEW))
        found = fitted_to(tmp_path / "osu.txt", text, machine(), fit=["machine.link.delay"])
        assert [one.name for one in found.parameters] == ["machine.link.delay"]
        assert value(found, "link.delay") == pytest.approx(300e3, rel=2e-2)

    def test_rates_keep_to_a_flit_that_is_given(self, tmp_path: Path) -> None:
        text = osu(
            "Latency", simulated(machine("97 Gbit/s", send_overhead="1 us"), HALF_ROUND_TRIP, FEW)
        )
        start = machine_of({"topology": {"kind": "star", "nodes": 4}, "link": {"flit": "1 B"}})
        found = fitted_to(tmp_path / "osu.txt", text, start)
        # A flit takes 82 or 83 ps.
        assert value(found, "link.rate") in (97_561_000_000, 96_386_000_000)
        assert found.machine.link.flit == start.link.flit


class TestWhereTheModelIsAnother:
    @pytest.fixture(scope="class")
    @classmethod
    def found(cls, tmp_path_factory: pytest.TempPathFactory) -> Calibration:
        rows = simulated(machine("80 Gbit/s", send_overhead="700 ns"), HALF_ROUND_TRIP)
        jumping = [(size, time + (3 if size > 8192 else 0)) for size, time in rows]
        path = tmp_path_factory.mktemp("jumping") / "osu.txt"
        return fitted_to(path, osu("Latency", jumping), machine())

    def test_the_misfit_is_told_by_size(self, found: Calibration) -> None:
        [(_, rows)] = found.tables
        misfits = {row.bytes: row.misfit for row in rows}
        assert misfits[8192] > 0.1 > misfits[1024]
        assert misfits[16384] < -0.1
        assert "more than 10% off at" in found.warnings()[0]

    def test_the_jump_is_told(self, found: Calibration) -> None:
        assert "measured times jump between 8192 and 16384 B" in found.warnings()[1]
        assert '--to "8192 B" fits the sizes below' in found.warnings()[1]

    def test_sizes_can_be_left_out(self, found: Calibration) -> None:
        measured = [table for table, _ in found.tables]
        below = calibrate(on(machine()), measured, sizes=(0, 8192))
        assert value(below, "link.rate") == pytest.approx(80e9, rel=0.03)
        assert below.worst < 0.01
        assert [row.counts for _, rows in below.tables for row in rows].count(False) == 9


@pytest.mark.parametrize("overhead", ["1 us", "100 us"])
@pytest.mark.parametrize("window", [1, 2, 32])
def test_what_is_not_simulated_is_as_if_it_were(
    monkeypatch: pytest.MonkeyPatch, window: int, overhead: str
) -> None:
    wide = machine(send_overhead=overhead, receive_overhead_after="500 ns")
    exchange = HALF_ROUND_TRIP if window == 1 else replace(WINDOW, window=window)
    sizes = [8, 1 << 14, 3 << 18, (2 << 20) + 5]
    continued = simulated(wide, exchange, sizes)
    monkeypatch.setattr("tailback.calibration.simulated._MOST_OF_TWO", 4 << 20)
    monkeypatch.setattr("tailback.calibration.simulated._MOST_PACKETS", 4096)
    monkeypatch.setattr("tailback.calibration.simulated._MANY", 32)
    whole = simulated(wide, exchange, sizes)
    for (_, time), (_, expected) in zip(continued, whole, strict=True):
        assert time == pytest.approx(expected, rel=1e-3)


def test_both_ways_and_a_window_are_what_they_say() -> None:
    # Messages in flight cost the sender its overhead, and the reply comes once.
    wide = machine(delay="1 us", send_overhead="1 us", receive_overhead_after="500 ns")
    [(_, one_way)] = simulated(wide, WINDOW, [8])
    both = messages_in_flight(64, both_ways=True, ends_with_reply=True)
    [(_, both_ways)] = simulated(wide, both, [8])
    endless = messages_in_flight(64, both_ways=False, ends_with_reply=False)
    [(_, without_end)] = simulated(wide, endless, [8])
    assert without_end == pytest.approx(1.0)
    assert one_way == pytest.approx(1 + (2 * 2 + 1 + 2 * 0.5) / 64, rel=1e-3)
    # The processor sends and receives.
    assert both_ways == pytest.approx(1.5, rel=0.06)


PERFTEST = """\
                    {test}
 TX depth        : {depth}
 #bytes     #iterations    {columns}
 Conflicting CPU frequency values detected: 2200.000000 != 1040.353000. CPU Frequency is not max.
{rows}
"""
NCCL = """\
# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20
#  Rank  0 Group  0 Pid 204199 on  node-a device  0 [0009:01:00] NVIDIA
#  Rank  1 Group  0 Pid 204200 on  node-b device  1 [0019:01:00] NVIDIA
#                                                     out-of-place           in-place
#  size   count      type   redop    root     time   algbw   busbw #wrong    time
#   (B)  (elements)                           (us)  (GB/s)  (GB/s)           (us)
      8       2     float     {redop}      -1    24.71    0.00    0.00      0   24.30
   1024     256     float     {redop}      -1    25.71    0.00    0.00      0   24.30
# Out of bounds values : 0 OK
"""


class TestReaders:
    def read(self, folder: Path, text: str, word: str | None = None) -> list[Measured]:
        (folder / "measured.txt").write_text(text)
        return read_measured(folder / "measured.txt", word)

    def test_osu_bandwidth_is_of_a_window_of_messages(self, tmp_path: Path) -> None:
        title = "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.5"
        text = f"noise of mpirun\n{title}\n# Size  Bandwidth (MB/s)\n8  4.00\n"
        [found] = self.read(tmp_path, text)
        assert (found.exchange.operation, found.exchange.window) == ("both_ways", 64)
        # 4 MB/s of both directions: 16 B in 4 us.
        assert found.rows == [(8, 4.0)]

    def test_several_tables_in_a_file_are_all_read(self, tmp_path: Path) -> None:
        text = osu("Latency", [(0, 1.0), (8, 1.1)]) + osu("Allgather Latency", [(8, 5.0)])
        found = self.read(tmp_path, text)
        assert [one.exchange.operation for one in found] == ["ping_pong", "all_gather"]
        assert found[0].rows == [(0, 1.0), (8, 1.1)]

    @pytest.mark.parametrize(
        ("columns", "row", "time"),
        [
            ("BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]", "0.0 1000.0 1", 0.0625),
            ("BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]", "0.0 8.388608 1", 0.0625),
        ],
    )
    def test_perftest_bandwidth(self, tmp_path: Path, columns: str, row: str, time: float) -> None:
        rows = f" 65536      5000             {row}"
        text = PERFTEST.format(test="RDMA_Write BW Test", depth=32, columns=columns, rows=rows)
        [found] = self.read(tmp_path, text)
        assert found.exchange.window == 32
        assert found.rows == [(65536, pytest.approx(time * 1000))]

    def test_perftest_latency_is_the_median(self, tmp_path: Path) -> None:
        columns = (
            "t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    99% percentile[usec]"
        )
        text = PERFTEST.format(
            test="Send Latency Test",
            depth=1,
            columns=columns,
            rows=" 2 1000 6.88 16.81 7.04 7.06 7.38",
        )
        [found] = self.read(tmp_path, text)
        assert found.exchange is HALF_ROUND_TRIP
        assert found.rows == [(2, 7.04)]

    def test_nccl_tests_say_how_many_ranks_there_are(self, tmp_path: Path) -> None:
        [found] = self.read(tmp_path, NCCL.format(redop="sum"))
        assert (found.exchange.operation, found.processes) == ("all_reduce", 2)
        assert found.rows == [(8, 24.71), (1024, 25.71)]

    def test_nccl_tests_say_which_collective_it_is(self, tmp_path: Path) -> None:
        text = "# Collective test starting: all_gather_perf\n" + NCCL.format(redop="none")
        [found] = self.read(tmp_path, text)
        assert (found.exchange.operation, found.exchange.is_of_all) == ("all_gather", True)

    def test_csv(self, tmp_path: Path) -> None:
        [found] = self.read(tmp_path, "who,bytes,microseconds\na,8,1.5\nb,16,1e0\n")
        assert found.rows == [(8, 1.5), (16, 1.0)]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("nothing\n", "is output of no tool that is known"),
            ("", "is output of no tool that is known"),
            (osu("Latency", []), "has no rows of osu: is the file cut off?"),
            (osu("Latency", [(8, 1.0)]) + "16", "line 5: has no time in us: is the file cut off?"),
            (osu("Latency", [(8, 1.0)]) + "16 -1", 'line 5 = "-1": must be a time in us'),
            (osu("Latency", [(8, 1.0)]) + "16 nan", 'line 5 = "nan": must be a time in us'),
            (osu("Latency", [(8, 1.0)]) + "1e3 2.0", 'line 5 = "1e3": must be a number of bytes'),
            (osu("Latency", [(8, 1.0)] * 1001), "must have at most 1000 rows"),
            (osu("Multi Latency", [(8, 1.0)]), '"Multi Latency": is a test that is not read'),
            (osu("Alreduce Latency", []), "did you mean allreduce latency?"),
            (
                PERFTEST.format(test="RDMA_Read BW Test", depth=1, columns="", rows=""),
                "is not read",
            ),
            (PERFTEST.format(test="Send BW Test", depth=1, columns="x", rows=""), "no column that"),
            (NCCL.format(redop="none"), "does not say which collective it is of"),
            (NCCL.format(redop="sum").replace("Rank  1", "Rank  0"), "a collective needs two"),
            ("bytes,microseconds\n8,\n", "line 2: has no time in us"),
            ("bytes,microseconds\n", "has no rows of csv"),
        ],
    )
    def test_mistakes(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(UserError) as refused:
            self.read(tmp_path, text)
        assert message in str(refused.value)
        assert str(refused.value).startswith(str(tmp_path))

    def test_a_form_that_is_not_known(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=r'--format = "osx": must be "osu".*mean "osu"'):
            self.read(tmp_path, "", "osx")

    @pytest.mark.parametrize("word", READERS)
    def test_mutations_are_read_or_refused_in_a_line(self, tmp_path: Path, word: str) -> None:
        columns = "BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"
        rows = " 65536      5000             0.0 1000.0 1"
        sample = {
            "osu": osu("Latency", [(8, 1.0), (16, 1.5)]),
            "perftest": PERFTEST.format(test="Send BW Test", depth=8, columns=columns, rows=rows),
            "nccl_tests": NCCL.format(redop="sum"),
            "csv": "bytes,microseconds\n8,1.5\n",
        }[word]
        draws = random.Random(word)
        for _ in range(500):
            text = list(sample)
            for _ in range(draws.randint(1, 4)):
                place = draws.randrange(len(text))
                text[place] = draws.choice(
                    ["", "\n", " ", "9", "-", "#", "\x00", "é", ",", text[place] * 2]
                )
            cut = draws.choice([len(text), draws.randrange(len(text))])
            try:
                found = self.read(tmp_path, "".join(text[:cut]), draws.choice([word, None]))
            except UserError as error:
                found, told = [], str(error)
            else:
                told = ""
            assert "\n" not in told
            assert all(time > 0 and size >= 0 for one in found for size, time in one.rows)


MACHINE = """\
# Our machine.
[machine.topology]
kind = "star"
nodes = 2

[machine.link]
rate = "100 Gbit/s"  # says the vendor

[machine.interface]
packet_size = "4 KiB"

# The workload stays.
[workload]
kind = "compute_only"
"""


LINK = '[machine.link]\ndelay = "5 ns"\n'


class TestTheFile:
    VALUES: ClassVar = {"machine.link.rate": "97 Gbit/s", "machine.interface.send_overhead": "1 us"}

    def rewritten(self, folder: Path, text: str, out: str = "new.toml") -> str:
        (folder / "old.toml").write_text(text)
        return rewritten(folder / "old.toml", self.VALUES, folder / out)

    def test_only_values_change(self, tmp_path: Path) -> None:
        expected = MACHINE.replace("100 Gbit/s", "97 Gbit/s")
        expected = expected.replace('"4 KiB"\n', '"4 KiB"\nsend_overhead = "1 us"\n')
        assert self.rewritten(tmp_path, MACHINE) == expected

    @pytest.mark.parametrize(
        "text",
        [
            '[machine]\nlink = {rate = "9 Gbit/s", delay = "5 ns"}\n',
            '[machine]\nlink.delay = "5 ns"\n',
            'machine = {link = {delay = "5 ns"}}\n',
            f'{LINK}# rate = "1 Gbit/s"\n[machine.interface]\no = "2 us"\n',
            f'{LINK}[[job]]\nname = "a"\n[job.workload]\nkind = "compute_only"\n',
        ],
    )
    def test_other_forms_come_out_the_same(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "new.toml").write_text(self.rewritten(tmp_path, text))
        found = tb.load(tmp_path / "new.toml").machine
        assert str(found.link.rate) == "97 Gbit/s"
        assert str(found.link.delay) == "5 ns"
        assert str(found.interface.send_overhead) == "1 us"
        if "2 us" in text:
            assert str(found.interface.receive_overhead_after) == "2 us"

    def test_files_are_found_from_another_folder(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        text = '[machine.topology]\nkind = "graph"\nfile = "net.graphml"\n'
        assert 'file = "../net.graphml"' in self.rewritten(tmp_path, text, "inner/new.toml")


class TestTheCommand:
    @pytest.fixture(scope="class")
    @classmethod
    def text(cls) -> str:
        truth = machine("80 Gbit/s", send_overhead="1 us")
        return osu("Latency", simulated(truth, HALF_ROUND_TRIP))

    @pytest.fixture
    def folder(self, text: str, tmp_path: Path) -> Path:
        (tmp_path / "machine.toml").write_text(MACHINE)
        (tmp_path / "osu.txt").write_text(text)
        return tmp_path

    def test_the_report_and_the_file(self, folder: Path) -> None:
        words = ("calibrate", "osu.txt", "--machine", "machine.toml", "--out", "new.toml")
        done = tailback(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
        for part in ("Simulated times differ from measured ones by", "misfit, %", "4,194,304"):
            assert part in done.stdout
        assert "written: new.toml" in done.stdout
        found = tb.load(folder / "new.toml").machine
        assert found.link.rate.amount == pytest.approx(80e9, rel=3e-3)
        assert "# says the vendor" in (folder / "new.toml").read_text()
        # What it says of the fitted file again is that nothing is to change.
        again = tailback(*words[:2], "--machine", "new.toml", "--json", cwd=folder)
        assert json.loads(again.stdout)["changes"] == {}

    def test_the_same_in_python(self, folder: Path) -> None:
        tables = read_measured(folder / "osu.txt", None)
        found = calibrate(tb.load(folder / "machine.toml"), tables, nodes=(1, 0))
        assert found.machine.link.rate.amount == pytest.approx(80e9, rel=3e-3)
        assert json.loads(json.dumps(found.to_dict()))["changes"]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nothing.txt"], "error: nothing.txt: no such file"),
            (["osu.txt", "--fit", "machine.link.ratte"], "did you mean machine.link.rate?"),
            (["osu.txt", "--fit", "machine.interface.packet_size"], "must be a rate, a time or"),
            (
                ["osu.txt", "--fit", "machine.switch.cell_time"],
                '"machine.switch.cell_time": has no',
            ),
            (["osu.txt", "--nodes", "0"], "a node for each of the 2 processes of osu.txt"),
            (["osu.txt", "--nodes", "0,2"], '--nodes = "2": must be nodes of the machine'),
            (["osu.txt", "--nodes", "1,1"], "must be there once: one process to a node"),
            (["osu.txt", "--from", "1 GB"], "must leave some of the measured sizes"),
            (["osu.txt", "--to", "8"], '--to = "8": needs a unit'),
            (["osu.txt", "--out", "no/new.toml"], "is in a folder that is not there"),
            (["osu.txt", "--format", "csv"], "has no column bytes"),
        ],
    )
    def test_mistakes(self, folder: Path, words: list[str], message: str) -> None:
        done = tailback("calibrate", *words, "--machine", "machine.toml", cwd=folder)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (folder / "new.toml").exists()

    def test_a_machine_without_a_network_is_refused(self, folder: Path) -> None:
        text = MACHINE.replace("[machine.link]\nrate", "[machine.loggops]\n#").split(
            "\n[machine.int"
        )[0]
        (folder / "machine.toml").write_text(text)
        done = tailback("calibrate", "osu.txt", "--machine", "machine.toml", cwd=folder)
        assert done.returncode == 2
        assert "machine.loggops: has no network" in done.stderr

    def test_values_that_the_machine_refuses(self, folder: Path) -> None:
        text = '[machine]\npreset = "booksim_mesh"\n[workload]\nkind = "compute_only"\n'
        (folder / "machine.toml").write_text(text)
        done = tailback("calibrate", "osu.txt", "--machine", "machine.toml", cwd=folder)
        assert done.returncode == 2
        assert "must be a whole number of cycles" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_more_processes_than_nodes(self, folder: Path) -> None:
        (folder / "nccl.txt").write_text(
            NCCL.format(redop="sum")
            .replace("#\n", "", 1)
            .replace("#  Rank  1", "#  Rank  2 Group 0 Pid 7 on x\n#  Rank  1")
        )
        done = tailback("calibrate", "nccl.txt", "--machine", "machine.toml", cwd=folder)
        assert done.returncode == 2
        assert "nccl.txt: has 3 processes, and the machine 2 nodes: --nodes says" in done.stderr
