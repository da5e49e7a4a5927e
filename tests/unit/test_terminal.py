"""What the terminal shows: numbers that read well, tables that fit."""

from __future__ import annotations

import io
import math
import re
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from rich.console import Console, RenderableType

import tailback as tb
from tailback.comparison import MODES, compare
from tailback.errors import RunFailure
from tailback.prediction import STEPS, describe
from tailback.progress import Going, State, Step, Steps, Ticker, line, one_of, seconds_left
from tailback.statistics import Estimate
from tailback.terminal.failed import failure_report
from tailback.terminal.measured import cost_report, run_report
from tailback.terminal.predicted import prediction_report
from tailback.wording import events_text, number, plain
from tests.machines import t9000
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]


def printed(report: RenderableType, width: int = 80) -> str:
    output = io.StringIO()
    Console(file=output, width=width, highlight=False, markup=False).print(report)
    return output.getvalue()


@pytest.fixture(scope="module")
def cost() -> tb.Cost:
    machine = t9000("mesh", dims=(4, 4))
    workload = tb.Synthetic(radius=2, compute_period="5 us", sync="asynchronous")
    modes = ("throttled", "ideal")
    return tb.cost(machine, workload, modes=modes, duration="2 ms")


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (6.94321, 0.0521, "6.94 ±0.05"),
        (6.94321, 0.0121, "6.943 ±0.012"),
        (53.2, 1.4, "53.2 ±1.4"),
        (946.61, 0.43, "946.6 ±0.4"),
        (41.3, 4.2, "41 ±4"),
        (12345.6, 0.2, "12346"),
        (0.64111, 0.00182, "0.6411 ±0.0018"),
        (5.0, 0.0, "5.0000"),
        (0.0, 0.0, "0"),
        (3.0, math.nan, "3.0000 ±?"),
        (math.nan, math.nan, "-"),
    ],
)
def test_numbers_show_what_is_known(value: float, half: float, text: str) -> None:
    assert number(Estimate(value, value - half, value + half)) == text


@pytest.mark.parametrize("half", [-1.0, math.inf, math.nan])
def test_an_interval_that_cannot_be_is_not_known(half: float) -> None:
    assert number(Estimate(2.0, 2 - half, 2 + half)) == "2.0000 ±?"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1234567.0, "1,234,567"), (0.012345678, "0.012346"), (1e-9, "1e-09")],
)
def test_plain_numbers(value: float, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize("width", [80, 120])
def test_all_modes_fit_and_nothing_is_cut(cost: tb.Cost, width: int) -> None:
    text = printed(cost_report(cost, full=True), width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for word in ("messages sent", "routed lifetime", "theta_r = ", "theta_t = ", "share of"):
        assert word in text


def test_a_cost_is_said_in_words(cost: tb.Cost) -> None:
    text = printed(cost_report(cost, full=True))
    assert "times as long" in text
    assert "of the message rate" in text


def test_a_ratio_above_1_is_explained_at_once() -> None:
    machine, workload = tb.Machine(topology=tb.Mesh(dims=(4, 4))), tb.FanIn(message_size="100 kB")
    text = " ".join(printed(cost_report(tb.cost(machine, workload))).split())
    assert "theta_t: No cost: packets are routed 2.90 times as long in endpoints, as" in text
    assert "theta_c: completion; theta_t: time of a packet from its first link" in text
    assert "theta_r: " not in text


def test_a_run_shows_its_mode_only(cost: tb.Cost) -> None:
    text = printed(run_report(cost.modes["throttled"]))
    assert "throttled" in text
    assert "full" not in text


def test_every_report_says_how_finely_channels_were_simulated(cost: tb.Cost) -> None:
    prediction = tb.describe(t9000("mesh", dims=(4, 4)), tb.Synthetic(radius=2))
    reports = [cost_report(cost), run_report(cost.modes["full"]), prediction_report(prediction)]
    for report in reports:
        assert "fidelity packet · seed 1" in printed(report).splitlines()[0]
    for answer in (cost.to_dict(), cost.modes["full"].to_dict(), prediction.to_dict()):
        assert answer["fidelity"] == answer["parameters"]["run"]["fidelity"] == "packet"
    assert cost.modes["full"].fidelity == "packet"


def test_a_prediction_has_sizes_and_parameters() -> None:
    prediction = tb.describe(t9000("mesh", dims=(4, 4)), tb.Synthetic(radius=2))
    text = printed(prediction_report(prediction, full=True))
    for word in ("mean hops", "saturation", "bisection", "input_buffer", "70 B"):
        assert word in text


def test_a_prediction_says_which_flits_are_rounded() -> None:
    """5.12 ns / 16.5 = 310.303 ps."""
    link = tb.Link(rate="25.78125 Gbit/s")
    node_link = tb.NodeLink(rate="1 Gbit/s")
    machine = tb.Machine(topology=tb.Mesh(dims=(2, 2)), link=link, node_link=node_link)
    text = printed(prediction_report(tb.describe(tb.Experiment(machine, tb.Synthetic()))))
    assert "a flit at 25.78125 Gbit/s takes 310 ps, rounded by -0.098 %" in text
    assert "a flit at 1 Gbit/s" not in text


def test_a_failure_lists_who_waits() -> None:
    failure = RunFailure(
        "deadlock", "deadlock", 5, [(f"process {i}", "a message") for i in range(50)]
    )
    text = printed(failure_report(failure))
    assert "process 39" in text
    assert "and 10 more" in text


def test_progress_is_one_line() -> None:
    state = State(
        mode="full",
        phase="measuring",
        now_ps=2_500_000_000,
        events=10**7,
        metric="messages_per_node_per_ms",
        estimate=Estimate(50.0, 49.0, 51.0, 20),
        precision=0.01,
    )
    expected = "full: 2.500 ms simulated, 20.0 M events/s, messages 50 ±2 % (goal 1 %)"
    assert line([Going(state, 0.5)]) == expected


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (0, "0 events"),
        (1, "1 event"),
        (2_000, "2,000 events"),
        (422_000, "0.422 M events, 0.211 M/s"),
    ],
)
def test_events_are_counted(events: int, text: str) -> None:
    assert events_text(events, 2.0) == text


