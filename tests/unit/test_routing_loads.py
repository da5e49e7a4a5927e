"""What networks accept at most, by how packets are routed, beside the known bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

import tailback as tb
from tailback.machines import machine_of
from tests.loads import accepted


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "fidelity", "next_group", "uniform"),
    [
        # One link of a flit per cycle between every two groups, for 8 nodes.
        ("minimal", "flit", (0.12, 0.126), (0.6, 0.7)),
        # Twice as many hops between groups: at most one half.
        ("valiant", "flit", (0.36, 0.5), (0.36, 0.5)),
        # As the better of both, within 10 %.
        ("ugal_l", "flit", (0.4, 0.5), (0.56, 0.7)),
        ("ugal_g", "flit", (0.4, 0.5), (0.56, 0.7)),
        ("par", "flit", (0.4, 0.5), (0.5, 0.7)),
        # With a channel for each class a clocked switch carries less: this is what differs.
        ("minimal", "clocked", (0.1, 0.12), (0.58, 0.65)),
        ("ugal_l", "clocked", (0.33, 0.4), (0.45, 0.55)),
        # Every class of channels has a wire of its own.
        ("ugal_l", "worm", (0.5, 0.75), (0.6, 1.0)),
        ("ugal_l", "packet", (0.36, 0.5), (0.5, 0.75)),
    ],
)
def test_loads_of_a_dragonfly_are_within_the_known_bounds(
    kind: str, fidelity: str, next_group: tuple[float, float], uniform: tuple[float, float]
) -> None:
    keys = {"intermediate": "group"} if kind == "valiant" else {}
    clocked = {"allocator": "islip", "arbiter": "round_robin"} if fidelity == "clocked" else {}
    fidelity = "flit" if clocked else fidelity
    machine = machine_of(
        {
            "preset": "wormhole_mesh",
            "topology": {"kind": "dragonfly"},
            "routing": {"kind": kind, **keys},
            "switch": {"input_buffer": "32 B", **clocked},
            **({"clock": "1 GHz"} if clocked else {}),
            "interface": {"packet_size": "3 B"},
            **({"link": {"sharing": "separate"}} if fidelity == "worm" else {}),
        }
    )
    for pattern, (low, high) in (("next_group", next_group), ("uniform", uniform)):
        assert low < accepted(machine, fidelity, pattern=pattern) < high, pattern


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "failed", "adversarial", "uniform"),
    [
        # One link of a flit per cycle for the four nodes of a switch.
        ("dimension_order", 0.0, (0.24, 0.251), (0.5, 0.7)),
        # Twice as many hops: at most one half.
        ("valiant", 0.0, (0.33, 0.5), (0.33, 0.5)),
        # As the better of both, within 10 %.
        ("ugal_l", 0.0, (0.33, 0.5), (0.5, 0.7)),
        ("ugal_g", 0.0, (0.33, 0.5), (0.5, 0.7)),
        # Aside in a line takes two of its links for one: at most one half.
        ("dal", 0.0, (0.4, 0.5), (0.45, 0.7)),
        # A twentieth of all links has failed.
        ("ugal_l", 0.05, (0.33, 0.5), (0.48, 0.65)),
        ("dal", 0.05, (0.4, 0.5), (0.43, 0.65)),
    ],
)
def test_loads_of_a_hyperx_are_within_the_known_bounds(
    tmp_path: Path,
    kind: str,
    failed: float,
    adversarial: tuple[float, float],
    uniform: tuple[float, float],
) -> None:
    side, nodes = 4, 4
    machine = machine_of(
        {
            "preset": "wormhole_mesh",
            "topology": {
                "kind": "hyperx",
                "dims": [side, side],
                "nodes_per_switch": nodes,
                "failed_share": failed,
            },
            "routing": {"kind": kind},
            "switch": {"input_buffer": "32 B"},
            "interface": {"packet_size": "3 B"},
        }
    )
    # All nodes of a switch send to those of the next along x.
    path = tmp_path / "next.csv"
    rows = ["source,destination"]
    for source in range(machine.nodes):
        switch, lane = divmod(source, nodes)
        following = switch - switch % side + (switch + 1) % side
        rows.append(f"{source},{following * nodes + lane}")
    path.write_text("\n".join(rows) + "\n")
    for keys, (low, high) in (
        ({"pattern": "permutation", "file": str(path)}, adversarial),
        ({"pattern": "uniform"}, uniform),
    ):
        assert low < accepted(machine, "flit", **keys) < high, keys


def _next_along_x(folder: Path) -> Path:
    """Write whom the nodes of a HyperX of 4 x 4 switches with four nodes send to."""
    file = folder / "next.csv"
    rows = [
        f"{node},{(node // 4 // 4 * 4 + (node // 4 + 1) % 4) * 4 + node % 4}" for node in range(64)
    ]
    file.write_text("source,destination\n" + "\n".join(rows) + "\n")
    return file


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "worst", "uniform"),
    [
        ("dimension_order", (0.245, 0.2501), (0.91, 0.97)),
        ("valiant", (0.45, 0.5), (0.45, 0.5)),
        ("ugal_l", (0.45, 0.5), (0.91, 0.97)),
        ("dal", (0.48, 0.5001), (0.91, 0.97)),
    ],
)
def test_switches_of_today_carry_what_a_hyperx_can(
    kind: str, worst: tuple[float, float], uniform: tuple[float, float], tmp_path: Path
) -> None:
    machine = {
        "topology": {"kind": "hyperx", "dims": [4, 4], "nodes_per_switch": 4},
        "routing": {"kind": kind},
        "interface": {"packet_size": "256 B"},
        "link": {"delay": "10 ns"},
    }
    file = str(_next_along_x(tmp_path))
    for pattern, (low, high) in (
        ({"pattern": "permutation", "file": file}, worst),
        ({"pattern": "uniform"}, uniform),
    ):
        sends = {"message_size": "256 B", "compute_period": "22.232 ns"}
        workload = {"preset": "uniform_open_loop", **sends, **pattern}
        run = {"warmup": "20 us", "duration": "60 us"}
        asked = tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
        assert low < tb.run(asked)["accepted_load"].value < high, pattern


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["ugal_l", "ugal_g", "par"])
@pytest.mark.parametrize(
    ("rate", "pattern", "least", "most"),
    [
        # One node per switch: cables of half the rate just carry uniform traffic.
        ("50 Gbit/s", "uniform", 0.9, 0.95),
        ("25 Gbit/s", "uniform", 0.48, 0.54),
        # At most 9/16 of the cables' rate: 1/8 directly, the rest over two of them. A window counts
        # a little more at its ends.
        ("50 Gbit/s", "next_group", 0.54, 0.568),
        ("25 Gbit/s", "next_group", 0.265, 0.284),
    ],
)
def test_packets_turn_away_from_slow_global_cables_only_where_it_helps(
    kind: str, rate: str, pattern: str, least: float, most: float
) -> None:
    machine = {
        "topology": {"kind": "dragonfly", "nodes_per_switch": 1},
        "routing": {"kind": kind},
        "link": {"flit": "8 B", "delay": "10 ns"},
        "link_classes": {"global": {"rate": rate}},
        "switch": {"queueing": "output", "input_buffer": "1 KiB"},
        "interface": {"packet_size": "56 B"},
    }
    sends = {"message_size": "56 B", "load": 0.95, "pattern": pattern}
    workload = {"preset": "uniform_open_loop", **sends}
    run = {"warmup": "3 us", "duration": "8 us"}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
    assert least < tb.run(asked)["accepted_load"].value < most
