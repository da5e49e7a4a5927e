"""`switch.edge_delay`: packets from nodes take longer in their first switch, and only there."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError


def lifetime_ns(fidelity: str, delay: str, mode: str = "full", hops: int = 3) -> float:
    """Return how long one packet takes over so many switches in a row."""
    messages = tb.Messages(messages=[("0 ns", 0, hops - 1, "64 B")])
    machine: dict[str, Any] = {
        "topology": {"kind": "mesh", "dims": [hops]},
        "link": {"rate": "8 Gbit/s", "delay": "1 ns"},
        "switch": {"delay": "10 ns", "edge_delay": delay, "switching": "wormhole"},
        "interface": {"acknowledgements": False},
    }
    made = tb.Experiment.from_dict({"machine": machine}).machine
    result = tb.run(made, messages, fidelity=fidelity, mode=mode, packets=True)
    [row] = result.packets.to_pylist()
    return float(row["delivered_ns"] - row["queued_ns"])


@pytest.mark.parametrize("fidelity", ["packet", "worm", "flit", "fluid"])
@pytest.mark.parametrize("mode", ["full", "endpoints", "free"])
@pytest.mark.parametrize("hops", [2, 4])
def test_a_packet_takes_longer_by_the_delay(fidelity: str, mode: str, hops: int) -> None:
    without = lifetime_ns(fidelity, "0 ns", mode, hops)
    assert lifetime_ns(fidelity, "37 ns", mode, hops) == without + 37


def test_what_does_not_use_it_does_not_know_it() -> None:
    machine = tb.Machine()
    assert "edge_delay" not in machine.resolved("packet")["switch"]
    assert "edge_delay_ps" not in machine.spec("packet")["switch"]
    edge = tb.Machine(switch=tb.Switch(edge_delay="5 ns"))
    assert edge.spec("packet")["switch"]["edge_delay_ps"] == 5_000
    assert edge.resolved("packet")["switch"]["edge_delay"] == "5 ns"


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ({"switch": {"switching": "circuit"}}, "must be 0 s where packets do not enter a switch"),
        ({"topology": {"kind": "pair"}}, "needs a machine.topology.kind with switches"),
        ({"switch": {"edge_delay": "2 s"}}, "must be at most 1 s"),
    ],
)
def test_machines_without_it_refuse_it(tables: dict[str, Any], problem: str) -> None:
    switch = {"edge_delay": "5 ns", **tables.get("switch", {})}
    with pytest.raises(UserError, match="edge_delay") as raised:
        tb.Experiment.from_dict({"machine": {**tables, "switch": switch}})
    assert problem in str(raised.value)