def test_progress_says_which_of_how_many_runs_and_the_time_left() -> None:
    state = State("full", "measuring", 250_000, 10**7, "completion_us", None, None, "a+b", 10**6)
    assert state.share == 0.25
    # 10 s of 40 are over, and two more runs are as long.
    one_of = replace(state, run=1, runs=3)
    assert seconds_left([Going(one_of, 10)], [], 3) == 30 + 2 * 40
    assert line([Going(one_of, 10)], 0, 110) == (
        "run 1 of 3, full, a+b: 0.000 ms simulated, 1.0 M events/s, about 1 min 50 s left"
    )
    # Of a run that ends by itself nothing is known, but that the one before took 20 s for twice as
    # much simulated time.
    unknown = replace(state, end_ps=None, run=2, runs=3)
    before = Going(replace(unknown, run=1, now_ps=500_000), 20)
    assert seconds_left([Going(unknown, 5)], [before], 3) == 5 + 20
    assert seconds_left([Going(unknown, 50)], [before], 3) == 50 + 20
    # It may go on for longer than that one.
    longer = replace(unknown, now_ps=500_001)
    assert seconds_left([Going(longer, 50)], [before], 3) is None
    assert seconds_left([Going(unknown, 5)], [], 3) is None
    assert seconds_left([Going(one_of, 10)], [], None) is None
    # Half the precision wanted: a quarter is done.
    precise = replace(unknown, run=1, runs=1, precision=0.01, estimate=Estimate(50, 49, 51, 20))
    assert seconds_left([Going(precise, 5)], [], 1) == pytest.approx(15)


def test_progress_of_runs_at_the_same_time_is_one_line() -> None:
    state = State("full", "measuring", 250_000_000, 10**7, "completion_us", None, None, "", 10**9)
    runs = [Going(replace(state, run=run, runs=6, note=f"job {run}"), 10) for run in range(2, 6)]
    assert line(runs[:2], 1, 50) == (
        "1 of 6 runs done, 2 under way (full, job 2 0.250 ms; full, job 3 0.250 ms), "
        "2.0 M events/s, about 50 s left"
    )
    named = "full, job 2 0.250 ms; full, job 3 0.250 ms; full, job 4 0.250 ms; 1 more"
    assert line(runs[:2], 1, 0.4).endswith("events/s")
    assert line(runs, 1) == f"1 of 6 runs done, 4 under way ({named}), 4.0 M events/s"
    # 30 s of either are left, and three more take 40 s, two at a time.
    over = Going(state, 40)
    assert seconds_left(runs[:2], [over], 6) == (2 * 30 + 3 * 40) / 2
    # The longest decides where no more are to come.
    assert seconds_left([runs[0], Going(runs[1].state, 20)], [over] * 4, 6) == 60


