"""Fidelity fluid: said to be an estimate, never chosen, refused where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError

MACHINE = {
    "topology": {"kind": "mesh", "dims": [3]},
    "interface": {"acknowledgements": False},
}
MESSAGES = {"kind": "messages", "messages": [("0 ns", 0, 2, "32 B"), ("0 ns", 1, 2, "32 B")]}


def _experiment(**run: Any) -> tb.Experiment:
    tables = {"machine": MACHINE, "workload": MESSAGES, "run": {"fidelity": "fluid", **run}}
    return tb.Experiment.from_dict(tables)


def test_it_runs_in_every_mode() -> None:
    for mode in ("full", "endpoints", "throttled", "free", "ideal"):
        result = tb.run(_experiment(mode=mode))
        assert result.fidelity == "fluid"


def test_it_is_said_that_it_is_an_estimate() -> None:
    from tailback.terminal.layout import heading

    assert "fidelity fluid (an estimate)" in heading(_experiment()).plain


def test_blame_is_refused() -> None:
    with pytest.raises(UserError, match="with fidelity fluid: messages that share a link slow"):
        tb.run(_experiment(blame=True))


def test_auto_is_never_fluid() -> None:
    assert _experiment(fidelity="auto").fidelity != "fluid"


def test_circuits_are_refused() -> None:
    tables = {
        "machine": {**MACHINE, "switch": {"switching": "circuit"}},
        "workload": MESSAGES,
        "run": {"fidelity": "fluid"},
    }
    with pytest.raises(UserError, match=r"must be .?packet.? with"):
        tb.Experiment.from_dict(tables)


def test_nodes_that_drain_and_costs_are_taken_into_account() -> None:
    """Two messages to one node: it drains a byte in 22 ns, after a start-up of 231 us."""
    interface = {
        "acknowledgements": False,
        "send_overhead": "231 us",
        "packet_interval_per_byte": "22 ns/B",
        "receive_fifo": 2,
        "drain_rate": "363636364 bit/s",
    }
    link = {"rate": "1454545455 bit/s", "duplex": "half_by_flit"}
    switch = {"switching": "wormhole", "input_buffer": "64 B"}
    machine = {**MACHINE, "link": link, "switch": switch, "interface": interface}
    rows = [("0 ns", node, 2, "17920 B") for node in (0, 1)]
    run = {"fidelity": "fluid", "mode": "full"}
    tables = {"machine": machine, "workload": {"kind": "messages", "messages": rows}, "run": run}
    taken = tb.run(tb.Experiment.from_dict(tables))["completion_us"].value
    assert taken == pytest.approx(231 + 2 * 17920 * 0.022, rel=0.02)
