"""The saturation load: exact where it can be worked out, plausible elsewhere, refusals in full."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import tailback as tb
from tailback.metrics import TOLERATED_LOSS
from tailback.progress import OVER, Going, State, line
from tailback.saturation import Outcome, Probe, Saturation, Verdict, bracket
from tailback.saturation.bracket import Steps
from tailback.saturation.loads import Bounds, Loads
from tailback.saturation.probes import verdict_on
from tailback.statistics import Estimate
from tailback.terminal.saturation import saturation_report
from tailback.workloads import PRESETS
from tests.commands import tailback
from tests.machines import t9000, t9000_tables

DATA_NS, ACK_NS = 3340, 140  # 32 bytes and none on a DS-Link (docs/model.md)


SILENT = {"acknowledgements": False}


def in_a_row(nodes: int, **parts: dict[str, Any]) -> tb.Machine:
    """Nodes with a switch each, in a row, and one link everywhere unless parts say otherwise."""
    return t9000(dims=(nodes,), **{"node_link": {"width": 1}, **parts})


def two_nodes(*, acknowledgements: bool = False, **changes: Any) -> tb.Experiment:
    """Two nodes with a switch each and one link everywhere; each sends to the other only."""
    machine = in_a_row(2, interface={"acknowledgements": acknowledgements})
    open_loop: dict[str, Any] = {
        "radius": 1,
        "compute_period": "5 us",
        "sync": "asynchronous",
        "max_outstanding": 1_000_000,
    }
    return tb.Experiment(machine, tb.Synthetic(**open_loop | changes))


def saturate(*experiment: Any, **asked: Any) -> Saturation:
    """Try one load after the other: what is tried beforehand changes nothing (`test_threads`)."""
    return tb.saturate(*experiment, jobs=1, **asked)


def contains(found: Saturation, capacity: float) -> bool:
    """Whether the load of which the tolerated share is lost lies in the answer."""
    assert found.low is not None
    assert found.high is not None
    return found.low <= capacity / (1 - TOLERATED_LOSS) <= found.high


def printed(found: Saturation) -> str:
    output = io.StringIO()
    Console(file=output, width=80, highlight=False).print(saturation_report(found))
    return output.getvalue()


class TestExactly:
    @pytest.mark.parametrize(
        ("acknowledgements", "message_ns"),
        # A channel carries messages, and acknowledgements of those of the other way.
        [(False, DATA_NS), (True, DATA_NS + ACK_NS)],
    )
    def test_a_link_saturates_when_its_packets_fill_it(
        self, acknowledgements: bool, message_ns: int
    ) -> None:
        found = saturate(two_nodes(acknowledgements=acknowledgements))
        capacity = 1e6 / message_ns
        assert found.outcome is Outcome.FOUND
        assert found.bracket.width <= found.tolerance
        assert contains(found, capacity)
        assert found.predicted == pytest.approx(capacity)
        # A full link delivers what it can carry, however much more is offered.
        assert found.bracket.high is not None
        assert found.bracket.high.accepted.value == pytest.approx(capacity, rel=1e-3)

    @pytest.mark.verify
    def test_random_instants_saturate_the_same_link(self) -> None:
        found = saturate(two_nodes(compute_distribution="exponential"), tolerance=0.04)
        assert contains(found, 1e6 / DATA_NS)
        assert found.low is not None
        assert found.high is not None
        # All links are alike; what was tried says that they are full from there on.
        full = [probe for probe in found.probes if probe.load >= found.high]
        assert all(p.accepted.value == pytest.approx(1e6 / DATA_NS, rel=0.01) for p in full)

    def test_several_processes_share_their_processor(self) -> None:
        found = saturate(two_nodes(processes_per_node=3))
        # Of the five others, three are on the other node; the rest needs no link.
        assert contains(found, 1e6 / DATA_NS * 5 / 3)
        for probe in found.probes:
            assert probe.offered == pytest.approx(probe.load, rel=0.01)

    def test_wider_links_carry_more(self) -> None:
        machine = in_a_row(2, node_link={"width": 2}, link={"width": 2}, interface=SILENT)
        found = saturate(machine, two_nodes().workload)
        assert contains(found, 2e6 / DATA_NS)

    @pytest.mark.verify
    def test_one_message_at_a_time_saturates_at_its_round_trip(self) -> None:
        # Three channels of 10 us of wire and 100 ns of header there, then an acknowledgement
        # the same way back, whose last token ends 40 ns after its header. It may have to
        # wait for a message that is just being sent, at either node.
        machine = in_a_row(2, link={"delay": "10 us"})
        workload = two_nodes(max_outstanding=1, compute_period="100 us").workload
        found = saturate(machine, workload)
        round_trip_ns = 2 * 3 * (10_000 + 100) + 40
        low, high = found.bracket
        assert low is not None
        assert high is not None
        assert low.load <= 1e6 / round_trip_ns
        assert high.load >= 1e6 / (round_trip_ns + 2 * DATA_NS)
        # A little too fast for it, and every second message is dropped.
        assert high.dropped == pytest.approx(high.offered / 2, rel=0.01)

    def test_three_in_a_row_are_bound_by_their_own_links(self) -> None:
        # An inner channel carries all of its end's messages, and half of the middle's go
        # the other way: no channel has more than the one behind a node.
        machine = in_a_row(3, interface=SILENT)
        found = saturate(machine, two_nodes(radius="all").workload, tolerance=0.05)
        assert found.predicted == pytest.approx(1e6 / DATA_NS)
        assert found.high is not None
        assert found.high <= found.predicted / (1 - TOLERATED_LOSS) * 1.05

    def test_longer_computing_than_given_is_known(self) -> None:
        normal: dict[str, Any] = {"compute_distribution": "normal", "compute_sigma": 2.0}
        found = saturate(two_nodes(**normal), high=100, low=90)
        for probe in found.probes:
            assert probe.offered == pytest.approx(probe.load, rel=0.02)
        assert found.payload_mbit_per_s(100) == pytest.approx(100 * 32 * 8 / 1000)


@pytest.fixture(scope="module")
def mesh() -> Saturation:
    """What is found for uniform traffic on a wormhole mesh of 8 x 8."""
    experiment = tb.Experiment.from_dict(
        {
            "machine": {"preset": "wormhole_mesh", "topology": {"dims": [8, 8]}},
            "workload": {"preset": "uniform_open_loop"},
        }
    )
    return saturate(experiment, tolerance=0.1)


class TestAMesh:
    def test_no_more_than_its_channels_allow(self, mesh: Saturation) -> None:
        # Uniform traffic to the 63 others: of the messages of the four nodes left of the
        # middle of a row 32/63 cross it, on one channel of 32 ns a message.
        bound = 1e6 / (4 * 32 / 63 * 32)
        assert mesh.predicted == pytest.approx(bound, rel=1e-3)
        assert mesh.outcome is Outcome.FOUND
        assert mesh.low is not None
        assert mesh.high is not None
        # Buffers of half a packet and one channel each way: well below, not far below.
        assert 0.4 * bound < mesh.low < mesh.high < 0.7 * bound
        assert all(probe.accepted.low < bound for probe in mesh.probes)

    def test_delivered_is_offered_below_and_less_beyond(self, mesh: Saturation) -> None:
        low, high = mesh.bracket
        assert low is not None
        assert high is not None
        assert low.share.low > 1 - TOLERATED_LOSS > high.share.high
        assert high.accepted.value < 0.99 * high.offered
        assert low.dropped == high.dropped == 0  # the limit is never reached: a backlog grows

    def test_the_table_says_it(self, mesh: Saturation) -> None:
        text = printed(mesh)
        assert "8 x 8 mesh · synthetic · asynchronous · fidelity worm · seed 1" in text
        assert "Saturates between " in text
        assert "% of what the most loaded channel allows." in text
        assert mesh.bracket.width <= mesh.tolerance
        assert len(re.findall(r"(?m)^.* (stable|saturated|undecided) +[0-9.]+$", text)) == len(
            mesh.probes
        )
        assert max(map(len, text.splitlines())) <= 80


class TestClearAnswers:
    def test_messages_that_stay_in_their_node_never_saturate(self) -> None:
        found = saturate(two_nodes(radius=0, processes_per_node=2))
        assert found.outcome is Outcome.NEVER
        assert found.predicted is None
        assert found.probes[-1].compute_period_ps == 1
        _, *answer = " ".join(printed(found).split()).partition(" seed 1 ")
        assert "".join(answer).startswith(
            " seed 1 Never saturates: stable even at 1e+09 messages per node and ms, the highest "
            "load there is."
        )

    def test_more_messages_at_once_than_may_be_outstanding_always_saturate(self) -> None:
        found = saturate(two_nodes(acknowledgements=True, messages=4, max_outstanding=2))
        assert found.outcome is Outcome.ALWAYS
        assert found.low is None
        assert found.probes[-1].share.value == pytest.approx(0.5)
        assert "Always saturated: even at " in printed(found)

    def test_bounds_are_kept(self) -> None:
        below = saturate(two_nodes(), high=150)
        assert (below.outcome, below.high) == (Outcome.NEVER, None)
        assert below.low == pytest.approx(150)
        assert below.low <= 150
        assert "the highest load allowed." in " ".join(printed(below).split())
        above = saturate(two_nodes(), low=400)
        assert (above.outcome, above.low, above.high) == (Outcome.ALWAYS, None, 400)
        within = saturate(two_nodes(), low=298, high=310)
        assert within.outcome is Outcome.FOUND
        assert all(298 <= probe.load <= 310 for probe in within.probes)

    @pytest.mark.parametrize("max_events", [1, 5])
    def test_a_limit_in_events_leaves_loads_undecided(self, max_events: int) -> None:
        found = saturate(two_nodes(), max_events=max_events)
        assert json.dumps(found.to_dict(), allow_nan=False)
        assert found.complete
        assert found.outcome is Outcome.UNDECIDED
        assert "Not decided: stable up to -, saturated from - messages" in printed(found)

    def test_a_limit_in_simulated_time_is_kept(self) -> None:
        limited = saturate(two_nodes(), max_duration="1 ms", warmup="100 us")
        assert all(probe.simulated_ms <= 1 for probe in limited.probes)


SYNC = (
    "waits for its messages, so that the network slows it down and is never offered more than "
    'it takes; must be "asynchronous"'
)
ONLY = 'only kind = "synthetic" with sync = "asynchronous" can saturate'


@pytest.mark.parametrize(
    ("workload", "text"),
    [
        ({"sync": "loosely_synchronous"}, f'workload.sync = "loosely_synchronous": {SYNC}'),
        ({"sync": "asynchronous_blocking"}, f'workload.sync = "asynchronous_blocking": {SYNC}'),
        (
            {"kind": "messages", "messages": [["0 ns", 0, 1, "32 B"]]},
            f'workload.kind = "messages": ends by itself; {ONLY}',
        ),
        (
            {"kind": "boundary_exchange"},
            f'workload.kind = "boundary_exchange": has no compute_period to vary; {ONLY}',
        ),
        (
            {"kind": "compute_only"},
            f'workload.kind = "compute_only": has no compute_period to vary; {ONLY}',
        ),
    ],
)
def test_other_workloads_are_refused(workload: dict[str, Any], text: str) -> None:
    experiment = tb.Experiment.from_dict(
        {"machine": t9000_tables(dims=[2, 2]), "workload": workload}
    )
    with pytest.raises(tb.UserError) as caught:
        saturate(experiment)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"tolerance": 0.0}, "tolerance = 0.0: must be from 0.001 to 0.5"),
        ({"tolerance": float("nan")}, "tolerance = NaN: must be from 0.001 to 0.5"),
        ({"low": 0}, "low = 0: must be above zero: messages per node and ms"),
        ({"high": -1.5}, "high = -1.5: must be above zero: messages per node and ms"),
        ({"low": 5, "high": 4}, "low = 5: must be below high = 4"),
        (
            {"low": 2e9},
            "low = 2000000000.0: leaves no compute period; they are whole picoseconds up to 1 s",
        ),
        (
            {"high": 1e-9},
            "high = 1e-09: leaves no compute period; they are whole picoseconds up to 1 s",
        ),
    ],
)
def test_mistaken_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(tb.UserError) as caught:
        saturate(two_nodes(), **options)
    assert str(caught.value) == text


class TestTheCommand:
    FILE = """
        [machine]
        preset = "t9000_c104"
        topology.dims = [2]
        node_link.width = 1
        [workload]
        radius = 1
        compute_period = "5 us"
        sync = "asynchronous"
        max_outstanding = 1_000_000
        """

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "two.toml"
        path.write_text(self.FILE)
        return path

    @staticmethod
    def saturate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return tailback("saturate", *arguments)

    def test_json_is_the_same_every_time(self, file: Path) -> None:
        silent = "machine.interface.acknowledgements=false"
        options = ("--set", silent, "--seed", "3", "--tolerance", "0.1")
        done = [self.saturate(file, *options, "--json") for _ in range(2)]
        assert [one.returncode for one in done] == [0, 0]
        assert done[0].stdout == done[1].stdout
        answer = json.loads(done[0].stdout)
        assert answer["outcome"] == "found"
        assert answer["complete"] is True
        assert answer["seed"] == 3
        assert answer["predicted_messages_per_node_per_ms"] == pytest.approx(1e6 / DATA_NS)
        low, high = answer["messages_per_node_per_ms"].values()
        assert answer["compute_period_us"]["high"] == pytest.approx(1e3 / low)
        assert answer["compute_period_us"]["low"] == pytest.approx(1e3 / high)
        assert answer["payload_mbit_per_s_per_node"]["low"] == pytest.approx(low * 0.256)
        assert answer["accepted_at_high"]["value"] == pytest.approx(1e6 / DATA_NS, rel=1e-3)
        assert {probe["verdict"] for probe in answer["probes"]} >= {"stable", "saturated"}
        python = saturate(tb.load(file, [silent]), seed=3, tolerance=0.1)
        assert answer == json.loads(json.dumps(python.to_dict()))

    def test_mistakes_are_one_line(self, file: Path) -> None:
        done = self.saturate(file, "--set", "workload.sync=asynchronous_blocking")
        assert done.returncode == 2
        assert done.stderr == f'error: workload.sync = "asynchronous_blocking": {SYNC}\n'
        assert done.stdout == ""


@pytest.mark.skipif(os.name != "posix", reason="sends itself a signal")
def test_ctrl_c_leaves_what_is_known() -> None:
    looks = 0

    def press(state: State) -> None:
        nonlocal looks
        looks += 1
        if state.note == "load 400" and state.phase != OVER:
            os.kill(os.getpid(), signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    from tailback.saturation import saturate

    found = saturate(two_nodes(), jobs=1, watch=press)
    assert looks > 1
    assert not found.complete
    assert (found.low, found.high, found.outcome) == (200, None, Outcome.UNDECIDED)
    assert "INCOMPLETE, interrupted. Not decided: stable up to 200.0, saturated" in printed(found)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_progress_says_which_load_is_tried() -> None:
    seen: list[State] = []
    from tailback.saturation import saturate

    saturate(two_nodes(), low=100, high=400, tolerance=0.5, jobs=1, watch=seen.append)
    notes = list(dict.fromkeys(state.note for state in seen))
    assert notes[:2] == ["load 200", "load 400"]
    assert line([Going(seen[0], 1.0)]).startswith("full, load 200: ")
    events = [(state.run, state.events) for state in seen]
    assert events == sorted(events)


def tried(load_period: int, verdict: Verdict) -> Probe:
    unknown = Estimate.unknown()
    return Probe(load_period, 1e9 / load_period, 0.0, 0.0, unknown, unknown, verdict, 1.0)


def periods(found: Sequence[Probe | None]) -> list[int | None]:
    return [None if probe is None else probe.compute_period_ps for probe in found]


S, X, U = Verdict.STABLE, Verdict.SATURATED, Verdict.UNDECIDED


class TestPlanning:
    BOUNDS = Bounds(shortest_ps=1, longest_ps=10**9, start_ps=1000)

    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [(0.991, 1.0, S), (0.95, 0.989, X), (0.98, 1.0, U), (float("nan"), float("nan"), U)],
    )
    def test_the_whole_interval_decides(self, low: float, high: float, verdict: Verdict) -> None:
        assert verdict_on(Estimate(0.99, low, high)) is verdict

    @pytest.mark.parametrize(
        ("probes", "ends"),
        [
            ([], [None, None]),
            ([(900, S)], [900, None]),
            ([(900, S), (800, S), (700, X), (600, X)], [800, 700]),
            ([(900, S), (800, U), (700, X)], [900, 700]),
            ([(900, S), (800, X), (700, S), (600, X)], [900, 600]),  # contradictions are inside
            ([(900, U), (800, S), (700, X)], [None, 700]),
            ([(900, S), (700, U)], [900, None]),
        ],
    )
    def test_the_bracket_leaves_nothing_out(
        self, probes: list[tuple[int, Verdict]], ends: list[int | None]
    ) -> None:
        made = [tried(*probe) for probe in probes]
        assert periods(bracket(made)) == ends
        assert periods(bracket(made[::-1])) == ends

    @pytest.mark.parametrize(
        ("probes", "period"),
        [
            ([], 1000),
            ([(1000, S)], 500),
            ([(1000, X)], 2000),
            ([(1000, U)], 2000),
            ([(1000, S), (500, X)], 707),
            ([(1000, S), (985, X)], None),  # near enough
            ([(1000, S), (950, U), (500, X)], 689),
            ([(1000, S), (700, U), (696, X)], 836),
            ([(1000, S), (995, U), (985, U), (980, X)], None),  # gaps are small, or all is
            ([(3, S), (2, X)], None),  # no whole picosecond between
            ([(4, S), (2, X)], 3),
            ([(1, S)], None),
            ([(10**9, X)], None),
        ],
    )
    def test_the_next_load(self, probes: list[tuple[int, Verdict]], period: int | None) -> None:
        made = [tried(*probe) for probe in probes]
        assert Steps(self.BOUNDS, 0.02, 2).next_period(made) == period

    @given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(0, 0.05), st.data())
    def test_it_always_ends_with_the_truth_inside(
        self, truth_ps: int, start_ps: int, doubt: float, data: st.DataObject
    ) -> None:
        """Whatever is undecided near the truth, the answer contains it."""
        bounds = Bounds(1, 10**9, start_ps)
        made: list[Probe] = []
        while (period := Steps(bounds, 0.02, 2).next_period(made)) is not None:
            assert bounds.shortest_ps <= period <= bounds.longest_ps
            assert period not in [probe.compute_period_ps for probe in made]
            clear = S if period >= truth_ps else X
            near = abs(period / truth_ps - 1) < doubt
            verdict = data.draw(st.sampled_from([clear, U])) if near else clear
            made.append(tried(period, verdict))
            assert len(made) < 100
        low, high = bracket(made)
        assert low is None or low.compute_period_ps >= truth_ps
        assert high is None or high.compute_period_ps < truth_ps
        if doubt == 0 and low is not None and high is not None:
            width = low.compute_period_ps / high.compute_period_ps - 1
            assert width <= 0.03 or low.compute_period_ps - high.compute_period_ps == 1


def test_loads_of_clipped_distributions() -> None:
    # A normal distribution with sigma = mean: mean of max(x, 0) is 1.0833 times the mean
    # (Phi(1) + phi(1) = 0.84134 + 0.24197).
    workload = tb.Synthetic(
        compute_distribution="normal", compute_sigma=1.0, sync="asynchronous", messages=2
    )
    assert Loads.of(workload).at(10**9) == pytest.approx(2 / 1.08331, rel=1e-5)
    assert PRESETS["uniform_open_loop"]["sync"] == "asynchronous"
