"""What `describe` says of pauses: that switches can pause each other, and that pauses come late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import RunFailure
from tailback.prediction.pauses import circle_of
from tests.commands import tailback

FRAMES = {
    "switching": "store_and_forward",
    "forwarding": "per_port",
    "memory": "40 kB",
    "pause": "all",
}
#: Around a ring of four switches, each with two nodes: two links further, and one back.
AROUND = [(0, 4), (1, 5), (2, 6), (3, 7), (4, 0), (5, 1), (6, 2), (7, 3)]


@pytest.fixture
def ring(tmp_path: Path) -> dict[str, Any]:
    """Return a ring of four switches around which all packets go the same way."""
    (tmp_path / "ring.edgelist").write_text("A B\nB C\nC D\nD A\n")
    rows = ["source,destination,hops"]
    for source in range(8):
        for destination in range(8):
            here, there = source // 2, destination // 2
            if here != there:
                way = [str((here + i) % 4) for i in range(1, (there - here) % 4 + 1)]
                rows.append(f"{source},{destination},{','.join(way)}")
    (tmp_path / "r.csv").write_text("\n".join(rows) + "\n")
    return {
        "topology": {
            "kind": "graph",
            "file": str(tmp_path / "ring.edgelist"),
            "nodes_per_switch": 2,
        },
        "routing": {"kind": "source_routes", "file": str(tmp_path / "r.csv")},
        "switch": FRAMES,
        "link": {"rate": "40 Gbit/s", "delay": "1 us"},
    }


def messages(pairs: list[tuple[int, int]]) -> dict[str, Any]:
    rows = [["0 ns", source, destination, "2 MB"] for source, destination in pairs]
    return {"kind": "messages", "messages": rows}


def test_packets_around_a_ring_can_stop(ring: dict[str, Any]) -> None:
    asked = tb.Experiment.from_dict({"machine": ring, "workload": messages(AROUND)})
    found = tb.describe(asked)
    assert found.pauses is not None
    assert found.pauses.circle == (0, 1, 2, 3)
    told = found.to_dict()
    assert told["routing"]["free_of_deadlock_by"] is None
    assert told["pauses"]["circle"] == [0, 1, 2, 3]
    with pytest.raises(RunFailure, match="deadlock"):
        tb.run(asked)


def test_packets_that_go_one_way_cannot(ring: dict[str, Any]) -> None:
    asked = tb.Experiment.from_dict({"machine": ring, "workload": messages([(0, 4), (1, 4)])})
    found = tb.describe(asked)
    assert found.pauses is not None
    assert found.pauses.circle == ()
    assert found.to_dict()["routing"]["free_of_deadlock_by"] is not None
    tb.run(asked)


def test_two_switches_can_pause_each_other(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        """
        [machine]
        topology.kind = "concentrated_mesh"
        topology.dims = [2]
        topology.nodes_per_switch = 4
        switch.switching = "store_and_forward"
        switch.forwarding = "per_port"
        switch.memory = "40 kB"
        switch.pause = "all"
        [workload]
        preset = "uniform_open_loop"
        """
    )
    done = tailback("describe", "two.toml", cwd=tmp_path, env={"COLUMNS": "140"})
    assert "possible by pauses: switches 0, 1 can pause each other in a cycle" in done.stdout


def star(nodes: int, memory: str, delay: str = "1 us") -> tb.Experiment:
    machine = {
        "topology": {"kind": "star", "nodes": nodes},
        "link": {"rate": "25 Gbit/s", "delay": delay},
        "interface": {"packet_size": "1000 B", "header": "48 B"},
        "switch": FRAMES | {"memory": memory},
    }
    workload = {"kind": "fan_in", "message_size": "4 kB", "destination": nodes - 1}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload})


def test_pauses_may_come_too_late() -> None:
    found = tb.describe(star(257, "200 kB")).pauses
    assert found is not None
    # 2 us at 25 Gbit/s, a pause of 72 B, and two frames, from each of 257 nodes.
    assert found.late_bytes == 257 * (6250 + 72 + 2 * 1048)
    assert (found.headroom_bytes, found.may_lose) == (50_000, True)
    with pytest.raises(RunFailure, match="lost"):
        tb.run(star(257, "200 kB"))


def test_with_headroom_for_all_links_nothing_is_lost() -> None:
    found = tb.describe(star(33, "4 MB")).pauses
    assert found is not None
    assert not found.may_lose
    result = tb.run(star(33, "4 MB"))
    assert result.complete
    assert result["lost_packets_per_node_per_ms"].value == 0


def test_where_nothing_pauses_nothing_is_said() -> None:
    machine = {"topology": {"kind": "mesh", "dims": [4]}}
    found = tb.describe(tb.Experiment.from_dict({"machine": machine}))
    assert found.pauses is None
    assert "pauses" not in found.to_dict()


def test_circles() -> None:
    assert circle_of([]) == ()
    assert circle_of([(0, 1), (1, 2), (0, 2)]) == ()
    assert circle_of([(3, 1), (1, 2), (2, 3), (0, 3)]) == (1, 2, 3)
    assert circle_of([(0, 1), (1, 0)]) == (0, 1)
