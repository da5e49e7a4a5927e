"""Switches with a queue for each output: keys, what is refused, what packets wait for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import engine
from tailback.errors import UserError
from tailback.machines import machine_of
from tailback.runner import run_mode


def experiment(switch: dict[str, Any], **parts: Any) -> tb.Experiment:
    """Return messages of which two meet at a busy node, and others stand behind them."""
    random = np.random.default_rng(3)
    times = np.cumsum(random.integers(0, 300, 400)).tolist()
    ends = random.integers(0, 8, (400, 2)).tolist()
    messages = [[f"{t} ns", a, b, "90 B"] for t, (a, b) in zip(times, ends, strict=True) if a != b]
    machine = {
        "topology": {"kind": "star", "nodes": 8},
        "link": {"rate": "4 Gbit/s"},
        "interface": {"packet_size": "96 B"},
        "switch": {"switching": "cut_through", "input_buffer": "800 B", "queueing": "fifo"}
        | switch,
        **parts,
    }
    return tb.Experiment.from_dict(
        {
            "machine": machine,
            "workload": {"kind": "messages", "messages": messages},
            "run": {"blame": True, "packet_waits": True},
        }
    )


def causes(switch: dict[str, Any]) -> set[str]:
    """Return why packets waited."""
    blame = run_mode(experiment(switch), "full").blame
    assert blame is not None
    assert blame.waits is not None
    column = blame.tables()["blame_waits"]["cause"].to_pylist()
    assert blame.waits.totals_ps.sum() > 0
    return set(column)


@pytest.mark.parametrize("speedup", [None, 1, 2])
def test_nobody_waits_for_the_head_of_a_line(speedup: int | None) -> None:
    assert "head_of_line" in causes({})
    assert "head_of_line" not in causes({"queueing": "voq", "input_speedup": speedup})
    assert "head_of_line" not in causes({"queueing": "output"})


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ({"switching": "wormhole", "queueing": "voq"}, "queueing"),
        ({"queueing": "output", "input_speedup": 2}, "input_speedup"),
        ({"input_speedup": 2}, "input_speedup"),
        ({"queueing": "voq", "input_speedup": 65}, "input_speedup"),
        ({"queueing": "queues"}, "queueing"),
    ],
)
def test_refused_in_one_line(switch: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        experiment(switch).spec("full", record_packets=False)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_usual_kind_is_output_where_packets_keep_to_one() -> None:
    def usual(**machine: Any) -> str:
        return str(machine_of(machine).queueing)

    assert usual() == usual(switch={"switching": "store_and_forward"}) == "output"
    assert usual(switch={"switching": "wormhole"}) == "fifo"
    assert usual(routing={"kind": "minimal_adaptive"}) == "fifo"
    assert usual(switch={"forwarding": "per_port", "switching": "store_and_forward"}) == "fifo"
    of_then = {"switch": {"switching": "cut_through"}, "link": {"flow_control": "out_of_band"}}
    assert usual(preset="wormhole_mesh", **of_then) == "fifo"
    assert usual(preset="infiniband_like") == "output"


def test_fluid_knows_of_no_queues() -> None:
    asked = experiment({"queueing": None})
    assert "queueing" not in asked.machine.spec("fluid")["switch"]
    assert asked.machine.spec("packet")["switch"]["queueing"] == "output"


@pytest.mark.parametrize(
    ("machine", "selection"),
    [
        ({}, "first"),
        ({"routing": {"kind": "odd_even"}}, "random"),
        ({"routing": {"kind": "odd_even"}, "switch": {"queueing": "fifo"}}, "first"),
        ({"routing": {"kind": "minimal_adaptive"}}, "first"),
        ({"topology": {"kind": "pod_fat_tree"}}, "random"),
        ({"topology": {"kind": "pod_fat_tree"}, "switch": {"switching": "wormhole"}}, "random"),
        ({"topology": {"kind": "pod_fat_tree"}, "switch": {"switching": "circuit"}}, "first"),
    ],
)
def test_packets_spread_where_they_have_a_choice(machine: Any, selection: str) -> None:
    assert machine_of(machine).selection == selection


def test_as_many_at_a_time_as_there_are_outputs_is_output() -> None:
    found = []
    for switch in ({"queueing": "voq", "input_speedup": 8}, {"queueing": "output"}):
        asked = experiment(switch)
        spec = asked.spec("full", record_packets=True)
        simulation = engine.Simulation(spec, asked.messages_arrays())
        while simulation.advance(2**62, 10**9) != "finished":
            pass
        packets = simulation.take_packets()
        found.append(sorted(zip(*(packets[key].tolist() for key in sorted(packets)), strict=True)))
    assert found[0] == found[1]
    assert found[0]


@pytest.mark.parametrize(
    "topology",
    [{"kind": "pod_fat_tree", "switch_ports": 8}, {"kind": "xgft", "children": [8, 8, 4]}],
)
def test_a_fat_tree_at_a_fifth_of_its_load_hardly_delays_anybody(topology: dict[str, Any]) -> None:
    """With the first free parent it was 1.83 µs on average, and 10 µs for one message of 100."""
    asked = {
        "machine": {"topology": topology, "switch": {"input_buffer": "64 kB"}},
        "workload": {
            "preset": "uniform_open_loop",
            "message_size": "1000 B",
            "compute_period": "403 ns",
        },
        "run": {"duration": "20 us", "warmup": "5 us"},
    }
    result = tb.run(tb.Experiment.from_dict(asked))
    assert result["message_latency_us"].value == pytest.approx(0.116, abs=0.004)
    assert result.percentile("message_latency", 99) == pytest.approx(0.275, abs=0.035)