def test_the_ticker_forgets_runs_that_are_over(capsys: pytest.CaptureFixture[str]) -> None:
    state = State("full", "measuring", 250_000_000, 10**7, "completion_us", None, None)
    ticker = Ticker()
    with (
        one_of(ticker, 1, 3) as first,
        one_of(ticker, 2, 3) as second,
    ):
        first(state)
        time.sleep(2.05)
        second(state)
        assert "0 of 3 runs done, 2 under way" in capsys.readouterr().err
    with one_of(ticker, 3, 3) as third:
        time.sleep(2.05)
        third(state)
    assert capsys.readouterr().err.startswith("run 3 of 3, full: ")


def test_a_terminal_is_told_what_is_done_before_the_first_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, seen = [], Event()

    def update(ticker: Ticker, text: str) -> None:
        told.append(text)
        seen.set()

    monkeypatch.setattr("tailback.progress.QUIET_S", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(Ticker, "_update", update)
    with Ticker("looking at the network"):
        assert seen.wait(HANG_S)
    assert told == ["looking at the network"]


def test_steps_say_which_of_how_many_they_are_and_how_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Ticker() as ticker:
        steps = Steps(2, ticker.step)
        steps.begin("distances")
        steps.begin("routes")
        steps.done(0.1)
        # All of this takes less than two seconds.
        assert not capsys.readouterr().err
        monkeypatch.setattr("tailback.progress.QUIET_S", 0.0)
        steps.done(0.378)
        steps.done(1.0)
    assert capsys.readouterr().err.splitlines() == [
        "step 2 of 2: routes, 37 % done",
        "step 2 of 2: routes, 100 % done",
    ]


def test_a_step_that_lasts_is_told_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It began before there was anything to tell, and tells nothing itself."""
    told, seen = [], Event()

    def tell(ticker: Ticker, text: str) -> None:
        told.append(text)
        seen.set()

    monkeypatch.setattr("tailback.progress.QUIET_S", 0.1)
    monkeypatch.setattr(Ticker, "_tell", tell)
    with Ticker() as ticker:
        Steps(3, ticker.step).begin("loads of channels")
        assert seen.wait(HANG_S)
    assert told == ["step 1 of 3: loads of channels"]


def test_describing_tells_as_many_steps_as_it_says_there_are() -> None:
    told: list[Step] = []
    star = tb.Experiment(tb.Machine(topology=tb.Star(nodes=4)), tb.Synthetic())
    describe(star, Steps(STEPS, told.append))
    assert [step.number for step in told] == list(range(1, STEPS + 1))
    assert {step.of for step in told} == {STEPS}


def test_every_run_of_a_comparison_says_which_it_is() -> None:
    seen: set[tuple[int, int, str]] = set()

    def watch(state: State) -> None:
        seen.add((state.run, state.runs, state.mode))

    star = tb.Machine(topology=tb.Star(nodes=4))
    compare(tb.Experiment(star, tb.FanIn(message_size="1 kB")), MODES[:2], watch=watch)
    assert seen == {(1, 2, "full"), (2, 2, "endpoints")}


def test_a_time_that_is_far_below_the_others_has_its_own_unit() -> None:
    steps = [{"compute": "200 ms"}, {"send": 1, "bytes": "10 B"}]
    sender = {"node": 0, "repeat": 1, "steps": steps}
    receiver = {"node": 1, "repeat": 1, "steps": [{"receive": "any"}]}
    given = {
        "machine": {"topology": {"kind": "star", "nodes": 2}},
        "workload": {"kind": "program", "process": [sender, receiver]},
    }
    text = printed(run_report(tb.run(tb.Experiment.from_dict(given))))
    assert re.search(r"time, ms\s+completion\s+200\.00", text)
    assert "message latency, ns" in text
    assert "e-0" not in text.split("utilisation")[0]


def test_hops_that_nobody_knows_beforehand_are_of_no_pairs() -> None:
    given = {
        "machine": {"topology": {"kind": "star", "nodes": 4}},
        "workload": {"kind": "trace", "file": str(ROOT / "examples" / "ring.goal")},
    }
    text = printed(prediction_report(tb.describe(tb.Experiment.from_dict(given))))
    assert "mean hops (not known before it runs)" in text
    assert "0 pairs" not in text
